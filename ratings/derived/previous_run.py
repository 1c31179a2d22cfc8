"""Derived numbers: ranks and scores in the previous run, for the changes displayed on a leaderboard."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ratings.derived import Content, Derivation
from ratings.models import Run
from ratings.queries.boards import board_of
from ratings.queries.run_comparison import scores_as_of
from ratings.systems import get_system

if TYPE_CHECKING:
    from ratings.queries.snapshot import SeriesSnapshot


def compute(snapshot: SeriesSnapshot) -> Content:
    """
    Return ranks and scores of the current players in the previous published run.

    run, published_at
        Number of that run and its time of publication (ISO 8601). If there is none, the content is only `run`: None.
    same_points
        Whether its rating points are comparable with the current ones.
    rank, score
        Competition rank and sort score, in the order of the current rank index, shape (players,); 0 for new players.
    """
    run = snapshot.run
    if run is None:
        return {"run": None}
    board_of(snapshot)  # Fills the shared cache before a visitor needs the board.
    earlier = Run.objects.published().filter(series=snapshot.series, number__lt=run.number).select_related("scheme")
    previous = earlier.order_by("-number").first()
    if previous is None or previous.published_at is None:
        return {"run": None}
    then, now = scores_as_of(previous, run), snapshot.index
    order = np.argsort(then.player_ids)
    at = np.searchsorted(then.player_ids, now.player_ids, sorter=order)
    row = order[np.minimum(at, len(order) - 1)] if len(order) else np.zeros(len(now), dtype=np.int64)
    known = then.player_ids[row] == now.player_ids if len(order) else np.zeros(len(now), dtype=bool)
    rank, score = np.zeros(len(now), dtype=np.int32), np.zeros(len(now))
    score[known] = then.scores[row[known]]
    rank[known] = then.ranks(score[known])
    return {
        "run": previous.number,
        "published_at": previous.published_at.isoformat(),
        "same_points": previous.scheme.has_points_of(run.scheme),
        "rank": rank,
        "score": score,
    }


def _applies(snapshot: SeriesSnapshot) -> bool:
    """Return False for systems whose ratings change between contests, because only participations are stored."""
    if snapshot.run is None:
        return False
    system = get_system(snapshot.run.scheme.system, **snapshot.run.scheme.parameters)
    return not getattr(system, "decay", 0.0)


DERIVATION = Derivation("before", compute, applies=_applies)
