"""Who is listed on a leaderboard: everyone, or the established and recently active players, which is the default."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ratings.queries.boards import board_of
from ratings.queries.established import FEWEST_LISTED, is_established
from ratings.queries.filters import ESTABLISHED
from ratings.queries.rows import leaders

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ratings.queries.established import Rule
    from ratings.queries.filters import Filters
    from ratings.queries.rows import Leader
    from ratings.queries.snapshot import SeriesSnapshot

    Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Audience:
    """
    Who is listed.

    rows
        Rows of the rank index, rising.
    is_established
        Whether they are the established and active players only.
    is_fallback
        Whether everyone is listed because there are too few of those.
    established, everyone
        How many match the filters, of each.
    """

    rows: Ints
    is_established: bool
    is_fallback: bool
    established: int
    everyone: int
    rule: Rule

    @property
    def is_choice(self) -> bool:
        """Whether the two lists differ."""
        return self.established < self.everyone


def audience_of(snapshot: SeriesSnapshot, matching: Ints, filters: Filters) -> Audience:
    """
    Return who is listed, of those who match the filters.

    Without a choice in the address, established players are listed where no filter is set and they are enough.
    """
    board = board_of(snapshot)
    established = matching[is_established(board)[matching]] if len(matching) else matching
    is_default = not filters.show and not filters
    is_fallback = is_default and len(established) < FEWEST_LISTED
    is_narrow = filters.show == ESTABLISHED or (is_default and FEWEST_LISTED <= len(established) < len(matching))
    return Audience(
        rows=established if is_narrow else matching,
        is_established=is_narrow,
        is_fallback=is_fallback,
        established=len(established),
        everyone=len(matching),
        rule=board.rule,
    )


def established_rows(snapshot: SeriesSnapshot) -> Ints:
    """Return the rows that a leaderboard lists by default, rising; empty if that is everyone."""
    rows = np.flatnonzero(is_established(board_of(snapshot)))
    return rows if FEWEST_LISTED <= len(rows) < len(snapshot.index) else rows[:0]


def best_listed(snapshot: SeriesSnapshot, most: int) -> tuple[list[Leader], bool]:
    """Return the first of a leaderboard as it is listed by default, with their ranks in it, and if it is narrowed."""
    index, rows = snapshot.index, established_rows(snapshot)
    if not len(rows):
        return leaders(snapshot, index.page(1, most)), False
    found = leaders(snapshot, index.player_ids[rows[:most]])
    return [replace(row, rank=rank_within(snapshot, rows, row.rating.score)) for row in found], True


def rank_within(snapshot: SeriesSnapshot, rows: Ints, score: float) -> int:
    """Return the competition rank of a score among some rows of the rank index, rising."""
    return int(np.searchsorted(-snapshot.index.scores[rows], -score, side="left")) + 1
