"""TrueSkill-SPb compared with plain message passing, with and without the authors' deviations from the model."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.systems import Beliefs, Contest, get_system
from tests.ratings.systems.contract import numbers, rate
from tests.ratings.systems.strategies import contests, steady
from tests.reference import trueskill_spb as plain

SIZE = 10
# Close enough together that the paper's formulas, which the twin uses, lose no digits.
MEANS = st.lists(st.floats(1300.0, 1700.0), min_size=SIZE, max_size=SIZE)
SIGMAS = st.lists(st.floats(80.0, 400.0), min_size=SIZE, max_size=SIZE)
both = pytest.mark.parametrize("own_gaps", [False, True])


def field(means: list[float], sigmas: list[float]) -> Beliefs:
    beliefs = get_system("trueskill-spb").new_beliefs(len(means))
    beliefs.mu[:], beliefs.sigma[:] = means, sigmas
    return beliefs


@both
@given(contest=contests(SIZE, plain=True), means=MEANS, sigmas=SIGMAS)
@steady(60)
def test_every_number_is_that_of_messages_passed_one_by_one(
    own_gaps: bool, contest: Contest, means: list[float], sigmas: list[float]
) -> None:
    known = [(means[player], sigmas[player]) for player in contest.players]
    expected = plain.rate(known, contest.group.tolist(), one_gap=not own_gaps)
    changes = rate(get_system("trueskill-spb", own_gaps=own_gaps), field(means, sigmas), contest)
    np.testing.assert_allclose(np.column_stack([changes.mu, changes.sigma]), expected, atol=1e-3)


@both
@given(contest=contests(SIZE), means=MEANS, sigmas=SIGMAS, seed=st.integers(0, 1000))
@steady(40)
def test_the_order_of_rows_changes_no_bits(
    own_gaps: bool, contest: Contest, means: list[float], sigmas: list[float], seed: int
) -> None:
    order = np.random.default_rng(seed).permutation(len(contest))
    other = Contest(contest.players[order], contest.ranks[order], contest.weight)
    system = get_system("trueskill-spb", own_gaps=own_gaps)
    ours, theirs = (rate(system, field(means, sigmas), each) for each in (contest, other))
    assert numbers(ours)[order].tobytes() == numbers(theirs).tobytes()


@both
def test_parameters_have_the_meaning_of_the_model(own_gaps: bool) -> None:
    values: dict[str, Any] = {"epsilon": 5.0, "beta": 90.0, "tau": 60.0}
    contest = Contest(range(6), [1, 2, 2, 3, 4, 4])
    means, sigmas = [1700.0, 1500.0, 1450.0, 1600.0, 1300.0, 1550.0], [80.0, 350.0, 120.0, 60.0, 200.0, 90.0]
    expected = plain.rate(list(zip(means, sigmas, strict=True)), contest.group.tolist(), one_gap=not own_gaps, **values)
    changes = rate(get_system("trueskill-spb", own_gaps=own_gaps, **values), field(means, sigmas), contest)
    np.testing.assert_allclose(np.column_stack([changes.mu, changes.sigma]), expected, atol=0.02)


@both
def test_weight_divides_the_noise_of_performances(own_gaps: bool) -> None:
    players, ranks = range(30), [1 + number // 2 for number in range(30)]
    heavy, sharp = (get_system("trueskill-spb", own_gaps=own_gaps, beta=beta) for beta in (175.0, 87.5))
    ours = rate(heavy, heavy.new_beliefs(30), Contest(players, ranks, weight=4.0))
    theirs = rate(sharp, sharp.new_beliefs(30), Contest(players, ranks))
    np.testing.assert_allclose(numbers(ours), numbers(theirs), rtol=1e-9)


def test_only_the_option_own_gaps_distinguishes_the_middle_of_a_large_field() -> None:
    contest = Contest(range(501), range(501))
    spread = {}
    for own_gaps in (False, True):
        system = get_system("trueskill-spb", own_gaps=own_gaps)
        changes = rate(system, system.new_beliefs(501), contest)
        assert (np.diff(changes.mu) <= 0.0).all()
        spread[own_gaps] = changes.mu[200] - changes.mu[300]
    assert spread[True] > 50.0 > 1e-6 > spread[False]


@pytest.mark.parametrize("gap", [1e4, 1e6])
@pytest.mark.parametrize("size", [2, 300, 20_000])
def test_own_gaps_saturate_for_every_result(gap: float, size: int) -> None:
    system = get_system("trueskill-spb", own_gaps=True)
    beliefs = system.new_beliefs(size)
    beliefs.mu[: size // 2] += gap
    for order in (range(size, 0, -1), range(size)):
        for tied in (1, 7):
            changes = rate(system, beliefs, Contest(range(size), np.array(order) // (tied if size > 2 else 1)))
            assert np.isfinite(numbers(changes)).all()
            assert (changes.sigma > 0.0).all()


@both
def test_the_next_performance_varies_by_skill_drift_and_noise(own_gaps: bool) -> None:
    model = get_system("trueskill-spb", own_gaps=own_gaps).performance_model(np.array([1500.0]), np.array([100.0]))
    assert model.shape == "normal"
    assert model.location.tolist() == [1500.0]
    assert model.scale[0] == pytest.approx((100.0**2 + 35.0**2 + 175.0**2) ** 0.5)
