"""Wins, draws and losses, compared with the definitions of the models and with simulated games."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize

from ratings.systems import SYSTEMS, DrawCounts, get_system, outcome_probabilities, win_probability
from ratings.systems.forecast.outcomes import by_draw_rate
from tests.ratings.systems.contract import every_system, rated_by
from tests.ratings.systems.strategies import random_series, steady


@steady(100)
@given(expected=st.floats(1e-6, 1 - 1e-6), rate=st.floats(0.0, 0.99))
def test_davidsons_ratio_holds_and_the_expected_score_stays(expected: float, rate: float) -> None:
    win, draw, loss = (float(part) for part in by_draw_rate(np.array(expected), rate))
    assert win + draw + loss == pytest.approx(1.0, abs=1e-12)
    assert win + draw / 2 == pytest.approx(expected, abs=1e-12)
    # His model: P(draw) = nu sqrt(P(win) P(loss)); two equal sides draw with probability nu / (2 + nu).
    nu = 2 * rate / (1 - rate)
    assert draw == pytest.approx(nu * math.sqrt(win * loss), rel=1e-6, abs=1e-12)
    other = by_draw_rate(np.array(1 - expected), rate)
    assert (float(other.win), float(other.draw)) == pytest.approx((loss, draw), abs=1e-9)


def test_equal_sides_draw_at_the_rate_and_certain_results_stay_certain() -> None:
    chances = by_draw_rate(np.array([0.5, 0.0, 1.0]), 0.3)
    np.testing.assert_allclose(np.stack(chances), [[0.35, 0, 1], [0.3, 0, 0], [0.35, 1, 0]], atol=1e-12)
    assert by_draw_rate(np.array(0.0), 0.0).loss == 1.0


def test_the_estimated_rate_is_the_most_likely_one() -> None:
    random, n = np.random.default_rng(3), 20_000
    expected = random.uniform(0.02, 0.98, n)
    chances = np.stack(by_draw_rate(expected, 0.17))
    score = np.array([1.0, 0.5, 0.0])[(random.random(n) > np.cumsum(chances, axis=0)[:2]).sum(axis=0)]
    counts = DrawCounts()
    for part in np.array_split(np.arange(n), 7):
        counts.add(expected[part], score[part], np.full(len(part), 2.0))
    assert (counts.games, counts.draws) == (2 * n, 2 * np.count_nonzero(score == 0.5))

    def surprise(rate: float) -> float:
        return -float(np.log(np.choose((2 - 2 * score).astype(int), list(by_draw_rate(expected, rate)))).sum())

    direct = optimize.minimize_scalar(surprise, bounds=(0.01, 0.9), method="bounded").x
    assert counts.rate == pytest.approx(direct, abs=5e-4)
    assert counts.rate == pytest.approx(0.17, abs=0.01)


def test_few_games_say_little_about_draws() -> None:
    none, one = DrawCounts(), DrawCounts()
    half = np.array([0.5])
    one.add(half, half, np.ones(1))
    assert none.rate == pytest.approx(0.05, abs=1e-4)  # half a draw in ten games
    assert one.rate == pytest.approx(1.5 / 11, abs=1e-4)
    none.add(np.full(1000, 0.5), np.ones(1000), np.ones(1000))
    assert none.rate == pytest.approx(0.5 / 1010, abs=1e-4)


def test_trueskill_draws_within_its_margin() -> None:
    system, random, games = get_system("trueskill", draw_probability=0.2, tau=1.0), np.random.default_rng(8), 400_000
    beliefs = system.new_beliefs(3)
    beliefs.mu[:], beliefs.sigma[:] = (28, 20, 45), (2, 4, 3)
    skills = random.normal(beliefs.mu, np.hypot(beliefs.sigma, 1.0), (games, 3))
    performances = random.normal(skills, 25 / 6)
    difference = performances[:, :2].sum(axis=1) - performances[:, 2]
    # Two equal teams, known exactly, draw with probability 0.2 if the margin is the deviation times the quantile.
    margin = 0.2533471031357997 * math.sqrt(3) * 25 / 6
    frequencies = (difference > margin).mean(), (abs(difference) <= margin).mean(), (difference < -margin).mean()
    ours = outcome_probabilities(system, beliefs, [0, 1], [2], draw_rate=0.9)
    assert [float(part) for part in ours] == pytest.approx(frequencies, abs=0.003)
    beliefs.mu[:2], beliefs.sigma[:2] = 25, 1e-6
    still = get_system("trueskill", draw_probability=0.2, tau=0.0)
    assert float(outcome_probabilities(still, beliefs, 0, 1).draw) == pytest.approx(0.2)


@every_system
def test_the_expected_score_is_the_probability_of_finishing_ahead(name: str) -> None:
    system, beliefs = rated_by(name, random_series(seed=3, n_contests=12, n_players=9, size=6), 9)
    for a, b in ((0, 5), (5, 0), (2, 7)):
        better = float(win_probability(system, beliefs, a, b))
        chances = outcome_probabilities(system, beliefs, a, b, draw_rate=0.2)
        assert sum(map(float, chances)) == pytest.approx(1.0)
        if name == "trueskill":
            assert float(chances.draw) > 0.0
        else:
            assert float(chances.win + chances.draw / 2) == pytest.approx(better, abs=1e-9)
            assert float(outcome_probabilities(system, beliefs, a, b).win) == pytest.approx(better, abs=1e-9)


@pytest.mark.parametrize("name", [name for name in SYSTEMS if SYSTEMS[name].rates_teams])
def test_equal_teams_have_equal_chances(name: str) -> None:
    system = get_system(name)
    chances = outcome_probabilities(system, system.new_beliefs(5), [0, 1], [2, 4], draw_rate=0.4)
    assert float(chances.win) == pytest.approx(float(chances.loss))
    if name != "trueskill":
        assert float(chances.draw) == pytest.approx(0.4)


@pytest.mark.parametrize(
    ("sides", "rate", "meaning"),
    [
        (([0], [1, 2]), 0.1, "topcoder rates individuals: it cannot predict team 1 of several players"),
        ((0, 0), 0.1, "player 0 is named more than once"),
        ((0, 7), 0.1, "player 7 does not exist"),
        (([], 1), 0.1, "team 0 has no players"),
        ((0, 1), 1.0, "draw_rate = 1.0 is not allowed: it must be from 0 to 0.999"),
        ((0, 1), math.nan, "draw_rate = nan is not allowed"),
    ],
)
def test_impossible_matches_are_refused(sides: Any, rate: float, meaning: str) -> None:
    system = get_system("topcoder")
    with pytest.raises(ValueError, match=meaning):
        outcome_probabilities(system, system.new_beliefs(3), *sides, draw_rate=rate)
