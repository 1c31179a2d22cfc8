"""Glicko compared with the plain reference, and its own guarantees."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.systems import Contest, get_system, replay
from tests.ratings.systems.contract import rate
from tests.ratings.systems.strategies import contests, random_series, series, steady
from tests.reference import glicko as twin

parameters_of_the_system = st.fixed_dictionaries(
    {}, optional={"drift": st.sampled_from([0.0, 10.0, 80.0]), "beta": st.sampled_from([50.0, 200.0, 900.0])}
)


def assert_equals_the_reference(made: list[Contest], n_players: int, **parameters: Any) -> None:
    history = replay(get_system("glicko", **parameters), made, n_players)
    beliefs = dict.fromkeys(range(n_players), (1500.0, 350.0))
    rows = []
    for contest in made:
        players = contest.players.tolist()
        field = [beliefs[player] for player in players]
        rated = twin.rate_round(field, contest.ranks.tolist(), contest_weight=contest.weight, **parameters)
        beliefs.update(zip(players, rated, strict=True))
        rows += rated
    ours = np.column_stack([history.mu, history.sigma])
    np.testing.assert_allclose(ours, np.array(rows).reshape(-1, 2), rtol=0, atol=1e-8)
    assert not history.performance.any()


@steady(80)
@given(made=series(), parameters=parameters_of_the_system)
def test_glicko_equals_the_plain_reference(made: list[Contest], parameters: dict[str, float]) -> None:
    assert_equals_the_reference(made, 12, **parameters)


def test_a_large_field_equals_the_plain_reference() -> None:
    assert_equals_the_reference(random_series(seed=6, n_contests=4, n_players=260, size=200), 260)


@steady(60)
@given(contest=contests(12, plain=True), data=st.data())
def test_placing_better_never_hurts_and_the_deviation_never_depends_on_it(
    contest: Contest, data: st.DataObject
) -> None:
    row = data.draw(st.integers(0, len(contest) - 1))
    ranks = contest.ranks.copy()
    ranks[row] = data.draw(st.sampled_from([0.0, *ranks[ranks <= ranks[row]].tolist()]))
    better = Contest(contest.players, ranks)
    system = get_system("glicko")
    before, after = (rate(system, system.new_beliefs(12), each) for each in (contest, better))
    assert after.mu[row] >= before.mu[row]
    assert (after.sigma == before.sigma).all()


def test_two_equals_who_are_known_exactly_exchange_a_quarter_of_the_weight_of_a_game() -> None:
    # u = (1/2) * 1/2, and without drift the variance hardly changes from 1: the step is q / 4.
    system = get_system("glicko", drift=0.0, sig_noob=1.0)
    changes = rate(system, system.new_beliefs(2), Contest([0, 1], [1, 2]))
    np.testing.assert_allclose(changes.mu - 1500.0, np.array([1.0, -1.0]) * math.log(10.0) / 1600.0, rtol=1e-4)


def test_performances_differ_with_the_variances_of_both_beliefs_and_of_one_game() -> None:
    sigma = np.array([30.0, 200.0])
    system = get_system("glicko", drift=20.0, beta=300.0)
    model = system.performance_model(np.array([1500.0, 1600.0]), sigma)
    assert model.shape == "logistic"
    variance = (model.scale * math.pi / math.sqrt(3.0)) ** 2
    assert variance.sum() == pytest.approx((sigma**2).sum() + 2 * 20.0**2 + 300.0**2, rel=1e-13)


@pytest.mark.parametrize("players", [[0, 1], [0, 1, 2, 3]])
def test_each_day_without_a_contest_adds_to_the_variance(players: list[int]) -> None:
    system = get_system("glicko", drift_per_day=150.0)
    beliefs = system.new_beliefs(4)
    beliefs.mu[:], beliefs.sigma[:] = (1500, 1600, 1450, 1700), (60.0, 90.0, 349.0, 360.0)
    beliefs.count[:], beliefs.last_day[:] = (3, 5, 2, 1), (10.0, 12.5, 0.0, 0.0)
    # Glickman (1999): sigma² grows by c² t, but not above the deviation of a newcomer.
    grown = [(60.0**2 + 10 * 150) ** 0.5, (90.0**2 + 7.5 * 150) ** 0.5, 350.0, 360.0]
    field = [(float(beliefs.mu[player]), grown[player]) for player in players]
    contest = Contest(players, np.arange(len(players)), day=20.0)
    expected = twin.rate_round(field, contest.ranks.tolist())
    changes = rate(system, beliefs, contest)
    np.testing.assert_allclose(np.column_stack([changes.mu, changes.sigma]), np.array(expected), rtol=1e-10)
    assert changes.sigma_before[0] == 60.0
