"""
The analysis of a contest: its field, its favourites, its upsets, its gains and losses.

An analysis depends only on the rating changes of one run, so it is cached by run: a contest of 20,000 players is
analysed once.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from contests.caching import cached
from ratings.derived.draws import draw_rate_of
from ratings.display.favored import UPSET
from ratings.queries.distributions import bin_width, bins, tier_shares
from ratings.queries.head_to_head import chances_of_sides, system_of
from ratings.systems.evaluate.metrics import pair_inversion
from web.public.contest.field import entries_of, ratings_of, read_field, seeds_of
from web.public.contest.upsets import best_against_odds, odds_of, upsets_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from contests.models import Contest
    from ratings.queries.distributions import Bin, TierShare
    from ratings.queries.snapshot import SeriesSnapshot
    from ratings.systems import Chances
    from web.public.contest.field import ContestField, Entries
    from web.public.contest.upsets import Odds

    Integers = NDArray[np.int64]

#: The maximum number of rows in each list of the page.
MOST = 8
#: The number of highest-rated players whose mean rating the page shows.
STRONGEST = 10
#: How long an analysis is cached; it never changes.
SECONDS = 86_400
#: The entries of a duel, and their opponents.
_BOTH_WAYS = np.array([0, 1]), np.array([1, 0])
#: The version of the cached data; raise it whenever the fields of `Analysis` change.
VERSION = 8


@dataclass(frozen=True, slots=True)
class EntryForecast:
    """
    The forecast for an entry, and its result.

    player_id
        The player who represents the entry; for a team, its first member.
    seed
        Place by rating among the entries that had been rated before.
    before
        Rating before the contest, in displayed points; for a team, the mean over its members.
    win
        Probability of finishing ahead of all others.
    probability
        Probability of this place or better (or this place or worse), in the lists that show it.
    """

    player_id: int
    rank: int
    seed: int
    before: int
    expected: float
    win: float
    probability: float | None = None


@dataclass(frozen=True, slots=True)
class UpsetForecast:
    """An upset: the winner finished ahead of a higher-rated loser, which had this probability."""

    winner: EntryForecast
    loser: EntryForecast
    probability: float


@dataclass(frozen=True, slots=True)
class Move:
    """A player's rating change, in displayed points."""

    player_id: int
    rank: int
    before: int
    after: int
    difference: int


@dataclass(frozen=True, slots=True)
class Strength:
    """The ratings before the contest, in displayed points; `top` is the mean of the `strongest` players."""

    mean: int
    median: int
    top: int
    strongest: int
    bins: list[Bin]
    width: int
    tiers: list[TierShare]


@dataclass(frozen=True, slots=True)
class Expectations:
    """
    The forecasts of a contest, and the results that differ most; all empty if fewer than two entries had ratings.

    favourites
        The entries with the best chances to win, best first.
    winners
        The entries in first place that had ratings: at most three, and none if all entries tied.
    first_is_shared
        Whether several entries are in first place, with or without ratings.
    above, below
        The entries that finished better and worse than expected, least likely first.
    draw
        The probability of a draw, if two entries met.
    """

    favourites: list[EntryForecast] = field(default_factory=list)
    winners: list[EntryForecast] = field(default_factory=list)
    first_is_shared: bool = False
    above: list[EntryForecast] = field(default_factory=list)
    below: list[EntryForecast] = field(default_factory=list)
    upsets: list[UpsetForecast] = field(default_factory=list)
    draw: float = 0.0

    @property
    def is_open(self) -> bool:
        """Whether several entries had the best chance to win."""
        return len(self.favourites) > 1 and math.isclose(self.favourites[0].win, self.favourites[1].win, rel_tol=1e-6)

    def forecasts(self) -> list[EntryForecast]:
        """Return the forecasts in all lists."""
        sides = [side for pair in self.upsets for side in (pair.winner, pair.loser)]
        return [*self.favourites, *self.winners, *self.above, *self.below, *sides]


@dataclass(frozen=True, slots=True)
class Analysis:
    """
    The analysis of a contest.

    entries, known
        The number of players or teams that competed, and of those that had been rated before.
    newcomers, best_newcomers
        Players in their first rated contest.
    left_out
        The number of players with a provisional rating whose gains and losses are left out, without newcomers.
    gains, losses
        The largest ones, of players whose rating was no longer provisional before the contest. If there were none, as
        in the first contests of a series, those of all but newcomers.
    changes
        The changes of all players if two entries met, best place first.
    strength
        None if no player had been rated before.
    pair_inversion
        Percentage of pairs whose order the ratings predicted; None if no two rated entries finished apart.
    """

    players: int
    entries: int
    known: int
    newcomers: int
    best_newcomers: list[Move]
    left_out: int
    gains: list[Move]
    losses: list[Move]
    changes: list[Move]
    strength: Strength | None
    pair_inversion: float | None
    expected: Expectations
    is_tied: bool

    @property
    def is_duel(self) -> bool:
        """Whether two entries met, so that there is no field to describe."""
        return self.entries == 2

    def player_ids(self) -> set[int]:
        """Return the ids of all players in the lists."""
        moves = [*self.gains, *self.losses, *self.changes, *self.best_newcomers]
        return {row.player_id for row in self.expected.forecasts()} | {row.player_id for row in moves}


