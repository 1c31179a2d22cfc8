"""Tabulated sums of logistic curves, compared with the sum term by term in plain Python."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.systems.numerics.logistic_sums import LogisticSum
from tests.ratings.systems.strategies import steady

curves = st.lists(
    st.tuples(st.floats(-3000.0, 3000.0), st.floats(80.0, 250.0), st.floats(0.001, 5.0)), min_size=1, max_size=30
)


def made(terms: list[tuple[float, float, float]]) -> LogisticSum:
    return LogisticSum(*(np.array(column) for column in zip(*terms, strict=True)))


def plain(terms: list[tuple[float, float, float]], point: float) -> tuple[float, float, float]:
    value, slope, bend = [], [], []
    for centre, scale, amplitude in terms:
        half = math.tanh(0.5 * (point - centre) / scale)
        value.append(0.5 * amplitude * (1.0 - half))
        slope.append(-0.25 * amplitude / scale * (1.0 - half) * (1.0 + half))
        bend.append(0.25 * amplitude / scale**2 * (1.0 - half) * (1.0 + half) * half)
    return math.fsum(value), math.fsum(slope), math.fsum(bend)


@steady(60)
@given(terms=curves, share=st.lists(st.floats(0.001, 0.999), min_size=1, max_size=5))
def test_the_table_is_the_sum_to_eleven_digits(terms: list[tuple[float, float, float]], share: list[float]) -> None:
    total = math.fsum(amplitude for _, _, amplitude in terms)
    table = made(terms).tabulate(0.001 * total, 0.999 * total, max_knots=10_000)
    assert table is not None
    points = table.inverse(np.array(share) * total)
    least = min(scale for _, scale, _ in terms)
    value, slope, bend = table(points)
    expected = np.array([plain(terms, point) for point in points])
    np.testing.assert_allclose(value, expected[:, 0], rtol=0, atol=3e-11 * total)
    np.testing.assert_allclose(slope, expected[:, 1], rtol=0, atol=1e-9 * total / least)
    np.testing.assert_allclose(bend, expected[:, 2], rtol=0, atol=3e-8 * total / least**2)
    # The inverse is a first guess: off by less than a cell.
    np.testing.assert_allclose(value, np.array(share) * total, rtol=0, atol=0.1 * total)


@steady(60)
@given(terms=curves, points=st.lists(st.floats(-6000.0, 6000.0), min_size=1, max_size=8))
def test_the_sum_term_by_term_is_the_plain_sum(terms: list[tuple[float, float, float]], points: list[float]) -> None:
    value, slope, bend = made(terms)(np.array(points))
    expected = np.array([plain(terms, point) for point in points])
    np.testing.assert_allclose(value, expected[:, 0], rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(slope, expected[:, 1], rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(bend, expected[:, 2], rtol=1e-11, atol=1e-15)


def test_the_table_covers_the_requested_range() -> None:
    random = np.random.default_rng(3)
    field = LogisticSum(random.normal(1500, 300, 5000), np.full(5000, 120.0), np.full(5000, 1 / 120.0))
    total = 5000 / 120.0
    low, high = 0.5 / 120.0, total - 0.5 / 120.0
    table = field.tabulate(low, high, max_knots=10_000)
    assert table is not None
    ends, _, _ = field(np.array([table.first, table.last]))
    assert ends[0] > high
    assert ends[1] < low


def test_a_table_that_would_be_too_long_is_not_made() -> None:
    apart = LogisticSum(np.array([0.0, 1e9]), np.array([1.0, 1.0]), np.array([1.0, 1.0]))
    assert apart.tabulate(0.5, 1.5, max_knots=1000) is None


def test_extreme_points_give_neither_warnings_nor_nan() -> None:
    field = LogisticSum(np.array([-1e280, 0.0, 1e280]), np.array([1e-3, 1.0, 1e6]), np.ones(3))
    value, slope, bend = field(np.array([-1e290, 0.0, 1e290]))
    np.testing.assert_allclose(value, [3.0, 1.5, 0.0], atol=1e-300)
    assert np.isfinite([slope, bend]).all()


@pytest.mark.parametrize("size", [1, 7, 2047, 2048, 2049, 5000])
def test_blocks_of_the_field_add_up(size: int) -> None:
    random = np.random.default_rng(size)
    field = LogisticSum(random.normal(0, 300, size), random.uniform(100, 200, size), np.ones(size))
    table = field.tabulate(0.4, size - 0.4, max_knots=10_000)
    assert table is not None
    points = np.linspace(table.first, table.last, 50)
    np.testing.assert_allclose(table(points)[0], field(points)[0], rtol=0, atol=1e-10 * size)
