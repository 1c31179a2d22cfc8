"""A contest as a rating system sees it: places, participants with the beliefs before it, and changes after it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    from datetime import datetime

    from ratings.systems.beliefs import Beliefs

Floats: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.int64]

# Floats represent all whole numbers up to here.
_EXACT = 2**53
_GREATEST_INDEX = 2**63 - 1
# Lower ceilings (rating points) have the same effect as this one: far below all ratings, but with a finite square.
_LOWEST_CEILING = -1e12
# Double precision shows no difference between weights beyond these.
LEAST_WEIGHT, GREATEST_WEIGHT = 1e-12, 1e12


@dataclass(frozen=True, slots=True, eq=False)
class Contest:
    """A ranking of distinct players, with ties, and its weight.

    players
        Indices of the players in the pool of beliefs, shape (n,), each at most once.
    ranks
        Their places, shape (n,). Only order and equality count: smaller is better, equal is a tie. Rows can be in any
        order, and gaps are allowed.
    weight
        The weight of the contest; 1 is normal.
    perf_ceiling
        No performance in this contest counts for more than this (rating points); stored as -1e12 if it is lower.
    day
        When it ended, in days (with fractions) from any origin common to all contests.
    teams
        Label of each row's team, shape (n,), or None when individuals compete. The members of a team share its rank.
    play
        The share of the contest that each player took part in, shape (n,), from 0 to 1; None if all played in full.
    handicap
        The advantage of each row's entry, in rating points, shape (n,): predictions count the entry as that much
        stronger. The members of a team share it. None if all are 0.

    Derived, read-only: ``highest_player`` is the greatest index, -1 without players. ``entry`` (n,) is the 0-based
    number of each row's entry (its player or team, in no particular order), and ``n_entries`` the number of entries.
    ``is_duel`` says whether it is a game of one player against another, both of whom played in full.
    ``group`` (n,) is the 0-based tie group of each row, best first, and ``group_sizes`` counts each group's rows.
    ``competition_ranks`` (n,) are the 1-based places of the entries, as in 1, 2, 2, 4.

    Raises ValueError on arrays of unequal length, repeated or negative players, ranks that are not numbers, members of
    one team with different ranks or handicaps, a weight that is not positive, shares of play outside [0, 1], and values
    that are not finite.
    """

    players: NDArray[np.int64]
    ranks: NDArray[np.float64]
    weight: float = 1.0
    perf_ceiling: float = math.inf
    day: float = 0.0
    teams: tuple[object, ...] | None = None
    play: NDArray[np.float64] | None = None
    handicap: NDArray[np.float64] | None = None
    highest_player: int = field(init=False, repr=False)
    entry: NDArray[np.int64] = field(init=False, repr=False)
    n_entries: int = field(init=False, repr=False)
    is_duel: bool = field(init=False, repr=False)
    group: NDArray[np.int64] = field(init=False, repr=False)
    group_sizes: NDArray[np.int64] = field(init=False, repr=False)
    competition_ranks: NDArray[np.int64] = field(init=False, repr=False)

    def __init__(
        self,
        players: ArrayLike,
        ranks: ArrayLike,
        weight: float = 1.0,
        perf_ceiling: float = math.inf,
        day: float = 0.0,
        teams: Sequence[object] | NDArray[Any] | None = None,
        play: ArrayLike | None = None,
        handicap: ArrayLike | None = None,
    ) -> None:
        labels = None if teams is None else _checked_labels(teams)
        _check_numbers(weight, perf_ceiling, day)
        pair = _checked_pair(players, ranks) if labels is None else None
        if pair is not None:
            player_array, rank_array, (group, sizes, competition_ranks) = pair
            entry, n_entries = _ROWS_OF_TWO, 2
        else:
            player_array = _checked_players(players, labels)
            rank_array = _checked_ranks(ranks, len(player_array))
            entry, firsts = _entries(labels, rank_array)
            n_entries = len(firsts)
            _, group, sizes = np.unique(rank_array, return_inverse=True, return_counts=True)
            entries_before = np.cumsum(np.bincount(group[firsts], minlength=len(sizes)))
            competition_ranks = np.concatenate([[1], entries_before[:-1] + 1])[group]
        shares = None if play is None else _checked_play(play, len(player_array))
        values = {
            "players": player_array,
            "ranks": rank_array,
            "weight": float(weight),
            "perf_ceiling": max(float(perf_ceiling), _LOWEST_CEILING),
            "day": float(day),
            "teams": None if labels is None else tuple(labels),
            "play": shares,
            "handicap": None if handicap is None else _checked_handicap(handicap, entry, n_entries),
            "highest_player": max(player_array.tolist()) if pair is not None else int(player_array.max(initial=-1)),
            "entry": entry,
            "n_entries": n_entries,
            "is_duel": n_entries == len(player_array) == 2 and shares is None,
            "group": group.astype(np.int64, copy=False),
            "group_sizes": sizes.astype(np.int64, copy=False),
            "competition_ranks": competition_ranks.astype(np.int64, copy=False),
        }
        for name, value in values.items():
            if isinstance(value, np.ndarray):
                value.flags.writeable = False
            object.__setattr__(self, name, value)

    def __len__(self) -> int:
        return len(self.players)

    @property
    def bounded_weight(self) -> float:
        """The weight, limited to the range in which double precision shows a difference."""
        return min(max(self.weight, LEAST_WEIGHT), GREATEST_WEIGHT)

    @property
    def has_opponents(self) -> bool:
        """Whether there are at least two entries; a tie of all entries is a valid result."""
        return self.n_entries >= 2

    @property
    def entry_handicap(self) -> Floats:
        """The advantage of each entry, in rating points, shape (n_entries,)."""
        advantage = np.zeros(self.n_entries)
        if self.handicap is not None:
            advantage[self.entry] = self.handicap
        return advantage

    def without_handicap(self, performance: Floats) -> Floats:
        """Return performances of the rows without their advantages, limited by the ceiling, shape (n,)."""
        own = performance if self.handicap is None else performance - self.handicap
        limited: Floats = np.minimum(own, self.perf_ceiling)
        return limited

    def rows_by_group(self, order: Indices) -> Indices:
        """Return the rows by tie group, best first; within a group in the given order, shape (n,)."""
        return order[stable_argsort(self.group[order], len(self.group_sizes))]

    def check(
        self,
        system: str,
        n_players: int,
        *,
        rates_teams: bool,
        rates_partial_play: bool = False,
        rates_handicaps: bool = True,
    ) -> Contest:
        """Return the contest; raise ValueError if the system cannot rate it in a pool of ``n_players``."""
        if self.teams is not None and not rates_teams:
            raise ValueError(f"{system} rates individuals: it cannot rate a contest of teams")
        if self.play is not None and not rates_partial_play and (self.play < 1.0).any():
            row = int((self.play < 1.0).argmax())
            raise ValueError(f"{system} cannot rate partial play: row {row} played a share of {self.play[row]:g}")
        if self.handicap is not None and not rates_handicaps:
            raise ValueError(f"{system} has positions and no rating points: it cannot rate a contest with handicaps")
        if self.highest_player >= n_players:
            raise ValueError(f"player {self.highest_player} does not exist in a pool of {n_players} players")
        return self


@dataclass(frozen=True, slots=True, eq=False)
class RoundChanges:
    """The changes made by one contest, one entry for each row of the contest, in its order.

    mu_before, sigma_before, mu, sigma, performance
        In rating points; performances are 0 if the system has none.
    rank, field
        The 1-based competition rank among the entries, and the number of entries.
    """

    mu_before: Floats
    sigma_before: Floats
    mu: Floats
    sigma: Floats
    performance: Floats
    rank: Indices
    field: Indices


class Entrants:
    """The participants of a contest with the beliefs about them before it, aligned with its rows, shape (n,).

    mu, sigma
        In rating points.
    count
        Rated contests so far.
    idle
        Days since each participant's last contest; 0 for newcomers.

    Raises ValueError for a contest earlier than a participant's last one.
    """

    def __init__(self, beliefs: Beliefs, contest: Contest) -> None:
        players = contest.players
        self.beliefs, self.contest, self.players = beliefs, contest, players
        self.mu, self.sigma, self.count = beliefs.mu[players], beliefs.sigma[players], beliefs.count[players]
        self.idle = np.where(self.count > 0, contest.day - beliefs.last_day[players], 0.0)
        if self.idle.min() < 0:
            player = players[self.idle.argmin()]
            raise ValueError(
                f"the contest of day {contest.day:g} comes after one of day {beliefs.last_day[player]:g} "
                f"for player {player}: rate contests in order of time"
            )

    def __len__(self) -> int:
        return len(self.players)

    @property
    def strength(self) -> Floats:
        """The means with the handicaps, shape (n,): what predictions count, in rating points."""
        handicap = self.contest.handicap
        return self.mu if handicap is None else self.mu + handicap

    def variance_after(self, drift_per_day: float, limit: float) -> Floats:
        """Return the variances of the beliefs after the days since each participant's last contest, shape (n,).

        drift_per_day
            How much each day adds, in rating points squared.
        limit
            Idle days raise no deviation above this (in rating points): the deviation of a newcomer.
        """
        variance = self.sigma * self.sigma
        if drift_per_day == 0.0:
            return variance
        return np.maximum(variance, np.minimum(variance + drift_per_day * self.idle, limit * limit))

    def conclude(self, mu: Floats, sigma: Floats, performance: Floats | None = None) -> RoundChanges:
        """Store the new values that all systems keep in the beliefs, and return the changes.

        Without performances (rating points) they are reported as 0, as in the reference implementation.
        """
        beliefs, contest, players = self.beliefs, self.contest, self.players
        beliefs.mu[players], beliefs.sigma[players] = mu, sigma
        beliefs.count[players] += 1
        beliefs.last_day[players] = contest.day
        field = np.full(len(players), contest.n_entries)
        shown = np.zeros(len(players)) if performance is None else performance
        return RoundChanges(self.mu, self.sigma, mu, sigma, shown, contest.competition_ranks, field)


def _check_numbers(weight: Any, perf_ceiling: Any, day: Any) -> None:
    if not 0.0 < _as_float(weight) < math.inf:
        raise ValueError(f"the weight of a contest must be a positive number, not {weight!r}")
    if not _as_float(perf_ceiling) > -math.inf:
        raise ValueError(f"the performance ceiling must be a number or infinity, not {perf_ceiling!r}")
    if not math.isfinite(_as_float(day)):
        raise ValueError(f"the day of a contest must be a number, not {day!r}")


def _as_float(value: Any) -> float:
    """Return a number as a float; NaN for everything else."""
    if isinstance(value, (bool, np.bool_, str, bytes)):
        return math.nan
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return math.nan


def _constant(*values: int) -> Indices:
    array = np.array(values, dtype=np.int64)
    array.flags.writeable = False
    return array


# The same in all two-player games: the rows, and group, group sizes and competition ranks by the order of the ranks.
_ROWS_OF_TWO = _constant(0, 1)
_DRAW = _constant(0, 0), _constant(2), _constant(1, 1)
_FIRST_WINS = _constant(0, 1), _constant(1, 1), _constant(1, 2)
_SECOND_WINS = _constant(1, 0), _constant(1, 1), _constant(2, 1)


def _checked_pair(
    players: ArrayLike, ranks: ArrayLike
) -> tuple[Indices, Floats, tuple[Indices, Indices, Indices]] | None:
    """Return players, ranks and ranking of a valid two-player game; None for all other contests. For speed only."""
    # By the size first, so that large contests are not copied for nothing.
    size = players.size if isinstance(players, np.ndarray) else len(players) if isinstance(players, list | tuple) else 0
    if size != 2:
        return None
    player_array, rank_array = _array(players), _array(ranks)
    if player_array.shape != (2,) or rank_array.shape != (2,):
        return None
    if player_array.dtype.kind not in "iu" or rank_array.dtype.kind not in "iuf":
        return None
    one, other = player_array.tolist()
    first, second = rank_array.tolist()
    if one == other or min(one, other) < 0 or max(one, other) > _GREATEST_INDEX:
        return None
    if not (abs(first) <= _EXACT and abs(second) <= _EXACT):
        return None
    ranking = _FIRST_WINS if first < second else _SECOND_WINS if second < first else _DRAW
    return player_array.astype(np.int64, copy=False), rank_array.astype(np.float64, copy=False), ranking


def _checked_labels(teams: Sequence[object] | NDArray[Any]) -> Sequence[object]:
    labels = teams.tolist() if isinstance(teams, np.ndarray) else teams
    if not isinstance(labels, Sequence):
        raise ValueError(f"teams must be a sequence of labels, not {teams!r}")
    for row, label in enumerate(labels):
        try:
            hash(label)
        except TypeError:
            raise ValueError(f"row {row} has the team label {label!r}: a label must be hashable") from None
        if label is None or label != label:
            raise ValueError(f"row {row} has the team label {label!r}: a label must equal itself and must not be None")
    return labels


def _entries(teams: Sequence[object] | None, ranks: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the number of each row's entry, and the first row of each entry."""
    if teams is None:
        rows = np.arange(len(ranks))
        return rows, rows
    if len(teams) != len(ranks):
        raise ValueError(f"{len(teams)} team labels for {len(ranks)} players: give one for each player")
    numbers: dict[object, int] = {}
    entry = np.array([numbers.setdefault(label, len(numbers)) for label in teams], dtype=np.int64)
    firsts = np.unique(entry, return_index=True)[1]
    odd = np.flatnonzero(ranks != ranks[firsts][entry]) if len(ranks) else firsts
    if len(odd):
        row = int(odd[0])
        raise ValueError(
            f"row {row} gives team {teams[row]!r} the rank {ranks[row]:g}, an earlier row "
            f"{ranks[firsts[entry[row]]]:g}: the members of a team share one place"
        )
    return entry, firsts


