"""
A leaderboard as arrays, and the rows of a page cut from it.

What filters need to know of each player is read once a run, like the rank index, and kept beside it: a filter is a
mask over arrays, and page 3,000 of a filtered leaderboard costs what page 1 costs.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from django.core.cache import cache

from contests.bulk import read_arrays
from contests.models import Contest
from ratings.days import days_since_1970
from ratings.derivations import derived
from ratings.derivations.before import DERIVATION as BEFORE
from ratings.models import Rating
from ratings.significance import group_starts
from ratings.tables import leaders

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ratings.shown import Shown
    from ratings.tables import Leader

    Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Board:
    """
    What a leaderboard knows of each row of its rank index, best first.

    contests
        Rated contests of each player, shape (players,).
    days
        End of each player's last rated contest, in days since 1970, shape (players,).
    group_starts
        Rows in which groups begin between which the difference is significant (`ratings.significance`), shape
        (groups,); empty where a rating's deviation does not say how uncertain it is.
    """

    contests: NDArray[np.int32]
    days: NDArray[np.float64]
    group_starts: Ints

    @property
    def newest_day(self) -> float:
        """End of the series' newest rated contest: what "active within" counts back from, so that pages stay."""
        return float(self.days.max()) if len(self.days) else 0.0

    def groups(self, rows: Ints) -> Ints:
        """Return the group of each row, from 1; 0 where there are no groups."""
        return np.searchsorted(self.group_starts, rows, side="right")


@dataclass(frozen=True, slots=True)
class BoardRow:
    """
    A row of a page.

    within
        Competition rank among those who match the filters.
    climbed
        Ranks won (positive) or lost since the run before; None if that is not known, or the player is new.
    gained
        Shown points won or lost since the run before, likewise.
    is_new
        Whether the player had no rating in the run before.
    group
        Number of the group of those who do not differ significantly; 0 where there are no groups.
    is_marked
        Whether somebody asked for this row.
    """

    leader: Leader
    within: int
    climbed: int | None
    gained: int | None
    is_new: bool
    group: int
    is_marked: bool


def board_of(shown: Shown) -> Board:
    """Return the board of a series' current run; empty when nothing was published yet."""
    if shown.run is None:
        return Board(np.empty(0, np.int32), np.empty(0), np.empty(0, np.int64))
    run = shown.run
    return _kept(run.series_id, run.pk, run.player_count, shown.sigma_means == "uncertainty")


@lru_cache(maxsize=32)
def _kept(series_id: int, run_pk: int, player_count: int, has_groups: bool) -> Board:
    """Return the board from this process's memory, else from the shared cache, else from the ratings table."""
    key = f"board:{series_id}:{run_pk}:{has_groups:d}"
    stored = cache.get(key)
    if stored is None:
        stored = _read(series_id, has_groups)
        cache.set(key, stored, timeout=86_400)
    return Board(*stored)


def _read(series_id: int, has_groups: bool) -> tuple[NDArray[np.int32], NDArray[np.float64], Ints]:
    query = (
        "SELECT CAST(mu AS double precision), CAST(sigma AS double precision), CAST(contest_count AS integer), "
        f"CAST(last_contest_id AS bigint) FROM {Rating._meta.db_table} WHERE series_id = %s "
        "ORDER BY score DESC, player_id"
    )
    columns = read_arrays(query, [series_id], {"mu": "f8", "sigma": "f8", "contests": "i4", "last": "i8"})
    ends = dict(Contest.objects.filter(series=series_id).values_list("id", "ends_at"))
    last, at = np.unique(columns["last"], return_inverse=True)
    days = np.array([days_since_1970(ends[contest]) for contest in last.tolist()])[at] if len(last) else np.empty(0)
    starts = group_starts(columns["mu"], columns["sigma"]) if has_groups else np.empty(0, dtype=np.int64)
    return columns["contests"], days, starts


def board_rows(shown: Shown, rows: Ints, among: Ints, marked: Sequence[int]) -> list[BoardRow]:
    """
    Return rows of the leaderboard as a page shows them.

    rows
        Rows of the rank index, rising.
    among
        Rows of all who match the filters, rising: the rank within the filter counts these.
    marked
        Rows that somebody asked for.
    """
    index = shown.index
    found = {row.rating.player_id: row for row in leaders(shown, index.player_ids[rows])}
    # Equal scores share the rank of the first of them.
    within = np.searchsorted(-index.scores[among], -index.scores[rows], side="left") + 1
    climbed, gained, new = _since_before(shown, rows)
    columns = (within.tolist(), climbed, gained, new, board_of(shown).groups(rows).tolist(), rows.tolist())
    players = index.player_ids[rows].tolist()
    return [
        BoardRow(found[player], rank, up, more, is_new, group, row in marked)
        for player, rank, up, more, is_new, group, row in zip(players, *columns, strict=True)
        if player in found
    ]


def _since_before(shown: Shown, rows: Ints) -> tuple[list[int | None], list[int | None], list[bool]]:
    """Return ranks and shown points won since the run before, and who is new; in the order of the rows."""
    before = derived(shown, BEFORE)
    nothing: list[int | None] = [None] * len(rows)
    if before is None or before["run"] is None:
        return nothing, nothing, [False] * len(rows)
    rank, score = before["rank"][rows], before["score"][rows]
    is_new = rank == 0
    climbed = np.where(is_new, 0, rank - shown.index.ranks(shown.index.scores[rows]))
    known = np.where(is_new, shown.index.scores[rows], score)
    gained = shown.mapping.show(shown.index.scores[rows]) - shown.mapping.show(known)
    return (
        _or_none(climbed, is_new),
        _or_none(gained, is_new) if before["same_points"] else nothing,
        is_new.tolist(),
    )


def _or_none(numbers: Ints, are_none: NDArray[np.bool_]) -> list[int | None]:
    return [None if none else number for number, none in zip(numbers.tolist(), are_none.tolist(), strict=True)]
