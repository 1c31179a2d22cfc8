"""
The top players of the largest series as text in memory, for searches with few letters.

Some letters begin the names of ten thousand players, and the database has no index for letters inside names. Both kinds
of matches are found by scanning one block of bytes, in which the best-known player comes first. A few megabytes take
about a millisecond.

How well known a player is in a series depends on the share of players with at least the same rank, on a logarithmic
scale: 1 for the last player of the top 10 %, 2 for the last of the top 1 %. Few contests and a long absence reduce it.
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
from django.db.models import OuterRef, Q, Subquery
from rapidfuzz import fuzz, process

from contests.caching import cached
from contests.handles import search_words
from contests.models import Series
from ratings.models import Rating, Run
from ratings.queries.snapshot import rank_index

if TYPE_CHECKING:
    from collections.abc import Sequence

    from django.db.models import QuerySet
    from numpy.typing import NDArray

#: The number of players per series, and the number of series.
PLAYERS = 30_000
LARGEST_SERIES = 8
#: For misspelt handles: players per series, minimum similarity in percent, and minimum letters of a word.
MISSPELT_PLAYERS, MIN_SIMILARITY, MIN_LETTERS = 5_000, 78, 4
_KEPT_SECONDS = 86_400
#: A site-wide search looks up the current runs of up to this many series. If there are more, the largest ones are
#: remembered for this many seconds.
LOOKED_UP, _LARGEST_SECONDS = 200, 60
_BETWEEN = re.compile(r"[\W_]+")
_LINE, _SPACE = b"\n", b" "
#: The number of contests that halves how well known a player is, and the factor after a long absence.
HALVING_CONTESTS, LONG_ABSENCE, ABSENCE_FACTOR = 5, timedelta(days=3 * 365), 0.6


@dataclass(frozen=True, slots=True, eq=False)
class Roster:
    """
    The top players of one series as of a run.

    text
        One line per player, best known first: the folded words of handle and name, each between spaces, in UTF-8.
    starts, player_ids, known
        For each line, the position of the line break before it, the player's id and how well known the player is;
        shape (players,).
    words, word_players
        Handle keys of the very best players and the longer words in them, and the player's id for each.
    newest
        End of the latest contest of any of them.
    """

    text: bytes
    starts: NDArray[np.int64]
    player_ids: NDArray[np.int64]
    known: NDArray[np.float64]
    words: list[str]
    word_players: list[int]
    newest: datetime | None

    def find(self, parts: list[bytes], most: int) -> list[tuple[float, int]]:
        """Return (-known, player id) for the first lines of `text` that contain all parts."""
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
        """Return (similarity in percent, player id) of players whose handle, or a word in it, is similar to the key."""
        found = process.extract(key, self.words, scorer=fuzz.ratio, score_cutoff=MIN_SIMILARITY, limit=most)
        return [(score, self.word_players[at]) for _, score, at in found]


@dataclass(frozen=True, slots=True)
class TopPlayers:
    """The rosters of the largest series and their runs."""

    rosters: list[Roster]
    runs: list[Run]

    def beginning(self, words: Sequence[str], most: int, *, are_whole: bool = False) -> dict[int, float]:
        """Return how well known each player with words that begin with these, or are these, is, by player id."""
        end = _SPACE if are_whole else b""
        found = self._found([_SPACE + word.encode() + end for word in words], most)
        if len(words) > 1:
            found = {**self._found([_SPACE + "".join(words).encode() + end], most), **found}
        return found

    def containing(self, words: Sequence[str], most: int) -> list[int]:
        """Return the ids of players whose names contain each of the words, best known first."""
        return list(self._found([word.encode() for word in words], most))

    def known(self, player_ids: Sequence[int]) -> dict[int, float]:
        """Return how well known each player is who is rated in one of the series, by player id; one query."""
        indexes = {run.series_id: rank_index(run) for run in self.runs}
        rated = Rating.objects.filter(player__in=player_ids, series__in=indexes)
        found: dict[int, float] = {}
        newest = {run.series_id: roster.newest for run, roster in zip(self.runs, self.rosters, strict=True)}
        columns = ("series", "player", "score", "contest_count", "last_contest__ends_at")
        for series, player, score, count, last in rated.values_list(*columns):
            index = indexes[series]
            known = _known(index.rank(score) / max(len(index), 1), count, _absence(newest[series], last))
            found[player] = max(found.get(player, 0.0), known)
        return found

    def alike(self, key: str, most: int) -> list[int]:
        """Return the ids of players whose handle, or a word in it, is similar to the key, most similar first."""
        found = sorted((row for roster in self.rosters for row in roster.alike(key, most)), reverse=True)
        return list(dict.fromkeys(pk for _, pk in found))[:most]

    def _found(self, parts: list[bytes], most: int) -> dict[int, float]:
        found: dict[int, float] = {}
        for known, pk in sorted(row for roster in self.rosters for row in roster.find(parts, most)):
            found.setdefault(pk, -known)
        return dict(list(found.items())[:most])


def top_players(series: QuerySet[Series]) -> TopPlayers:
    """Return the top players of the largest of these series: two queries, and two more per run that is not cached."""
    return _of_largest(list(series.order_by().values_list("pk", flat=True)))


def top_players_of_site(series: QuerySet[Series]) -> TopPlayers:
    """
    Return the same for the series that site-wide lists show to a visitor.

    With many series, the largest of the listed ones are looked up once a minute, for all visitors alike.
    """
    ids = list(series.order_by().values_list("pk", flat=True)[: LOOKED_UP + 1])
    if len(ids) > LOOKED_UP:
        largest = cached("top-players:largest", _largest_listed, _LARGEST_SECONDS)
        # Filtered again, because some of them may have become private in the meantime.
        chosen = series.order_by().filter(Q(pk__in=largest) | Q(is_listed=False))
        ids = list(chosen.values_list("pk", flat=True))
    return _of_largest(ids)


def _largest_listed() -> list[int]:
    newest = Run.objects.published().filter(series=OuterRef("pk")).order_by("-number")
    rated = Series.objects.listed().annotate(players=Subquery(newest.values("player_count")[:1]))
    return list(rated.filter(players__gt=0).order_by("-players", "pk").values_list("pk", flat=True)[:LARGEST_SERIES])


def _of_largest(ids: list[int]) -> TopPlayers:
    runs = sorted(Run.objects.newest_of(ids), key=lambda run: (-run.player_count, run.pk))[:LARGEST_SERIES]
    stamps = cache.get_many([_stamp(run) for run in runs])
    return TopPlayers([_roster(run, stamps.get(_stamp(run))) for run in runs], runs)


#: Rosters in this process by series, each with the run and the stamp in the cache for which it was read.
_remembered: dict[int, tuple[str, Roster]] = {}


def _roster(run: Run, stamp: str | None) -> Roster:
    """
    Return the roster of a run from this process, or read it.

    Names change without a run. So the roster is read again when its stamp in the shared cache expires, after a day, or
    when the cache has been cleared.
    """
    known = _remembered.get(run.series_id)
    if known is not None and stamp is not None and known[0] == f"{run.uid} {stamp}":
        return known[1]
    if stamp is None:
        stamp = uuid.uuid4().hex
        cache.set(_stamp(run), stamp, _KEPT_SECONDS)
    roster = _read(run)
    _remembered[run.series_id] = (f"{run.uid} {stamp}", roster)
    while len(_remembered) > 2 * LARGEST_SERIES:
        _remembered.pop(next(iter(_remembered)), None)
    return roster


def _read(run: Run) -> Roster:
    index = rank_index(run)
    best = index.player_ids[:PLAYERS].tolist()
    rated = Rating.objects.filter(series=run.series_id)
    # A run has no players once the only contest of its series has been deleted.
    rated = rated.filter(score__gte=index.scores[len(best) - 1]) if best else rated.none()
    columns = ("player", "player__handle_key", "player__name", "contest_count", "last_contest__ends_at")
    of_player = {row[0]: row[1:] for row in rated.values_list(*columns)}
    newest = max((last for *_, last in of_player.values() if last), default=None)
    ranks = index.ranks(index.scores[: len(best)])
    rows = []
    for rank, pk in zip(ranks.tolist(), best, strict=True):
        if pk in of_player:
            key, name, count, last = of_player[pk]
            rows.append((_known(rank / len(index), count, _absence(newest, last)), pk, key, _line(key, name)))
    words, places = _words([key for _, _, key, _ in rows[:MISSPELT_PLAYERS]])
    word_players = [rows[place][1] for place in places]
    rows.sort(key=lambda row: -row[0])
    starts = np.cumsum([0, *(len(line) for *_, line in rows)], dtype=np.int64)[:-1]
    ids = np.array([pk for _, pk, *_ in rows], dtype=np.int64)
    known = np.array([how for how, *_ in rows], dtype=np.float64)
    return Roster(b"".join(line for *_, line in rows) + _LINE, starts, ids, known, words, word_players, newest)


def _absence(newest: datetime | None, last: datetime | None) -> timedelta:
    return newest - last if newest is not None and last is not None else LONG_ABSENCE


def _known(share: float, contests: int, absence: timedelta) -> float:
    """Return how well known a player is, given the share of players (0 to 1) who are at least as good."""
    return (
        -math.log10(share)
        * contests
        / (contests + HALVING_CONTESTS)
        * (ABSENCE_FACTOR if absence >= LONG_ABSENCE else 1.0)
    )


def _words(keys: list[str]) -> tuple[list[str], list[int]]:
    """Return all keys and the longer words of keys with several words, each with the position of its key."""
    words, places = list(keys), list(range(len(keys)))
    for place, key in enumerate(keys):
        parts = [part for part in _BETWEEN.split(key) if len(part) >= MIN_LETTERS]
        if parts != [key]:
            words += parts
            places += [place] * len(parts)
    return words, places


def _line(key: str, name: str) -> bytes:
    return _LINE + b"".join(_SPACE + word.encode(errors="replace") for word in search_words(key, name)) + _SPACE


def _stamp(run: Run) -> str:
    return f"top-players:{run.uid}"
