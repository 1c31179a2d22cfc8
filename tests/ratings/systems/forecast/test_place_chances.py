"""Probabilities of places: exact in small fields, and close to the exact distribution in large ones."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.systems.forecast.prediction import PlaceChances, place_probabilities
from ratings.systems.performance_model import PerformanceModel, mean_places
from tests.ratings.systems.strategies import steady
from tests.reference import prediction as plain

every_shape = pytest.mark.parametrize("shape", ["normal", "logistic", "gumbel"])


def field(shape: str, n: int, seed: int, spread: float) -> PerformanceModel:
    random = np.random.default_rng(seed)
    scale = random.uniform(60.0, 180.0, n)
    if shape == "gumbel":
        scale[:] = 100.0
    return PerformanceModel(shape, random.normal(1500.0, spread, n), scale)  # type: ignore[arg-type]


@every_shape
def test_probabilities_in_small_fields_equal_the_plain_sums(shape: str) -> None:
    model = field(shape, 5, 3, 120.0)
    twins = plain.players_of(shape, model.location.tolist(), model.scale.tolist())
    chances = PlaceChances(model, 2)
    expected = np.cumsum(plain.place_distribution(twins, 2))
    assert [chances.at_most(place) for place in range(1, 6)] == pytest.approx(expected, abs=1e-8)
    assert chances.expected_place == pytest.approx(float(np.sum(1.0 - expected)) + 1.0, abs=1e-7)


@every_shape
@pytest.mark.parametrize("spread", [0.0, 150.0, 600.0])
def test_large_fields_are_close_to_the_exact_distribution(shape: str, spread: float) -> None:
    model = field(shape, 260, 11, spread)
    for of in (int(model.location.argmax()), 100, int(model.location.argmin())):
        exact = np.cumsum(place_probabilities(model, of))
        chances = PlaceChances(model, of)
        found = [chances.at_most(place) for place in range(1, 261)]
        np.testing.assert_allclose(found, exact, atol=3e-3, rtol=0.0)
        assert chances.expected_place == pytest.approx(mean_places(model)[of], abs=2e-3, rel=1e-5)


@every_shape
@steady(20)
@given(n=st.integers(2, 400), seed=st.integers(0, 99), share=st.floats(0.01, 0.99))
def test_probabilities_rise_to_one_and_a_share_is_reached_at_the_first_sufficient_place(
    shape: str, n: int, seed: int, share: float
) -> None:
    chances = PlaceChances(field(shape, n, seed, 200.0), 0)
    rising = np.array([chances.at_most(place) for place in range(n + 2)])
    assert rising[0] == 0.0
    assert rising[-2:].tolist() == [1.0, 1.0]
    assert (np.diff(rising) >= -1e-9).all()
    place = chances.place_within(share)
    assert rising[place] >= share > rising[place - 1] - 1e-12
