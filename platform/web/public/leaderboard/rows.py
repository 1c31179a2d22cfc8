"""The rows of a page of a leaderboard: cut from arrays, with ranks within a filter and what the last run changed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ratings.derived import derived
from ratings.derived.previous_run import DERIVATION as BEFORE
from ratings.queries.boards import board_of
from ratings.queries.rows import leaders

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ratings.queries.rows import Leader
    from ratings.queries.snapshot import SeriesSnapshot

    Ints = NDArray[np.int64]


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
    begins_group
        Whether the player is the first of that group.
    is_marked
        Whether somebody asked for this row.
    """

    leader: Leader
    within: int
    climbed: int | None
    gained: int | None
    is_new: bool
    group: int
    begins_group: bool
    is_marked: bool


def board_rows(snapshot: SeriesSnapshot, rows: Ints, among: Ints, marked: Sequence[int]) -> list[BoardRow]:
    """
    Return rows of the leaderboard as a page shows them.

    rows
        Rows of the rank index, rising.
    among
        Rows of all who match the filters, rising: the rank within the filter counts these.
    marked
        Rows that somebody asked for.
    """
    index = snapshot.index
    found = {row.rating.player_id: row for row in leaders(snapshot, index.player_ids[rows])}
    # Equal scores share the rank of the first of them.
    within = np.searchsorted(-index.scores[among], -index.scores[rows], side="left") + 1
    climbed, gained, new = _since_before(snapshot, rows)
    board = board_of(snapshot)
    begins = np.isin(rows, board.group_starts).tolist()
    columns = (
        within.tolist(),
        climbed,
        gained,
        new,
        board.groups(rows).tolist(),
        begins,
        np.isin(rows, marked).tolist(),
    )
    players = index.player_ids[rows].tolist()
    return [
        BoardRow(found[player], *numbers) for player, *numbers in zip(players, *columns, strict=True) if player in found
    ]


def _since_before(snapshot: SeriesSnapshot, rows: Ints) -> tuple[list[int | None], list[int | None], list[bool]]:
    """Return ranks and shown points won since the run before, and who is new; in the order of the rows."""
    before = derived(snapshot, BEFORE)
    nothing: list[int | None] = [None] * len(rows)
    if before is None or before["run"] is None:
        return nothing, nothing, [False] * len(rows)
    rank, score = before["rank"][rows], before["score"][rows]
    is_new = rank == 0
    climbed = np.where(is_new, 0, rank - snapshot.index.ranks(snapshot.index.scores[rows]))
    known = np.where(is_new, snapshot.index.scores[rows], score)
    gained = snapshot.mapping.show(snapshot.index.scores[rows]) - snapshot.mapping.show(known)
    return (
        _or_none(climbed, is_new),
        _or_none(gained, is_new) if before["same_points"] else nothing,
        is_new.tolist(),
    )


def _or_none(numbers: Ints, are_none: NDArray[np.bool_]) -> list[int | None]:
    return [None if none else number for number, none in zip(numbers.tolist(), are_none.tolist(), strict=True)]
