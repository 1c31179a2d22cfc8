"""Where everybody stood in the run before the current one: for the changes beside the rows of a leaderboard."""

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
    Return what the published run before the current one said of the players of the current one.

    run, published_at
        Number of that run and when it was published (ISO 8601); None, and nothing else, if there is none.
    same_points
        Whether its rating points mean the same as those shown now, so that differences of ratings say something.
    rank, score
        Shape (players,), in the order of the current rank index: competition rank and sort score; 0 for who was new.
    """
    run = snapshot.run
    if run is None:
        return {"run": None}
    board_of(snapshot)  # Read here, so that it is in the shared cache before a visitor asks.
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
    """Not where ratings move between contests: what they were is written down for those who took part alone."""
    if snapshot.run is None:
        return False
    system = get_system(snapshot.run.scheme.system, **snapshot.run.scheme.parameters)
    return not getattr(system, "decay", 0.0)


DERIVATION = Derivation("before", compute, applies=_applies)
