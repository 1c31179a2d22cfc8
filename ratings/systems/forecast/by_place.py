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

# Forecasts cover every place in fields up to this size, and about a hundred places in larger ones.
_EVERY_PLACE = 200
_PLACES_FROM_EACH_END = 50
# With a fast method, a request for this many places costs hardly more than for one.
_FAST_AT_ONCE = 24


@dataclass(frozen=True, slots=True, eq=False)
class PredictedChanges:
    """The effect of one contest on a player for each of k places, best place first.

    place
        From 1, shape (k,).
    mu, sigma, performance
        After the contest, shape (k,), in rating points; performances are 0 if the system has none.
    mu_before, sigma_before
        Before the contest, one number each.
    """

    place: Indices
    mu: Floats
    sigma: Floats
    performance: Floats
    mu_before: float
    sigma_before: float

    @property
    def change(self) -> Floats:
        """The change of the rating, shape (k,)."""
        return self.mu - self.mu_before


def predicted_changes(
    system: RatingSystem,
    beliefs: Beliefs,
    contest_players: ArrayLike,
    player: int,
    places: ArrayLike | None = None,
    **contest: Any,
) -> PredictedChanges:
    """Return the effect of each place in the next contest on the player's rating; ``beliefs`` are not changed.

    The others finish in the order of their current ratings, with equal ratings tied. A place among tied players
    divides them: those with smaller deviations are ahead, and equal deviations are in the given order. The contest is
    right after the participants' last one (after everyone's last one if the system needs the whole pool), with
    weight 1.

    contest_players
        All participants, including the player; indices in the pool, shape (n,).
    places
        The places to forecast, shape (k,), in any order. None: all places up to n = 200; in larger fields about a
        hundred, dense at both ends (50 in geometric progression from each end to the middle).
    contest
        ``weight``, ``perf_ceiling``, ``day``, ``teams`` and ``handicap`` of the contest, as for ``Trial``.

    Raises ValueError on fewer than two players, repeated players, players outside the pool, a player who does not take
    part, and places outside the field.
    """
    return Trial(system, beliefs, contest_players, player, **contest).changes(places)


def place_needed(
    system: RatingSystem, beliefs: Beliefs, contest_players: ArrayLike, player: int, target_mu: float, **contest: Any
) -> int | None:
    """Return the worst place that still brings the player's rating to the target; None if even a win does not.

    The contest is the one of ``predicted_changes``. The place is found by bisection in about log2(n) rounds if a
    better place never gives a lower rating. For systems in which it can (``is_monotone`` is false), all places are
    tried from the last one up. Raises ValueError as ``predicted_changes`` does, and if the
    target is not a finite number.
    """
    if not np.isfinite(target_mu):
        raise ValueError(f"the target must be a finite number, not {target_mu!r}")
    trial = Trial(system, beliefs, contest_players, player, **contest)
    return trial.last_place(lambda mu, sigma: mu >= target_mu)


def _last_place(are_reached: Callable[[Indices], list[bool]], size: int, *, at_once: int) -> int | None:
    """Return the last place that reaches the target, given that all better places do; None if no place does.

    Each round asks for ``at_once`` places that divide the remaining range into equal parts.
    """
    good, bad = 0, size + 1
    while bad - good > 1:
        cuts = np.unique(np.linspace(good, bad, at_once + 2).astype(np.int64)[1:-1])
        cuts = cuts[cuts > good] if cuts[-1] > good else np.array([good + 1])
        number = sum(are_reached(cuts))
        good, bad = (int(cuts[number - 1]) if number else good), (int(cuts[number]) if number < len(cuts) else bad)
    return good or None


