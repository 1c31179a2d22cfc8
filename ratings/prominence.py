"""
The best of the largest series, kept by run: who is meant first when few letters are typed.

Some letters begin the handles of ten thousand players. Which of them people look for is known without reading them
all: those at the top of the leaderboards. They are a few thousand short texts, searched in memory.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.core.cache import cache

from contests.models import Player
from ratings.models import Run
from ratings.rank_index import rank_index

if TYPE_CHECKING:
    from collections.abc import Iterable

    from django.db.models import QuerySet

    from contests.models import Series

#: How many of a series, and of how many series.
BEST = 1_000
SERIES = 8
_KEPT_SECONDS = 3_600

#: Player id, key of the handle, folded name.
_Names = list[tuple[int, str, str]]


@dataclass(frozen=True, slots=True)
class Prominent:
    """The best of some series, each best first: (place in the series, id, handle key, folded name)."""

    rows: list[tuple[int, int, str, str]]

    def beginning(self, key: str, most: int) -> list[int]:
        """Return ids of those whose handle begins with the key, best places first, each once."""
        return _first((row for row in self.rows if row[2].startswith(key)), most)

    def holding(self, key: str, most: int) -> list[int]:
        """Return ids of those who have the key in handle or name, beginnings of words first."""
        found = [row for row in self.rows if key in row[2] or key in row[3]]
        word = f" {key}"
        return _first(found, most, lambda row: (word not in f" {row[3]}", row[0]))


def _first(rows: Iterable[tuple[int, int, str, str]], most: int, key: object = None) -> list[int]:
    ordered = sorted(rows, key=key)  # type: ignore[call-overload]
    return list(dict.fromkeys(row[1] for row in ordered))[:most]


def prominent(series: QuerySet[Series]) -> Prominent:
    """Return the best of the largest of these series; two queries, and one for each run not met before."""
    ids = list(series.values_list("pk", flat=True))
    runs = sorted(Run.objects.newest_of(ids), key=lambda run: (-run.player_count, run.pk))[:SERIES]
    keys = {run.pk: f"prominent:{run.pk}" for run in runs}
    known = cache.get_many(keys.values())
    rows: list[tuple[int, int, str, str]] = []
    for run in runs:
        names: _Names | None = known.get(keys[run.pk])
        if names is None:
            names = _read(run)
            cache.set(keys[run.pk], names, _KEPT_SECONDS)
        rows += [(place, *name) for place, name in enumerate(names)]
    return Prominent(rows)


def _read(run: Run) -> _Names:
    best = rank_index(run).player_ids[:BEST].tolist()
    found = {
        pk: (pk, key, name.casefold())
        for pk, key, name in Player.objects.filter(pk__in=best).values_list("pk", "handle_key", "name")
    }
    return [found[pk] for pk in best if pk in found]
