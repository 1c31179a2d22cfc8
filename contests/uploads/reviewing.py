"""
Review a staged file before any of it is saved, at once or by a worker.

A review says how the file is read, what is wrong with it, which players it names, and what it would do to ratings. A
worker reviews large files: it writes its progress into the row of the file, and the page shows it.
"""

from __future__ import annotations

import logging
import threading
import time
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from celery import current_app
from django.db import DatabaseError, connection
from django.utils import timezone

from contests.errors import ContestError
from contests.formats import Problem, Report
from contests.handles import printable
from contests.matching.players import close_names_warning, match_players
from contests.models import Contest, Player
from contests.providers import projected_effects
from contests.uploads.review import PEOPLE_KEPT, ROWS_KEPT, Counts, Known, Person, Review, ReviewedRow, review_of
from contests.uploads.staging import (
    columns_of,
    find_staged,
    read_choices,
    read_progress,
    read_staged,
    write_progress,
    write_review,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from contests.formats import ParsedContest
    from contests.matching.players import Match
    from contests.uploads.staging import Choices, Decision, Staged

    #: Called with a stage ("reading", "matching", "rating") and the number of rows done in it.
    Tell = Callable[[str, int], None]


logger = logging.getLogger(__name__)

#: Larger files are reviewed by a worker; packed ones, and workbooks, hold several times what they weigh.
READ_AT_ONCE = 2 * 2**20
PACKED_READ_AT_ONCE = 2**18
#: A worker that is well writes down more often than this that it is at work.
PATIENCE_SECONDS = 15
_REPORT_SECONDS = 1.0
#: Where each stage begins on the bar, in percent, by what they take of the time for a large table.
_BEGINS = {"waiting": 0, "reading": 2, "matching": 45, "rating": 75, "done": 100, "failed": 100}
_WORDS = {
    "waiting": "Waiting for a worker",
    "reading": "Reading",
    "matching": "Finding the players",
    "rating": "Computing what it would do to ratings",
    "done": "Done",
    "failed": "The review failed",
}
_DESCRIBED = ("name", "url", "ends_at", "starts_at", "weight", "perf_ceiling")


def review_staged(staged: Staged, *, whole: bool = False, tell: Tell | None = None) -> Review:
    """
    Review a staged file by what was chosen last, keep what was found with it, and return that.

    whole
        Also compute what takes long: no one waits for the answer.
    """
    started = time.perf_counter()
    tell = tell or _tell_nobody
    choices = read_choices(staged)
    contest = Contest.objects.existing().select_related("series").filter(pk=staged.contest_id).first()
    review, report = Review(choices.stamp), Report()
    tell("reading", 0)
    parsed, found = read_staged(staged, choices, report, progress=lambda rows: tell("reading", rows))
    review.columns = columns_of(found, choices)
    if parsed is not None and contest is not None:
        tell("matching", len(parsed.standings))
        players = _match(staged, choices, parsed, review, report)
        if not report.errors:
            tell("rating", len(parsed.standings))
            review.effects = projected_effects(contest, parsed, players, at_once=not whole)
    review.take(report)
    review.seconds = time.perf_counter() - started
    # Someone who has chosen again meanwhile has also asked for another review: then this one is not kept.
    write_review(staged, review.to_json(), stamp=choices.stamp)
    return review


def description_differences(contest: Contest, said: Mapping[str, Any]) -> dict[str, tuple[object, object]]:
    """Return how a file describes the contest differently from the draft: field -> (draft, file)."""
    values = {**said, **{name: _moment(said[name]) for name in ("ends_at", "starts_at") if name in said}}
    differing = [name for name in _DESCRIBED if name in values and getattr(contest, name) != values[name]]
    return {name: (getattr(contest, name), values[name]) for name in differing}


def _match(staged: Staged, choices: Choices, parsed: ParsedContest, review: Review, report: Report) -> list[int | None]:
    """Find who is meant by each row; what is found goes into the review, problems into the report."""
    matches = match_players(parsed.standings, series_id=staged.series_id)
    order = sorted(range(len(matches)), key=lambda i: (parsed.ranks[i] is None, parsed.ranks[i] or 0, i))
    meant = _meant(choices, [matches[i].player_id for i in order[:ROWS_KEPT] if matches[i].how in ("alias", "merged")])
    players = [_player(match, choices, meant) for match in matches]
    if matches.cut:
        report.add(Problem(matches.cut, "warning"))
    _check_decisions(choices, matches, meant, report)
    _check_persons(parsed, players, choices, report)
    if not report.errors:
        _warn_of_close_names(parsed, matches, choices, report)
    review.rows = [_row(parsed, i, players[i], matches[i], meant) for i in order[:ROWS_KEPT]]
    statuses = [row.status for row in parsed.standings]
    review.counts = Counts(
        len(statuses), statuses.count("ranked"), statuses.count("unofficial"), statuses.count("disqualified"),
        players.count(None), sum(1 for match in matches if match.how in ("alias", "merged")),
    )  # fmt: skip
    asked = [i for i, match in enumerate(matches) if match.how == "new" or match.key in choices.decisions]
    asked.sort(key=lambda i: _urgency(matches[i], choices))
    review.people_count = len(asked)
    review.people = [_person(parsed, i, matches[i], choices, meant) for i in asked[:PEOPLE_KEPT]]
    review.said = _said(parsed)
    return players


def _meant(choices: Choices, more: Sequence[int | None]) -> dict[int, Known]:
    """Return the players that were decided on, and some more, by their ids; who was merged is whom they are now."""
    ids = {*choices.known_players.values(), *(pk for pk in more if pk is not None)}
    found = Player.objects.select_related("merged_into").filter(pk__in=ids) if ids else ()
    meant = {}
    for player in found:
        now = player.merged_into or player
        meant[player.pk] = Known(now.pk, now.handle, now.name, now.country)
    return meant


def _player(match: Match, choices: Choices, meant: Mapping[int, Known]) -> int | None:
    decision = choices.decisions.get(match.key)
    if decision is None:
        return match.player_id
    known = meant.get(decision.player_id) if decision.player_id is not None else None
    # A player can only be new if no one has the handle yet.
    return known.player_id if known is not None else match.player_id


def _check_decisions(choices: Choices, matches: Sequence[Match], meant: Mapping[int, Known], report: Report) -> None:
    """Report decisions that no longer fit: for handles that the file has not, and players that are gone."""
    present = {match.key for match in matches} if choices.decisions else set()
    for key, decision in choices.decisions.items():
        if decision.player_id is None:
            continue
        if decision.player_id not in meant:
            report.add(
                Problem(
                    "The player who was chosen for this handle no longer exists; choose again.",
                    value=printable(decision.handle),
                )
            )
        elif key not in present:
            report.add(
                Problem(
                    f"It was chosen that this is {meant[decision.player_id].handle}, but the file as it is read now "
                    "has no such handle; the choice is left aside.",
                    "warning",
                    value=printable(decision.handle),
                )
            )


def _check_persons(parsed: ParsedContest, players: Sequence[int | None], choices: Choices, report: Report) -> None:
    """Report rows whose different handles mean one player."""
    known = [player for player in players if player is not None]
    if len(set(known)) == len(known):
        return
    first: dict[int, int] = {}
    for i, player in enumerate(players):
        if player is None:
            continue
        earlier = first.setdefault(player, i)
        if earlier != i:
            one, other = parsed.standings[earlier], parsed.standings[i]
            remedy = "choose another player below for one of them, or keep" if choices.decisions else "keep"
            report.add(
                Problem(
                    f"This is the same player as “{printable(one.handle)}” in row {one.row}, under another name; "
                    f"{remedy} only one of the two rows.",
                    row=other.row,
                    value=printable(other.handle),
                )
            )


def _warn_of_close_names(parsed: ParsedContest, matches: Sequence[Match], choices: Choices, report: Report) -> None:
    for standing, match in zip(parsed.standings, matches, strict=True):
        if match.how == "new" and match.key not in choices.decisions and (words := close_names_warning(match)):
            report.add(Problem(words, "warning", row=standing.row, value=printable(standing.handle)))


def _row(parsed: ParsedContest, i: int, player: int | None, match: Match, meant: Mapping[int, Known]) -> ReviewedRow:
    row = parsed.standings[i]
    known = next((each for each in meant.values() if each.player_id == player), None) if player is not None else None
    known_as = known.handle if known is not None and known.handle != row.handle else ""
    return ReviewedRow(
        row.handle, row.name, row.country, row.team, row.status, parsed.ranks[i], row.score, row.penalty, player,
        known_as,
    )  # fmt: skip


def _urgency(match: Match, choices: Choices) -> tuple[bool, int]:
    """Sort who was looked up by hand to the front, then the closest names; deciding moves nothing that is suggested."""
    looked_up = match.key in choices.decisions and not match.suggestions
    return not looked_up, -max((each.similarity for each in match.suggestions), default=0)


def _person(parsed: ParsedContest, i: int, match: Match, choices: Choices, meant: Mapping[int, Known]) -> Person:
    row = parsed.standings[i]
    decision: Decision | None = choices.decisions.get(match.key)
    chosen = meant.get(decision.player_id) if decision is not None and decision.player_id is not None else None
    suggestions = [
        Known(each.player_id, each.handle, each.name, each.country, each.similarity, each.why)
        for each in match.suggestions
    ]
    return Person(
        row.handle, match.key, row.row, row.name, row.country, suggestions, chosen, decision is not None,
        decision is not None and decision.is_alias,
    )  # fmt: skip


def _said(parsed: ParsedContest) -> dict[str, Any]:
    """Return what the file says of its contest; a weight of 1 is what a file says that says nothing."""
    said = {name: getattr(parsed, name) for name in _DESCRIBED}
    if not parsed.key or parsed.weight == 1:
        del said["weight"]
    for name in ("ends_at", "starts_at"):
        said[name] = said[name].isoformat() if said[name] is not None else None
    return {name: value for name, value in said.items() if value not in (None, "")}


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text)


