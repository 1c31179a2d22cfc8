"""Codeforces compared with the plain reference, and its own guarantees."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.systems import Contest, RoundChanges, get_system, replay
from ratings.systems.algorithms import codeforces
from ratings.systems.numerics.logistic_sums import LogisticSum, logistic_table
from tests.ratings.systems.contract import numbers, rate
from tests.ratings.systems.strategies import contests, random_series, series, steady
from tests.reference import codeforces as twin

settings_of_the_system = st.fixed_dictionaries(
    {},
    optional={
        "scale": st.sampled_from([40.0, 400.0, 1000.0]),
        "weight": st.sampled_from([0.1, 1.0, 3.0]),
        "inflation_control": st.booleans(),
    },
)
ratings_of = st.lists(st.sampled_from([900.0, 1400.0, 1500.0, 1503.5, 1600.0, 2900.0]), min_size=12, max_size=12)


def rated(ratings: Any, contest: Contest, **parameters: Any) -> RoundChanges:
    system = get_system("codeforces", **parameters)
    beliefs = system.new_beliefs(len(ratings))
    beliefs.mu[:] = ratings
    return rate(system, beliefs, contest)


def assert_equals_the_reference(made: list[Contest], n_players: int, **parameters: Any) -> None:
    history = replay(get_system("codeforces", **parameters), made, n_players)
    ratings = np.full(n_players, 1500.0)
    rows = []
    for contest in made:
        mu, performances = twin.rate_round(
            ratings[contest.players].tolist(),
            contest.ranks.tolist(),
            contest_weight=contest.weight,
            ceiling=contest.perf_ceiling,
            **parameters,
        )
        ratings[contest.players] = mu
        rows += list(zip(mu, performances, strict=True))
    ours = np.column_stack([history.mu, history.performance])
    np.testing.assert_allclose(ours, np.array(rows).reshape(-1, 2), rtol=0, atol=1e-7)
    assert (history.sigma == 350.0).all()


@steady(80)
@given(made=series(), parameters=settings_of_the_system)
def test_codeforces_equals_the_plain_reference(made: list[Contest], parameters: dict[str, Any]) -> None:
    assert_equals_the_reference(made, 12, **parameters)


@pytest.mark.parametrize("inflation_control", [False, True])
def test_a_large_field_equals_the_plain_reference(inflation_control: bool) -> None:
    made = random_series(seed=5, n_contests=3, n_players=130, size=100)
    assert_equals_the_reference(made, 130, inflation_control=inflation_control)


@pytest.mark.parametrize("spread", [0.0, 1.0, 4.0, 200.0])
def test_the_table_is_the_sum_term_by_term(spread: float) -> None:
    centres = np.sort(np.random.default_rng(1).normal(0.0, spread, 700))
    centres -= centres[0]
    table = logistic_table(centres, 9.0)
    points = np.linspace(-9.0, centres[-1] + 9.0, 400)
    plain = LogisticSum(centres, np.ones(700), np.ones(700))(points)
    np.testing.assert_allclose(table(points)[0], plain[0], rtol=0, atol=1e-11 * 700)
    upper_tail = points > centres[-1] + 3.0
    np.testing.assert_allclose(table(points)[0][upper_tail], plain[0][upper_tail], rtol=1e-11)
    np.testing.assert_allclose(table(points)[1], plain[1], rtol=0, atol=1e-9 * 700)


@pytest.mark.parametrize("gap", [0.0, 3000.0, 1e6])
def test_table_and_all_pairs_agree(gap: float, monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(2)
    ratings = random.normal(1500.0, 300.0, 400)
    ratings[:3] += gap
    contest = Contest(range(400), random.permutation(400))
    ours = rated(ratings, contest).performance
    monkeypatch.setattr(codeforces, "_ALL_PAIRS", 10**9)
    np.testing.assert_allclose(rated(ratings, contest).performance, ours, rtol=0, atol=1e-7)


@steady(80)
@given(contest=contests(12, plain=True), ratings=ratings_of, data=st.data())
def test_a_player_who_places_better_performs_better(
    contest: Contest, ratings: list[float], data: st.DataObject
) -> None:
    row = data.draw(st.integers(0, len(contest) - 1))
    ranks = contest.ranks.copy()
    ranks[row] = data.draw(st.sampled_from([0.0, *ranks[ranks <= ranks[row]].tolist()]))
    better = Contest(contest.players, ranks)
    before, after = rated(ratings, contest), rated(ratings, better)
    assert after.performance[row] >= before.performance[row] - 1e-8


@steady(80)
@given(contest=contests(12, plain=True), ratings=ratings_of)
def test_among_equal_players_a_better_place_means_a_better_performance(contest: Contest, ratings: list[float]) -> None:
    changes = rated(ratings, contest)
    for one in range(len(contest)):
        for other in range(len(contest)):
            if changes.mu_before[one] == changes.mu_before[other]:
                if contest.group[one] < contest.group[other]:
                    assert changes.performance[one] > changes.performance[other]
                elif contest.group[one] == contest.group[other]:
                    assert changes.performance[one] == changes.performance[other]


def test_an_outsider_who_wins_performs_below_the_favourite_who_comes_second() -> None:
    # Performances depend on the geometric mean of actual and expected rank: sqrt(1 * 3) is worse than sqrt(2 * 1).
    changes = rated([500.0, 2500.0, 2000.0], Contest([0, 1, 2], [1, 2, 3]))
    assert changes.performance[0] < changes.performance[1]


def test_performances_of_two_equal_players_are_those_of_the_formula() -> None:
    # Both are expected at 3/2; the winner performed at the x with 2 / (1 + 10^((x - 1500) / 400)) = sqrt(3/2) - 1/2.
    expected = [1500.0 + 400.0 * math.log10(2.0 / (math.sqrt(1.5 * rank) - 0.5) - 1.0) for rank in (1, 2)]
    changes = rated([1500.0, 1500.0], Contest([0, 1], [1, 2]))
    np.testing.assert_allclose(changes.performance, expected, rtol=1e-13)
    np.testing.assert_allclose(changes.mu, 0.5 * (1500.0 + np.array(expected)), rtol=1e-13)


@steady(60)
@given(contest=contests(12, plain=True), ratings=ratings_of)
def test_inflation_control_subtracts_a_point_from_everyone_and_up_to_ten_more(
    contest: Contest, ratings: list[float]
) -> None:
    changes = rated(ratings, contest, inflation_control=True)
    mean = float((changes.mu - changes.mu_before).mean())
    assert -11.0 - 1e-9 <= mean <= -1.0 + 1e-9


@pytest.mark.parametrize("seed", range(4))
def test_inflation_control_treats_players_with_equal_ratings_alike(seed: int) -> None:
    # The correction looks at 4 sqrt(40) = 25 of 40 players: the ten of 2000, and any fifteen of the twenty of 1500.
    random = np.random.default_rng(seed)
    ratings = np.repeat([2000.0, 1500.0, 1400.0], [10, 20, 10])
    ranks = np.argsort(np.argsort(-ratings - random.uniform(0.0, 300.0, 40)))
    order = random.permutation(40)
    ours = rated(ratings, Contest(range(40), ranks), weight=0.3, inflation_control=True)
    theirs = rated(ratings[order], Contest(range(40), ranks[order]), weight=0.3, inflation_control=True)
    assert numbers(ours)[order].tobytes() == numbers(theirs).tobytes()
    expected = twin.rate_round(ratings.tolist(), ranks.tolist(), weight=0.3, inflation_control=True)[0]
    np.testing.assert_allclose(ours.mu, expected, rtol=0, atol=1e-7)
    # The second correction is neither 0 nor the full ten points, so the choice among tied players affects it.
    assert -10.9 < (ours.mu - ratings).mean() < -1.1


def test_performances_follow_the_bradley_terry_model() -> None:
    model = get_system("codeforces").performance_model(np.array([1900.0, 1500.0]), np.array([350.0, 1.0]))
    assert model.shape == "gumbel"
    odds = np.exp((model.location[0] - model.location[1]) / model.scale)
    np.testing.assert_allclose(odds, 10.0, rtol=1e-13)
