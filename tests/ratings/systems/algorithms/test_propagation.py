"""Gaussian chains compared with dense linear algebra, and how soon propagation ends."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from ratings.systems.algorithms.propagation import Chain, known_from_before, recurrence
from ratings.systems.numerics.truncation import site_above
from tests.ratings.systems.strategies import steady

Floats = NDArray[np.float64]


def random_chain(seed: int, n: int, spread: float) -> Chain:
    random = np.random.default_rng(seed)
    chain = Chain(10.0 ** random.uniform(-spread, spread, n), random.normal(0.0, 100.0, n))
    chain.gap_precision[:] = 10.0 ** random.uniform(-spread, spread, n - 1)
    chain.gap_mean[:] = random.normal(0.0, 10.0, n - 1)
    chain.update()
    return chain


def dense(chain: Chain) -> tuple[Floats, Floats]:
    """Means and covariance of all places, by inverting the whole precision matrix."""
    n = len(chain.mean)
    precision, moment = np.diag(chain.precision), chain.precision * chain.mean
    for i in range(n - 1):
        step = np.zeros(n)
        step[i], step[i + 1] = 1.0, -1.0
        precision = precision + chain.gap_precision[i] * np.outer(step, step)
        moment = moment + chain.gap_precision[i] * chain.gap_mean[i] * step
    covariance = np.linalg.inv(precision)
    return covariance @ moment, covariance.astype(np.float64)


def test_a_recurrence_equals_a_loop() -> None:
    random = np.random.default_rng(1)
    constants, factors = random.normal(size=50), random.uniform(size=49)
    expected = [constants[0]]
    for constant, factor in zip(constants[1:], factors, strict=True):
        expected.append(constant + factor * expected[-1])
    np.testing.assert_allclose(recurrence(constants, factors), expected, rtol=1e-13)


@given(seed=st.integers(0, 10_000), n=st.integers(2, 9), spread=st.sampled_from([0.3, 1.5]))
@steady(60)
def test_evidence_about_places_equals_that_of_dense_algebra(seed: int, n: int, spread: float) -> None:
    chain = random_chain(seed, n, spread)
    told, moment = chain.evidence()
    mean, covariance = dense(chain)
    np.testing.assert_allclose(chain.precision + told, 1.0 / np.diag(covariance), rtol=1e-7)
    np.testing.assert_allclose(chain.mean + moment / (chain.precision + told), mean, rtol=1e-7, atol=1e-7)


@given(seed=st.integers(0, 10_000), n=st.integers(2, 9))
@steady(60)
def test_gaps_exclude_their_own_site(seed: int, n: int) -> None:
    chain = random_chain(seed, n, 1.0)
    means, variances = chain.gaps()
    for i in range(n - 1):
        without = random_chain(seed, n, 1.0)
        without.gap_precision[i] = 0.0
        mean, covariance = dense(without)
        assert means[i] == pytest.approx(mean[i] - mean[i + 1], rel=1e-7, abs=1e-7)
        spread = covariance[i, i] + covariance[i + 1, i + 1] - 2.0 * covariance[i, i + 1]
        assert variances[i] == pytest.approx(spread, rel=1e-7)


@pytest.mark.parametrize("scale", [1e-40, 1.0, 1e40])
def test_precisions_keep_all_digits_beside_links_that_are_far_stiffer(scale: float) -> None:
    n = 2000
    own = np.full(n, 1e-20 * scale)
    precision, mean = known_from_before(own, np.linspace(0.0, 1.0, n), np.full(n - 1, scale), np.zeros(n - 1))
    expected = [own[0]]
    for _ in range(n - 1):
        expected.append(own[0] + 1.0 / (1.0 / expected[-1] + 1.0 / scale))
    np.testing.assert_allclose(precision, expected, rtol=1e-10)
    assert mean[-1] == pytest.approx(0.5, rel=1e-9)


@pytest.mark.parametrize("n", [3, 40, 3000])
def test_the_number_of_rounds_does_not_grow_with_the_field(n: int) -> None:
    chain, rounds = Chain(np.full(n, 1e-5), np.linspace(-300.0, 300.0, n)), []

    def sites(mean: Floats, variance: Floats) -> tuple[Floats, Floats]:
        rounds.append(mean)
        return site_above(mean, variance, 2.0)

    chain.propagate(sites)
    assert len(rounds) <= 25
    np.testing.assert_allclose(rounds[-1], rounds[-2], rtol=1e-8)
