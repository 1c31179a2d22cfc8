"""The mean of a belief with many factors is the root of its equation; the compiled function returns the same bits."""

import math
from collections.abc import Iterator

import numpy as np
import pytest
from numba.core import caching
from scipy.optimize import brentq

from ratings.systems.numerics.factor_means import compiled_factor_mean, factor_mean


@pytest.fixture
def compiled_anew() -> Iterator[None]:
    compiled_factor_mean.cache_clear()
    yield
    compiled_factor_mean.cache_clear()


def made_up_beliefs(number: int) -> Iterator[tuple[np.ndarray, tuple[float, ...]]]:
    """Factors, shape (3, their number), and the other arguments; many, few, and far from the mean."""
    random = np.random.default_rng(7)
    for length in random.integers(1, 120, number):
        spread = 10.0 ** random.uniform(0.0, 5.0)
        centres = random.normal(1500.0, spread, length)
        factors = np.array([centres, 10.0 ** random.uniform(-9.0, -2.0, length), random.uniform(1e-3, 0.05, length)])
        weight, centre, decay = 10.0 ** random.uniform(-9.0, -3.0), random.normal(1500.0, spread), random.uniform(0, 1)
        lower, upper = min(centres.min(), centre), max(centres.max(), centre)
        yield factors, (weight, centre, decay, lower, upper, random.uniform(lower, upper), 1e-3)


def test_the_mean_is_the_root_that_a_search_by_bracketing_finds() -> None:
    for factors, (weight, centre, decay, lower, upper, start, _) in made_up_beliefs(100):
        rows = factors.tolist()

        def equation(x: float, rows=rows, weight=weight, centre=centre, decay=decay) -> float:
            pulls = (a * math.tanh(0.5 * i * (x - p)) for p, a, i in zip(*rows, strict=True))
            return weight * (x - centre) + decay * math.fsum(pulls)

        mean = factor_mean(*rows, weight, centre, decay, lower, upper, start, 1e-5)
        assert mean == pytest.approx(brentq(equation, lower, upper, xtol=1e-11, rtol=1e-15), rel=1e-9, abs=1e-6)


def test_the_compiled_function_returns_the_same_bits() -> None:
    compiled = compiled_factor_mean()
    for factors, rest in made_up_beliefs(400):
        # Rows in the middle of a larger array, as in the memory of all players.
        wide = np.full((3, factors.shape[1] + 5), math.nan)
        wide[:, 2:-3] = factors
        assert compiled(*wide[:, 2:-3], *rest) == factor_mean(*factors.tolist(), *rest)


def test_a_search_that_does_not_converge_returns_no_number() -> None:
    rest = 0.0, 1500.0, 1.0, 1000.0, math.inf, 1600.0, 1e-3
    assert math.isnan(factor_mean([1500.0], [0.0], [0.1], *rest))
    assert math.isnan(compiled_factor_mean()(*np.array([[1500.0], [0.0], [0.1]]), *rest))


@pytest.mark.usefixtures("compiled_anew")
def test_without_a_folder_for_compiled_code_it_is_compiled_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(caching.CacheImpl, "_locator_classes", [])
    factors, rest = next(made_up_beliefs(1))
    assert compiled_factor_mean()(*factors, *rest) == factor_mean(*factors.tolist(), *rest)