def _array(values: ArrayLike) -> NDArray[Any]:
    """Return a new array of the values; a non-numeric one if they are ragged."""
    try:
        return np.array(values)
    except ValueError:
        return np.array([None])


def _checked_players(players: ArrayLike, teams: Sequence[object] | None) -> NDArray[np.int64]:
    array = _array(players)
    if array.size == 0:
        array = array.astype(np.int64)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise ValueError("players must be a one-dimensional array of integers")
    in_order = np.sort(array)
    if len(array) and in_order[0] < 0:
        raise ValueError(f"player {in_order[0]} is negative: players are indices from 0")
    if len(array) and in_order[-1] > _GREATEST_INDEX:
        raise ValueError(f"player {in_order[-1]} is too large: players are indices up to {_GREATEST_INDEX}")
    repeated = in_order[1:][in_order[1:] == in_order[:-1]]
    if len(repeated):
        rows = np.flatnonzero(array == repeated[0])[:2].tolist()
        where = f"rows {rows[0]} and {rows[1]}"
        if teams is not None and len(teams) == len(array) and teams[rows[0]] != teams[rows[1]]:
            where += f", teams {teams[rows[0]]!r} and {teams[rows[1]]!r}"
        raise ValueError(f"player {repeated[0]} appears more than once in one contest ({where})")
    return array.astype(np.int64, copy=False)


