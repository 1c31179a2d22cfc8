"""The ladder compared with the plain reference, and its own guarantees."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.systems import Contest, History, get_system, replay
from tests.ratings.systems.strategies import random_series, series, steady
from tests.reference import ladder as twin


def positions(history: History) -> list[float]:
    beliefs = history.beliefs
    return sorted((-beliefs.mu[beliefs.count > 0]).tolist())


@steady(200)
@given(made=series(most=12))
def test_the_ladder_equals_the_plain_reference(made: list[Contest]) -> None:
    history = replay(get_system("ladder"), made, 12)
    ladder: twin.Ladder = {}
    rows: twin.Rows = []
    for contest in made:
        rows += twin.rate_round(ladder, contest.players.tolist(), contest.ranks.tolist()) or []
    expected = -np.array(rows, dtype=np.float64).reshape(-1, 2)
    ours = np.column_stack([history.mu_before, history.mu])
    np.testing.assert_allclose(ours, expected, rtol=0, atol=1e-12)
    assert (history.sigma == 1.0).all()


@steady(100)
@given(made=series(most=12, distinct=True))
def test_without_ties_positions_are_a_permutation(made: list[Contest]) -> None:
    history = replay(get_system("ladder"), made, 12)
    assert positions(history) == list(range(1, len(positions(history)) + 1))


@steady(100)
@given(made=series(most=12))
def test_ties_keep_the_sum_of_positions(made: list[Contest]) -> None:
    held = positions(replay(get_system("ladder"), made, 12))
    assert sum(held) == pytest.approx(len(held) * (len(held) + 1) / 2, rel=1e-13)


@steady(100)
@given(made=series(most=12), data=st.data())
def test_the_winner_of_a_duel_never_falls_and_ends_before_the_loser(made: list[Contest], data: st.DataObject) -> None:
    system = get_system("ladder")
    beliefs = replay(system, made, 12).beliefs
    winner, loser = data.draw(st.permutations(range(12)))[:2]
    changes = system.rate_round(beliefs, Contest([loser, winner], [2, 1], day=1e6))
    assert changes is not None
    assert changes.mu[1] >= changes.mu_before[1]
    assert changes.mu[0] <= changes.mu_before[0]
    assert changes.mu[1] > changes.mu[0]
    if changes.mu_before[1] != changes.mu_before[0]:
        assert sorted(changes.mu) == sorted(changes.mu_before)


def after(*made: Contest, n_players: int = 6, **rules: Any) -> list[float]:
    """Positions of all players."""
    return (-replay(get_system("ladder", **rules), made, n_players).beliefs.mu).tolist()


FIRST = Contest(range(6), [1, 2, 3, 4, 5, 6])


@pytest.mark.parametrize(
    ("contest", "expected"),
    [
        pytest.param(Contest([4, 1], [1, 2]), [1, 5, 3, 4, 2, 6], id="the lower one wins: they exchange"),
        pytest.param(Contest([1, 4], [1, 2]), [1, 2, 3, 4, 5, 6], id="the upper one wins: nothing"),
        pytest.param(Contest([1, 4], [1, 1]), [1, 2, 3, 4, 5, 6], id="a draw: nothing"),
        pytest.param(Contest([5, 0, 3], [1, 2, 3]), [4, 2, 3, 6, 5, 1], id="dealt out in the order of finish"),
        pytest.param(Contest([5, 0, 3], [1, 2, 2]), [4, 2, 3, 6, 5, 1], id="tied players keep their order"),
        pytest.param(Contest([5, 0, 3], [1, 1, 2]), [1, 2, 3, 6, 5, 4], id="players tied for first keep it too"),
    ],
)
def test_positions_are_redistributed_in_the_order_of_finish(contest: Contest, expected: list[float]) -> None:
    assert after(FIRST, contest) == expected


def test_newcomers_enter_at_the_bottom_together() -> None:
    history = replay(get_system("ladder"), [Contest([0, 1, 2], [1, 2, 3]), Contest([4, 3, 0], [1, 2, 3])], 5)
    assert history.mu_before[3:].tolist() == [-4.5, -4.5, -1.0]
    assert history.mu[3:].tolist() == [-1.0, -4.0, -5.0]


def test_newcomers_enter_below_the_whole_pool() -> None:
    system = get_system("ladder")
    beliefs = replay(system, [FIRST], 6).beliefs
    left = system.new_beliefs(4)
    left.unpack([0, 1], beliefs.pack([2, 5]))
    changes = system.rate_round(left, Contest([3, 0], [2, 1]))
    assert changes is not None
    assert changes.mu_before.tolist() == [-7.0, -3.0]


def test_newcomers_who_tie_share_a_position_until_they_meet_again() -> None:
    tied = Contest(range(6), [1, 2, 2, 2, 2, 6])
    assert after(tied) == [1, 3.5, 3.5, 3.5, 3.5, 6]
    # Two of the four players who hold places 2 to 5 meet: they take the ends, the others share the rest.
    assert after(tied, Contest([3, 1], [1, 2])) == [1, 5, 3.5, 2, 3.5, 6]
    assert after(tied, Contest([3, 1, 2], [1, 3, 2])) == [1, 5, 3.5, 2, 3.5, 6]
    assert after(tied, Contest([3, 1, 2, 4], [1, 2, 3, 4])) == [1, 3, 4, 2, 5, 6]
    assert after(tied, Contest([3, 1], [1, 2]), Contest([2, 4], [1, 2])) == [1, 5, 3, 2, 4, 6]


def test_odds_follow_from_positions_by_convention() -> None:
    model = get_system("ladder").performance_model(np.array([-1.0, -3.0, -1e9]), np.ones(3))
    odds = np.exp(model.location[0] - model.location[1:])
    np.testing.assert_allclose(odds, [3.0, 1e9], rtol=1e-12)
    assert model.shape == "gumbel"
    assert model.scale.tolist() == [1.0, 1.0, 1.0]


def test_a_long_series_keeps_the_sum_and_moves_only_participants() -> None:
    made = random_series(seed=4, n_contests=200, n_players=60, size=12)
    history = replay(get_system("ladder"), made, 60)
    held = positions(history)
    assert sum(held) == pytest.approx(60 * 61 / 2, rel=1e-13)
    last = {int(player): mu for player, mu in zip(history.player, history.mu, strict=True)}
    assert history.beliefs.mu.tolist() == [last[player] for player in range(60)]


@pytest.mark.parametrize(
    ("contest", "expected"),
    [
        pytest.param(Contest([4, 1], [1, 2]), [1, 3, 4, 5, 2, 6], id="the lower one wins: those between move down"),
        pytest.param(Contest([1, 4], [1, 2]), [1, 2, 3, 4, 5, 6], id="the upper one wins: nothing"),
        pytest.param(Contest([1, 4], [1, 1]), [1, 2, 3, 4, 5, 6], id="a draw: nothing"),
        pytest.param(Contest([6, 2], [1, 2]), [1, 2, 4, 5, 6, 7, 3], id="a newcomer wins"),
        pytest.param(Contest([6, 2], [2, 1]), [1, 2, 3, 4, 5, 6, 7], id="a newcomer loses"),
        pytest.param(Contest([6, 7], [2, 1]), [1, 2, 3, 4, 5, 6, 8, 7], id="two newcomers"),
        pytest.param(Contest([5, 0, 3], [1, 2, 3]), [4, 2, 3, 6, 5, 1], id="three players: dealt out as usual"),
    ],
)
def test_a_winner_can_be_inserted_above_the_loser(contest: Contest, expected: list[float]) -> None:
    assert after(FIRST, contest, n_players=8, on_win="insert")[: len(expected)] == expected


def test_an_inserted_winner_leaves_players_who_share_a_position_equal() -> None:
    tied = Contest(range(6), [1, 2, 2, 2, 5, 6])  # three at position 3
    assert after(tied, Contest([5, 2], [1, 2]), on_win="insert") == [1, 4, 4, 4, 6, 2]
    assert after(tied, Contest([3, 2], [1, 2]), on_win="insert") == [1, 3.5, 3.5, 2, 5, 6]
    assert after(tied, Contest([3, 0], [1, 2]), on_win="insert") == [2, 3.5, 3.5, 1, 5, 6]


@steady(60)
@given(made=series(most=12), idle=st.sampled_from([0.0, 3.0]))
def test_other_rules_keep_the_sum_of_positions_and_ignore_how_players_are_numbered(
    made: list[Contest], idle: float
) -> None:
    system = get_system("ladder", on_win="insert", idle_days=idle, idle_penalty=2.0)
    history = replay(system, made, 12)
    held = positions(history)
    assert sum(held) == pytest.approx(len(held) * (len(held) + 1) / 2, rel=1e-13)
    turned = [Contest(11 - c.players, c.ranks, weight=c.weight, day=c.day) for c in made]
    other = replay(system, turned, 12)
    np.testing.assert_array_equal(other.beliefs.mu[::-1], history.beliefs.mu)
    np.testing.assert_array_equal(other.mu, history.mu)


def test_idle_players_fall_past_active_ones() -> None:
    fourth_plays = [Contest([3, 4], [1, 2], day=day) for day in (5.0, 12.0)]
    rules = {"idle_days": 10.0}
    # On day 12, four players have been idle for one period: each falls a place if an active player is below.
    assert after(FIRST, fourth_plays[0], **rules) == [1, 2, 3, 4, 5, 6]
    assert after(FIRST, *fourth_plays, **rules) == [2, 3, 4, 1, 5, 6]
    assert after(FIRST, *fourth_plays, idle_penalty=2.0, **rules) == [3, 4, 5, 1, 2, 6]
    # The next periods end on day 20 for those who were last active on day 0.
    later = [*fourth_plays, Contest([3, 4], [1, 2], day=19.0), Contest([3, 4], [1, 2], day=21.0)]
    assert after(FIRST, *later[:3], **rules) == after(FIRST, *fourth_plays, **rules)
    assert after(FIRST, *later, **rules) == [3, 4, 5, 1, 2, 6]
    # If all are idle for as long, no one falls.
    assert after(FIRST, Contest([0, 1], [1, 2], day=35.0), **rules) == [1, 2, 3, 4, 5, 6]


def test_equal_players_stay_equal_if_others_fall_past_some_of_them() -> None:
    tied = Contest(range(5), [1, 1, 2, 2, 2])  # newcomers who tie share positions: 1.5 twice, and 4 three times
    active = [Contest([2, 3, 4], [1, 1, 1], day=9.0), Contest([2, 3, 4], [1, 1, 1], day=12.0)]
    # The two fall by two places, past two of the three at position 4, and hold places 3 and 4.
    held = after(tied, *active, n_players=5, idle_days=10.0, idle_penalty=2.0)
    assert held == pytest.approx([3.5, 3.5, 8 / 3, 8 / 3, 8 / 3], rel=1e-15)


def test_the_change_counts_from_the_position_after_the_fall() -> None:
    made = [FIRST, Contest([1, 2], [1, 2], day=8.0), Contest([0, 2], [2, 1], day=11.0)]
    history = replay(get_system("ladder", idle_days=10.0), made, 6)
    assert (-history.mu_before[-2:]).tolist() == [2, 3]
    assert (-history.mu[-2:]).tolist() == [3, 2]
    with pytest.raises(ValueError, match=r"day 1 comes after one of day 8 on the ladder"):
        get_system("ladder", idle_days=10.0).rate_round(
            replay(get_system("ladder"), made[:2], 6).beliefs, Contest([4, 5], [1, 2], day=1.0)
        )


def test_players_challenge_those_within_their_reach() -> None:
    held = np.array([1.0, 2.0, 3.5, 3.5, 5.0, 6.0])
    anyone, near = get_system("ladder"), get_system("ladder", reach=2.0)
    assert anyone.can_challenge(5.0, held).tolist() == [True] * 4 + [False] * 2
    for own, expected in [(1.0, []), (2.0, [0]), (3.5, [0, 1]), (5.0, [2, 3]), (6.0, [2, 3, 4]), (None, [4, 5])]:
        assert np.flatnonzero(near.can_challenge(own, held)).tolist() == expected, own
