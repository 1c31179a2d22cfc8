"""
The best of the largest series as one text in memory: who is meant first when few letters are typed.

Some letters begin the names of ten thousand players, and letters within names have no index in the database. Both are
found by looking through one block of bytes, best-known player first: a few megabytes take about a millisecond.

How well a player is known in a series is the share of players who do not stand above, on a logarithmic scale: 1 for the
last of the best tenth, 2 for the last of the best hundredth. Few contests and long absence make it less.
"""

from __future__ import annotations

import math
import re
import uuid
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import numpy as np
from django.core.cache import cache
from rapidfuzz import fuzz, process

from contests.handles import search_words
from ratings.models import Rating, Run
from ratings.queries.snapshot import rank_index

if TYPE_CHECKING:
    from collections.abc import Sequence

    from django.db.models import QuerySet
    from numpy.typing import NDArray

    from contests.models import Series

#: How many of a series, and of how many series.
BEST = 30_000
SERIES = 8
#: Of how many of each series misspelt handles are sought, how alike (in per cent), and in words of how many letters.
SPELT, ALIKE, WORD = 5_000, 78, 4
_KEPT_SECONDS = 86_400
_BETWEEN = re.compile(r"[\W_]+")
_LINE, _SPACE = b"\n", b" "
#: Half as well known with so many contests as with very many; and how much less after so long without one.
FEW, AWAY, AWAY_SHARE = 5, timedelta(days=3 * 365), 0.6


@dataclass(frozen=True, slots=True, eq=False)
class Roster:
    """
    The best of one series as of a run.

    text
        For each player, best-known first, a line: the folded words of handle and name, each after a space, in UTF-8.
    starts, player_ids, known
        Shape (players,): where each line begins (its line end), whose it is, and how well known that player is.
    words, spelt
        Handle keys of the very best and the longer words in them, and whose each is (a player's id).
    newest
        When the last contest of any of them ended.
    """

    text: bytes
    starts: NDArray[np.int64]
    player_ids: NDArray[np.int64]
    known: NDArray[np.float64]
    words: list[str]
    spelt: list[int]
    newest: datetime | None

    def find(self, parts: list[bytes], most: int) -> list[tuple[float, int]]:
        """Return how well known, negative, and the id, of the first whose lines hold all the parts."""
        found: list[tuple[float, int]] = []
        rarest = max(parts, key=len)
        at = self.text.find(rarest)
        while at >= 0 and len(found) < most:
            place = int(np.searchsorted(self.starts, at, side="right")) - 1
            following = self.text.find(_LINE, at + 1)
            line = self.text[int(self.starts[place]) : following]
            if all(part in line for part in parts):
                found.append((-float(self.known[place]), int(self.player_ids[place])))
            at = self.text.find(rarest, following) if following >= 0 else -1
        return found

    def alike(self, key: str, most: int) -> list[tuple[float, int]]:
        """Return likeness (100: the same) and id of those whose handle, or a word in it, is spelt nearly so."""
        found = process.extract(key, self.words, scorer=fuzz.ratio, score_cutoff=ALIKE, limit=most)
        return [(score, self.spelt[at]) for _, score, at in found]


@dataclass(frozen=True, slots=True)
class TopPlayers:
    """The rosters of the largest series and the runs they are of."""

    rosters: list[Roster]
    runs: list[Run]

    def beginning(self, words: Sequence[str], most: int) -> dict[int, float]:
        """Return how well known, by id, those are whose names have words that begin with each of these."""
        found = self._found([_SPACE + word.encode() for word in words], most)
        if len(words) > 1:
            found = {**self._found([_SPACE + "".join(words).encode()], most), **found}
        return found

    def holding(self, words: Sequence[str], most: int) -> list[int]:
        """Return ids of those who have each of the words within their names, the best known first."""
        return list(self._found([word.encode() for word in words], most))

    def known(self, player_ids: Sequence[int]) -> dict[int, float]:
        """Return how well known players are, by id, of those who are rated in any of the series; one query."""
        indexes = {run.series_id: rank_index(run) for run in self.runs}
        rated = Rating.objects.filter(player__in=player_ids, series__in=indexes)
        found: dict[int, float] = {}
        newest = {run.series_id: roster.newest for run, roster in zip(self.runs, self.rosters, strict=True)}
        columns = ("series", "player", "score", "contest_count", "last_contest__ends_at")
        for series, player, score, count, last in rated.values_list(*columns):
            index = indexes[series]
            known = _known(index.rank(score) / max(len(index), 1), count, _away(newest[series], last))
            found[player] = max(found.get(player, 0.0), known)
        return found

    def alike(self, key: str, most: int) -> list[int]:
        """Return ids of those whose handle, or a word in it, is spelt nearly like the key, the most alike first."""
        found = sorted((row for roster in self.rosters for row in roster.alike(key, most)), reverse=True)
        return list(dict.fromkeys(pk for _, pk in found))[:most]

    def _found(self, parts: list[bytes], most: int) -> dict[int, float]:
        found: dict[int, float] = {}
        for known, pk in sorted(row for roster in self.rosters for row in roster.find(parts, most)):
            found.setdefault(pk, -known)
        return dict(list(found.items())[:most])


