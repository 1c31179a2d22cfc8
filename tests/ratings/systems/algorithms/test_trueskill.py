"""TrueSkill compared with its calculator and with plain message passing, including edge cases of teams and draws."""

import math
from typing import Any, TypeAlias

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ratings.systems import Beliefs, Contest, RoundChanges, get_system
from ratings.systems.contest import Entrants
from tests.ratings.systems.contract import numbers, rate
from tests.ratings.systems.strategies import steady
from tests.reference import trueskill as plain

Beliefs3: TypeAlias = st.SearchStrategy[tuple[float, float, float]]
BELIEFS = st.tuples(st.floats(5.0, 45.0), st.floats(0.8, 9.0), st.sampled_from([1.0, 1.0, 1.0, 0.5, 0.1]))
# Close enough together that the paper's formulas, which the twin uses, lose no digits.
CLOSE = st.tuples(st.floats(20.0, 30.0), st.floats(2.0, 9.0), st.sampled_from([1.0, 1.0, 1.0, 0.5]))
Sides = list[list[tuple[float, float, float]]]


@st.composite
def games(draw: st.DrawFn, most: int = 6, beliefs: Beliefs3 = BELIEFS, members: int = 4) -> tuple[Sides, list[int]]:
    """Sides of players (mean, deviation, share of play), and their places."""
    sides = draw(st.lists(st.lists(beliefs, min_size=1, max_size=members), min_size=2, max_size=most))
    places = st.lists(st.integers(1, len(sides)), min_size=len(sides), max_size=len(sides))
    return sides, draw(places)


def made(sides: Sides, ranks: list[int], **more: Any) -> tuple[Beliefs, Contest]:
    """Beliefs about all players, numbered from the first side to the last, and their contest."""
    rows = [(*player, number) for number, side in enumerate(sides) for player in side]
    beliefs = get_system("trueskill").new_beliefs(len(rows))
    beliefs.mu[:], beliefs.sigma[:] = [row[0] for row in rows], [row[1] for row in rows]
    teams = [row[3] for row in rows]
    play = None if all(row[2] == 1.0 for row in rows) else [row[2] for row in rows]
    return beliefs, Contest(range(len(rows)), [ranks[team] for team in teams], teams=teams, play=play, **more)


def newcomers(sizes: list[int], ranks: list[int]) -> RoundChanges:
    system = get_system("trueskill")
    entry = np.repeat(np.arange(len(sizes)), sizes)
    contest = Contest(range(len(entry)), np.array(ranks)[entry], teams=entry)
    return rate(system, system.new_beliefs(len(entry)), contest)


# The numbers of Microsoft's TrueSkill calculator for newcomers, three decimals
@pytest.mark.parametrize(
    ("sizes", "ranks", "mu", "sigma"),
    [
        ([1, 1], [1, 2], [29.396, 20.604], [7.171, 7.171]),
        ([1, 1, 1], [1, 2, 3], [31.675, 25.000, 18.325], [6.656, 6.208, 6.656]),
        ([1] * 4, [1, 2, 3, 4], [33.207, 27.401, 22.599, 16.793], [6.348, 5.787, 5.787, 6.348]),
        (
            [1] * 8,
            [1, 2, 3, 4, 5, 6, 7, 8],
            [36.771, 32.242, 29.074, 26.322, 23.678, 20.926, 17.758, 13.229],
            [5.749, 5.133, 4.943, 4.874, 4.874, 4.943, 5.133, 5.749],
        ),
        ([2, 2], [1, 2], [28.108, 28.108, 21.892, 21.892], [7.774] * 4),
        ([4, 4], [1, 2], [27.198] * 4 + [22.802] * 4, [8.059] * 8),
    ],
)
def test_newcomers_get_the_numbers_of_the_published_calculator(
    sizes: list[int], ranks: list[int], mu: list[float], sigma: list[float]
) -> None:
    changes = newcomers(sizes, ranks)
    np.testing.assert_allclose(changes.mu, mu, atol=6e-4)
    np.testing.assert_allclose(changes.sigma, sigma, atol=6e-4)


