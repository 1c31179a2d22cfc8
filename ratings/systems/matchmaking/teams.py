"""Teams of given sizes from one list of players, so that the match between them is as close as possible.

With few ways to divide the players, all are tried. Otherwise a search swaps players between teams for as long as a swap
brings the teams' strengths closer together, from several starts, and reports how far the result may be from the best.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, islice
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ratings.systems.beliefs import Beliefs
from ratings.systems.forecast.matches import closeness, performances
from ratings.systems.performance_model import PerformanceModel, entry_performances
from ratings.systems.system import RatingSystem

Floats: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.int64]

MOST_PLAYERS = 200
# All divisions are tried up to this many: 20 players into two teams of ten, or twelve into four of three.
_MOST_DIVISIONS = 100_000
_AT_ONCE = 4096
# The search starts from a draft in turns, and from this many random divisions.
_RANDOM_STARTS = 12
_SEED = 20
# A swap that improves the spread by less than this share is not made, because it may be rounding error.
_LEAST_GAIN = 1e-12


@dataclass(frozen=True, slots=True)
class BalancedTeams:
    """A division of players into teams.

    teams
        Indices of players in the pool, one list for each size, the strongest member first.
    quality
        The quality of the match of all teams, from 0 to 1.
    bound
        No division has a better quality than this.
    is_best
        Whether no division of these players is better.
    """

    teams: list[list[int]]
    quality: float
    bound: float
    is_best: bool


def balance_teams(system: RatingSystem, beliefs: Beliefs, players: ArrayLike, sizes: Sequence[int]) -> BalancedTeams:
    """Divide players into teams of given sizes, so that the match of all teams has the best quality.

    players
        Indices in the pool, shape (n,), all different, at most 200.
    sizes
        The sizes of two or more teams, each at least 1; they add up to n.

    A team performs as the sum of its members if the system says so (``trueskill``), otherwise as their mean, even with
    systems that rate individuals only. Teams of unequal sizes are therefore hard to balance where members add up. The
    result is the best one if there are at most 100,000 divisions. Otherwise it comes from a search that always gives
    the same result for the same beliefs.

    Raises ValueError on sizes that do not fit, repeated players and players
    outside the pool.
    """
    field = beliefs.checked_field(players)
    _check_sizes(len(field), sizes)
    # In this order, so that the result does not depend on how the players are listed.
    field = np.array(sorted(field.tolist(), key=lambda p: (-beliefs.mu[p], beliefs.sigma[p])), dtype=np.int64)
    task = _Task(*performances(system, beliefs, field), np.array(sizes), system.teams_add_up)
    bound = task.bound()
    if is_best := _number_of_divisions(sizes) <= _MOST_DIVISIONS:
        division, quality = _best_of_all(task)
        bound = quality
    else:
        division, quality = _search(task)
    teams = [field[division == team].tolist() for team in range(len(sizes))]
    return BalancedTeams(teams, quality, max(bound, quality), is_best or quality >= bound)


class _Task:
    """The performances of all players, and the quality of divisions of them into teams.

    A division is the number of each player's team, shape (n,).
    """

    def __init__(self, model: PerformanceModel, known: Floats, sizes: Indices, adds_up: bool) -> None:
        self.model, self.known, self.sizes, self.adds_up = model, known, sizes, adds_up

    def quality(self, divisions: Indices) -> Floats:
        """Return the quality of each of m divisions, shape (m, n)."""
        matches, teams = len(divisions), len(self.sizes)
        everyone = (divisions + teams * np.arange(matches)[:, None]).ravel()
        share = np.ones(len(everyone))
        location, scale, known = (
            np.tile(values, matches) for values in (self.model.location, self.model.scale, self.known)
        )
        shape = self.model.shape
        entries = entry_performances(PerformanceModel(shape, location, scale), everyone, share, self.adds_up)
        exact = entry_performances(PerformanceModel(shape, location, known), everyone, share, self.adds_up)
        form = (matches, teams)
        return closeness(shape, entries.location.reshape(form), entries.scale.reshape(form), exact.scale.reshape(form))

    def bound(self) -> float:
        """Return a quality that no division exceeds: that of equal teams, each of the players known best.

        Equal locations are best for any scales, and each narrower scale makes equal performances more likely.
        """
        if not np.allclose(self.known, self.known[0]):
            return 1.0
        order = np.argsort(self.model.scale, kind="stable")
        form = (1, len(self.sizes))
        scale, known = np.empty(form), np.empty(form)
        for team, size in enumerate(self.sizes.tolist()):
            members = order[:size]
            scale[0, team] = self._together(self.model.scale[members])
            known[0, team] = self._together(np.full(size, self.known[0]))
        return float(closeness(self.model.shape, np.zeros(form), scale, known)[0])

    def _together(self, scales: Floats) -> float:
        return float(math.sqrt(np.sum(np.square(scales))) if self.adds_up else np.mean(scales))


def _check_sizes(players: int, sizes: Sequence[int]) -> None:
    if players > MOST_PLAYERS:
        raise ValueError(f"{players} players are too many: balance at most {MOST_PLAYERS} at once")
    if len(sizes) < 2:
        raise ValueError(f"a match needs at least two teams, not {len(sizes)}")
    if min(sizes) < 1:
        raise ValueError(f"a team needs at least one player, not {min(sizes)}")
    if sum(sizes) != players:
        raise ValueError(f"the sizes of the teams add up to {sum(sizes)}, but there are {players} players")


def _number_of_divisions(sizes: Sequence[int]) -> int:
    """Return in how many ways players can be divided, where teams of one size are interchangeable."""
    ways = math.factorial(sum(sizes))
    for size in sizes:
        ways //= math.factorial(size)
    for size in set(sizes):
        ways //= math.factorial(list(sizes).count(size))
    return ways


def _best_of_all(task: _Task) -> tuple[Indices, float]:
    """Try all divisions; return the first of those with the best quality."""
    best, quality = None, -1.0
    divisions = _divisions(tuple(range(len(task.model.location))), task.sizes.tolist())
    while batch := list(islice(divisions, _AT_ONCE)):
        tried = np.array(batch, dtype=np.int64)
        qualities = task.quality(tried)
        at = int(np.argmax(qualities))
        # Not if it is only better by rounding, so that ties between divisions are always resolved in the same way.
        if qualities[at] > quality * (1.0 + 1e-12):
            best, quality = tried[at], float(qualities[at])
    assert best is not None  # there is at least one division
    return best, quality


def _divisions(players: tuple[int, ...], sizes: Sequence[int]) -> Iterator[list[int]]:
    """Yield each division of these players once, as the team of each."""
    division = [0] * len(players)

    def fill(left: tuple[int, ...], open_teams: tuple[int, ...]) -> Iterator[list[int]]:
        if not left:
            yield division.copy()
            return
        # The first player left goes to one team of each size, since teams of one size are interchangeable.
        for team in {sizes[team]: team for team in reversed(open_teams)}.values():
            others = tuple(other for other in open_teams if other != team)
            for members in combinations(left[1:], sizes[team] - 1):
                for member in (left[0], *members):
                    division[member] = team
                chosen = set(members)
                yield from fill(tuple(player for player in left[1:] if player not in chosen), others)

    return fill(players, tuple(range(len(sizes))))


def _search(task: _Task) -> tuple[Indices, float]:
    """Improve several divisions by swaps; return the best."""
    random = np.random.default_rng(_SEED)
    teams = np.repeat(np.arange(len(task.sizes)), task.sizes)
    starts = [_draft(task.sizes), *(random.permutation(teams) for _ in range(_RANDOM_STARTS))]
    found = np.array([_swapped(task, start) for start in starts])
    qualities = task.quality(found)
    best = int(np.argmax(qualities))
    return found[best], float(qualities[best])


def _draft(sizes: Indices) -> Indices:
    """Return a division in which teams choose in turns, the last one first in the next turn."""
    left, division, turn = sizes.copy(), [], list(range(len(sizes)))
    while left.any():
        for team in turn:
            if left[team]:
                division.append(team)
                left[team] -= 1
        turn.reverse()
    return np.array(division)


def _swapped(task: _Task, division: Indices) -> Indices:
    """Swap two players of different teams while that lowers the spread of the teams' locations; return the division.

    Each step takes the best swap. The spread is the sum of the teams' squared distances from their target: all teams
    equally strong.
    """
    division, strength, teams = division.copy(), task.model.location, len(task.sizes)
    unit = np.ones(teams) if task.adds_up else 1.0 / task.sizes
    target = np.sum(strength) / teams if task.adds_up else np.mean(strength)
    offset = unit * np.bincount(division, strength, teams) - target
    gained = strength[None, :] - strength[:, None]
    while True:
        change = unit[division][:, None] * gained
        # Row i's player changes places with column j's: the team of i gains unit_i (s_j - s_i), that of j the reverse.
        own = 2.0 * offset[division][:, None] * change + np.square(change)
        total = np.where(division[:, None] == division, 0.0, own + own.T)
        first, second = np.unravel_index(int(np.argmin(total)), total.shape)
        if total[first, second] > -_LEAST_GAIN * max(float(np.sum(np.square(offset))), 1e-300):
            return division
        offset[division[first]] += change[first, second]
        offset[division[second]] += change[second, first]
        division[first], division[second] = division[second], division[first]
