"""
What a contest looked like before it and what came of it: its field, its favourites, its surprises.

Everything follows from the rating changes of one run, so it is kept by run: a field of 20,000 is analysed once.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from contests.caching import cached
from ratings.queries.distributions import bin_width, bins, tier_shares
from ratings.systems import get_system
from ratings.systems.evaluate.metrics import pair_inversion
from web.public.contest.field import entries_of, read_field
from web.public.contest.upsets import best_against_odds, odds_of, upsets_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from contests.models import Contest
    from ratings.queries.distributions import Bin, TierShare
    from ratings.queries.snapshot import SeriesSnapshot
    from web.public.contest.field import ContestField, Entries
    from web.public.contest.upsets import Odds

    Integers = NDArray[np.int64]

#: Rows of each list of the page.
MOST = 8
#: So many of the strongest make the "top" whose mean rating is told.
STRONGEST = 10
#: How long an analysis is kept; it never changes.
SECONDS = 86_400
#: Raised when what is kept has another form.
FORM = 2


@dataclass(frozen=True, slots=True)
class Forecast:
    """
    What was to be expected of an entry, and what it did.

    player_id
        Of the player who stands for it: of a team, its first member.
    seed
        Place by rating among those who had been rated before.
    before
        Rating before, in shown points; of a team the mean of its members'.
    win, probability
        Probability to finish ahead of everybody; to finish so high or higher (or so low or lower), where that is told.
    """

    player_id: int
    rank: int
    seed: int
    before: int
    expected: float
    win: float
    probability: float | None = None


@dataclass(frozen=True, slots=True)
class Pairing:
    """One who finished ahead of another against the odds."""

    winner: Forecast
    loser: Forecast
    probability: float


@dataclass(frozen=True, slots=True)
class Move:
    """A player's change, in shown points."""

    player_id: int
    rank: int
    before: int
    after: int
    difference: int


@dataclass(frozen=True, slots=True)
class Strength:
    """How strong those were who had been rated before, in shown points; `top`: the mean of the `strongest` ones."""

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
    What was to be expected, and who did otherwise; all empty where fewer than two had been rated before.

    favourites
        Those with the best chances to win, best first.
    winners
        Those in the first place who had been rated before: at most three, none where all tied.
    above, below
        Who did better and worse than expected, least likely first.
    """

    favourites: list[Forecast] = field(default_factory=list)
    winners: list[Forecast] = field(default_factory=list)
    above: list[Forecast] = field(default_factory=list)
    below: list[Forecast] = field(default_factory=list)
    upsets: list[Pairing] = field(default_factory=list)

    def forecasts(self) -> list[Forecast]:
        """Return the forecasts of everybody who is named."""
        sides = [side for pair in self.upsets for side in (pair.winner, pair.loser)]
        return [*self.favourites, *self.winners, *self.above, *self.below, *sides]


@dataclass(frozen=True, slots=True)
class Analysis:
    """
    The analysis of a contest.

    known, entries
        How many players or teams had been rated before, and how many competed.
    newcomers, best_newcomers
        Players whose first rated contest it was.
    strength
        None if nobody had been rated before.
    pair_inversion
        Per cent of the pairs whose order the ratings predicted; None if no two who had been rated finished apart.
    """

    players: int
    entries: int
    known: int
    newcomers: int
    best_newcomers: list[Move]
    gains: list[Move]
    losses: list[Move]
    strength: Strength | None
    pair_inversion: float | None
    expected: Expectations

    def player_ids(self) -> set[int]:
        """Return everybody who is named."""
        moves = [*self.gains, *self.losses, *self.best_newcomers]
        return {row.player_id for row in self.expected.forecasts()} | {row.player_id for row in moves}


def analysis_of(snapshot: SeriesSnapshot, contest: Contest) -> Analysis | None:
    """Return the analysis as of the run shown; None if it did not rate the contest."""
    if snapshot.run is None or snapshot.scheme is None:
        return None
    key = f"contest-analysis:{FORM}:{contest.pk}:{contest.version}:{snapshot.run.uid}:{snapshot.scheme.uid}"

    def analyse() -> Analysis | None:
        rated = read_field(snapshot, contest)
        return _Analyst(snapshot, rated).analysis() if rated is not None else None

    return cached(key, analyse, SECONDS)


class _Analyst:
    """One pass over the field of a contest."""

    def __init__(self, snapshot: SeriesSnapshot, rated: ContestField) -> None:
        self.snapshot, self.rated = snapshot, rated
        self.before = self._shown(rated.mu_before, rated.sigma_before)
        self.after = self._shown(rated.mu, rated.sigma)
        assert snapshot.run is not None
        system = get_system(snapshot.run.scheme.system, **snapshot.run.scheme.parameters)
        self.entries: Entries = entries_of(rated, system)
        self.odds: Odds | None = odds_of(self.entries) if len(self.entries) > 1 else None
        sizes = np.bincount(rated.entry)
        self.entry_before = np.rint(np.bincount(rated.entry, self.before) / sizes).astype(np.int64)
        known = -np.sort(-self.entries.strength[self.entries.is_known])
        self.seeds = np.searchsorted(-known, -self.entries.strength, side="left") + 1

    def analysis(self) -> Analysis:
        rated, known = self.rated, self.entries.is_known
        change = self.after - self.before
        new = np.flatnonzero(rated.is_newcomer)
        # Of a newcomer everything is a change: gains and losses are told of those who had a rating to gain on.
        old = np.flatnonzero(~rated.is_newcomer)
        up = old[np.argsort(-change[old], kind="stable")]
        down = old[np.argsort(change[old], kind="stable")]
        return Analysis(
            players=len(rated),
            entries=len(self.entries),
            known=int(np.count_nonzero(known)),
            newcomers=len(new),
            best_newcomers=self._moves(new[:3]),
            gains=self._moves(up[change[up] > 0][:MOST]),
            losses=self._moves(down[change[down] < 0][:MOST]),
            strength=self._strength(old),
            pair_inversion=self._pair_inversion(known),
            expected=self._expectations(known),
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
            above=[self._forecast(each, probability) for each, probability in high],
            below=[self._forecast(each, probability) for each, probability in low],
            upsets=[
                Pairing(self._forecast(upset.winner), self._forecast(upset.loser), upset.probability)
                for upset in upsets_of(self.entries, MOST)
            ],
        )

    def _forecast(self, entry: int, probability: float | None = None) -> Forecast:
        assert self.odds is not None
        return Forecast(
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

    def _shown(self, mu: NDArray[np.float64], sigma: NDArray[np.float64]) -> Integers:
        shown: Integers = self.snapshot.mapping.show(self.snapshot.score(mu, sigma))
        return shown
