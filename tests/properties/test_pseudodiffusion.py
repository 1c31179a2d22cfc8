"""The six properties of section 4.1 of the Elo-MMR paper (theorem 4.1), on beliefs with made-up histories.

The sixth, aligned incentives, is theorem 5.5: see test_incentives.
"""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from ratings.systems import Beliefs, get_system, replay
from ratings.systems.algorithms.elo_mmr_inference import diffuse
from ratings.systems.beliefs import Memory
from tests.ratings.systems.strategies import random_series, steady

PLAYERS = np.arange(6)
variances = st.sampled_from([1e-3, 10.0, 1280.0, 1e5])
speeds = st.sampled_from([0.04, 1.0, 3.0])


def beliefs(seed: int) -> Beliefs:
    """Beliefs about six players after 2 to 40 contests, on which diffusions may be tried."""
    made = random_series(seed, n_contests=3 + 12 * seed, n_players=6, size=4)
    return replay(get_system("elo-mmr"), made, 6).beliefs


def memory_of(held: Beliefs) -> Memory:
    assert held.memory is not None
    return held.memory


def spread(held: Beliefs, drift: float, rho: float) -> None:
    """Diffuse all players of a pool, and note the new deviation as a contest would."""
    variance = held.sigma**2
    diffuse(memory_of(held), PLAYERS, held.mu, variance, np.full(6, drift), rho)
    held.sigma = np.sqrt(variance + drift)


def weights(held: Beliefs) -> list[NDArray[np.float64]]:
    """Weight of the Gaussian, then of each logistic factor, for each player."""
    memory = memory_of(held)
    rows = [memory.factors.rows(player) for player in range(6)]
    return [
        np.array([memory.weight[i], *(memory.decay[i] * rows[i][1] * rows[i][2] * 3.0 / math.pi**2)]) for i in range(6)
    ]


def slope_of_log_likelihood(held: Beliefs, player: int, x: float) -> float:
    memory = memory_of(held)
    centre, amplitude, steepness = memory.factors.rows(player)
    logistic = memory.decay[player] * np.sum(amplitude * np.tanh(0.5 * steepness * (x - centre)))
    return float(memory.weight[player] * (x - memory.centre[player]) + logistic)


@steady(20)
@given(seed=st.integers(0, 3), drift=variances, rho=speeds)
def test_rating_preservation_the_mean_stays(seed: int, drift: float, rho: float) -> None:
    held = beliefs(seed)
    spread(held, drift, rho)
    for player in range(6):
        below = slope_of_log_likelihood(held, player, held.mu[player] - 1e-6)
        above = slope_of_log_likelihood(held, player, held.mu[player] + 1e-6)
        assert below < 0 < above


@steady(20)
@given(seed=st.integers(0, 3), drift=variances, rho=speeds)
def test_correct_magnitude_the_variance_grows_by_the_drift(seed: int, drift: float, rho: float) -> None:
    held = beliefs(seed)
    before = np.array([weight.sum() for weight in weights(held)])
    np.testing.assert_allclose(1.0 / before, held.sigma**2, rtol=1e-9)
    spread(held, drift, rho)
    after = np.array([weight.sum() for weight in weights(held)])
    np.testing.assert_allclose(1.0 / after, 1.0 / before + drift, rtol=1e-9)


@steady(20)
@given(seed=st.integers(0, 3), first=variances, second=variances, rho=speeds)
def test_composability_two_drifts_are_one(seed: int, first: float, second: float, rho: float) -> None:
    twice, once = beliefs(seed), beliefs(seed)
    spread(twice, first, rho)
    spread(twice, second, rho)
    spread(once, first + second, rho)
    for ours, theirs in zip(weights(twice), weights(once), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-9)
    np.testing.assert_allclose(memory_of(twice).centre, memory_of(once).centre, rtol=0, atol=1e-6)


@steady(10)
@given(seed=st.integers(0, 3), rho=speeds)
def test_zero_diffusion_no_drift_changes_nothing(seed: int, rho: float) -> None:
    held, untouched = beliefs(seed), beliefs(seed)
    spread(held, 0.0, rho)
    assert held.pack(PLAYERS) == untouched.pack(PLAYERS)
    spread(held, 1e-12, rho)
    for ours, theirs in zip(weights(held), weights(untouched), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-12)


@steady(10)
@given(seed=st.integers(0, 3), rho=st.sampled_from([1.0, 3.0]))
def test_zero_uncertainty_a_perfect_estimate_becomes_gaussian_and_forgets(seed: int, rho: float) -> None:
    held = beliefs(seed)
    # A belief of the same shape with a billion times the precision.
    memory_of(held).weight *= 1e9
    memory_of(held).decay *= 1e9
    held.sigma /= math.sqrt(1e9)
    spread(held, 1280.0, rho)
    for weight in weights(held):
        assert weight[1:].sum() < 1e-6 * weight[0]
        assert weight[0] == pytest.approx(1.0 / 1280.0, rel=1e-6)
    np.testing.assert_allclose(memory_of(held).centre, held.mu, rtol=0, atol=1e-3)


def test_without_transfer_zero_uncertainty_fails_as_the_paper_says() -> None:
    held = beliefs(2)
    memory_of(held).weight *= 1e9
    memory_of(held).decay *= 1e9
    held.sigma /= math.sqrt(1e9)
    spread(held, 1280.0, 0.0)
    assert all(weight[1:].sum() > 0.1 * weight[0] for weight in weights(held))