@given(game=games(beliefs=CLOSE, members=2), draw_probability=st.sampled_from([0.02, 0.1, 0.5]))
@example(game=([[(20.0, 2.0, 0.5)], [(20.0, 3.0, 0.5)], [(20.0, 3.0, 0.5)]], [1, 1, 1]), draw_probability=0.1)
@steady(80)
def test_every_number_is_that_of_messages_passed_one_by_one(
    game: tuple[Sides, list[int]], draw_probability: float
) -> None:
    sides, ranks = game
    system = get_system("trueskill", draw_probability=draw_probability)
    changes = rate(system, *made(sides, ranks))
    teams = [[plain.Player(*player) for player in side] for side in sides]
    expected = plain.rate(teams, ranks, plain.Parameters(draw_probability=draw_probability))
    np.testing.assert_allclose(changes.mu, [player.mu for team in expected for player in team], atol=1e-6)
    np.testing.assert_allclose(changes.sigma, [player.sigma for team in expected for player in team], atol=1e-6)


@given(game=games(most=2))
@steady(60)
def test_a_small_game_of_two_sides_equals_the_chain(game: tuple[Sides, list[int]]) -> None:
    system = get_system("trueskill")
    beliefs, contest = made(*game)
    chain = system._rate(Entrants(beliefs.copy(), contest))
    small = rate(system, beliefs, contest)
    np.testing.assert_allclose(numbers(small), numbers(chain), rtol=1e-9)


@given(game=games(), seed=st.integers(0, 1000))
@steady(60)
def test_neither_the_order_of_rows_nor_labels_change_bits(game: tuple[Sides, list[int]], seed: int) -> None:
    system = get_system("trueskill")
    beliefs, contest = made(*game)
    assert contest.teams is not None
    order = np.random.default_rng(seed).permutation(len(contest))
    labels = [f"team {-int(str(contest.teams[row]))}" for row in order]
    play = None if contest.play is None else contest.play[order]
    other = Contest(contest.players[order], contest.ranks[order], teams=labels, play=play)
    ours, theirs = rate(system, beliefs.copy(), contest), rate(system, beliefs, other)
    assert numbers(ours)[order].tobytes() == numbers(theirs).tobytes()


def test_equal_entries_that_tie_get_the_same_change() -> None:
    changes = newcomers([2, 1, 2, 2, 1, 2], [1, 2, 2, 2, 2, 3])
    of = changes.mu
    assert len({*of[3:7].tolist()}) == 1
    assert of[2] == of[7]
    assert of[0] > of[3] > of[8]


# Draw margins


@pytest.mark.parametrize("ranks", [[1, 2, 2], [1, 1, 2], [1, 2, 2, 2, 3]])
def test_without_draws_a_tie_means_the_same_performance(ranks: list[int]) -> None:
    sides: Sides = [[(20.0 + 3.0 * number, 5.0, 1.0)] for number in range(len(ranks))]
    never = rate(get_system("trueskill", draw_probability=0.0), *made(sides, ranks))
    hardly = rate(get_system("trueskill", draw_probability=1e-5), *made(sides, ranks))
    np.testing.assert_allclose(never.mu, hardly.mu, atol=1e-3)
    np.testing.assert_allclose(never.sigma, hardly.sigma, atol=1e-3)
    assert (never.sigma > 0).all()


def test_larger_teams_have_a_wider_draw_margin() -> None:
    """At equal total uncertainty, a large team's win therefore says more about the sums of skills than one player's."""
    many = newcomers([8, 8], [1, 2])
    total = 16 * ((25 / 3) ** 2 + (25 / 300) ** 2 + (25 / 6) ** 2)
    margin = 0.1256613468550741 * 4.0 * 25 / 6  # the normal quantile of 0.55
    t = -margin / math.sqrt(total)
    shift = math.exp(-t * t / 2) / math.sqrt(2 * math.pi) / (0.5 * math.erfc(-t / math.sqrt(2)))
    expected = 25 + ((25 / 3) ** 2 + (25 / 300) ** 2) / math.sqrt(total) * shift
    assert many.mu[0] == pytest.approx(expected, rel=1e-9)