def top_players(series: QuerySet[Series]) -> TopPlayers:
    """Return the best of the largest of these series; two queries, and two for each run not met before."""
    ids = list(series.values_list("pk", flat=True))
    runs = sorted(Run.objects.newest_of(ids), key=lambda run: (-run.player_count, run.pk))[:SERIES]
    stamps = cache.get_many([_stamp(run) for run in runs])
    return TopPlayers([_roster(run, stamps.get(_stamp(run))) for run in runs], runs)


#: What this process remembers, by series: the stamp that the cache has for its run, and the roster.
_remembered: dict[int, tuple[str, Roster]] = {}


def _roster(run: Run, stamp: str | None) -> Roster:
    """
    Return the roster of a run, kept in this process.

    The stamp in the shared cache says of which reading it is, so that it is read anew once the cache has been emptied,
    and at least once a day: names change without a run.
    """
    known = _remembered.get(run.series_id)
    if known is not None and stamp is not None and known[0] == f"{run.uid} {stamp}":
        return known[1]
    if stamp is None:
        stamp = uuid.uuid4().hex
        cache.set(_stamp(run), stamp, _KEPT_SECONDS)
    roster = _read(run)
    _remembered[run.series_id] = (f"{run.uid} {stamp}", roster)
    while len(_remembered) > 2 * SERIES:
        _remembered.pop(next(iter(_remembered)), None)
    return roster


def _read(run: Run) -> Roster:
    index = rank_index(run)
    best = index.player_ids[:BEST].tolist()
    rated = Rating.objects.filter(series=run.series_id)
    # A run rates nobody once the only contest of its series has been deleted.
    rated = rated.filter(score__gte=index.scores[len(best) - 1]) if best else rated.none()
    columns = ("player", "player__handle_key", "player__name", "contest_count", "last_contest__ends_at")
    of_player = {row[0]: row[1:] for row in rated.values_list(*columns)}
    newest = max((last for *_, last in of_player.values() if last), default=None)
    ranks = index.ranks(index.scores[: len(best)])
    rows = []
    for rank, pk in zip(ranks.tolist(), best, strict=True):
        if pk in of_player:
            key, name, count, last = of_player[pk]
            rows.append((_known(rank / len(index), count, _away(newest, last)), pk, key, _line(key, name)))
    words, places = _words([key for _, _, key, _ in rows[:SPELT]])
    spelt = [rows[place][1] for place in places]
    rows.sort(key=lambda row: -row[0])
    starts = np.cumsum([0, *(len(line) for *_, line in rows)], dtype=np.int64)[:-1]
    ids = np.array([pk for _, pk, *_ in rows], dtype=np.int64)
    known = np.array([how for how, *_ in rows], dtype=np.float64)
    return Roster(b"".join(line for *_, line in rows) + _LINE, starts, ids, known, words, spelt, newest)


def _away(newest: datetime | None, last: datetime | None) -> timedelta:
    return newest - last if newest is not None and last is not None else AWAY


def _known(share: float, contests: int, away: timedelta) -> float:
    """Return how well known a player is of whom this share of players, from 0 to 1, stands not below."""
    return -math.log10(share) * contests / (contests + FEW) * (AWAY_SHARE if away >= AWAY else 1.0)


def _words(keys: list[str]) -> tuple[list[str], list[int]]:
    """Return all keys and the longer words in those of several, and the place of the key each is of."""
    words, places = list(keys), list(range(len(keys)))
    for place, key in enumerate(keys):
        parts = [part for part in _BETWEEN.split(key) if len(part) >= WORD]
        if parts != [key]:
            words += parts
            places += [place] * len(parts)
    return words, places


def _line(key: str, name: str) -> bytes:
    return _LINE + b"".join(_SPACE + word.encode(errors="replace") for word in search_words(key, name))


def _stamp(run: Run) -> str:
    return f"top-players:{run.uid}"
