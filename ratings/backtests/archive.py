"""Archives: contests read from files, without a database, for backtests and tuning."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from contests.errors import ContestError
from contests.formats import ParseError, Report, iter_contests
from contests.handles import handle_key
from ratings.systems import Contest
from ratings.systems.contest import days_since_1970

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from contests.formats import ParsedContest
    from ratings.systems import RatingSystem

MAX_BYTES = 4 * 2**30


@dataclass(frozen=True, slots=True)
class Archive:
    """
    Contests in the order in which they ended, and the handles of their players.

    handles
        By the players' index, as first written; handles that differ only in case are one player.
    names
        The names of the contests, in their order.
    """

    contests: list[Contest]
    handles: list[str]
    names: list[str]

    def digest(self) -> str:
        """Return a hash of everything that ratings depend on."""
        digest = hashlib.sha256()
        for contest in self.contests:
            digest.update(np.array([contest.day, contest.weight, contest.perf_ceiling]).tobytes())
            digest.update(contest.players.tobytes() + contest.group.tobytes() + contest.entry.tobytes())
            for name, column in ((b"play", contest.play), (b"handicap", contest.handicap)):
                if column is not None:
                    digest.update(name + column.tobytes())
        return digest.hexdigest()

    def for_system(self, system: RatingSystem | type[RatingSystem]) -> list[Contest]:
        """Return the contests as the site rates them: a system without partial play counts everyone in full."""
        if system.rates_partial_play:
            return self.contests
        return [contest if contest.play is None else _in_full(contest) for contest in self.contests]


def _in_full(contest: Contest) -> Contest:
    return Contest(
        contest.players, contest.ranks, contest.weight, contest.perf_ceiling, contest.day, contest.teams,
        handicap=contest.handicap,
    )  # fmt: skip


class UnreadableFile(Exception):
    """Raised for a file that cannot be used, with its path and a list of its problems."""

    def __init__(self, path: Path, error: ParseError) -> None:
        self.path, self.problems = path, error.problems
        super().__init__(f"{path}: {error}")


def read_archive(paths: Sequence[Path], *, progress: Callable[[int], None] | None = None) -> Archive:
    """
    Read all contests in the files, in the same way as an import with repairs.

    A contest without a time follows the one read before it. Raises UnreadableFile for a file with errors, and
    ContestError if a contest is in two files or if there is no contest.

    progress
        Called with the number of contests read.
    """
    collector = _Collector()
    for path in paths:
        report = Report()
        for parsed in iter_contests(path, filename=path.name, report=report, repair=True, max_bytes=MAX_BYTES):
            collector.add(parsed, path)
            if progress is not None:
                progress(len(collector.contests))
        if report.errors:
            raise UnreadableFile(path, ParseError(report))
    if not collector.contests:
        raise ContestError(f"There is no contest in {', '.join(map(str, paths))}.")
    order = sorted(range(len(collector.contests)), key=lambda number: collector.contests[number].day)
    contests, names = [collector.contests[number] for number in order], [collector.names[number] for number in order]
    return Archive(contests, list(collector.handles), names)


class _Collector:
    """Collects contests as they are read, and numbers players in the order in which they appear."""

    def __init__(self) -> None:
        self.contests: list[Contest] = []
        self.names: list[str] = []
        self.handles: list[str] = []
        self._players: dict[str, int] = {}
        self._numbers: dict[str, int] = {}
        self._sources: dict[str, Path] = {}

    def add(self, parsed: ParsedContest, path: Path) -> None:
        earlier = self._sources.setdefault(parsed.key, path) if parsed.key else path
        if earlier is not path:
            raise ContestError(f"Contest “{parsed.key}” is in {earlier} and in {path}: name only one of them.")
        ranked = [(row, rank) for row, rank in zip(parsed.standings, parsed.ranks, strict=True) if rank is not None]
        day = days_since_1970(parsed.ends_at) if parsed.ends_at else self._last_day()
        players = [self._player(row.handle) for row, _ in ranked]
        self.names.append(parsed.name)
        self.contests.append(
            Contest(
                np.array(players, dtype=np.int64),
                np.array([rank for _, rank in ranked], dtype=np.int64),
                weight=parsed.weight,
                perf_ceiling=np.inf if parsed.perf_ceiling is None else parsed.perf_ceiling,
                day=day,
                # A player without a team in a contest of teams is a team of one.
                teams=[row.team or index for index, (row, _) in enumerate(ranked)] if parsed.has_teams else None,
                play=[row.share or 1.0 for row, _ in ranked] if parsed.has_shares else None,
                handicap=[row.handicap or 0.0 for row, _ in ranked] if parsed.has_handicaps else None,
            )
        )

    def _last_day(self) -> float:
        return self.contests[-1].day if self.contests else 0.0

    def _player(self, handle: str) -> int:
        number = self._numbers.get(handle)
        if number is None:
            number = self._players.setdefault(handle_key(handle), len(self.handles))
            if number == len(self.handles):
                self.handles.append(handle)
            self._numbers[handle] = number
        return number
