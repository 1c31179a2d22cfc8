"""Thresholds proposed from the players' ratings, and warnings about uneven tiers."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from ratings.display import Offset, default_tiers
from ratings.display.tier_shares import intended_shares, proposed_thresholds, uneven_tiers

RNG = np.random.default_rng(7)


@pytest.mark.parametrize("count", range(2, 13))
def test_intended_shares_rise_and_leave_no_tier_too_large_or_empty(count):
    shares = np.diff([0, *intended_shares(count), 1])
    assert shares.min() >= 0.0149
    assert count == 2 or shares.max() <= 0.35
    assert shares[-1] == shares.min() or count < 4


def test_the_shares_of_eight_tiers_are_those_of_the_normal_distribution():
    """From a printed table: Φ of -1.036, -0.502, 0.032, 0.567, 1.101, 1.636 and 2.170, at equal steps."""
    table = [0.15, 0.3078, 0.5129, 0.7146, 0.8646, 0.949, 0.985]
    assert intended_shares(8) == pytest.approx(table, abs=1e-3)


@pytest.mark.parametrize("count", [2, 3, 5, 8, 12])
@pytest.mark.parametrize(
    "shown", [RNG.normal(1500, 300, 5000), RNG.exponential(400, 2000) + 800, RNG.uniform(0, 10_000, 100)]
)
def test_proposed_thresholds_give_players_about_the_intended_shares(shown, count):
    shown = shown.round().astype(np.int64)
    thresholds = proposed_thresholds(shown, count)
    assert all(lower < upper for lower, upper in pairwise(thresholds))
    below = [float((shown < threshold).mean()) for threshold in thresholds]
    assert below == pytest.approx(list(intended_shares(count)), abs=0.06)


def test_thresholds_are_round_numbers():
    shown = RNG.normal(1500, 300, 5000).round().astype(np.int64)
    assert all(threshold % 50 == 0 for threshold in proposed_thresholds(shown, 8))


def test_thresholds_proposed_for_equal_ratings_are_all_equal():
    assert set(proposed_thresholds(np.full(200, 1500), 4)) == {1500}


def test_tiers_with_more_than_35_percent_or_none_are_uneven():
    tiers = default_tiers(Offset())
    counts = [20, 20, 20, 35, 5, 0, 0, 0]
    assert [row.tier.name for row in uneven_tiers(tiers, counts)] == ["Nova", "Star", "Comet"]
    counts = [20, 20, 20, 36, 4, 1, 1, 1]
    assert [(row.tier.name, row.players) for row in uneven_tiers(tiers, counts)] == []
    assert [row.tier.name for row in uneven_tiers(tiers, [20, 15, 20, 36, 4, 1, 2, 2])] == ["Torch"]
    assert uneven_tiers(tiers, [99, 0, 0, 0, 0, 0, 0, 0]) == [], "too few players"
