"""What to expect of the next contest: who wins, who places where.

All follows from a system's ``performance_model``: performances are independent, the higher one places before the
lower one, ties have no probability of their own. So the probability that A finishes ahead of B is the same in a duel
and in a field of any size. Predictions are for a contest of weight 1 right after each player's last one.
"""

from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ratings.systems.belief import Beliefs
from ratings.systems.forecast.places import place_probabilities
from ratings.systems.numerics.outcomes import mean_places, probability_to_beat
from ratings.systems.performance_model import PerformanceModel
from ratings.systems.system import RatingSystem

Floats: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.int64]


def win_probability(system: RatingSystem, beliefs: Beliefs, a: ArrayLike, b: ArrayLike) -> Floats:
    """The probability that player a finishes ahead of player b, in a duel or in any field.

    a, b
        Indices of players in the pool; broadcast against each other, the result has their common shape.

    Exact to 1e-9. Raises ValueError on a player outside the pool or against themselves.
    """
    first, second = np.broadcast_arrays(_indices(beliefs, a), _indices(beliefs, b))
    if (first == second).any():
        raise ValueError(f"player {first[first == second][0]} cannot meet themselves: give two different players")
    # Only those asked about, each once.
    players, position = np.unique(np.stack([first.ravel(), second.ravel()]), return_inverse=True)
    model = _model(system, beliefs, players)
    position = position.reshape(2, -1)
    return probability_to_beat(model, position[0], position[1]).reshape(first.shape)


def expected_places(system: RatingSystem, beliefs: Beliefs, players: ArrayLike) -> Floats:
    """The mean of each one's place when these players meet, from 1 to n, shape (n,), in the order given.

    1 + sum_j P(j finishes ahead of i), to 1e-9 n; in about linear time. Raises ValueError on fewer than two players,
    on repeated ones and on those outside the pool.
    """
    return mean_places(_model(system, beliefs, checked_field(beliefs, players)))


def place_distribution(system: RatingSystem, beliefs: Beliefs, players: ArrayLike, of: int) -> Floats:
    """The probabilities of the places 1 to n of one player when these n meet, shape (n,); they add up to 1.

    players
        Indices in the pool, shape (n,).
    of
        The player, one of them (an index in the pool).

    Exact to 1e-9. Raises ValueError as ``expected_places`` does, and if the player is not among them.
    """
    field = checked_field(beliefs, players)
    return place_probabilities(_model(system, beliefs, field), position_in_field(field, of))


def checked_field(beliefs: Beliefs, players: ArrayLike) -> Indices:
    """The players of a field, shape (n,); ValueError unless at least two, distinct and all in the pool."""
    field = _indices(beliefs, players)
    if field.ndim != 1 or len(field) < 2:
        raise ValueError(f"a field needs at least two players in one row, not {field.size} of shape {field.shape}")
    in_order = np.sort(field)
    repeated = in_order[1:] == in_order[:-1]
    if repeated.any():
        raise ValueError(f"player {in_order[1:][repeated][0]} is named more than once")
    return field


def position_in_field(field: Indices, player: int) -> int:
    """Where the player stands in the field; ValueError if nowhere."""
    positions = np.flatnonzero(field == player)
    if not len(positions):
        raise ValueError(f"player {player} is not among the {len(field)} players of the field")
    return int(positions[0])


def _indices(beliefs: Beliefs, players: ArrayLike) -> Indices:
    """The indices as integers; ValueError unless all in the pool."""
    given = np.asarray(players)
    if given.size and given.dtype.kind not in "iu":
        raise ValueError(f"players must be whole numbers, their indices in the pool, not {given.dtype}")
    indices = given.astype(np.int64)
    outside = (indices < 0) | (indices >= len(beliefs))
    if outside.any():
        raise ValueError(f"player {indices[outside][0]} does not exist in a pool of {len(beliefs)} players")
    return indices


def _model(system: RatingSystem, beliefs: Beliefs, players: Indices) -> PerformanceModel:
    return system.performance_model(beliefs.mu[players], beliefs.sigma[players])
