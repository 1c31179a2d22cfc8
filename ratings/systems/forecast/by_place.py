"""The effect of a contest on one player: the new rating for each place, and the place needed for a rating."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ratings.systems.beliefs import Beliefs, position_in_field
from ratings.systems.contest import Contest, Entrants
from ratings.systems.system import Outcomes, RatingSystem

Floats: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.int64]

# Fields up to this size are worked out for every place, larger ones for about a hundred.
_EVERY_PLACE = 200
_PLACES_FROM_EACH_END = 50
# Asking for so many places at once costs hardly more than for one, where the system has a fast form.
_FAST_AT_ONCE = 24


@dataclass(frozen=True, slots=True, eq=False)
class PredictedChanges:
    """The effect of one contest on a player for each of k places, best place first.

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
    system: RatingSystem,
    beliefs: Beliefs,
    contest_players: ArrayLike,
    player: int,
    places: ArrayLike | None = None,
    **contest: Any,
) -> PredictedChanges:
    """Return what each place in the next contest would do to the player's rating; ``beliefs`` stay as they are.

    The others finish in the order of their present ratings, equal ratings tied. A place among those who tie cuts
    them in two: first those of whom more is known, then in the order given. The contest comes right after the
    participants' last one (where a system needs the whole pool: after everyone's), with weight 1.

    contest_players
        Everyone who takes part, the player too; indices in the pool, shape (n,).
    places
        Which places, shape (k,), in any order. None: all of them up to n = 200; of more, about a hundred, dense at
        both ends (50 in geometric progression from each end to the middle).
    contest
        ``weight``, ``perf_ceiling``, ``day`` and ``teams`` of the contest where they are others, as of ``Trial``.

    Raises ValueError on fewer than two players, repeated ones, those outside the pool, a player who does not take
    part, and places outside the field.
    """
    return Trial(system, beliefs, contest_players, player, **contest).changes(places)


def place_needed(
    system: RatingSystem, beliefs: Beliefs, contest_players: ArrayLike, player: int, target_mu: float, **contest: Any
) -> int | None:
    """Return the worst place that still brings the player's rating to the target; None if even a win does not.

    The contest is that of ``predicted_changes``. Found by bisection, about log2(n) rounds, as a better place against
    the same others never gives a lower rating. Where it can (``is_monotone``), all places are tried from the last one
    up. Raises ValueError as ``predicted_changes`` does, and on a target that is no finite number.
    """
    if not np.isfinite(target_mu):
        raise ValueError(f"the target must be a finite number, not {target_mu!r}")
    trial = Trial(system, beliefs, contest_players, player, **contest)
    return trial.last_place(lambda mu, sigma: mu >= target_mu)


def _last_place(are_reached: Callable[[Indices], list[bool]], size: int, *, at_once: int) -> int | None:
    """Return the last place that reaches the target, given that all better ones do; None if none does.

    Of the places still open, so many at once are asked for that cut them into equal parts.
    """
    good, bad = 0, size + 1
    while bad - good > 1:
        cuts = np.unique(np.linspace(good, bad, at_once + 2).astype(np.int64)[1:-1])
        cuts = cuts[cuts > good] if cuts[-1] > good else np.array([good + 1])
        number = sum(are_reached(cuts))
        good, bad = (int(cuts[number - 1]) if number else good), (int(cuts[number]) if number < len(cuts) else bad)
    return good or None


