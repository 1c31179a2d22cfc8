"""Truncated normals compared with integration and SciPy, and their behaviour in the tails."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import truncnorm

from ratings.systems.numerics.truncation import above, above_one, site_above, site_within, within_one
from tests.ratings.systems.strategies import steady


def one(value: float) -> np.ndarray:
    return np.array([float(value)])


def moments(mean: float, variance: float, site: tuple[np.ndarray, np.ndarray]) -> tuple[float, float]:
    """Mean and variance of the normal times its site."""
    precision, offset = float(site[0][0]), float(site[1][0])
    left = variance / (1.0 + precision * variance)
    return left * (mean / variance + precision * offset), left


def integrated(mean: float, variance: float, half: float) -> tuple[float, float]:
    """Mean and variance of a normal cut to an interval around 0: 200 panels of Gauss's rule where it matters."""
    top = min(max(mean, -half), half)
    deviation = math.sqrt(variance)
    reach = min(12.0 * deviation, 60.0 * variance / abs(top - mean) if top != mean else math.inf)
    edges = np.linspace(max(-half - top, -reach), min(half - top, reach), 201)
    nodes, weights = np.polynomial.legendre.leggauss(20)
    x = edges[:-1, None] + 0.5 * np.diff(edges)[:, None] * (1.0 + nodes)
    mass = weights * np.exp(-x * (0.5 * x + (top - mean)) / variance)
    shift = (mass * x).sum() / mass.sum()
    return top + shift, (mass * (x - shift) ** 2).sum() / mass.sum()


@pytest.mark.parametrize("t", [-25.0, -6.001, -5.999, -3.0, -1.0, 0.0, 0.5, 3.0, 8.0])
def test_a_normal_above_an_edge_has_the_moments_of_scipys_truncated_normal(t: float) -> None:
    shift, excess, rest = (float(part[0]) for part in above(one(t)))
    theirs = truncnorm(-t, math.inf)
    assert shift == pytest.approx(theirs.mean(), rel=1e-9)
    assert excess == pytest.approx(theirs.mean() + t, rel=1e-8)
    assert rest == pytest.approx(theirs.var(), rel=1e-4 if t < -20 else 1e-7)


@pytest.mark.parametrize("distance", [1e2, 1e4, 1e8, 1e150])
def test_far_below_the_edge_the_rest_is_exponential(distance: float) -> None:
    shift, excess, rest = (float(part[0]) for part in above(one(-distance)))
    assert shift == pytest.approx(distance, rel=2e-4)
    assert excess * distance == pytest.approx(1.0, rel=3e-4)
    assert rest * distance * distance == pytest.approx(1.0, rel=7e-4)


@given(st.floats(-60.0, 60.0))
@steady(300)
def test_a_single_number_is_cut_as_an_array_is(t: float) -> None:
    shift, _, rest = (float(part[0]) for part in above(one(t)))
    np.testing.assert_allclose(above_one(t), (shift, rest), rtol=1e-10, atol=1e-280)


def test_a_distant_edge_has_no_effect() -> None:
    precision, mean = site_above(one(1e9), one(4.0), 1.0)
    assert precision[0] == 0.0
    assert np.isfinite(mean[0])


@pytest.mark.parametrize("mean", [-900.0, -3.0, 0.0, 1.5, 40.0])
def test_the_site_of_an_edge_gives_the_moments_of_the_cut_normal(mean: float) -> None:
    ours = moments(mean, 9.0, site_above(one(mean), one(9.0), 2.0))
    theirs = truncnorm((2.0 - mean) / 3.0, math.inf, loc=mean, scale=3.0)
    if mean > -900.0:
        np.testing.assert_allclose(ours, (theirs.mean(), theirs.var()), rtol=1e-9)
    else:  # out of SciPy's reach: exponential with the slope of the density at the edge
        np.testing.assert_allclose(ours, (2.0 + 9.0 / 902.0, (9.0 / 902.0) ** 2), rtol=1e-3)


# Around the borders between the three ways to compute it, and far from all of them.
@pytest.mark.parametrize(
    ("mean", "variance", "half"),
    [
        (0.0, 1.0, 0.01), (0.3, 1.0, 0.74), (-0.3, 1.0, 0.74), (12.0, 1.0, 1.4), (13.3, 1.0, 1.4999),
        (13.3, 1.0, 1.5001), (13.4, 1.0, 1.4999), (-13.4, 1.0, 1.5001), (0.0, 1.0, 1.4999), (0.0, 1.0, 1.5001),
        (6.6, 1.0, 3.0), (6.7, 1.0, 3.0), (2.0, 1.0, 9.0), (2.3, 1.0, 9.0), (1e6, 3e5, 1.0), (0.01, 3e5, 1.0),
        (-400.0, 3e5, 1.0), (5.0, 100.0, 1e-6), (1e7, 1.0, 1e-9), (30.0, 1.0, 0.7),
    ],
)  # fmt: skip
def test_the_site_of_an_interval_gives_the_moments_of_the_cut_normal(mean: float, variance: float, half: float) -> None:
    ours = moments(mean, variance, site_within(one(mean), one(variance), one(half)))
    expected = integrated(mean, variance, half)
    assert ours[0] == pytest.approx(expected[0], rel=1e-9, abs=1e-9 * min(half, math.sqrt(variance)))
    assert ours[1] == pytest.approx(expected[1], rel=1e-8)
    deviation = math.sqrt(variance)
    shift, rest = within_one(mean / deviation, half / deviation)
    assert mean + deviation * shift == pytest.approx(expected[0], rel=1e-9, abs=1e-8 * deviation)
    assert variance * rest == pytest.approx(expected[1], rel=1e-8)


def test_an_interval_around_everything_has_no_effect() -> None:
    precision, mean = site_within(one(3.0), one(1.0), one(1e8))
    assert precision[0] == pytest.approx(0.0, abs=1e-200)
    assert np.isfinite(mean[0])
