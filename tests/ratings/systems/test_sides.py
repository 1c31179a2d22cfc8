"""Teams in systems for individuals: each plays as one player, the mean of its members."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize, stats

from ratings.systems import Beliefs, Contest, RatingSystem, get_system, replay
from ratings.systems.explain import PastPerformances, Result, explain
from tests.ratings.systems.contract import numbers, rate
from tests.ratings.systems.strategies import steady
from tests.ratings.systems.team_series import team_series
from tests.reference import glicko as plain_glicko

composing = pytest.mark.parametrize("name", ["elo-mmr", "elo-mmr-infinity", "elo-mmx", "glicko", "glicko2"])


def pool(system: RatingSystem, n_players: int, seed: int = 1) -> Beliefs:
    """Beliefs after some contests of all players, so that means and deviations differ."""
    random = np.random.default_rng(seed)
    made = [
        Contest(random.permutation(n_players)[: n_players - number], np.arange(n_players - number), day=float(number))
        for number in range(4)
    ]
    return replay(system, made, n_players).beliefs


@composing
def test_teams_of_one_are_players(name: str) -> None:
    system, beliefs = get_system(name), pool(get_system(name), 6)
    order, places = [4, 0, 2, 1], [1, 2, 2, 4]
    alone = rate(system, beliefs.copy(), Contest(order, places, day=9.0))
    teams = rate(system, beliefs.copy(), Contest(order, places, day=9.0, teams=["a", "b", "c", "d"]))
    np.testing.assert_allclose(numbers(teams), numbers(alone), rtol=1e-12)


@composing
def test_teams_of_equal_players_are_rated_like_one_of_them(name: str) -> None:
    system = get_system(name)
    three = rate(system, system.new_beliefs(3), Contest([0, 1, 2], [1, 2, 3]))
    teams = Contest(range(6), [1, 1, 1, 2, 2, 3], teams=["a", "a", "a", "b", "b", "c"])
    changes = rate(system, system.new_beliefs(6), teams)
    np.testing.assert_allclose(changes.mu, three.mu[[0, 0, 0, 1, 1, 2]], rtol=1e-12)
    np.testing.assert_allclose(changes.sigma, three.sigma[[0, 0, 0, 1, 1, 2]], rtol=1e-12)


def test_members_perform_as_many_deviations_from_their_mean_as_their_team() -> None:
    system = get_system("elo-mmx")
    beliefs = system.new_beliefs(5)
    beliefs.mu[:], beliefs.sigma[:] = (1400, 1900, 1600, 1500, 1300), (80, 300, 120, 200, 90)
    labels = ["a", "a", "b", "b", "b"]
    changes = rate(system, beliefs.copy(), Contest(range(5), [2, 2, 1, 1, 1], teams=labels))
    weight, limit = 0.2, 80.0**2
    deviation = np.sqrt(beliefs.sigma**2 + weight * limit + limit * (1 + 1 / weight))
    mu = np.array([beliefs.mu[:2].mean(), beliefs.mu[2:].mean()])
    spread = np.array([deviation[:2].mean(), deviation[2:].mean()])

    def equation(p: float, won: bool) -> float:
        """The performance equation of Elo-MMX for one of two sides (docs/rating-systems.md)."""
        z = (p - mu) / spread
        own, other = (1, 0) if won else (0, 1)
        tail = stats.norm.pdf(z[other]) / (stats.norm.cdf(z[other]) if won else stats.norm.sf(z[other]))
        return float((1 if won else -1) * tail / spread[other] - z[own] / spread[own])

    lost, won = (optimize.brentq(equation, -3000, 6000, args=(side,), xtol=1e-10) for side in (False, True))
    of_team = np.array([lost, lost, won, won, won])
    entry = np.array([0, 0, 1, 1, 1])
    expected = beliefs.mu + deviation / spread[entry] * (of_team - mu[entry])
    np.testing.assert_allclose(changes.performance, expected, rtol=1e-9)
    prior, noise = beliefs.sigma**2 + weight * limit, limit * (1 + 1 / weight)
    np.testing.assert_allclose(changes.mu, (beliefs.mu / prior + expected / noise) / (1 / prior + 1 / noise), rtol=1e-9)


def test_teams_in_glicko_play_games_with_mean_ratings_and_deviations() -> None:
    system = get_system("glicko", drift=0.0)
    beliefs = system.new_beliefs(3)
    beliefs.mu[:], beliefs.sigma[:] = (1500, 1700, 1650), (50, 150, 80)
    changes = rate(system, beliefs.copy(), Contest([0, 1, 2], [1, 1, 2], teams=["a", "a", "b"]))
    team, single = plain_glicko.rate_round([(1600.0, 100.0), (1650.0, 80.0)], [1, 2], drift=0.0)
    assert (changes.mu[2], changes.sigma[2]) == pytest.approx(single, rel=1e-12)
    # Both members have the team's surplus of games, which their own certainty turns into points.
    q = math.log(10) / 400
    surplus = (team[0] - 1600) / (q / (1 / 100**2 + q * q / 4))
    for row, sigma in ((0, 50.0), (1, 150.0)):
        gain = q / (1 / sigma**2 + q * q / 4)
        assert changes.mu[row] - changes.mu_before[row] == pytest.approx(gain * surplus, rel=1e-9)


@composing
@steady(20)
@given(made=team_series(), data=st.data())
def test_the_order_of_rows_changes_no_bits_of_teams(name: str, made: list[Contest], data: st.DataObject) -> None:
    system = get_system(name)
    turned = []
    for contest in made:
        order = np.array(data.draw(st.permutations(range(len(contest)))))
        assert contest.teams is not None
        labels = [f"x{contest.teams[row]}" for row in order]
        turned.append(
            Contest(contest.players[order], contest.ranks[order], contest.weight, day=contest.day, teams=labels)
        )
    ours, theirs = replay(system, made, 12).beliefs, replay(system, turned, 12).beliefs
    assert ours.pack(range(12)) == theirs.pack(range(12))
    assert np.isfinite(ours.mu).all()


@composing
def test_the_parts_of_the_change_of_a_team_member_add_up(name: str) -> None:
    system = get_system(name)
    first = Contest(range(6), [1, 1, 2, 2, 3, 3], teams=list("aabbcc"), day=0.0)
    second = Contest([5, 0, 2, 3], [1, 1, 2, 2], teams=list("xxyy"), day=3.0)
    history = replay(system, [first], 6)
    before = history.beliefs
    changes = rate(system, before.copy(), second)
    row = 1  # player 0, who was in row 0 before
    numbers_before = 1.0, 0.0, history.performance[0], history.mu[0], history.sigma[0]
    past = PastPerformances(*(np.array([each]) for each in numbers_before))
    result = Result(changes.mu[row], changes.sigma[row], changes.performance[row])
    explained = explain(system, before, second, row, result, past)
    assert explained.change == pytest.approx(changes.mu[row] - changes.mu_before[row], abs=1e-6)
    assert explained.pulls is not None
    assert len(explained.pulls) == 2
    assert explained.pulls.sum() == pytest.approx(explained.part("contest"), abs=1e-6)