class Trial:
    """One contest to be, in which only the place of the player is open: the others finish by their ratings.

    weight, perf_ceiling
        Of the contest.
    day
        On which it ends, in the days of the beliefs; None: right after the participants' last one.
    teams
        Label of each player's team, shape (n,), None when individuals compete. Then places are those of teams, and the
        player's team takes the open one; the others finish in the order of the mean (or sum) of their members.

    ``size`` is the number of places; ``is_fast`` says that asking for many of them costs hardly more than for one.
    ``mu_before`` and ``sigma_before`` are what is believed of the player now.

    Raises ValueError as ``predicted_changes`` does, and on a day before a participant's last contest.
    """

    def __init__(
        self,
        system: RatingSystem,
        beliefs: Beliefs,
        contest_players: ArrayLike,
        player: int,
        *,
        weight: float = 1.0,
        perf_ceiling: float = math.inf,
        day: float | None = None,
        teams: Sequence[object] | None = None,
    ) -> None:
        field = beliefs.checked_field(contest_players)
        position = position_in_field(field, player)
        self.system = system
        self.mu_before, self.sigma_before = float(beliefs.mu[player]), float(beliefs.sigma[player])
        self.beliefs, players = _participants(system, beliefs, field)
        entry, order = _order_of_finish(system, beliefs, field, position, teams)
        self.entry, self.size = entry[order], int(entry.max()) + 1
        self.players = players[order]
        self.teams = None if teams is None else self.entry.tolist()
        # The player's entry is number 0; equal ones of the others tie.
        mu = _strengths(system, beliefs.mu[field], entry)[1:]
        self.groups = np.cumsum(np.append(True, mu[1:] != mu[:-1])).astype(np.float64)
        self.terms = weight, perf_ceiling, float(self.beliefs.last_day.max()) if day is None else day
        self.fast = None if teams is not None else self._fast()
        self._known: dict[int, tuple[float, float, float]] = {}

    @property
    def is_fast(self) -> bool:
        return self.fast is not None

    def changes(self, places: ArrayLike | None = None) -> PredictedChanges:
        """Return the outcomes of these places, as ``predicted_changes`` has them."""
        wanted = _grid(self.size) if places is None else _checked_places(places, self.size)
        return PredictedChanges(wanted, *self.at(wanted), self.mu_before, self.sigma_before)

    def at(self, places: Indices) -> Outcomes:
        """Return the player's mean, deviation and performance after finishing at each of these places, from 1."""
        if self.fast is not None:
            return self.fast(places)
        outcomes = np.array([self._rated(place) for place in places.tolist()]).reshape(len(places), 3)
        return outcomes[:, 0], outcomes[:, 1], outcomes[:, 2]

    def last_place(self, reached: Callable[[float, float], bool]) -> int | None:
        """Return the worst place after which mean and deviation satisfy a condition that better places satisfy too."""

        def are_reached(places: Indices) -> list[bool]:
            mu, sigma, _ = self.at(places)
            return [reached(*belief) for belief in zip(mu.tolist(), sigma.tolist(), strict=True)]

        if not self.system.is_monotone:
            return next((place for place in range(self.size, 0, -1) if are_reached(np.array([place]))[0]), None)
        return _last_place(are_reached, self.size, at_once=_FAST_AT_ONCE if self.is_fast else 1)

    def _fast(self) -> Callable[[Indices], Outcomes] | None:
        contest = Contest(self.players, np.arange(len(self.players)), *self.terms)
        return self.system.outcomes_by_place(Entrants(self.beliefs, contest))

    def _rated(self, place: int) -> tuple[float, float, float]:
        """Return the same for one place, by rating the contest; once for each place."""
        if place not in self._known:
            self._known[place] = self._rate(place)
        return self._known[place]

    def _rate(self, place: int) -> tuple[float, float, float]:
        weight, ceiling, day = self.terms
        ahead = np.arange(self.size - 1) < place - 1
        of_entries = np.append(self.size, np.where(ahead, self.groups, self.groups + self.size))
        contest = Contest(self.players, of_entries[self.entry], weight, ceiling, day, self.teams)
        changes = self.system.rate_round(self.beliefs.copy(), contest)
        assert changes is not None  # the player's entry is never tied
        return float(changes.mu[0]), float(changes.sigma[0]), float(changes.performance[0])


def _order_of_finish(
    system: RatingSystem, beliefs: Beliefs, field: Indices, position: int, teams: Sequence[object] | None
) -> tuple[Indices, Indices]:
    """The entry of each row of the field, 0 for the player's and then in the order of finish; and the rows by entry,
    the player first."""
    labels = (
        np.arange(len(field)) if teams is None else np.unique([repr(each) for each in teams], return_inverse=True)[1]
    )
    if len(labels) != len(field):
        raise ValueError(f"{len(labels)} team labels for {len(field)} players: give one for each")
    strength = _strengths(system, beliefs.mu[field], labels)
    sigma = np.zeros(len(strength))
    np.maximum.at(sigma, labels, beliefs.sigma[field])
    own = np.zeros(len(strength), dtype=bool)
    own[labels[position]] = True
    in_order = np.lexsort((sigma, -strength, ~own))
    number = np.empty(len(strength), dtype=np.int64)
    number[in_order] = np.arange(len(strength))
    entry = number[labels]
    is_player = np.arange(len(field)) == position
    return entry, np.lexsort((np.arange(len(field)), ~is_player, entry))


def _strengths(system: RatingSystem, mu: Floats, entry: Indices) -> Floats:
    """Return the sum or the mean of the members of each entry, as the system sees teams; rating points."""
    sizes = np.bincount(entry)
    if sizes.max() == 1:
        alone = np.empty(len(sizes))
        alone[entry] = mu
        return alone
    sums = np.bincount(entry, mu).astype(np.float64)
    return sums if system.teams_add_up else sums / sizes


def _participants(system: RatingSystem, beliefs: Beliefs, field: Indices) -> tuple[Beliefs, Indices]:
    """Beliefs on those who matter to the contest, to be copied for each trial, and where the field is in them."""
    if system.needs_pool or np.array_equal(field, np.arange(len(beliefs))):
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