class Trial:
    """A future contest in which only the player's place is open: the others finish in the order of their ratings.

    weight, perf_ceiling
        Weight and performance ceiling of the contest.
    day
        The day on which it ends, on the same calendar as the beliefs; None: right after the participants' last contest.
    teams
        Label of each player's team, shape (n,), or None when individuals compete. With teams, places are those of
        teams. The player's team takes the open place; the others finish in the order of their members' mean (or sum).
    handicap
        Each player's advantage in rating points, shape (n,), the same for all members of a team; None if no one has
        one. The others finish in the order of their ratings with it.

    ``size`` is the number of places. If ``is_fast``, a request for many places costs hardly more than for one.
    ``mu_before`` and ``sigma_before`` are the current belief about the player.

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
        handicap: Floats | None = None,
    ) -> None:
        field = beliefs.checked_field(contest_players)
        position = position_in_field(field, player)
        self.system = system
        self.mu_before, self.sigma_before = float(beliefs.mu[player]), float(beliefs.sigma[player])
        self.beliefs, players = _participants(system, beliefs, field)
        entry, order = _order_of_finish(system, beliefs, field, position, teams, handicap)
        self.entry, self.size = entry[order], int(entry.max()) + 1
        self.players = players[order]
        self.teams = None if teams is None else self.entry.tolist()
        # The player's entry is number 0; other entries with equal ratings tie.
        mu = _strengths(system, beliefs.mu[field], entry, handicap)[1:]
        self.handicap = None if handicap is None else handicap[order]
        self.groups = np.cumsum(np.append(True, mu[1:] != mu[:-1])).astype(np.float64)
        self.terms = weight, perf_ceiling, float(self.beliefs.last_day.max()) if day is None else day
        self.fast = None if teams is not None else self._fast()
        self._known: dict[int, tuple[float, float, float]] = {}

    @property
    def is_fast(self) -> bool:
        """Whether the system has a fast method for this contest."""
        return self.fast is not None

    def changes(self, places: ArrayLike | None = None) -> PredictedChanges:
        """Return the outcomes of these places, by default those that ``predicted_changes`` selects."""
        wanted = _grid(self.size) if places is None else _checked_places(places, self.size)
        return PredictedChanges(wanted, *self.at(wanted), self.mu_before, self.sigma_before)

    def tied(self, places: ArrayLike) -> PredictedChanges:
        """Return the outcomes of sharing each of these places, shape (k,), with one other entry.

        The other is the one expected there: in a field of n, place k is shared with the k-th best of the others, so the
        last place to share is n - 1. Each one takes as long as rating a contest. Raises ValueError on other places.
        """
        wanted = _checked_places(places, self.size - 1)
        outcomes = np.array([self._rate(place, is_tied=True) for place in wanted.tolist()]).reshape(len(wanted), 3)
        mu, sigma, performance = outcomes[:, 0], outcomes[:, 1], outcomes[:, 2]
        return PredictedChanges(wanted, mu, sigma, performance, self.mu_before, self.sigma_before)

    def at(self, places: Indices) -> Outcomes:
        """Return the player's mean, deviation and performance after finishing at each of these places, from 1."""
        if self.fast is not None:
            return self.fast(places)
        outcomes = np.array([self._rated(place) for place in places.tolist()]).reshape(len(places), 3)
        return outcomes[:, 0], outcomes[:, 1], outcomes[:, 2]

    def last_place(self, reached: Callable[[float, float], bool]) -> int | None:
        """Return the worst place after which mean and deviation satisfy a condition; None if none does.

        The condition is that a rating is high enough: the mean, or the mean minus a multiple of the deviation.
        """

        def are_reached(places: Indices) -> list[bool]:
            mu, sigma, _ = self.at(places)
            return [reached(*belief) for belief in zip(mu.tolist(), sigma.tolist(), strict=True)]

        at_once = _FAST_AT_ONCE if self.is_fast else 1
        if self.system.is_monotone:
            return _last_place(are_reached, self.size, at_once=at_once)
        for last in range(self.size, 0, -at_once):
            places = np.arange(max(last - at_once, 0) + 1, last + 1)
            reaching = [place for place, reaches in zip(places.tolist(), are_reached(places), strict=True) if reaches]
            if reaching:
                return max(reaching)
        return None

    def _fast(self) -> Callable[[Indices], Outcomes] | None:
        contest = Contest(self.players, np.arange(len(self.players)), *self.terms, handicap=self.handicap)
        return self.system.outcomes_by_place(Entrants(self.beliefs, contest))

    def _rated(self, place: int) -> tuple[float, float, float]:
        """Return the same for one place by rating the contest, at most once per place."""
        if place not in self._known:
            self._known[place] = self._rate(place)
        return self._known[place]

    def _rate(self, place: int, *, is_tied: bool = False) -> tuple[float, float, float]:
        weight, ceiling, day = self.terms
        ahead = np.arange(self.size - 1) < place - 1
        of_entries = np.append(self.size, np.where(ahead, self.groups, self.groups + self.size))
        if is_tied:
            of_entries[place] = self.size
        places = of_entries[self.entry]
        contest = Contest(self.players, places, weight, ceiling, day, self.teams, handicap=self.handicap)
        changes = self.system.rate_round(self.beliefs.copy(), contest)
        assert changes is not None  # there are at least two entries
        return float(changes.mu[0]), float(changes.sigma[0]), float(changes.performance[0])


def _order_of_finish(
    system: RatingSystem,
    beliefs: Beliefs,
    field: Indices,
    position: int,
    teams: Sequence[object] | None,
    handicap: Floats | None,
) -> tuple[Indices, Indices]:
    """Return the entry of each row of the field, and the rows sorted by entry with the player first.

    Entry 0 is the player's; the others are numbered in the order of finish.
    """
    labels = (
        np.arange(len(field)) if teams is None else np.unique([repr(each) for each in teams], return_inverse=True)[1]
    )
    if len(labels) != len(field):
        raise ValueError(f"{len(labels)} team labels for {len(field)} players: give one for each")
    strength = _strengths(system, beliefs.mu[field], labels, handicap)
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


def _strengths(system: RatingSystem, mu: Floats, entry: Indices, handicap: Floats | None) -> Floats:
    """Return the sum or mean of each entry's members, depending on the system, with its handicap, in rating points."""
    if handicap is not None:
        advantage = np.zeros(int(entry.max()) + 1)
        advantage[entry] = handicap
        return _strengths(system, mu, entry, None) + advantage
    sizes = np.bincount(entry)
    if sizes.max() == 1:
        alone = np.empty(len(sizes))
        alone[entry] = mu
        return alone
    sums = np.bincount(entry, mu).astype(np.float64)
    return sums if system.teams_add_up else sums / sizes


def _participants(system: RatingSystem, beliefs: Beliefs, field: Indices) -> tuple[Beliefs, Indices]:
    """Return the beliefs that the contest needs, to be copied for each place, and the field's positions in them."""
    if system.needs_pool or np.array_equal(field, np.arange(len(beliefs))):
        return beliefs, field
    alone = system.new_beliefs(len(field))
    participants = np.arange(len(field))
    alone.unpack(participants, beliefs.pack(field))
    return alone, participants


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