# Partial play and weight


@pytest.mark.parametrize("others", [[], [[(25.0, 4.0, 1.0)]]])
def test_a_player_who_did_not_play_only_drifts(others: Sides) -> None:
    sides: Sides = [[(30.0, 5.0, 1.0), (20.0, 6.0, 0.0)], [(25.0, 4.0, 1.0)], *others]
    changes = rate(get_system("trueskill"), *made(sides, [1, 2, 3][: len(sides)]))
    assert changes.mu[1] == 20.0
    assert changes.sigma[1] == pytest.approx(math.hypot(6.0, 25 / 300), rel=1e-14)
    assert changes.mu[0] > 30.0


@pytest.mark.parametrize("size", [2, 3])
def test_a_contest_that_no_one_played_moves_no_one(size: int) -> None:
    sides: Sides = [[(25.0 + number, 5.0, 0.0)] for number in range(size)]
    changes = rate(get_system("trueskill"), *made(sides, list(range(size))))
    np.testing.assert_array_equal(changes.mu, changes.mu_before)
    np.testing.assert_allclose(changes.sigma, math.hypot(5.0, 25 / 300), rtol=1e-9)


@given(game=games(most=4))
@steady(30)
def test_weight_divides_the_noise_of_performances(game: tuple[Sides, list[int]]) -> None:
    heavy = rate(get_system("trueskill"), *made(*game, weight=4.0))
    sharp = rate(get_system("trueskill", beta=25 / 12), *made(*game))
    np.testing.assert_allclose(numbers(heavy), numbers(sharp), rtol=1e-9)


def test_the_next_performance_varies_by_skill_drift_and_noise() -> None:
    model = get_system("trueskill").performance_model(np.array([25.0]), np.array([3.0]))
    assert model.shape == "normal"
    assert model.location.tolist() == [25.0]
    assert model.scale[0] == pytest.approx(math.sqrt(9.0 + (25 / 300) ** 2 + (25 / 6) ** 2))


def test_closed_form_and_arrays_agree_on_both_sides_of_the_size_limit() -> None:
    few, many = newcomers([32, 32], [1, 2]), newcomers([33, 33], [1, 2])
    assert few.mu[0] - 25.0 == pytest.approx((many.mu[0] - 25.0) * math.sqrt(33 / 32), rel=1e-9)


@pytest.mark.parametrize("sides", [[[0], [1]], [[0, 2], [1]], [[0], [1], [2, 3]]])
def test_each_day_without_a_contest_adds_to_the_variance(sides: list[list[int]]) -> None:
    drift, tau = 0.4, 0.5
    system, random = get_system("trueskill", drift_per_day=drift, tau=tau), np.random.default_rng(2)
    beliefs = system.new_beliefs(4)
    beliefs.mu[:], beliefs.sigma[:] = random.normal(25, 4, 4), (2.0, 3.0, 8.2, 9.0)
    beliefs.count[:], beliefs.last_day[:] = (3, 5, 2, 1), (10.0, 12.5, 0.0, 0.0)
    rows = [(player, place) for place, side in enumerate(sides) for player in side]
    contest = Contest([row[0] for row in rows], [row[1] for row in rows], teams=[row[1] for row in rows], day=20.0)
    grown = beliefs.copy()
    # 10 days, and 7.5; the third player reaches a newcomer's 25/3; the fourth was already above that.
    grown.sigma[:] = math.sqrt(4.0 + 10 * drift), math.sqrt(9.0 + 7.5 * drift), 25 / 3, 9.0
    expected = rate(get_system("trueskill", tau=tau), grown, contest)
    ours = rate(system, beliefs, contest)
    np.testing.assert_allclose([ours.mu, ours.sigma], [expected.mu, expected.sigma], rtol=1e-12)
    np.testing.assert_array_equal(ours.sigma_before, np.array([2.0, 3.0, 8.2, 9.0])[contest.players])
    assert system.sigma_drifted(Entrants(beliefs, Contest([0, 1], [1, 2], day=30.0))).shape == (2,)
    assert system.depends_on_activity
    assert not get_system("trueskill").depends_on_activity
