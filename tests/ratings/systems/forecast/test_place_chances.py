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


def narrowest(probabilities: list[float], share: float) -> tuple[int, int]:
    """Try all ranges of places, and return the first and last place of the narrowest one, the most probable first."""
    places = range(1, len(probabilities) + 1)
    ranges = [(low, high) for low in places for high in places if sum(probabilities[low - 1 : high]) >= share]
    return min(ranges, key=lambda ends: (ends[1] - ends[0], -sum(probabilities[ends[0] - 1 : ends[1]])))


@every_shape
def test_likely_places_are_the_narrowest_range(shape: str) -> None:
    model = field(shape, 6, 7, 150.0)
    twins = plain.players_of(shape, model.location.tolist(), model.scale.tolist())
    for of in range(6):
        exact = plain.place_distribution(twins, of)
        for share in (0.5, 0.8):
            assert PlaceChances(model, of).likely_places(share) == narrowest(exact, share)


def test_likely_places_of_the_best_begin_with_a_win_and_leave_no_place_too_many() -> None:
    location, scale = np.array([400.0, *[0.0] * 9]), np.full(10, 100.0)
    assert PlaceChances(PerformanceModel("normal", location, scale), 0).likely_places(0.8) == (1, 1)
    assert PlaceChances(PerformanceModel("normal", -location, scale), 0).likely_places(0.8) == (10, 10)


@every_shape
@pytest.mark.parametrize("spread", [0.0, 150.0, 600.0])
def test_likely_places_of_large_fields_are_hardly_wider_than_the_narrowest_range(shape: str, spread: float) -> None:
    model = field(shape, 700, 5, spread)
    for of in (int(model.location.argmax()), 100, int(model.location.argmin())):
        chances = PlaceChances(model, of)
        rising = np.array([chances.at_most(place) for place in range(701)])
        low, high = chances.likely_places(0.8)
        assert rising[high] - rising[low - 1] >= 0.8
        ends = np.searchsorted(rising, rising + 0.8)
        assert high - low + 1 <= (ends - np.arange(701))[ends <= 700].min() + 4


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
