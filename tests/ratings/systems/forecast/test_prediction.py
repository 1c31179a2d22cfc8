"""Predictions compared with plain integrals and simulated games, and properties of every model."""

import math
from typing import Any, NoReturn

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from ratings.systems import (
    SYSTEMS,
    Beliefs,
    RatingSystem,
    expected_places,
    get_system,
    place_distribution,
    win_probability,
)
from ratings.systems.contest import Entrants
from ratings.systems.forecast.prediction import sums_of_tosses
from ratings.systems.performance_model import PerformanceModel
from tests.ratings.systems.contract import every_system, rated_by
from tests.ratings.systems.strategies import random_series, steady
from tests.reference import prediction as plain

every_shape = pytest.mark.parametrize("shape", ["normal", "logistic", "gumbel"])
MEANINGS: list[tuple[Any, str]] = [
    ([0, 9], "player 9 does not exist in a pool of 5"),
    ([-1, 2], "player -1 does not exist in a pool of 5"),
    ([3, 1, 3], "player 3 is named more than once"),
    ([2], "at least two players"),
    ([], "at least two players"),
    ([[0, 1], [2, 3]], "at least two players in one row"),
    ([0.5, 2.0], "whole numbers"),
]


class Drawn(RatingSystem):
    """A system whose deviations are the scales of its performances, of any shape."""

    name = "drawn"

    def __init__(self, shape: Any) -> None:
        self.shape = shape

    def performance_model(self, mu: NDArray[np.float64], sigma: NDArray[np.float64]) -> PerformanceModel:
        return PerformanceModel(self.shape, mu, sigma)

    def _rate(self, entrants: Entrants) -> NoReturn:
        raise NotImplementedError("it only predicts")


def believed(mu: Any, sigma: Any) -> Beliefs:
    beliefs = Beliefs(len(mu), 0.0, 1.0)
    beliefs.mu[:], beliefs.sigma[:] = mu, sigma
    return beliefs


def rated(name: str) -> tuple[RatingSystem, Beliefs]:
    return rated_by(name, random_series(seed=11, n_contests=30, n_players=25, size=12), 25)


# Against plain integrals and games played at random


@every_shape
@steady(15)
@given(
    gap=st.floats(-3.0, 3.0),
    scale=st.sampled_from([1e-3, 0.3, 0.9, 1.0, 1.1, 5.0, 1e3]),
    unit=st.sampled_from([1e-2, 200.0]),
)
def test_win_probabilities_are_those_of_plain_integrals(shape: str, gap: float, scale: float, unit: float) -> None:
    location, scales = [gap * unit * max(scale, 1.0), 0.0], [unit, scale * unit]
    first, second = plain.players_of(shape, location, scales)
    ours = win_probability(Drawn(shape), believed(location, scales), 0, 1)
    assert ours.shape == ()
    assert float(ours) == pytest.approx(plain.win_probability(first, second), abs=1e-9)


@every_shape
def test_places_in_small_fields_equal_those_from_all_sets_of_players_ahead(shape: str) -> None:
    location, scales = [1500.0, 1400.0, 1900.0, 1510.0, 700.0], [200.0, 30.0, 450.0, 200.0, 90.0]
    system, beliefs = Drawn(shape), believed(location, scales)
    means = expected_places(system, beliefs, range(5))
    for of in range(5):
        expected = plain.place_distribution(plain.players_of(shape, location, scales), of)
        np.testing.assert_allclose(place_distribution(system, beliefs, range(5), of), expected, rtol=0, atol=1e-9)
        assert means[of] == pytest.approx(1 + np.dot(range(5), expected), abs=1e-8)


@every_shape
def test_places_of_a_field_match_simulated_games(shape: str) -> None:
    random, games, n = np.random.default_rng(5), 20_000, 60
    location, scales = random.normal(1500, 200, n), random.uniform(60, 400, n)
    system, beliefs = Drawn(shape), believed(location, scales)
    performances = getattr(random, shape)(location, scales, (games, n))
    places = 1 + (performances[:, :, None] < performances[:, None, :]).sum(axis=2, dtype=np.int16)
    np.testing.assert_allclose(expected_places(system, beliefs, range(n)), places.mean(axis=0), atol=0.7)
    for of in (0, 7):
        frequencies = np.bincount(places[:, of], minlength=n + 1)[1:] / games
        distribution = place_distribution(system, beliefs, range(n), of)
        # Five deviations of a frequency.
        bound = 5 * np.sqrt(np.maximum(distribution, 1e-4) / games)
        assert (np.abs(frequencies - distribution) < bound).all()