def _tell_nobody(stage: str, rows: int) -> None:
    return None


@dataclass(frozen=True, slots=True)
class Progress:
    """
    How far the review of a file by certain choices (`stamp`) is.

    stage
        `waiting`, `reading`, `matching`, `rating`, and in the end `done` or `failed`.
    rows
        How many are done in this stage; `total` is about how many there are, 0 if that is unknown.
    at
        When the worker last said so; when it was asked, if no worker has begun.
    """

    stamp: str
    stage: str
    rows: int = 0
    total: int = 0
    at: str = ""
    error: str = ""

    @property
    def is_over(self) -> bool:
        return self.stage in ("done", "failed")

    @property
    def is_late(self) -> bool:
        """Whether no one seems to be at work: no worker answers, or the one that did is dead."""
        if self.is_over:
            return False
        silence = timezone.now() - datetime.fromisoformat(self.at)
        return silence.total_seconds() > PATIENCE_SECONDS

    @property
    def percent(self) -> int:
        begins = _BEGINS[self.stage]
        if self.stage == "reading" and self.total:
            begins += int((_BEGINS["matching"] - begins) * min(1.0, self.rows / self.total))
        return begins

    @property
    def words(self) -> str:
        if self.stage == "reading" and self.rows:
            return f"Reading: {self.rows:,} rows"
        return _WORDS[self.stage]

    def to_dict(self) -> dict[str, object]:
        """Return what the page asks for again and again."""
        return {
            "stage": self.stage, "words": self.words, "percent": self.percent, "is_over": self.is_over,
            "is_late": self.is_late,
        }  # fmt: skip


