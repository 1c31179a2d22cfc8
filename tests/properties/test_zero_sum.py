"""Elo and Kreimeier are zero-sum: points gained by some players are lost by others."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.systems import Beliefs, Contest, RatingSystem, get_system
from tests.oracle.shared import load_contests, needs_shared
from tests.ratings.systems.strategies import random_series, series, steady
from tests.ratings.systems.team_series import team_series

by_name = pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("elo", {}),
        ("elo", {"curve": "gaussian", "k_factor": 80.0}),
        ("kreimeier", {}),
        ("kreimeier", {"temperature": 0.2, "max_gain": 3.0, "mu_noob": 1500.0}),
        ("kreimeier", {"decay": 0.1, "period_days": 7.0}),
    ],
    ids=str,
)


def assert_only_rounding(before: float, after: float, size: int, largest: float) -> None:
    """Assert that two sums of this many ratings differ by no more than a few roundings of each."""
    assert abs(after - before) <= 4 * size * np.spacing(largest)


def rate_and_check(system: RatingSystem, beliefs: Beliefs, contest: Contest) -> None:
    before = beliefs.mu.copy()
    changes = system.rate_round(beliefs, contest)
    if changes is None:
        return
    largest = max(1.0, np.abs(beliefs.mu).max())
    assert_only_rounding(math.fsum(changes.mu_before), math.fsum(changes.mu), len(contest), largest)
    rated = beliefs.count > 0
    # Newcomers add their first ratings to the sum.
    before[contest.players] = np.where(beliefs.count[contest.players] == 1, changes.mu_before, before[contest.players])
    assert_only_rounding(math.fsum(before[rated]), math.fsum(beliefs.mu[rated]), int(rated.sum()), largest)


@by_name
@steady(60)
@given(made=series() | team_series())
def test_a_contest_keeps_the_sum_of_all_ratings(name: str, parameters: dict[str, Any], made: list[Contest]) -> None:
    system = get_system(name, **parameters)
    beliefs = system.new_beliefs(12)
    for contest in made:
        rate_and_check(system, beliefs, contest)


@by_name
def test_a_large_contest_keeps_the_sum(name: str, parameters: dict[str, Any]) -> None:
    system = get_system(name, **parameters)
    beliefs = system.new_beliefs(6000)
    for contest in random_series(seed=2, n_contests=6, n_players=6000, size=5000):
        rate_and_check(system, beliefs, contest)


@by_name
@pytest.mark.parametrize("largest", [2, 9, 60])
def test_many_teams_of_any_size_keep_the_sum(name: str, parameters: dict[str, Any], largest: int) -> None:
    system = get_system(name, **parameters)
    beliefs = system.new_beliefs(3000)
    random = np.random.default_rng(largest)
    for day in range(4):
        players = random.permutation(3000)
        teams = np.repeat(np.arange(3000), random.integers(1, largest + 1, 3000))[:3000]
        ranks = random.integers(0, 40, 3000)[teams]
        rate_and_check(system, beliefs, Contest(players, ranks, day=float(day), teams=teams))


@pytest.mark.parametrize(("name", "gain"), [("elo", 24.0), ("kreimeier", 1.0)])
@pytest.mark.parametrize(
    ("sizes", "changes"), [((3, 2), (1 / 3, -1 / 2)), ((2, 3), (1 / 2, -1 / 3)), ((4, 1), (1 / 8, -1 / 2))]
)
def test_the_members_of_the_smaller_of_two_teams_get_the_change_of_a_duel_and_the_others_share_it(
    name: str, gain: float, sizes: tuple[int, int], changes: tuple[float, float]
) -> None:
    entry = np.repeat([0, 1], sizes)
    system = get_system(name)
    rated = system.rate_round(system.new_beliefs(len(entry)), Contest(range(len(entry)), entry, teams=entry))
    assert rated is not None
    np.testing.assert_allclose(rated.mu - rated.mu_before, gain * np.array(changes)[entry], rtol=1e-12)


@by_name
@steady(60)
@given(made=team_series())
def test_no_rating_moves_by_more_than_the_maximum_gain(
    name: str, parameters: dict[str, Any], made: list[Contest]
) -> None:
    system = get_system(name, **parameters)
    most = parameters.get("k_factor", 24.0) if name == "elo" else parameters.get("max_gain", 1.0)
    beliefs = system.new_beliefs(12)
    for contest in made:
        changes = system.rate_round(beliefs, contest)
        assert changes is not None
        assert (np.abs(changes.mu - changes.mu_before) <= most * contest.weight * (1.0 + 1e-12)).all()


@needs_shared
@pytest.mark.parametrize("name", ["elo", "kreimeier"])
def test_real_games_of_unequal_teams_keep_the_sum(name: str) -> None:
    contests, _, handles = load_contests("halo2-largeteam")
    assert any(len(set(np.bincount(contest.entry))) > 1 for contest in contests)
    system = get_system(name)
    beliefs = system.new_beliefs(len(handles))
    for contest in contests:
        rate_and_check(system, beliefs, contest)
    assert float(np.mean(beliefs.mu)) == pytest.approx(system.mu_noob, rel=1e-12, abs=1e-12)


@steady(80)
@given(
    made=series(n_players=14, most=10),
    decay=st.sampled_from([0.0, 0.1, 0.5, 1.0]),
    leavers=st.lists(st.sets(st.integers(0, 13), max_size=5), min_size=10, max_size=10),
)
def test_kreimeiers_newcomers_and_decay_keep_the_mean_when_players_leave(
    made: list[Contest], decay: float, leavers: list[set[int]]
) -> None:
    system = get_system("kreimeier", decay=decay)
    beliefs = system.new_beliefs(14)
    for contest, leaving in zip(made, leavers, strict=False):
        # Players who leave are forgotten, and may come back as newcomers.
        stayed = [player for player in range(14) if player not in leaving]
        left = system.new_beliefs(14)
        left.unpack(stayed, beliefs.pack(stayed))
        beliefs = left
        pool = beliefs.mu[beliefs.count > 0]
        mean = math.fsum(pool) / len(pool) if len(pool) else 0.0
        system.rate_round(beliefs, contest)
        pool = beliefs.mu[beliefs.count > 0]
        if len(pool):
            assert math.fsum(pool) / len(pool) == pytest.approx(mean, rel=0, abs=1e-13)


@pytest.mark.parametrize("days", [3.0, 70.0, 700.0])
def test_decay_moves_ratings_towards_the_mean_and_never_past_it(days: float) -> None:
    system = get_system("kreimeier", decay=0.1)
    beliefs = system.new_beliefs(30)
    for contest in random_series(seed=5, n_contests=40, n_players=30, size=12):
        system.rate_round(beliefs, contest)
    before, mean = beliefs.mu.copy(), float(np.mean(beliefs.mu))
    system.rate_round(beliefs, Contest([0, 1], [1, 2], day=39.0 + days))
    idle = np.arange(2, 30)
    strong, weak = idle[before[idle] > mean], idle[before[idle] < mean]
    assert len(strong) > 5
    assert len(weak) > 5
    assert (beliefs.mu[strong] < before[strong]).all()
    assert (beliefs.mu[strong] > mean).all()
    assert (beliefs.mu[weak] > before[weak]).all()
    assert (beliefs.mu[weak] < mean).all()
