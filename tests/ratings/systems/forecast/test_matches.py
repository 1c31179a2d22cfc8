"""Match quality and win probabilities of teams, compared with the trueskill package, integrals and simulated games."""

import math
from typing import Any

import numpy as np
import pytest
import trueskill  # type: ignore[import-untyped]
from hypothesis import given
from hypothesis import strategies as st

from ratings.systems import (
    SYSTEMS,
    Beliefs,
    get_system,
    match_qualities,
    match_quality,
    team_win_probability,
    win_probability,
)
from ratings.systems.forecast.matches import closeness
from tests.ratings.systems.contract import every_system, rated_by
from tests.ratings.systems.strategies import random_series, steady
from tests.reference import prediction as plain


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


def test_quality_of_two_players_is_that_of_the_paper() -> None:
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


@steady(25)
@given(
    shape=st.sampled_from(["normal", "logistic"]),
    sides=st.lists(st.tuples(st.floats(-3, 3), st.floats(1, 12)), min_size=2, max_size=4),
    unit=st.sampled_from([0.01, 1.0, 300.0]),
)
def test_quality_is_the_density_of_equal_performances(shape: Any, sides: Any, unit: float) -> None:
    location, ratio = (np.array(column) * unit for column in zip(*sides, strict=True))
    known = np.full(len(sides), unit)
    ours = closeness(shape, location[None, :], ratio[None, :], known[None, :])
    exact = plain.players_of(shape, [0.0] * len(sides), known.tolist())
    expected = plain.match_quality(plain.players_of(shape, location.tolist(), ratio.tolist()), exact)
    assert ours.tolist() == pytest.approx([expected], abs=1e-9)


@pytest.mark.parametrize("location", [[0.0, 1.5], [0.3, -1.0, 2.0], [0.0, 0.0, 0.1, 1.0]])
def test_quality_with_bradley_terry_odds_is_the_density_too(location: list[float]) -> None:
    scale = [1.0] * len(location)
    expected = plain.match_quality(
        plain.players_of("gumbel", location, scale), plain.players_of("gumbel", [0.0] * len(location), scale)
    )
    ours = closeness("gumbel", np.array([location]), np.array([scale]), np.array([scale]))
    assert ours.tolist() == pytest.approx([expected], rel=1e-8)


def test_a_match_under_elo_is_close_if_either_side_may_win() -> None:
    beliefs = Beliefs(3, 1500.0, 350.0)
    beliefs.mu[:] = 1500, 1900, 1900
    elo = get_system("elo")
    assert match_quality(elo, beliefs, [[1], [2]]) == pytest.approx(1.0)
    assert match_quality(elo, beliefs, [[0], [1]]) == pytest.approx(4 * (10 / 11) * (1 / 11))
    # A team plays at the mean of its members.
    assert team_win_probability(elo, beliefs, [0, 1], [2]) == pytest.approx(1 / (1 + 10**0.5))
    gaussian = get_system("elo", curve="gaussian")
    assert match_quality(gaussian, beliefs, [[0], [1]]) == pytest.approx(math.exp(-0.5 * 400**2 / (2 * 200**2)))


@pytest.mark.parametrize(
    ("name", "noise"), [("elo-mmx", 80 * math.sqrt(0.2 + 1 + 5)), ("trueskill-spb", math.hypot(35, 175))]
)
def test_normal_performances_have_the_quality_of_the_package(name: str, noise: float) -> None:
    beliefs = Beliefs(3, 1500.0, 350.0)
    beliefs.mu[:], beliefs.sigma[:] = (1400, 1500, 1800), (100, 350, 50)
    oracle = trueskill.TrueSkill(mu=1500, sigma=350, beta=noise, backend="scipy")
    ratings = [(oracle.create_rating(float(mu), float(s)),) for mu, s in zip(beliefs.mu, beliefs.sigma, strict=True)]
    system = get_system(name)
    assert match_quality(system, beliefs, [[0], [1]]) == pytest.approx(oracle.quality(ratings[:2]), rel=1e-9)
    assert match_quality(system, beliefs, [[2], [0], [1]]) == pytest.approx(oracle.quality(ratings), rel=1e-9)


@every_system
def test_the_table_of_qualities_has_every_match(name: str) -> None:
    system, beliefs = rated_by(name, random_series(seed=3, n_contests=12, n_players=9, size=6), 9)
    beliefs.mu[8], beliefs.sigma[8] = beliefs.mu[7], beliefs.sigma[7]
    players = [8, 2, 5, 7]
    table = match_qualities(system, beliefs, players)
    for row, column in np.ndindex(4, 4):
        alone = match_quality(system, beliefs, [[players[row]], [players[column]]]) if row != column else 0.0
        assert table[row, column] == pytest.approx(alone, abs=1e-12)
        assert 0 <= table[row, column] <= 1
    np.testing.assert_array_equal(table, table.T)
    assert match_qualities(system, beliefs, 5, players)[0] == pytest.approx(table[2], abs=1e-12)
    # Nearer players make closer matches.
    assert table[0, 3] == match_qualities(system, beliefs, 8, np.arange(8)).max()


@every_system
def test_equal_players_known_exactly_make_a_perfect_match(name: str) -> None:
    system, beliefs = get_system(name), get_system(name).new_beliefs(4)
    if system.sigma_means == "uncertainty":
        assert match_quality(system, beliefs, [[0], [1]]) < 0.99
        beliefs.sigma[:] = 1e-9
    assert match_quality(system, beliefs, [[0], [1]]) == pytest.approx(1.0)
    assert match_quality(system, beliefs, [[0], [1], [2], [3]]) == pytest.approx(1.0)
    if system.rates_teams:
        assert match_quality(system, beliefs, [[0, 1], [2, 3]]) == pytest.approx(1.0)
        assert team_win_probability(system, beliefs, [0, 1], [2, 3]) == pytest.approx(0.5)


@pytest.mark.parametrize("name", [name for name in SYSTEMS if not SYSTEMS[name].rates_teams])
def test_systems_for_individuals_refuse_teams_of_several(name: str) -> None:
    system = get_system(name)
    beliefs = system.new_beliefs(3)
    with pytest.raises(ValueError, match=f"^{name} rates individuals: it cannot predict team 1 of several players"):
        match_quality(system, beliefs, [[0], [1, 2]])
    with pytest.raises(ValueError, match=f"^{name} rates individuals"):
        team_win_probability(system, beliefs, [0, 1], [2])
    expected = float(win_probability(system, beliefs, 0, 1))
    assert team_win_probability(system, beliefs, [0], [1]) == pytest.approx(expected)


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