def analysis_of(snapshot: SeriesSnapshot, contest: Contest) -> Analysis | None:
    """Return the analysis as of the current run; None if that run did not rate the contest."""
    if snapshot.run is None or snapshot.scheme is None:
        return None
    draw_rate = draw_rate_of(snapshot)
    as_of = f"{contest.version}:{snapshot.run.uid}:{snapshot.scheme.uid}:{draw_rate:g}"
    key = f"contest-analysis:{VERSION}:{contest.pk}:{as_of}"

    def analyse() -> Analysis | None:
        rated = read_field(snapshot, contest)
        return _Analyst(snapshot, rated, draw_rate).analysis() if rated is not None else None

    return cached(key, analyse, SECONDS)


class _Analyst:
    """Compute the analysis from the field of a contest."""

    def __init__(self, snapshot: SeriesSnapshot, rated: ContestField, draw_rate: float) -> None:
        self.snapshot, self.rated, self.draw_rate = snapshot, rated, draw_rate
        self.before = self._displayed(rated.mu_before, rated.sigma_before)
        self.after = self._displayed(rated.mu, rated.sigma)
        self.system = system_of(snapshot)
        self.entries: Entries = entries_of(rated, self.system)
        self.odds: Odds | None = odds_of(self.entries) if len(self.entries) > 1 else None
        if self.odds is not None and len(self.entries) == 2:
            self.odds = replace(self.odds, win=self._chances(*_BOTH_WAYS).win)  # with more entries, few tie for first
        sizes = np.bincount(rated.entry)
        self.entry_before = np.rint(np.bincount(rated.entry, self.before) / sizes).astype(np.int64)
        self.seeds = seeds_of(ratings_of(snapshot, rated), self.entries.is_known)

    def analysis(self) -> Analysis:
        rated, known = self.rated, self.entries.is_known
        change = self.after - self.before
        new = np.flatnonzero(rated.is_newcomer)
        old, rows = np.flatnonzero(~rated.is_newcomer), np.flatnonzero(rated.is_compared)
        up = rows[np.argsort(-change[rows], kind="stable")]
        down = rows[np.argsort(change[rows], kind="stable")]
        return Analysis(
            players=len(rated),
            entries=len(self.entries),
            known=int(np.count_nonzero(known)),
            newcomers=len(new),
            best_newcomers=self._moves(new[:3]),
            left_out=len(old) - len(rows),
            gains=self._moves(up[change[up] > 0][:MOST]),
            losses=self._moves(down[change[down] < 0][:MOST]),
            changes=self._moves(np.arange(len(rated))[: 2 * MOST]) if len(self.entries) == 2 else [],
            strength=self._strength(old),
            pair_inversion=self._pair_inversion(known),
            expected=self._expectations(known),
            is_tied=not np.ptp(self.entries.rank),
        )

    def _expectations(self, known: NDArray[np.bool_]) -> Expectations:
        if self.odds is None or np.count_nonzero(known) < 2:
            return Expectations()
        candidates = np.flatnonzero(known)
        favourites = candidates[np.argsort(-self.odds.win[candidates], kind="stable")][:5]
        is_decided = bool(np.ptp(self.entries.rank))
        winners = np.flatnonzero(known & (self.entries.rank == 1))[:3] if is_decided else candidates[:0]
        high = best_against_odds(self.entries, self.odds, MOST, is_better=True)
        low = best_against_odds(self.entries, self.odds, MOST, is_better=False)
        return Expectations(
            favourites=[self._forecast(each) for each in favourites.tolist()],
            winners=[self._forecast(each) for each in winners.tolist()],
            first_is_shared=int(np.count_nonzero(self.entries.rank == 1)) > 1,
            above=[self._forecast(each, probability) for each, probability in high if probability <= UPSET],
            below=[self._forecast(each, probability) for each, probability in low if probability <= UPSET],
            upsets=[
                UpsetForecast(self._forecast(upset.winner), self._forecast(upset.loser), upset.probability)
                for upset in upsets_of(self.entries, MOST, lambda first, second: self._chances(first, second).win)
            ],
            draw=float(self._chances(*_BOTH_WAYS).draw[0]) if len(self.entries) == 2 else 0.0,
        )

    def _chances(self, first: Integers, second: Integers) -> Chances:
        entries = self.entries
        return chances_of_sides(self.system, entries.model, entries.size, first, second, self.draw_rate)

    def _forecast(self, entry: int, probability: float | None = None) -> EntryForecast:
        assert self.odds is not None
        return EntryForecast(
            int(self.rated.player_ids[self.entries.first[entry]]),
            int(self.entries.rank[entry]),
            int(self.seeds[entry]),
            int(self.entry_before[entry]),
            float(self.odds.expected[entry]),
            float(self.odds.win[entry]),
            probability,
        )

    def _moves(self, rows: Integers) -> list[Move]:
        numbers = (self.rated.player_ids, self.rated.rank, self.before, self.after, self.after - self.before)
        return [Move(*row) for row in zip(*(each[rows].tolist() for each in numbers), strict=True)]

    def _strength(self, rows: Integers) -> Strength | None:
        if not len(rows):
            return None
        ratings = np.sort(self.before[rows])
        strongest = ratings[-STRONGEST:]
        width = bin_width(ratings, 40)
        return Strength(
            round(float(ratings.mean())), round(float(np.median(ratings))), round(float(strongest.mean())),
            len(strongest), bins(ratings, width), width, tier_shares(ratings, self.snapshot.tiers),
        )  # fmt: skip

    def _pair_inversion(self, known: NDArray[np.bool_]) -> float | None:
        if np.count_nonzero(known) < 2 or not np.ptp(self.entries.rank[known]):
            return None
        return pair_inversion(self.entries.strength[known], self.entries.rank[known])

    def _displayed(self, mu: NDArray[np.float64], sigma: NDArray[np.float64]) -> Integers:
        ratings: Integers = self.snapshot.mapping.show(self.snapshot.score(mu, sigma))
        return ratings