def _checked_ranks(ranks: ArrayLike, n_players: int) -> NDArray[np.float64]:
    array = _array(ranks)
    if array.size and array.dtype.kind not in "iuf":
        raise ValueError("ranks must be numbers")
    if array.shape != (n_players,):
        raise ValueError(f"ranks have shape {array.shape} for {n_players} players: give one rank for each player")
    if array.dtype.kind in "iu" and (array.max(initial=0) > _EXACT or array.min(initial=0) < -_EXACT):
        # Ranks that a float cannot tell apart keep their order as 0, 1, 2...
        array = np.unique(array, return_inverse=True)[1]
    array = array.astype(np.float64, copy=False)
    odd = np.flatnonzero(~np.isfinite(array))
    if len(odd):
        raise ValueError(f"row {odd[0]} has the rank {array[odd[0]]:g}: ranks must be finite numbers")
    return array


def _checked_play(play: ArrayLike, n_players: int) -> NDArray[np.float64] | None:
    """Return the shares; None if all are 1, so that full play gives the same bits in either form."""
    array = _array(play)
    if array.size and array.dtype.kind not in "iuf":
        raise ValueError("shares of play must be numbers")
    if array.shape != (n_players,):
        raise ValueError(f"play has shape {array.shape} for {n_players} players: give one share for each player")
    array = array.astype(np.float64, copy=False)
    outside = np.flatnonzero(~((array >= 0.0) & (array <= 1.0)))
    if len(outside):
        row = int(outside[0])
        raise ValueError(f"row {row} has a share of play of {array[row]:g}: it must be from 0 to 1")
    return None if (array == 1.0).all() else array


