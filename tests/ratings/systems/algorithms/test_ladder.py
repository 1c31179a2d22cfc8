"""The ladder compared with the plain reference, and its own guarantees."""

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


def after(*made: Contest, n_players: int = 6) -> list[float]:
    """Positions of all players."""
    return (-replay(get_system("ladder"), made, n_players).beliefs.mu).tolist()


FIRST = Contest(range(6), [1, 2, 3, 4, 5, 6])


@pytest.mark.parametrize(
    ("contest", "expected"),
    [
        pytest.param(Contest([4, 1], [1, 2]), [1, 5, 3, 4, 2, 6], id="the lower one wins: they exchange"),
        pytest.param(Contest([1, 4], [1, 2]), [1, 2, 3, 4, 5, 6], id="the upper one wins: nothing"),
        pytest.param(Contest([1, 4], [1, 1]), [1, 2, 3, 4, 5, 6], id="a draw: nothing"),
        pytest.param(Contest([5, 0, 3], [1, 2, 3]), [4, 2, 3, 6, 5, 1], id="dealt out in the order of finish"),
        pytest.param(Contest([5, 0, 3], [1, 2, 2]), [4, 2, 3, 6, 5, 1], id="who tie keep their order"),
        pytest.param(Contest([5, 0, 3], [1, 1, 2]), [1, 2, 3, 6, 5, 4], id="who tie in front keep it too"),
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
