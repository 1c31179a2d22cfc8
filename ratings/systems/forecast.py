"""What a contest would do to one player: the new rating for each place, and the place that a rating takes."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ratings.systems.belief import Beliefs
from ratings.systems.contest import Contest
from ratings.systems.prediction import checked_field, position_in_field
from ratings.systems.system import RatingSystem

Floats: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.int64]

# Fields up to this size are worked out for every place, larger ones for about a hundred.
_EVERY_PLACE = 200
_PLACES_FROM_EACH_END = 50
# Systems in which a better place can give a lower rating.
_NOT_MONOTONE = frozenset({"trueskill-spb"})


@dataclass(frozen=True, slots=True, eq=False)
class PredictedChanges:
    """What one contest of weight 1 does to a player for each of k places, best place first.

    place
        From 1, shape (k,).
    mu, sigma, performance
        After the contest, shape (k,), in rating points; performances are 0 where the system has none.
    mu_before, sigma_before
        Before it, one number each.
    """

    place: Indices
    mu: Floats
    sigma: Floats
    performance: Floats
    mu_before: float
    sigma_before: float

    @property
    def change(self) -> Floats:
        """What is added to the rating, shape (k,)."""
        return self.mu - self.mu_before


def predicted_changes(
    system: RatingSystem, beliefs: Beliefs, contest_players: ArrayLike, player: int, places: ArrayLike | None = None
) -> PredictedChanges:
    """What each place in the next contest would do to the player's rating; ``beliefs`` stay as they are.

    The others finish in the order of their present ratings, equal ratings tied. A place among those who tie cuts
    them in two: first those of whom more is known, then in the order given. The contest comes right after the
    participants' last one (where a system needs the whole pool: after everybody's), with weight 1.

    contest_players
        Everybody who takes part, the player too; indices in the pool, shape (n,).
    places
        Which places, shape (k,), in any order. None: all of them up to n = 200; of more, about a hundred, dense at
        both ends (50 in geometric progression from each end to the middle).

    Raises ValueError on fewer than two players, repeated ones, those outside the pool, a player who does not take
    part, and places outside the field.
    """
    trial = _Trial(system, beliefs, contest_players, player)
    wanted = _grid(trial.size) if places is None else _checked_places(places, trial.size)
    outcomes = np.array([trial.at(place) for place in wanted.tolist()]).reshape(len(wanted), 3)
    mu, sigma, performance = outcomes.T
    return PredictedChanges(wanted, mu, sigma, performance, trial.mu_before, trial.sigma_before)


def place_needed(
    system: RatingSystem, beliefs: Beliefs, contest_players: ArrayLike, player: int, target_mu: float
) -> int | None:
    """The worst place that still brings the player's rating to the target; None if even a win does not.

    The contest is that of ``predicted_changes``. Found by bisection, about log2(n) rounds, as a better place against
    the same others never gives a lower rating; only with ``trueskill-spb`` it can, and all places are tried from the
    last one up. Raises ValueError as ``predicted_changes`` does, and on a target that is no finite number.
    """
    if not np.isfinite(target_mu):
        raise ValueError(f"the target must be a finite number, not {target_mu!r}")
    trial = _Trial(system, beliefs, contest_players, player)

    def reached(place: int) -> bool:
        return trial.at(place)[0] >= target_mu

    if system.name in _NOT_MONOTONE:
        return next((place for place in range(trial.size, 0, -1) if reached(place)), None)
    return _last_place(reached, trial.size)


def _last_place(reached: Callable[[int], bool], size: int) -> int | None:
    """The last place that reaches the target, given that all better ones do; None if none does."""
    good, bad = 0, size + 1
    while bad - good > 1:
        middle = (good + bad) // 2
        good, bad = (middle, bad) if reached(middle) else (good, middle)
    return good or None


class _Trial:
    """One contest to be, in which only the player's place is open."""

    def __init__(self, system: RatingSystem, beliefs: Beliefs, contest_players: ArrayLike, player: int) -> None:
        field = checked_field(beliefs, contest_players)
        position = position_in_field(field, player)
        self.system, self.size = system, len(field)
        self.mu_before, self.sigma_before = float(beliefs.mu[player]), float(beliefs.sigma[player])
        self.beliefs, players = _participants(system, beliefs, field)
        self.day = float(self.beliefs.last_day.max())
        # The player first, then the others in the order of finish.
        others = np.delete(np.arange(self.size), position)
        mu, sigma = beliefs.mu[field[others]], beliefs.sigma[field[others]]
        in_order = np.lexsort((sigma, -mu))
        self.players = players[np.append(position, others[in_order])]
        mu = mu[in_order]
        self.groups = np.cumsum(np.append(True, mu[1:] != mu[:-1])).astype(np.float64)

    def at(self, place: int) -> tuple[float, float, float]:
        """The player's mean, deviation and performance after finishing at this place, from 1."""
        ahead = np.arange(self.size - 1) < place - 1
        ranks = np.append(self.size, np.where(ahead, self.groups, self.groups + self.size))
        changes = self.system.rate_round(self.beliefs.copy(), Contest(self.players, ranks, day=self.day))
        assert changes is not None  # the player is never tied
        return float(changes.mu[0]), float(changes.sigma[0]), float(changes.performance[0])


def _participants(system: RatingSystem, beliefs: Beliefs, field: Indices) -> tuple[Beliefs, Indices]:
    """Beliefs on those who matter to the contest, to be copied for each trial, and where the field is in them."""
    if system.needs_pool:
        return beliefs, field
    alone = system.new_beliefs(len(field))
    everybody = np.arange(len(field))
    alone.unpack(everybody, beliefs.pack(field))
    return alone, everybody


def _grid(size: int) -> Indices:
    if size <= _EVERY_PLACE:
        return np.arange(1, size + 1)
    from_the_top = np.geomspace(1.0, 0.5 * size, _PLACES_FROM_EACH_END)
    return np.unique(np.rint(np.concatenate([from_the_top, size + 1.0 - from_the_top])).astype(np.int64))


def _checked_places(places: ArrayLike, size: int) -> Indices:
    given = np.atleast_1d(np.asarray(places))
    if given.ndim != 1 or (given.size and given.dtype.kind not in "iu"):
        raise ValueError(f"places must be whole numbers in one row, not {given.dtype} of shape {given.shape}")
    wanted = np.unique(given.astype(np.int64))
    outside = wanted[(wanted < 1) | (wanted > size)]
    if len(outside):
        raise ValueError(f"place {outside[0]} is outside a field of {size}")
    return wanted
