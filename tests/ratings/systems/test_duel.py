"""Two-player games rated with plain numbers give the same results as the formulas for whole contests."""

import math
from decimal import Decimal, localcontext
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.systems import SYSTEMS, Beliefs, Contest, RatingSystem, RoundChanges, get_system, replay
from ratings.systems.algorithms import elo_mmr_duel
from ratings.systems.contest import Entrants
from ratings.systems.replay import rate_all
from ratings.systems.system import DuelSystem
from tests.ratings.systems.contract import numbers, rate
from tests.ratings.systems.strategies import random_series, steady

FAST = [name for name in SYSTEMS if isinstance(get_system(name), DuelSystem)]
CHOICES: dict[str, list[Any]] = {
    "split_ties": [True],
    "noob_delay": [(0.6, 0.8)],
    "drift_per_day": [30.0],
    "transfer_speed": [0.0, 0.04, 3.0],
    "weight_limit": [0.02],
    "inflation_control": [True],
    "curve": ["gaussian"],
}


def as_a_contest(system: RatingSystem, beliefs: Beliefs, contest: Contest) -> RoundChanges:
    """Rate by the formulas for contests of any size."""
    return system._rate(Entrants(beliefs, contest))


def variants(name: str) -> list[dict[str, Any]]:
    """The default parameters, and one other value of each parameter that a two-player game may read."""
    known = [parameter.name for parameter in SYSTEMS[name].PARAMETERS]
    return [{}] + [{key: value} for key in known for value in CHOICES.get(key, [])]


def rounding(means: tuple[float, float]) -> float:
    """Return by how many points rounding may move a performance in the formulas for contests.

    Between players far apart, both curves of Elo-MMR's equation are flat. A rounding of 2^-53 then moves the root by
    s 2^-53 exp(gap / 2 s), with the scale s. In these tests s is above 63: performances have at least the variance
    2 sig_limit^2. Ratings hardly depend on such a performance.
    """
    return 63.0 * 2.0**-53 * math.exp(abs(means[0] - means[1]) / 126.0)


def test_all_systems_of_the_compiled_reference_rate_two_player_games_with_plain_numbers() -> None:
    assert {"elo-mmr", "elo-mmr-infinity", "elo-mmx", "codeforces", "topcoder", "glicko"} <= set(FAST)


@pytest.mark.parametrize("name", FAST)
@steady(60)
@given(
    means=st.tuples(st.floats(0.0, 4000.0), st.floats(0.0, 4000.0)),
    deviations=st.tuples(st.floats(20.0, 500.0), st.floats(20.0, 500.0)),
    counts=st.tuples(st.integers(0, 3), st.integers(0, 3)),
    ranks=st.sampled_from([(1, 2), (2, 1), (1, 1)]),
    weight=st.sampled_from([0.05, 1.0, 10.0]),
    ceiling=st.sampled_from([math.inf, math.inf, 1700.0]),
)
def test_one_game_moves_ratings_as_the_formulas_for_contests_do(
    name: str,
    means: tuple[float, float],
    deviations: tuple[float, float],
    counts: tuple[int, int],
    ranks: tuple[int, int],
    weight: float,
    ceiling: float,
) -> None:
    contest = Contest([0, 1], ranks, weight, ceiling, day=7.5)
    for parameters in variants(name):
        system = get_system(name, **parameters)
        beliefs = system.new_beliefs(2)
        beliefs.mu[:], beliefs.sigma[:], beliefs.count[:] = means, deviations, counts
        if beliefs.memory is not None:
            beliefs.memory.centre[:], beliefs.memory.weight[:] = means, 1.0 / np.square(deviations)
        plain = beliefs.copy()
        fast, slow = rate(system, beliefs, contest), as_a_contest(system, plain, contest)
        tolerance = 1e-5 + rounding(means)
        np.testing.assert_allclose(fast.performance, slow.performance, rtol=0, atol=tolerance)
        np.testing.assert_allclose([fast.mu, fast.sigma], [slow.mu, slow.sigma], rtol=1e-11, atol=1e-8)
        one, other = (np.frombuffer(b"".join(each.pack([0, 1])), "<f8") for each in (beliefs, plain))
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=tolerance)


