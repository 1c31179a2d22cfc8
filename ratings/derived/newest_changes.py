"""
Derived numbers: scores before the newest results, for the changes displayed on a leaderboard.

The newest results are those of the newest contest. If it is a game of an event, or any game in a series of games, they
are those of a week.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import numpy as np
from django.db.models import Exists, OuterRef

from contests.models import Contest
from ratings.derived import Content, Derivation
from ratings.derived.movers import WEEK
from ratings.models import RatingChange
from ratings.queries.boards import board_of
from ratings.queries.contest_kinds import is_of_games
from ratings.queries.inputs import read_current_changes
from ratings.systems import get_system

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ratings.queries.snapshot import SeriesSnapshot

    Ints = NDArray[np.int64]


def compute(snapshot: SeriesSnapshot) -> Content:
    """
    Return scores of the current players before the newest contest, or before the week of the newest game.

    contest, is_week
        Id of the newest contest, and whether the results of its week count. If no player had a rating before, the
        content is only `contest`: None.
    score, is_new
        Sort score, and whether the player had none, in the order of the current rank index, shape (players,).
    """
    board_of(snapshot)  # Fills the shared cache before a visitor needs the board.
    # After a roll-back, the series has newer contests than the displayed run, and other states.
    rated = Exists(RatingChange.objects.current().filter(contest=OuterRef("pk")))
    newest = Contest.objects.filter(rated, series=snapshot.series).newest_first().first()
    if newest is None:
        return {"contest": None}
    is_week = newest.event_id is not None or is_of_games(snapshot)
    since = newest.ends_at - WEEK + timedelta.resolution if is_week else newest.ends_at
    names = ("contest_id", "player_id", "number", "mu_before", "sigma_before")
    changes = read_current_changes(snapshot.series.pk, since=since, names=names)
    if not is_week:
        own = changes["contest_id"] == newest.pk
        changes = {name: values[own] for name, values in changes.items()}
    order = np.lexsort((changes["number"], changes["player_id"]))
    first = order[np.diff(changes["player_id"][order], prepend=-1) != 0]
    index = snapshot.index
    by_player = np.argsort(index.player_ids)
    at = by_player[np.searchsorted(index.player_ids, changes["player_id"][first], sorter=by_player)]
    score, is_new = index.scores.copy(), np.zeros(len(index), dtype=bool)
    score[at] = snapshot.score(changes["mu_before"][first], changes["sigma_before"][first])
    is_new[at] = changes["number"][first] == 1
    if is_new.all():
        return {"contest": None}
    return {"contest": newest.pk, "is_week": is_week, "score": score, "is_new": is_new}


def ranks_before(content: Content, scores: NDArray[np.float64], rows: Ints, among: Ints) -> Ints:
    """
    Return the competition ranks that rows of a list had before the newest results, without its new players.

    scores
        The current sort scores of all players, in the order of the rank index.
    rows, among
        Rows of the rank index: those asked about, and all rows of the list, ascending.

    Only players with other scores are counted anew, so a list of a million players takes a few milliseconds.
    """
    before, is_new = content["score"], content["is_new"]
    asked = before[rows]
    changed = np.flatnonzero((before != scores) | is_new)
    changed = changed[np.isin(changed, among, assume_unique=True)]
    return (
        1
        + _above(scores[among][::-1], asked)
        - _above(np.sort(scores[changed]), asked)
        + _above(np.sort(before[changed[~is_new[changed]]]), asked)
    )


def _above(ascending: NDArray[np.float64], scores: NDArray[np.float64]) -> Ints:
    above: Ints = len(ascending) - np.searchsorted(ascending, scores, side="right")
    return above


def _applies(snapshot: SeriesSnapshot) -> bool:
    """Return False for systems that also move players who do not take part, because only participations are stored."""
    if snapshot.run is None:
        return False
    system = get_system(snapshot.run.scheme.system, **snapshot.run.scheme.parameters)
    moves_others = getattr(system, "on_win", "") == "insert" or getattr(system, "idle_days", 0)
    return not (getattr(system, "decay", 0.0) or moves_others)


DERIVATION = Derivation("before", compute, applies=_applies, version=3)
