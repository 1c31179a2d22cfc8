"""Expected wins in a field: the table agrees with the direct sum, for usual and for extreme fields."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit

from ratings.derived.season import wins_against_others


def directly(levels, hidden):
    wins = expit(levels[:, None] - hidden)
    np.fill_diagonal(wins, 0.0)
    return wins.sum(axis=1)


@pytest.mark.parametrize("size", [1, 2, 128, 129, 3000])
@pytest.mark.parametrize("spread", [0.0, 2.0, 60.0])
def test_sums_equal_those_over_all_pairs(size, spread):
    rng = np.random.default_rng(size)
    hidden = rng.normal(8.0, spread, size)
    # Some are far above, and some far below, all others in the field.
    levels = hidden + rng.normal(0.0, 3.0, size) + np.where(np.arange(size) % 50 == 0, 500.0, 0.0)
    levels[::77] -= 900.0
    np.testing.assert_allclose(wins_against_others(levels, hidden), directly(levels, hidden), atol=1e-8)


def test_ratings_may_be_far_apart():
    hidden = np.linspace(-1e6, 1e6, 400)
    levels = hidden[::-1].copy()
    np.testing.assert_allclose(wins_against_others(levels, hidden), directly(levels, hidden), atol=1e-8)
