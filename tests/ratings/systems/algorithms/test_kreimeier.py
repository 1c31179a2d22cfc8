"""Kreimeier's rating compared with the plain reference, and its own guarantees."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.systems import Contest, get_system, replay
from tests.ratings.systems.contract import rate
from tests.ratings.systems.strategies import random_series, series, steady
from tests.ratings.systems.team_series import team_series
from tests.reference import kreimeier as twin

parameters_in_use = st.fixed_dictionaries(
    {},
    optional={
        "temperature": st.sampled_from([0.3, 1.0, 5.0]),
        "max_gain": st.sampled_from([0.1, 1.0, 2.0]),
        "decay": st.sampled_from([0.0, 0.1, 0.9, 1.0]),
        "period_days": st.sampled_from([0.5, 7.0, 30.0]),
        "mu_noob": st.sampled_from([0.0, -3.0, 1500.0]),
    },
)


@steady(100)
@given(parameters=parameters_in_use, made=series() | team_series())
def test_kreimeier_equals_the_plain_reference(parameters: dict[str, Any], made: list[Contest]) -> None:
    history = replay(get_system("kreimeier", **parameters), made, 12)
    pool, rows = twin.Pool(), []
    for contest in made:
        rows += (
            twin.rate_round(
                pool,
                contest.players.tolist(),
                contest.ranks.tolist(),
                contest.teams,
                day=contest.day,
                weight=contest.weight,
                **parameters,
            )
            or []
        )
    ours = np.column_stack([history.mu_before, history.mu])
    np.testing.assert_allclose(ours, np.array(rows).reshape(-1, 2), rtol=0, atol=1e-10)
    # Bystanders too: decay reaches them.
    everyone = sorted(pool.ratings)
    np.testing.assert_allclose(history.beliefs.mu[everyone], [pool.ratings[p] for p in everyone], rtol=0, atol=1e-10)


def test_beating_an_equal_player_gains_half_of_the_maximum() -> None:
    system = get_system("kreimeier")
    changes = rate(system, system.new_beliefs(2), Contest([0, 1], [1, 2]))
    assert changes.mu.tolist() == [0.5, -0.5]


def test_one_temperature_of_difference_makes_odds_of_e() -> None:
    system = get_system("kreimeier", temperature=3.0)
    beliefs = system.new_beliefs(2)
    beliefs.mu[:], beliefs.count[:] = [3.0, 0.0], 1
    lost = beliefs.mu[0] - rate(system, beliefs, Contest([0, 1], [2, 1])).mu[0]
    assert lost / (1.0 - lost) == pytest.approx(math.e, rel=1e-12)


@pytest.mark.parametrize(("days", "share"), [(30.0, 0.9), (15.0, math.sqrt(0.9)), (90.0, 0.729), (0.0, 1.0)])
def test_decay_takes_a_tenth_of_the_distance_from_the_mean_in_each_period(days: float, share: float) -> None:
    system = get_system("kreimeier", decay=0.1)
    beliefs = replay(system, random_series(seed=1, n_contests=20, n_players=9, size=4), 9).beliefs
    before, mean = beliefs.mu.copy(), float(np.mean(beliefs.mu))
    rate(system, beliefs, Contest([0, 1], [1, 2], day=19.0 + days))
    np.testing.assert_allclose(beliefs.mu[2:] - mean, share * (before[2:] - mean), rtol=0, atol=1e-13)
    assert np.ptp(before[2:]) > 1.0


def test_a_newcomer_enters_at_the_current_mean_of_the_pool() -> None:
    system = get_system("kreimeier")
    beliefs = replay(system, random_series(seed=2, n_contests=20, n_players=9, size=4), 9).beliefs
    stayed = [1, 4, 5, 7]
    later = system.new_beliefs(6)
    later.unpack(range(4), beliefs.pack(stayed))
    changes = rate(system, later, Contest([4, 0, 5], [1, 2, 3], day=19.0))
    mean = float(np.mean(beliefs.mu[stayed]))
    assert abs(mean) > 0.1
    np.testing.assert_allclose(changes.mu_before, [mean, beliefs.mu[1], mean], rtol=0, atol=1e-14)


def test_a_contest_before_the_last_one_of_the_pool_is_refused_if_ratings_decay() -> None:
    system = get_system("kreimeier", decay=0.1)
    beliefs = system.new_beliefs(4)
    rate(system, beliefs, Contest([0, 1], [1, 2], day=5.0))
    before = beliefs.pack(range(4))
    with pytest.raises(ValueError, match="the contest of day 4 comes after one of day 5 in the pool"):
        system.rate_round(beliefs, Contest([2, 3], [1, 2], day=4.0))
    assert beliefs.pack(range(4)) == before
