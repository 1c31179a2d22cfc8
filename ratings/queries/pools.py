"""Beliefs for forecasts: a player's stored one, and those of everyone if contests also change absent players."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ratings.systems.contest import days_since_1970

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ratings.models import Rating
    from ratings.queries.snapshot import SeriesSnapshot
    from ratings.systems import Beliefs, RatingSystem


def with_pool(
    system: RatingSystem, beliefs: Beliefs, snapshot: SeriesSnapshot, ids: NDArray[np.int64], day: float
) -> tuple[Beliefs, NDArray[np.int64]]:
    """
    Return the beliefs of all rated players, newcomers last, and the positions of the field's players in them.

    beliefs, ids
        The field of a system that needs everyone who was ever rated (`needs_pool`); shape (players,).
    day
        The day of the newest contest.
    """
    in_order = np.argsort(snapshot.index.player_ids)
    rated, scores = snapshot.index.player_ids[in_order], snapshot.index.scores[in_order]
    new = np.setdiff1d(ids, rated)
    numbers = np.append(rated, new)
    by_id = np.argsort(numbers)
    pool = system.new_beliefs(len(numbers))
    # Systems that need the pool have no deviations, so means follow from scores.
    own_score = float(snapshot.score(0.0, float(pool.sigma[0])))
    pool.mu[: len(rated)] = scores - own_score
    pool.count[: len(rated)], pool.last_day[: len(rated)] = 1, day
    where = by_id[np.searchsorted(numbers, ids, sorter=by_id)]
    known = beliefs.count > 0
    pool.mu[where[known]] = beliefs.mu[known]
    return pool, where


def newcomer_mean(snapshot: SeriesSnapshot, count: int) -> float:
    """
    Return the mean of players who enter a ladder together: minus the place that they share, below everyone else.

    `ratings.systems.algorithms.ladder` gives them this place in their first contest.
    """
    scores = snapshot.index.scores
    bottom = max(float(len(scores)), -float(scores.min())) if len(scores) else 0.0
    return -(bottom + 0.5 * (1 + count))


def take_belief(beliefs: Beliefs, row: int, rating: Rating) -> None:
    """
    Give the player in a row the belief that is stored with a rating.

    A roll-back stores none (`ratings.publishing.rolling_back`). Then the mean and the deviation stand for the history.
    """
    if rating.belief:
        beliefs.unpack([row], [bytes(rating.belief)])
    else:
        day = days_since_1970(rating.last_contest.ends_at)
        beliefs.assume([row], [rating.mu], [rating.sigma], [rating.contest_count], [day])
