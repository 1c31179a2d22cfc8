"""The effect of one extreme result on a rating: bounded in some systems, unbounded in others.

Elo-MMR paper, section 5.2; the bounds of theorem 5.7 themselves are in test_incentives.
"""

import math

import numpy as np
import pytest

from ratings.systems import Contest, get_system, replay
from tests.ratings.systems.strategies import random_series

# "The Codeforces and TrueSkill systems lack this property, allowing for unbounded rating changes."
BOUNDED = ["elo-mmr", "elo-mmr-infinity", "topcoder", "elo"]
UNBOUNDED = ["elo-mmx", "codeforces", "trueskill", "trueskill-spb"]
PLAYERS = 6

upsets = pytest.mark.parametrize("best", [True, False], ids=["the weak one wins", "the strong one loses"])


def moved_by_an_extreme_result(name: str, gap: float, *, best: bool) -> float:
    """How far player 0 rises by beating all others, who are this many points above, or falls by losing to all, this
    many points below."""
    system = get_system(name)
    beliefs = replay(system, random_series(seed=3, n_contests=8, n_players=PLAYERS, size=PLAYERS), PLAYERS).beliefs
    far = gap if best else -gap
    beliefs.mu[1:] += far
    if beliefs.memory is not None:
        beliefs.memory.centre[1:] += far
    ranks = [1 if best else PLAYERS + 1, *range(2, PLAYERS + 1)]
    changes = system.rate_round(beliefs, Contest(range(PLAYERS), ranks, day=100.0))
    assert changes is not None
    move = float(changes.mu[0] - changes.mu_before[0])
    return move if best else -move


@upsets
@pytest.mark.parametrize("name", BOUNDED)
def test_an_extreme_result_moves_a_rating_within_bounds(name: str, best: bool) -> None:
    wild, wilder = (moved_by_an_extreme_result(name, gap, best=best) for gap in (1e5, 1e7))
    assert wild > 0
    assert wilder == pytest.approx(wild, rel=1e-6)


@upsets
@pytest.mark.parametrize("name", UNBOUNDED)
def test_an_extreme_result_moves_a_rating_without_bound(name: str, best: bool) -> None:
    scale = get_system(name).new_beliefs(1).sigma[0] / 350.0  # newcomers have 25 ± 25/3, or 1500 ± 350
    moves = [moved_by_an_extreme_result(name, gap * scale, best=best) for gap in (1e4, 1e5, 1e6)]
    # Changes are proportional to the gap, so some result exceeds any bound.
    assert moves[1] > 5 * moves[0] > 0
    assert moves[2] > 5 * moves[1]


@upsets
@pytest.mark.parametrize("sigma", [40.0, 110.0, 350.0])
def test_theorem_5_7_without_memory_has_both_bounds_equal(sigma: float, best: bool) -> None:
    # No logistic factors are left, so that 1 / beta_0^2 is the whole prior: both sides are the limit itself.
    weight = 0.2
    prior, noise = sigma**2 + weight * 80.0**2, (1 + 1 / weight) * 80.0**2
    system = get_system("elo-mmr-infinity")
    beliefs = system.new_beliefs(2)
    beliefs.sigma[:], beliefs.count[:] = sigma, 1
    beliefs.mu[1] += 1e7 if best else -1e7
    changes = system.rate_round(beliefs, Contest([0, 1], [1, 2] if best else [2, 1]))
    assert changes is not None
    assert np.abs(changes.mu[0] - 1500.0) == pytest.approx(math.pi * prior / math.sqrt(3.0 * noise), rel=1e-9)


@upsets
def test_elo_mmx_moves_by_the_same_share_of_any_performance(best: bool) -> None:
    system = get_system("elo-mmx")
    for gap in (1e4, 1e5, 1e6):
        beliefs = system.new_beliefs(2)
        beliefs.mu[1] += gap if best else -gap
        changes = system.rate_round(beliefs, Contest([0, 1], [1, 2] if best else [2, 1]))
        assert changes is not None
        # Precision-weighted: prior 350^2 + 0.2 * 80^2, noise 6 * 80^2.
        share = 123_780.0 / (123_780.0 + 38_400.0)
        assert changes.mu[0] - 1500.0 == pytest.approx(share * (changes.performance[0] - 1500.0), rel=1e-12)
        # Far away the tails are linear: the performance is at the midpoint, as if both players had performed equally.
        assert changes.performance[0] - 1500.0 == pytest.approx(0.5 * (changes.mu_before[1] - 1500.0), rel=1e-2)
