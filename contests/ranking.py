"""Competition ranks (1, 2, 2, 4) of scores and penalties. Pure functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence


def competition_ranks(scores: Sequence[float], penalties: Sequence[float] | None = None) -> list[int]:
    """
    Rank by score, higher first, then by penalty, lower first; ties share the best rank.

    A rank is 1 plus the number of rows that are strictly better. Scores can be infinite; ValueError on NaN and on a
    penalty list of another length.
    """
    score = np.asarray(scores, dtype=np.float64)
    penalty = np.zeros_like(score) if penalties is None else np.asarray(penalties, dtype=np.float64)
    if score.shape != penalty.shape:
        raise ValueError(f"{score.size} scores but {penalty.size} penalties; give one penalty for each score")
    if np.isnan(score).any() or np.isnan(penalty).any():
        raise ValueError("a score or penalty is not a number (NaN); leave the row out of the ranking")
    if not score.size:
        return []
    order = np.lexsort((penalty, -score))
    score, penalty = score[order], penalty[order]
    new_group = np.ones(order.size, dtype=bool)
    new_group[1:] = (score[1:] != score[:-1]) | (penalty[1:] != penalty[:-1])
    first = np.flatnonzero(new_group)[np.cumsum(new_group) - 1]
    ranks = np.empty(order.size, dtype=np.int64)
    ranks[order] = first + 1
    return ranks.tolist()


def close_up(places: Sequence[int], teams: Sequence[Hashable] | None = None) -> list[int]:
    """
    Return the competition rank of each place among the given places, 1 plus the number of better ones.

    With `teams`, the members of a team count as one: two teams of six get the ranks 1 and 2, not 1 and 7. There is one
    label for each row, empty for a row without a team. The members of a team must have the same place.
    """
    place = np.asarray(places, dtype=np.int64)
    if not place.size:
        return []
    counted = place if teams is None else place[one_row_a_team(teams)]
    return (np.searchsorted(np.sort(counted), place, side="left") + 1).tolist()


def one_row_a_team(teams: Sequence[Hashable]) -> list[int]:
    """Return the positions of the first row of each team, and of all rows without a team (an empty label)."""
    seen: set[Hashable] = set()
    rows = []
    for row, team in enumerate(teams):
        if team and team in seen:
            continue
        seen.add(team)
        rows.append(row)
    return rows
