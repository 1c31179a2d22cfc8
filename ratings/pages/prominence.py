"""
The best of the largest series as one text in memory: who is meant first when few letters are typed.

Some letters begin the handles of ten thousand players, and letters within names have no index in the database. Both
are found by looking through one block of bytes, best player first: a few megabytes take about a millisecond.
"""

from __future__ import annotations

import re
import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from django.core.cache import cache
from rapidfuzz import fuzz, process

from contests.models import Player
from ratings.models import Run
from ratings.rank_index import rank_index

if TYPE_CHECKING:
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
_LINE, _CELL = b"\n", b"\t"


@dataclass(frozen=True, slots=True, eq=False)
class Roster:
    """
    The best of one series as of a run.

    text
        For each player, best first, a line: handle key, tab, folded name, in UTF-8. It begins and ends with a line end.
    starts, player_ids
        Shape (players,): where each line begins (its line end), and whose it is.
    total
        All rated players of the series.
    words, places
        Handle keys of the very best and the longer words in them, and whose each is (a place from 0).
    """

    text: bytes
    starts: NDArray[np.int64]
    player_ids: NDArray[np.int64]
    total: int
    words: list[str]
    places: list[int]

    def find(self, part: bytes, most: int) -> list[tuple[float, int]]:
        """Return the share of players at least as good, and the id, of the first whose lines hold the part."""
        found: list[tuple[float, int]] = []
        at = self.text.find(part)
        while at >= 0 and len(found) < most:
            place = int(np.searchsorted(self.starts, at, side="right")) - 1
            found.append(((place + 1) / self.total, int(self.player_ids[place])))
            following = self.text.find(_LINE, at + 1)
            at = self.text.find(part, following) if following >= 0 else -1
        return found

    def alike(self, key: str, most: int) -> list[tuple[float, int]]:
        """Return likeness (100: the same) and id of those whose handle, or a word in it, is spelt nearly so."""
        found = process.extract(key, self.words, scorer=fuzz.ratio, score_cutoff=ALIKE, limit=most)
        return [(score, int(self.player_ids[self.places[at]])) for _, score, at in found]


@dataclass(frozen=True, slots=True)
class Prominent:
    """The rosters of the largest series. Whoever has few above in any of them comes first."""

    rosters: list[Roster]

    def beginning(self, key: str, most: int) -> list[int]:
        """Return ids of those whose handle begins with the key."""
        return self._found(_LINE + key.encode(), most) if _is_plain(key) else []

    def holding(self, key: str, most: int) -> list[int]:
        """Return ids of those who have the key in handle or name."""
        return self._found(key.encode(), most) if _is_plain(key) else []

    def alike(self, key: str, most: int) -> list[int]:
        """Return ids of those whose handle, or a word in it, is spelt nearly like the key, the most alike first."""
        found = sorted((row for roster in self.rosters for row in roster.alike(key, most)), reverse=True)
        return list(dict.fromkeys(pk for _, pk in found))[:most]

    def _found(self, part: bytes, most: int) -> list[int]:
        found = sorted(row for roster in self.rosters for row in roster.find(part, most))
        return list(dict.fromkeys(pk for _, pk in found))[:most]


def prominent(series: QuerySet[Series]) -> Prominent:
    """Return the best of the largest of these series; two queries, and one for each run not met before."""
    ids = list(series.values_list("pk", flat=True))
    runs = sorted(Run.objects.newest_of(ids), key=lambda run: (-run.player_count, run.pk))[:SERIES]
    stamps = cache.get_many([_stamp(run) for run in runs])
    return Prominent([_roster(run, stamps.get(_stamp(run))) for run in runs])


#: What this process remembers, by series: the stamp that the cache has for its run, and the roster.
_remembered: dict[int, tuple[str, Roster]] = {}


def _roster(run: Run, stamp: str | None) -> Roster:
    """
    Return the roster of a run, kept in this process.

    The stamp in the shared cache says of which reading it is, so that it is read anew once the cache has been emptied,
    and at least once a day: names change without a run.
    """
    known = _remembered.get(run.series_id)
    if known is not None and stamp is not None and known[0] == f"{run.pk} {stamp}":
        return known[1]
    if stamp is None:
        stamp = uuid.uuid4().hex
        cache.set(_stamp(run), stamp, _KEPT_SECONDS)
    roster = _read(run)
    _remembered[run.series_id] = (f"{run.pk} {stamp}", roster)
    while len(_remembered) > 2 * SERIES:
        _remembered.pop(next(iter(_remembered)), None)
    return roster


def _read(run: Run) -> Roster:
    index = rank_index(run)
    best = index.player_ids[:BEST].tolist()
    rated = Player.objects.filter(ratings__series=run.series_id)
    # A run rates nobody once the only contest of its series has been deleted.
    rows = rated.filter(ratings__score__gte=index.scores[len(best) - 1]) if best else rated.none()
    names = {pk: _line(key, name) for pk, key, name in rows.values_list("pk", "handle_key", "name")}
    listed = [pk for pk in best if pk in names]
    lines = [names[pk] for pk in listed]
    starts = np.cumsum([0, *map(len, lines)], dtype=np.int64)[:-1]
    words, places = _words([line[1:].split(_CELL)[0].decode() for line in lines[:SPELT]])
    ids = np.array(listed, dtype=np.int64)
    return Roster(b"".join(lines) + _LINE, starts, ids, max(1, len(index)), words, places)


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
    cells = key, " ".join(name.casefold().split())
    return _LINE + _CELL.join(cell.encode(errors="replace") for cell in cells)


def _stamp(run: Run) -> str:
    return f"prominent:{run.pk}"


def _is_plain(key: str) -> bool:
    return key.isprintable() and bool(key)
