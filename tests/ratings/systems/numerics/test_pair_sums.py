"""Sums of one curve over all pairs compared with the sum in plain Python."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.systems.numerics import pair_sums
from ratings.systems.numerics.pair_sums import LOGISTIC, NORMAL, Curve, expected_wins
from tests.ratings.systems.strategies import steady


def fermi(x: float) -> float:
    return 0.5 * (1.0 + math.tanh(0.5 * x))


def normal(x: float) -> float:
    return 0.5 * math.erfc(-x / math.sqrt(2.0))


PLAIN = {LOGISTIC: fermi, NORMAL: normal}
each_curve = pytest.mark.parametrize("curve", [LOGISTIC, NORMAL], ids=["logistic", "normal"])


def plain_sum(ratings: np.ndarray, row: int, curve: Curve, scale: float) -> float:
    own = ratings[row]
    return math.fsum(PLAIN[curve]((own - other) / scale) for other in np.delete(ratings, row).tolist())


@each_curve
@steady(30)
@given(
    seed=st.integers(0, 10_000),
    size=st.sampled_from([2, 3, 20, 160, 161, 400, 1500]),
    spread=st.sampled_from([0.0, 0.01, 1.0, 3.0, 30.0, 1e3, 1e6, 1e12]),
)
def test_the_sum_is_the_plain_sum(curve: Curve, seed: int, size: int, spread: float) -> None:
    random = np.random.default_rng(seed)
    ratings = np.round(random.normal(0.0, spread, size), 2) * 170.0
    sums = expected_wins(ratings, curve, 170.0)
    for row in random.choice(size, min(size, 12), replace=False):
        assert sums[row] == pytest.approx(plain_sum(ratings, row, curve, 170.0), rel=0, abs=1e-12 * size)
    assert math.fsum(sums) == pytest.approx(size * (size - 1) / 2, rel=1e-14)


@each_curve
@pytest.mark.parametrize("size", [2, 50, 160, 161, 900])
def test_weights_count_an_opponent_several_times(curve: Curve, size: int) -> None:
    random = np.random.default_rng(size)
    ratings, weights = random.normal(0.0, 3.0, size), random.integers(1, 9, size).astype(np.float64)
    sums = expected_wins(ratings, curve, 1.0, weights)
    for row in random.choice(size, min(size, 12), replace=False):
        others = np.delete(np.arange(size), row)
        terms = [weights[other] * PLAIN[curve](ratings[row] - ratings[other]) for other in others]
        assert sums[row] == pytest.approx(math.fsum(terms), rel=0, abs=1e-11 * size)


@each_curve
def test_distant_groups_do_not_affect_each_other(curve: Curve) -> None:
    near = np.random.default_rng(1).normal(0.0, 1.0, 300)
    ratings = np.concatenate([near, near + 1e5, near + 1e9])
    sums = expected_wins(ratings, curve, 1.0)
    alone = expected_wins(near, curve, 1.0)
    np.testing.assert_allclose(sums[:300], alone, rtol=0, atol=1e-10)
    np.testing.assert_allclose(sums[300:600], 300 + expected_wins(near + 1e5, curve, 1.0), rtol=0, atol=1e-10)
    np.testing.assert_allclose(sums[600:], 600 + expected_wins(near + 1e9, curve, 1.0), rtol=0, atol=1e-10)


@each_curve
@pytest.mark.parametrize("size", [50, 900])
def test_the_order_of_the_players_changes_no_bits(curve: Curve, size: int) -> None:
    random = np.random.default_rng(size)
    ratings = np.round(random.normal(1500.0, 300.0, size))
    order = random.permutation(size)
    ours, theirs = expected_wins(ratings, curve, 174.0), expected_wins(ratings[order], curve, 174.0)
    assert ours[order].tobytes() == theirs.tobytes()


@each_curve
def test_knots_and_all_pairs_agree_to_eleven_digits(curve: Curve, monkeypatch: pytest.MonkeyPatch) -> None:
    ratings = np.random.default_rng(3).normal(0.0, 2.0, 500)
    by_knots = expected_wins(ratings, curve, 1.0)
    monkeypatch.setattr(pair_sums, "_ALL_PAIRS", 10**9)
    by_pairs = expected_wins(ratings, curve, 1.0)
    assert not np.array_equal(by_knots, by_pairs)
    np.testing.assert_allclose(by_knots, by_pairs, rtol=0, atol=1e-12 * 500)