@pytest.mark.parametrize("gap", [0, 300, 3333, 6000])
def test_the_performances_after_an_upset_satisfy_the_equation_of_elo_mmr_in_exact_arithmetic(gap: int) -> None:
    system = get_system("elo-mmr")
    beliefs = system.new_beliefs(2)
    beliefs.mu[:], beliefs.sigma[:] = (0.0, gap), (20.0, 20.0)
    performances = rate(system, beliefs, Contest([0, 1], [1, 2], 10.0)).performance
    with localcontext() as context:
        context.prec = 50
        # The weight is 10 * 0.2 and sig_limit 80, so the drift is 12,800 and the noise 9,600.
        scale = Decimal(3).sqrt() / Decimal(str(math.pi)) * Decimal(400 + 12_800 + 9_600).sqrt()

        def missing(distance: Decimal) -> Decimal:
            """Return the module's first equation, left side minus right side, for equal scales."""
            half = (distance / scale).exp()
            return (half - 1) / (half + 1) - 1 / (1 + ((distance - gap) / scale).exp())

        for mean, performance in zip((0, gap), performances.tolist(), strict=True):
            distance = abs(Decimal(performance) - mean)
            assert missing(distance - Decimal("1e-6")) < 0 < missing(distance + Decimal("1e-6"))


@pytest.mark.parametrize("name", FAST)
def test_many_games_of_a_few_players_and_contests_between_them_add_up_to_the_same(name: str) -> None:
    # Enough games for Elo-MMR to fold old performances many times, whichever way they were rated.
    made = random_series(seed=5, n_contests=250, n_players=5, size=2)
    made[7::10] = [Contest(range(5), [3, 1, 2, 2, 5], day=contest.day) for contest in made[7::10]]
    for parameters in ({}, variants(name)[-1]):
        system = get_system(name, **parameters)
        history = replay(system, made, 5)
        beliefs = system.new_beliefs(5)
        rows = [numbers(as_a_contest(system, beliefs, contest)) for contest in made]
        np.testing.assert_allclose(numbers(history), np.concatenate(rows), rtol=1e-9, atol=1e-6)


def test_a_replay_has_the_same_bits_no_matter_when_it_changes_to_the_compiled_function(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made, system = random_series(seed=9, n_contests=200, n_players=4, size=2), get_system("elo-mmr")
    results = set()
    for compile_from in (10**9, 1, 150):
        monkeypatch.setattr(elo_mmr_duel, "_COMPILE_FROM", compile_from)
        history = replay(system, made, 4)
        results.add(numbers(history).tobytes() + b"".join(history.beliefs.pack(range(4))))
        # From what is stored after half of the games, as an append does.
        half, beliefs = replay(system, made[:100], 4), system.new_beliefs(4)
        beliefs.unpack(range(4), half.beliefs.pack(range(4)))
        results.add(numbers(history).tobytes() + b"".join(rate_all(system, beliefs, made[100:]).beliefs.pack(range(4))))
    assert len(results) == 1


@pytest.mark.parametrize("name", FAST)
@pytest.mark.parametrize("ranks", [(1, 2), (2, 1), (1, 1)])
def test_games_across_any_gap_and_certainty_stay_finite_and_favour_the_winner(
    name: str, ranks: tuple[int, int]
) -> None:
    for gap in (0.0, 1.0, 1e3, 1e5, 1e7, -1e5):
        for deviations in ((80.0, 80.0), (1e-3, 350.0), (1e6, 1e-3), (1e20, 80.0)):
            system = get_system(name)
            beliefs = system.new_beliefs(2)
            beliefs.mu[0] += gap
            beliefs.sigma[:] = deviations
            if beliefs.memory is not None:
                beliefs.memory.centre[:], beliefs.memory.weight[:] = beliefs.mu, 1.0 / np.square(beliefs.sigma)
            changes = rate(system, beliefs, Contest([0, 1], ranks))
            assert np.isfinite(numbers(changes)).all()
            gain = (changes.mu - changes.mu_before) * np.sign(ranks[1] - ranks[0])
            rounding = 1e-12 * abs(gap)
            assert ranks[0] == ranks[1] or (gain[0] >= -rounding and gain[1] <= rounding)


@pytest.mark.parametrize("name", FAST)
def test_a_game_before_the_last_one_of_a_player_is_refused(name: str) -> None:
    system = get_system(name)
    beliefs = system.new_beliefs(2)
    rate(system, beliefs, Contest([0, 1], [1, 2], day=5.0))
    before = beliefs.pack([0, 1])
    with pytest.raises(ValueError, match="rate contests in order of time"):
        system.rate_round(beliefs, Contest([0, 1], [1, 2], day=4.0))
    assert beliefs.pack([0, 1]) == before