def begin_review(staged: Staged) -> None:
    """Review the file now if that is quick, else ask a worker; what takes long of it is left to a worker, too."""
    limit = PACKED_READ_AT_ONCE if staged.is_packed else READ_AT_ONCE
    if staged.size > limit or review_staged(staged).effects_left_out:
        ask_worker(staged)


def ask_worker(staged: Staged) -> None:
    """Ask a worker to review the file by what was chosen last."""
    _write(staged, Progress(read_choices(staged).stamp, "waiting", total=staged.lines))
    try:
        # By name: the task's module imports this one.
        current_app.send_task("contests.review_upload", (staged.token,), retry=False, ignore_result=True)
    except Exception as error:  # any error of a broker's client: the page says that no worker answers, and what to do
        logger.warning("staged file %s: the worker could not be notified (%s)", staged.token, error)


def progress_of(staged: Staged, choices: Choices) -> Progress | None:
    """Return how far the review by these choices is, None if no worker was asked for it."""
    kept = read_progress(staged)
    if kept is None or kept.get("stamp") != choices.stamp:
        return None
    try:
        return Progress(**kept)
    except TypeError:  # another version of the site wrote it
        return None


def work_on(token: str) -> Review | None:
    """Review a staged file, telling how far it is; None if it is gone, or has been reviewed wholly meanwhile."""
    staged = find_staged(token)
    if staged is None:
        return None
    choices = read_choices(staged)
    known = review_of(staged, choices)
    if known is not None and not known.effects_left_out:
        return None
    try:
        with _Reporter(staged, choices).at_work() as reporter:
            return review_staged(staged, whole=True, tell=reporter.tell)
    except ContestError:
        return None  # the file was discarded meanwhile


class _Reporter:
    """Writes down how far a review is, each second, as long as this process lives."""

    def __init__(self, staged: Staged, choices: Choices) -> None:
        self.staged = staged
        self.now = Progress(choices.stamp, "reading", total=staged.lines)
        self._ended = threading.Event()

    def tell(self, stage: str, rows: int) -> None:
        self.now = replace(self.now, stage=stage, rows=rows)

    @contextmanager
    def at_work(self) -> Iterator[_Reporter]:
        _write(self.staged, self.now)
        thread = threading.Thread(target=self._report, daemon=True)
        thread.start()
        end = replace(self.now, stage="failed", error="The worker stopped before it had finished.")
        try:
            yield self
            end = replace(self.now, stage="done")
        except Exception as error:
            end = replace(self.now, stage="failed", error=f"{type(error).__name__}: {error}")
            raise
        finally:
            self._ended.set()
            thread.join()
            _write(self.staged, end)

    def _report(self) -> None:
        try:
            while not self._ended.wait(_REPORT_SECONDS):
                try:
                    _write(self.staged, self.now)
                except DatabaseError as error:  # the next second brings another chance
                    logger.warning("staged file %s: progress was not written (%s)", self.staged.token, error)
        finally:
            connection.close()  # that of this thread


def _write(staged: Staged, progress: Progress) -> None:
    """Keep the progress, unless someone has chosen again or discarded the file: then no one waits for this review."""
    now = asdict(replace(progress, at=timezone.now().isoformat()))
    write_progress(staged, now, stamp=progress.stamp)