@pytest.mark.parametrize("tosses", [1, 2, 23, 24, 25, 49, 200, 1000])
def test_equal_tosses_add_up_to_the_binomial_distribution(tosses: int) -> None:
    chances = [0.0, 1e-9, 0.3, 0.5, 1.0]
    ours = sums_of_tosses(np.repeat(np.array(chances)[:, None], tosses, axis=1))
    for row, chance in zip(ours, chances, strict=True):
        np.testing.assert_allclose(row, plain.stats.binom.pmf(range(tosses + 1), tosses, chance), rtol=0, atol=1e-13)


# What must hold of every system


@every_system
def test_one_of_two_wins(name: str) -> None:
    system, beliefs = rated(name)
    first, second = np.triu_indices(25, 1)
    ours, theirs = win_probability(system, beliefs, first, second), win_probability(system, beliefs, second, first)
    np.testing.assert_allclose(ours + theirs, 1.0, rtol=0, atol=1e-12)
    assert ((ours > 0) & (ours < 1)).all()


@every_system
def test_pairs_broadcast_to_a_common_shape(name: str) -> None:
    system, beliefs = rated(name)
    table = win_probability(system, beliefs, np.arange(3)[:, None], np.arange(3, 7))
    assert table.shape == (3, 4)
    for a, b in [(0, 3), (2, 4), (1, 6)]:
        assert table[a, b - 3] == pytest.approx(float(win_probability(system, beliefs, a, b)), abs=1e-13)


@every_system
def test_the_expected_place_counts_the_wins_of_others(name: str) -> None:
    system, beliefs = rated(name)
    field = np.array([4, 20, 3, 11, 0, 24])
    table = [[float(win_probability(system, beliefs, j, i)) for j in field if j != i] for i in field]
    places = expected_places(system, beliefs, field)
    np.testing.assert_allclose(places, 1 + np.sum(table, axis=1), rtol=0, atol=1e-9)


@every_system
def test_the_places_of_a_large_field_are_those_of_all_its_pairs(name: str) -> None:
    system = get_system(name)
    beliefs = system.new_beliefs(400)
    random = np.random.default_rng(2)
    beliefs.mu[:] = -1.0 - random.permutation(400) if name == "ladder" else beliefs.mu + random.normal(0, 300, 400)
    beliefs.sigma *= random.uniform(0.1, 1.0, 400)
    i, j = np.nonzero(~np.eye(400, dtype=bool))
    wins = np.bincount(i, win_probability(system, beliefs, j, i))
    np.testing.assert_allclose(expected_places(system, beliefs, range(400)), 1 + wins, rtol=0, atol=1e-7)


@every_system
def test_distributions_add_up_and_agree_with_the_expected_place(name: str) -> None:
    system, beliefs = rated(name)
    places, means = np.arange(1, 26), expected_places(system, beliefs, range(25))
    total = np.zeros(25)
    for of in range(25):
        distribution = place_distribution(system, beliefs, range(25), of)
        assert distribution.min() >= 0
        assert distribution.sum() == pytest.approx(1, abs=1e-12)
        assert (distribution * places).sum() == pytest.approx(means[of], abs=1e-8)
        total += distribution
    # Someone takes each place.
    np.testing.assert_allclose(total, 1.0, rtol=0, atol=1e-8)


@every_system
def test_a_duel_is_a_field_of_two(name: str) -> None:
    system, beliefs = rated(name)
    win = float(win_probability(system, beliefs, 6, 2))
    np.testing.assert_allclose(place_distribution(system, beliefs, [2, 6], 6), [win, 1 - win], rtol=0, atol=1e-9)
    np.testing.assert_allclose(expected_places(system, beliefs, [6, 2]), [2 - win, 1 + win], rtol=0, atol=1e-9)


# A ladder's odds are ratios of positions.
@pytest.mark.parametrize("name", [name for name in SYSTEMS if name != "ladder"])
@pytest.mark.parametrize("shift", [-700.0, 0.25, 4000.0])
def test_a_shift_of_all_ratings_changes_no_prediction(name: str, shift: float) -> None:
    system, beliefs = rated(name)
    moved = beliefs.copy()
    moved.mu += shift
    others = np.arange(1, 25)
    for predict in (
        lambda b: win_probability(system, b, 0, others),
        lambda b: expected_places(system, b, range(25)),
        lambda b: place_distribution(system, b, range(25), 3),
    ):
        np.testing.assert_allclose(predict(moved), predict(beliefs), rtol=0, atol=1e-8)


