"""TrueSkill's win probabilities and match quality, compared with the trueskill package and simulated games."""

import math
from typing import Any

import numpy as np
import pytest
import trueskill  # type: ignore[import-untyped]
from hypothesis import given
from hypothesis import strategies as st

from ratings.systems import SYSTEMS, Beliefs, get_system, match_quality, team_win_probability, win_probability
from tests.ratings.systems.strategies import steady


def believed(seed: int, n_players: int) -> Beliefs:
    random = np.random.default_rng(seed)
    beliefs = get_system("trueskill").new_beliefs(n_players)
    beliefs.mu[:], beliefs.sigma[:] = random.normal(25, 6, n_players), random.uniform(0.5, 9, n_players)
    return beliefs


@steady(60)
@given(sizes=st.lists(st.integers(1, 4), min_size=2, max_size=5), seed=st.integers(0, 10_000))
def test_quality_is_that_of_the_package(sizes: list[int], seed: int) -> None:
    beliefs = believed(seed, sum(sizes))
    ends = np.cumsum(sizes)
    teams = [list(range(end - size, end)) for size, end in zip(sizes, ends.tolist(), strict=True)]
    oracle = trueskill.TrueSkill(backend="scipy")
    expected = oracle.quality(
        [tuple(oracle.create_rating(float(beliefs.mu[p]), float(beliefs.sigma[p])) for p in team) for team in teams]
    )
    assert match_quality(get_system("trueskill"), beliefs, teams) == pytest.approx(expected, rel=1e-9, abs=1e-15)


def test_quality_of_two_players_is_the_papers() -> None:
    beliefs, beta = believed(4, 2), 25 / 6
    c2 = 2 * beta**2 + (beliefs.sigma**2).sum()
    expected = math.sqrt(2 * beta**2 / c2) * math.exp(-((beliefs.mu[0] - beliefs.mu[1]) ** 2) / (2 * c2))
    assert match_quality(get_system("trueskill"), beliefs, [[0], [1]]) == pytest.approx(expected, rel=1e-12)


def test_team_wins_match_simulated_games() -> None:
    random, games, beta = np.random.default_rng(8), 400_000, 25 / 6
    beliefs = believed(9, 5)
    beliefs.mu[:2] += 10.0
    skills = random.normal(beliefs.mu, beliefs.sigma, (games, 5))
    performances = random.normal(skills, beta)
    wins = (performances[:, :2].sum(axis=1) > performances[:, 2:].sum(axis=1)).mean()
    ours = team_win_probability(get_system("trueskill"), beliefs, [0, 1], [2, 3, 4])
    assert 0.05 < ours < 0.95
    assert ours == pytest.approx(wins, abs=0.004)


def test_teams_of_one_win_like_players_without_drift() -> None:
    system, beliefs = get_system("trueskill", tau=0.0), believed(5, 2)
    expected = float(win_probability(system, beliefs, 0, 1))
    assert team_win_probability(system, beliefs, [0], [1]) == pytest.approx(expected, abs=1e-12)
    assert team_win_probability(system, beliefs, [1], [0]) == pytest.approx(1 - expected, abs=1e-12)


@pytest.mark.parametrize(("gap", "sigma"), [(1e6, 1.0), (1e6, 1e-3), (0.0, 1e20), (1e6, 1e20)])
def test_extremes_stay_between_0_and_1(gap: float, sigma: float) -> None:
    system, beliefs = get_system("trueskill"), believed(6, 4)
    beliefs.mu[0] += gap
    beliefs.sigma[1] = sigma
    assert 0 <= team_win_probability(system, beliefs, [0, 1], [2, 3]) <= 1
    assert 0 <= match_quality(system, beliefs, [[0], [1], [2, 3]]) <= 1


@pytest.mark.parametrize("name", [name for name in SYSTEMS if name != "trueskill"])
def test_other_systems_refuse_matches_of_teams(name: str) -> None:
    system = get_system(name)
    with pytest.raises(ValueError, match=f"^{name} does not predict matches of teams: trueskill does"):
        match_quality(system, system.new_beliefs(2), [[0], [1]])
    with pytest.raises(ValueError, match=f"^{name} does not predict matches of teams"):
        team_win_probability(system, system.new_beliefs(2), [0], [1])


@pytest.mark.parametrize(
    ("teams", "meaning"),
    [
        ([[0, 1]], "at least two teams, not 1"),
        ([[0, 1], []], "team 1 has no players"),
        ([[0, 1], [1]], "player 1 is named more than once"),
        ([[0, 1], [5]], "player 5 does not exist in a pool of 4"),
    ],
)
def test_bad_teams_are_refused(teams: Any, meaning: str) -> None:
    with pytest.raises(ValueError, match=meaning):
        match_quality(get_system("trueskill"), believed(1, 4), teams)
