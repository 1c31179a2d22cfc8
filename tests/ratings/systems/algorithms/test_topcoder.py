"""TopCoder compared with the plain reference, and its own guarantees."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.systems import Contest, get_system, replay
from ratings.systems.algorithms.topcoder import expected_ranks
from tests.ratings.systems.contract import rate
from tests.ratings.systems.strategies import random_series, series, steady
from tests.reference import topcoder as twin

shares = st.sampled_from([0.05, 0.18, 0.6, 0.9])


def twin_rows(made: list[Contest], n_players: int, weight_noob: float, weight_limit: float) -> list[list[float]]:
    players = [twin.Player() for _ in range(n_players)]
    rows = []
    for contest in made:
        field = [players[player] for player in contest.players]
        ceiling = contest.perf_ceiling
        found = twin.rate(field, contest.ranks.tolist(), contest.weight, ceiling, weight_noob, weight_limit)
        rows += [[p.rating, p.volatility, performance] for p, performance in zip(field, found, strict=True)]
    return rows


@steady(80)
@given(made=series(), weight_noob=shares, weight_limit=shares)
def test_topcoder_equals_the_plain_reference(made: list[Contest], weight_noob: float, weight_limit: float) -> None:
    system = get_system("topcoder", weight_noob=weight_noob, weight_limit=weight_limit)
    history = replay(system, made, 12)
    ours = np.column_stack([history.mu, history.sigma, history.performance])
    expected = np.reshape(twin_rows(made, 12, weight_noob, weight_limit), (-1, 3))
    np.testing.assert_allclose(ours, expected, rtol=0, atol=1e-7)


def test_a_large_field_equals_the_plain_reference() -> None:
    made = random_series(seed=3, n_contests=6, n_players=700, size=600)
    history = replay(get_system("topcoder"), made, 700)
    ours = np.column_stack([history.mu, history.sigma, history.performance])
    np.testing.assert_allclose(ours, twin_rows(made, 700, 0.6, 0.18), rtol=0, atol=1e-7)


@pytest.mark.parametrize("least", [20.0, 150.0, 349.0, 350.0])
@pytest.mark.parametrize("gap", [0.0, 1e5])
def test_expected_ranks_of_many_are_the_direct_sums(least: float, gap: float) -> None:
    random = np.random.default_rng(5)
    ratings = random.normal(1500.0, 400.0, 3000)
    ratings[:100] += gap
    volatilities = np.exp(random.uniform(math.log(least), math.log(350.0), 3000))
    ranks = expected_ranks(ratings, volatilities)
    field = [twin.Player(*each) for each in zip(ratings.tolist(), volatilities.tolist(), strict=True)]
    for row in [*range(0, 3000, 300), int(ratings.argmax()), int(ratings.argmin())]:
        assert ranks[row] == pytest.approx(twin.expected_rank(field, field[row], 1.0), rel=1e-9, abs=0)


def test_performances_of_equal_players_depend_only_on_their_places() -> None:
    changes = rate(get_system("topcoder"), get_system("topcoder").new_beliefs(2), Contest([0, 1], [1, 2]))
    # Expected rank 1 of 2 is the middle; the actual ones are the quartiles of a normal distribution.
    np.testing.assert_allclose(changes.performance, 1500 + 350 * 0.674489750196082 * np.array([1, -1]), rtol=1e-14)


@pytest.mark.parametrize(("rating", "factor"), [(1999.0, 1.0), (2000.0, 0.9), (2499.0, 0.9), (2500.0, 0.8)])
def test_strong_players_move_less(rating: float, factor: float) -> None:
    system = get_system("topcoder")
    beliefs = system.new_beliefs(2)
    beliefs.mu[:] = rating
    changes = rate(system, beliefs, Contest([0, 1], [1, 2]))
    weight = factor * 0.6 / 0.4
    np.testing.assert_allclose(changes.mu - rating, weight / (1 + weight) * (changes.performance - rating), rtol=1e-12)


def test_no_contest_moves_a_rating_by_more_than_the_cap_but_volatility_follows_the_whole_surprise() -> None:
    system = get_system("topcoder")
    beliefs = system.new_beliefs(2)
    beliefs.mu[1] = 6000.0
    beliefs.count[:] = 9
    changes = rate(system, beliefs, Contest([0, 1], [1, 2]))
    share = 0.18 + 0.42 / 10
    cap, weight = 150 + 1500 / 11, share / (1 - share)
    assert changes.mu[0] - 1500 == pytest.approx(cap, rel=1e-12)
    wanted = weight / (1 + weight) * (changes.performance[0] - 1500)
    assert wanted > 2 * cap
    assert changes.sigma[0] == pytest.approx(math.sqrt(wanted**2 / weight + 350**2 / (1 + weight)), rel=1e-12)


def test_a_performance_above_the_ceiling_counts_as_the_ceiling() -> None:
    system = get_system("topcoder")
    changes = rate(system, system.new_beliefs(3), Contest([0, 1, 2], [1, 2, 3], perf_ceiling=1550.0))
    assert changes.performance[0] == 1550.0
    assert changes.mu[0] == pytest.approx(1530.0, rel=1e-12)  # 1500 + 0.6 * 50


def test_performances_are_normal_with_the_volatility_as_deviation() -> None:
    model = get_system("topcoder").performance_model(np.array([1500.0, 1200.0]), np.array([300.0, 400.0]))
    assert model.shape == "normal"
    difference = (model.location[0] - model.location[1]) / np.hypot(*model.scale)
    # Beside the other player alone: expected rank 1/2 + the probability of being beaten.
    expected = expected_ranks(np.array([1500.0, 1200.0]), np.array([300.0, 400.0]))[1] - 0.5
    assert twin.cdf(difference) == pytest.approx(expected, rel=1e-14)
