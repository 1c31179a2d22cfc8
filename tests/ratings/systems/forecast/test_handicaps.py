"""Handicaps in predictions: an advantage in rating points counts like a higher rating."""

import math
from typing import Any

import pytest

from ratings.systems import (
    SYSTEMS,
    Beliefs,
    even_handicap,
    get_system,
    match_quality,
    outcome_probabilities,
    team_win_probability,
)
from tests.ratings.systems.contract import rated_by
from tests.ratings.systems.strategies import random_series

with_points = pytest.mark.parametrize("name", [name for name in SYSTEMS if not SYSTEMS[name].has_positions])


@with_points
def test_an_advantage_counts_like_a_higher_rating(name: str) -> None:
    system, beliefs = rated_by(name, random_series(seed=5, n_contests=12, n_players=6, size=5), 6)
    unit = float(beliefs.mu.std())
    higher = beliefs.copy()
    higher.mu[2] += 0.7 * unit
    ours = outcome_probabilities(system, beliefs, 2, 4, draw_rate=0.2, handicap=0.7 * unit)
    expected = outcome_probabilities(system, higher, 2, 4, draw_rate=0.2)
    assert [float(part) for part in ours] == pytest.approx([float(part) for part in expected], abs=1e-12)
    assert match_quality(system, beliefs, [[0], [2], [4]], [0.0, 0.7 * unit, 0.0]) == pytest.approx(
        match_quality(system, higher, [[0], [2], [4]]), abs=1e-12
    )


@with_points
def test_the_even_handicap_makes_a_game_even(name: str) -> None:
    system, beliefs = rated_by(name, random_series(seed=6, n_contests=12, n_players=6, size=5), 6)
    sides: list[tuple[Any, Any]] = [(1, 3), ([5], [0])]
    if system.rates_teams:
        sides.append(([0, 1], [2, 3, 4]))
    for side_a, side_b in sides:
        handicap = even_handicap(system, beliefs, side_a, side_b)
        assert handicap == pytest.approx(-even_handicap(system, beliefs, side_b, side_a))
        chances = outcome_probabilities(system, beliefs, side_a, side_b, draw_rate=0.3, handicap=handicap)
        assert float(chances.win) == pytest.approx(float(chances.loss), abs=1e-9)
        assert team_win_probability(system, beliefs, side_a, side_b, handicap) == pytest.approx(0.5, abs=1e-9)


def test_a_handicap_of_chess_is_the_difference_of_ratings() -> None:
    beliefs = Beliefs(3, 1500.0, 350.0)
    beliefs.mu[:] = 1900, 1500, 1700
    elo = get_system("elo")
    assert even_handicap(elo, beliefs, 0, 1) == -400
    assert even_handicap(elo, beliefs, [0, 1], [2]) == 0  # a team plays at its mean
    assert float(outcome_probabilities(elo, beliefs, 1, 0, handicap=200).win) == pytest.approx(1 / (1 + 10**0.5))
    # In TrueSkill, members add up, and the advantage counts once for the team.
    skills = get_system("trueskill").new_beliefs(3)
    assert even_handicap(get_system("trueskill"), skills, [0, 1], [2]) == -25


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_impossible_handicaps_are_refused(value: float) -> None:
    elo, ladder = get_system("elo"), get_system("ladder")
    with pytest.raises(ValueError, match="handicaps must be finite numbers of rating points"):
        outcome_probabilities(elo, elo.new_beliefs(2), 0, 1, handicap=value)
    with pytest.raises(ValueError, match=r"handicaps have shape \(1,\) for 2 sides"):
        match_quality(elo, elo.new_beliefs(2), [[0], [1]], [3.0])
    beliefs = ladder.new_beliefs(2)
    beliefs.mu[:] = -1, -2
    for refused in (
        lambda: even_handicap(ladder, beliefs, 0, 1),
        lambda: team_win_probability(ladder, beliefs, 0, 1, 1.0),
    ):
        with pytest.raises(ValueError, match="ladder has positions and no rating points"):
            refused()