def _checked_handicap(handicap: ArrayLike, entry: Indices, n_entries: int) -> NDArray[np.float64] | None:
    """Return the advantages; None if all are 0."""
    array = _array(handicap)
    if array.size and array.dtype.kind not in "iuf":
        raise ValueError("handicaps must be numbers of rating points")
    if array.shape != entry.shape:
        raise ValueError(f"handicaps have shape {array.shape} for {len(entry)} players: give one for each player")
    array = array.astype(np.float64, copy=False)
    odd = np.flatnonzero(~np.isfinite(array))
    if len(odd):
        raise ValueError(f"row {odd[0]} has the handicap {array[odd[0]]:g}: handicaps must be finite rating points")
    of_entry = np.empty(n_entries)
    of_entry[entry] = array
    odd = np.flatnonzero(of_entry[entry] != array)
    if len(odd):
        row = int(odd[0])
        raise ValueError(
            f"row {row} has the handicap {array[row]:g}, another member of its team {of_entry[entry[row]]:g}: "
            "the members of a team share one handicap"
        )
    return array if array.any() else None


def stable_argsort(group: Indices, n_groups: int) -> Indices:
    """Return the rows by group, from 0 to n_groups - 1; within a group in the order of the input."""
    # NumPy sorts 16-bit integers by radix, in linear time.
    order = np.argsort(group.astype(np.uint16), kind="stable")
    for shift in range(16, (n_groups - 1).bit_length(), 16):
        order = order[np.argsort((group[order] >> shift).astype(np.uint16), kind="stable")]
    return order


def days_since_1970(moment: datetime) -> float:
    """Return an aware moment as days since 1970, with fractions: the day of a contest."""
    return moment.timestamp() / 86_400.0
