"""No system returns NaN or infinity for finite input: extreme input saturates."""

import math
from typing import Any

import numpy as np
import pytest

from ratings.systems import SYSTEMS, Beliefs, Contest, RoundChanges, get_system
from ratings.systems.declarations import Parameter
from tests.ratings.systems.contract import every_parameter, every_system, numbers, rate
from tests.ratings.systems.strategies import random_series


def assert_finite(changes: RoundChanges, beliefs: Beliefs) -> None:
    assert np.isfinite(numbers(changes)).all()
    assert (changes.sigma > 0).all()
    assert np.isfinite(beliefs.mu).all()


@every_system
@pytest.mark.parametrize("tied", [True, False], ids=["all others tied", "all places differ"])
def test_the_change_of_a_winner_among_a_hundred_thousand_saturates(name: str, tied: bool) -> None:
    system = get_system(name)
    beliefs = system.new_beliefs(100_001)
    contest = Contest(range(100_001), [0] + [1] * 100_000 if tied else range(100_001))
    first, second = rate(system, beliefs, contest), rate(system, beliefs, contest)
    for changes in (first, second):
        assert_finite(changes, beliefs)
        assert changes.mu[0] == changes.mu.max()
    assert second.mu_before[0] > first.mu_before[0] > second.mu[-1]
    # Only on a ladder can the best player not rise any further.
    assert second.mu[0] > second.mu_before[0] or name == "ladder"


@every_system
@pytest.mark.parametrize("upset", [True, False], ids=["the weak win", "the strong win"])
@pytest.mark.parametrize("gap", [1e4, 1e6])
@pytest.mark.parametrize("size", [2, 300])
def test_a_gap_of_many_deviations_saturates(name: str, upset: bool, gap: float, size: int) -> None:
    system = get_system(name)
    beliefs = system.new_beliefs(size)
    rate(system, beliefs, Contest(range(size), range(size)))
    beliefs.mu[: size // 2] += gap
    if beliefs.memory is not None:
        beliefs.memory.centre[: size // 2] += gap
    order = range(size, 0, -1) if upset else range(size)
    for day in range(3):
        changes = rate(system, beliefs, Contest(range(size), order, day=float(day)))
        assert_finite(changes, beliefs)
        assert changes.mu.max() <= 1500 + 2 * gap


@every_system
@pytest.mark.parametrize("weight", [1e-300, 1e-9, 1e9, 1e300])
def test_weights_tiny_and_huge_saturate(name: str, weight: float) -> None:
    system = get_system(name)
    beliefs = system.new_beliefs(40)
    for contest in random_series(seed=4, n_contests=4, n_players=40, size=30):
        weighed = Contest(contest.players, contest.ranks, weight=weight, day=contest.day)
        assert_finite(rate(system, beliefs, weighed), beliefs)


@every_system
@pytest.mark.parametrize("ceiling", [-1.7e308, -1e9, 0.0, 1.7e308])
def test_ceilings_far_from_all_ratings_saturate(name: str, ceiling: float) -> None:
    system = get_system(name)
    beliefs = system.new_beliefs(90)
    for contest in random_series(seed=4, n_contests=4, n_players=90, size=80):
        capped = Contest(contest.players, contest.ranks, perf_ceiling=ceiling, day=contest.day)
        assert_finite(rate(system, beliefs, capped), beliefs)


@pytest.mark.parametrize("name", ["elo-mmr", "elo-mmr-infinity", "elo-mmx"])
def test_the_greatest_weight_times_the_greatest_factors_saturates(name: str) -> None:
    system = get_system(name, weight_limit=100.0, noob_delay=(100.0,))
    beliefs = system.new_beliefs(3)
    assert_finite(rate(system, beliefs, Contest([0, 1, 2], [1, 2, 3], weight=1.7e308)), beliefs)


@every_parameter
@pytest.mark.parametrize("end", ["minimum", "maximum"])
def test_parameters_at_the_ends_of_their_range_give_finite_numbers(name: str, parameter: Parameter, end: str) -> None:
    limit = getattr(parameter, end)
    if parameter.kind == "flag" or math.isinf(limit):
        value: Any = end == "maximum" if parameter.kind == "flag" else parameter.default
    else:
        included = parameter.inclusive[end == "maximum"]
        nearest = limit if included else math.nextafter(limit, 1.0)
        value = (nearest,) * 2 if parameter.kind == "numbers" else nearest
    system = get_system(name, **{parameter.name: value})
    beliefs = system.new_beliefs(40)
    for contest in random_series(seed=7, n_contests=40, n_players=40, size=6):
        assert_finite(rate(system, beliefs, contest), beliefs)


@every_system
@pytest.mark.parametrize(
    "wanted",
    [
        {"sig_noob": 1e-3, "sig_limit": 1e6, "transfer_speed": 100.0},
        {"sig_noob": 1e6, "sig_limit": 1e-3, "transfer_speed": 0.0},
        {"drift_per_day": 1e9, "transfer_speed": 0.0},
        {"drift_per_day": 1e9, "transfer_speed": 100.0, "weight_limit": 1e-6},
    ],
)
def test_parameters_far_apart_always_give_finite_numbers(name: str, wanted: dict[str, float]) -> None:
    known = {parameter.name for parameter in SYSTEMS[name].PARAMETERS}
    system = get_system(name, **{key: value for key, value in wanted.items() if key in known})
    beliefs = system.new_beliefs(6)
    for contest in random_series(seed=9, n_contests=160, n_players=6, size=4):
        late = Contest(contest.players, contest.ranks, day=1e6 * contest.day)
        assert_finite(rate(system, beliefs, late), beliefs)


@every_system
@pytest.mark.parametrize("size", [2, 300])
def test_an_almost_unknown_player_saturates(name: str, size: int) -> None:
    system = get_system(name)
    for ranks in (range(size), range(size, 0, -1)):
        beliefs = system.new_beliefs(size)
        beliefs.sigma[0] = 1e20
        if beliefs.memory is not None:
            beliefs.memory.weight[0] = 1e-40
        assert_finite(rate(system, beliefs, Contest(range(size), ranks)), beliefs)
