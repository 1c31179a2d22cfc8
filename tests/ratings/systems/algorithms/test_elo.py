"""Elo compared with the plain reference and published numbers, and its own guarantees."""

import math
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.systems import Contest, get_system, replay
from tests.ratings.systems.contract import numbers, rate
from tests.ratings.systems.strategies import random_series, series, steady
from tests.ratings.systems.team_series import team_series
from tests.reference import elo as twin

CURVES: dict[str, Any] = {"logistic": twin.logistic, "gaussian": twin.gaussian}


def twin_rows(made: list[Contest], curve: str, width: float, k_factor: float) -> list[float]:
    ratings = dict.fromkeys(range(1000), 1500.0)
    rows = []
    for contest in made:
        if not contest.has_opponents:
            continue
        players = contest.players.tolist()
        expected = partial(CURVES[curve], **{"scale" if curve == "logistic" else "beta": width})
        gain = k_factor * contest.weight
        changes = twin.duels(ratings, players, contest.ranks.tolist(), contest.teams, expected, gain)
        for player, change in zip(players, changes, strict=True):
            ratings[player] += change
            rows.append(ratings[player])
    return rows


@steady(80)
@given(
    made=series() | team_series(),
    curve=st.sampled_from(["logistic", "gaussian"]),
    width=st.sampled_from([3.0, 200.0, 400.0]),
    k_factor=st.sampled_from([10.0, 24.0, 300.0]),
)
def test_elo_equals_the_plain_reference(made: list[Contest], curve: str, width: float, k_factor: float) -> None:
    width_name = "scale" if curve == "logistic" else "beta"
    system = get_system("elo", curve=curve, k_factor=k_factor, **{width_name: width})
    history = replay(system, made, 12)
    np.testing.assert_allclose(history.mu, twin_rows(made, curve, width, k_factor), rtol=0, atol=1e-9)
    assert (history.sigma == 350.0).all()


@pytest.mark.parametrize("curve", ["logistic", "gaussian"])
def test_a_large_field_equals_the_plain_reference(curve: str) -> None:
    made = random_series(seed=3, n_contests=4, n_players=300, size=220)
    history = replay(get_system("elo", curve=curve), made, 300)
    width = 400.0 if curve == "logistic" else 200.0
    np.testing.assert_allclose(history.mu, twin_rows(made, curve, width, 24.0), rtol=0, atol=1e-9)


def rated(ratings: list[float], contest: Contest, **parameters: Any) -> Any:
    system = get_system("elo", **parameters)
    beliefs = system.new_beliefs(len(ratings))
    beliefs.mu[:] = ratings
    return rate(system, beliefs, contest)


def test_beating_a_player_400_points_stronger_gains_ten_elevenths_of_k() -> None:
    changes = rated([1500.0, 1900.0], Contest([0, 1], [1, 2]))
    np.testing.assert_allclose(changes.mu, [1500 + 24 * 10 / 11, 1900 - 24 * 10 / 11], rtol=1e-14)


def test_with_the_gaussian_curve_a_gap_of_one_deviation_gives_the_normal_probability() -> None:
    # The difference of two performances of deviation 200 has deviation 283, so the stronger scores Phi(1).
    changes = rated([1500.0, 1500.0 + 200.0 * math.sqrt(2.0)], Contest([0, 1], [1, 2]), curve="gaussian")
    assert changes.mu[0] - 1500.0 == pytest.approx(24 * 0.841344746068543, rel=1e-12)


def test_the_published_expectations_of_a_player_rated_1613_in_a_tournament() -> None:
    # Expected scores 0.51, 0.69, 0.79, 0.54 and 0.35, as the textbook example has them, to two digits.
    for opponent, expected in [(1609, 0.51), (1477, 0.69), (1388, 0.79), (1586, 0.54), (1720, 0.35)]:
        changes = rated([1613.0, opponent], Contest([0, 1], [2, 1]), k_factor=32.0)
        assert (1613.0 - changes.mu[0]) / 32.0 == pytest.approx(expected, abs=0.005)


def test_the_default_curves_agree_near_equality_and_k_is_that_of_the_paper() -> None:
    logistic = rated([1500.0, 1501.0], Contest([0, 1], [1, 2])).mu[0] - 1512.0
    gaussian = rated([1500.0, 1501.0], Contest([0, 1], [1, 2]), curve="gaussian").mu[0] - 1512.0
    assert gaussian == pytest.approx(logistic, rel=0.021)
    # TrueSkill paper, section 4: alpha = 0.07 corresponds to K = 24, where K = alpha beta sqrt(pi).
    assert 24.0 / (get_system("elo").parameters()["beta"] * math.sqrt(math.pi)) == pytest.approx(0.07, abs=0.005)


def test_a_contest_of_many_is_the_average_of_its_duels() -> None:
    ratings = [1400.0, 1500.0, 1710.0]
    whole = rated(ratings, Contest([0, 1, 2], [1, 2, 2])).mu[0] - 1400.0
    duels = [rated([1400.0, other], Contest([0, 1], [1, 2])).mu[0] - 1400.0 for other in ratings[1:]]
    assert whole == pytest.approx(np.mean(duels), rel=1e-12)


def test_a_weight_multiplies_the_change() -> None:
    light, heavy = (rated([1400.0, 1500.0], Contest([0, 1], [1, 2], weight=weight)).mu for weight in (0.5, 2.0))
    np.testing.assert_allclose(heavy - [1400.0, 1500.0], 4 * (light - [1400.0, 1500.0]), rtol=1e-11)


def test_a_team_plays_at_its_mean_and_its_members_get_its_change() -> None:
    ratings = [1400.0, 1600.0, 1250.0, 1650.0]
    team = rated(ratings, Contest([0, 1, 2, 3], [1, 1, 2, 2], teams=["a", "a", "b", "b"]))
    duel = rated([1500.0, 1450.0], Contest([0, 1], [1, 2]))
    np.testing.assert_allclose(team.mu - ratings, (duel.mu - [1500.0, 1450.0])[[0, 0, 1, 1]], rtol=1e-11)


@pytest.mark.parametrize("name", ["elo", "kreimeier"])
@steady(40)
@given(made=team_series(), seed=st.integers(0, 1000))
def test_the_order_of_rows_and_the_labels_of_teams_change_no_bits(name: str, made: list[Contest], seed: int) -> None:
    random = np.random.default_rng(seed)
    system = get_system(name)
    ours, theirs = system.new_beliefs(12), system.new_beliefs(12)
    for contest in made:
        assert contest.teams is not None
        order = random.permutation(len(contest))
        labels = [str(contest.teams[row])[::-1] for row in order]
        other = Contest(contest.players[order], contest.ranks[order], contest.weight, day=contest.day, teams=labels)
        changes, others = system.rate_round(ours, contest), system.rate_round(theirs, other)
        if changes is not None:
            assert numbers(changes)[order].tobytes() == numbers(others).tobytes()
    assert ours.pack(range(12)) == theirs.pack(range(12))


@pytest.mark.parametrize(("name", "gain"), [("elo", "k_factor"), ("kreimeier", "max_gain")])
def test_the_greatest_weight_and_the_greatest_gain_saturate_together(name: str, gain: str) -> None:
    system = get_system(name, **{gain: 1e6})
    beliefs = system.new_beliefs(400)
    for contest in random_series(seed=4, n_contests=3, n_players=400, size=300):
        heavy = Contest(contest.players, contest.ranks, weight=1e308, day=contest.day)
        assert np.isfinite(rate(system, beliefs, heavy).mu).all()