@every_system
def test_a_higher_rating_is_better_against_everyone(name: str) -> None:
    system, beliefs = rated(name)
    others, points = np.arange(1, 25), np.linspace(beliefs.mu.min(), beliefs.mu.max(), 8)
    wins, places = [], []
    for beliefs.mu[0] in points:
        wins.append(win_probability(system, beliefs, 0, others))
        places.append(expected_places(system, beliefs, range(25))[0])
    assert (np.diff(wins, axis=0) > 0).all()
    assert (np.diff(places) < 0).all()


@every_system
def test_equals_have_equal_chances(name: str) -> None:
    system = get_system(name)
    beliefs = system.new_beliefs(9)
    assert float(win_probability(system, beliefs, 3, 8)) == pytest.approx(0.5, abs=1e-12)
    np.testing.assert_allclose(expected_places(system, beliefs, range(9)), 5.0, rtol=0, atol=1e-9)
    np.testing.assert_allclose(place_distribution(system, beliefs, range(9), 4), 1 / 9, rtol=0, atol=1e-9)


@every_system
@pytest.mark.parametrize("gap", [1e4, 1e6])
@pytest.mark.parametrize("sigma", [1e-3, None, 1e20])
def test_extreme_inputs_still_give_probabilities(name: str, gap: float, sigma: float | None) -> None:
    system, beliefs = rated(name)
    beliefs.mu[:5] += gap
    beliefs.mu[5:8] -= gap
    beliefs.sigma[[0, 6, 20]] = sigma or beliefs.sigma[[0, 6, 20]]
    pairs = win_probability(system, beliefs, np.arange(24), np.arange(1, 25))
    places = expected_places(system, beliefs, range(25))
    distributions = np.array([place_distribution(system, beliefs, range(25), of) for of in (0, 1, 6, 7, 20, 21)])
    assert ((pairs >= 0) & (pairs <= 1)).all()
    assert ((places >= 1) & (places <= 25)).all()
    assert ((distributions >= 0) & (distributions <= 1)).all()
    np.testing.assert_allclose(distributions.sum(axis=1), 1.0, rtol=0, atol=1e-9)
    means = (distributions * np.arange(1, 26)).sum(axis=1)
    np.testing.assert_allclose(means, places[[0, 1, 6, 7, 20, 21]], rtol=0, atol=1e-6)


@every_system
def test_predicting_changes_no_belief(name: str) -> None:
    system, beliefs = rated(name)
    before = beliefs.pack(range(25))
    win_probability(system, beliefs, 0, 1)
    expected_places(system, beliefs, range(25))
    place_distribution(system, beliefs, range(25), 0)
    assert beliefs.pack(range(25)) == before


# Size and refusals


@every_shape
def test_a_thousand_places_are_found(shape: str) -> None:
    random = np.random.default_rng(1)
    system, beliefs = Drawn(shape), believed(random.normal(1500, 300, 1000), random.uniform(80, 350, 1000))
    distribution = place_distribution(system, beliefs, range(1000), 17)
    mean = expected_places(system, beliefs, range(1000))[17]
    assert (distribution * np.arange(1, 1001)).sum() == pytest.approx(mean, abs=1e-6)
    assert math.isclose(distribution.sum(), 1.0, abs_tol=1e-12)


@every_shape
def test_each_of_many_equals_takes_each_place_equally_often(shape: str) -> None:
    distribution = place_distribution(Drawn(shape), believed(np.full(700, 1500.0), 200.0), range(700), 17)
    np.testing.assert_allclose(distribution, 1 / 700, rtol=0, atol=1e-13)


@pytest.mark.parametrize(("players", "meaning"), MEANINGS)
def test_bad_fields_are_refused(players: Any, meaning: str) -> None:
    system = get_system("elo-mmr")
    beliefs = system.new_beliefs(5)
    with pytest.raises(ValueError, match=meaning):
        expected_places(system, beliefs, players)
    with pytest.raises(ValueError, match=meaning):
        place_distribution(system, beliefs, players, 0)


def test_bad_pairs_and_players_are_refused() -> None:
    system = get_system("elo")
    beliefs = system.new_beliefs(5)
    with pytest.raises(ValueError, match="player 7 does not exist"):
        win_probability(system, beliefs, [0, 7], 1)
    with pytest.raises(ValueError, match="player 1 cannot meet themselves"):
        win_probability(system, beliefs, [0, 1], 1)
    with pytest.raises(ValueError, match="whole numbers"):
        win_probability(system, beliefs, 0.5, 1)
    with pytest.raises(ValueError, match="player 4 is not among the 3 players"):
        place_distribution(system, beliefs, [0, 1, 2], 4)
