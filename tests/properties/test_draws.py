"""A contest that ends in a tie of all players is evidence like any other: it brings their ratings closer together."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.systems import SYSTEMS, Contest, get_system, replay
from tests.ratings.systems.contract import every_system, rate
from tests.ratings.systems.strategies import random_series, series, steady

# Final mean of player 0 after a win, a draw and a loss, from an independent implementation.
FIGURES = {
    "elo-mmr": [1746.3, 1504.1, 1486.5],
    "elo-mmr-infinity": [1778.6, 1201.4, 1104.5],
    "elo-mmx": [1804.2, 1470.2, 1412.9],
}
# On the ladder, a draw between two players leaves both where they are, and so does a win of the upper one.
STRICT = [name for name in SYSTEMS if name != "ladder"]


@pytest.mark.parametrize("name", FIGURES)
def test_a_draw_of_a_newcomer_with_the_last_player_matches_an_independent_implementation(name: str) -> None:
    earlier = [Contest(range(1, 12), range(11), day=float(day)) for day in range(30)]
    last = Contest(range(11), range(11), day=41.0)
    found = []
    for ranks in ([1, 2], [1, 1], [2, 1]):
        history = replay(get_system(name), [*earlier, Contest([0, 11], ranks, day=40.0), last], 12)
        found.append(float(history.beliefs.mu[0]))
    assert found == pytest.approx(FIGURES[name], abs=0.05)


@pytest.mark.parametrize("name", STRICT)
@steady(40)
@given(past=series(n_players=4, plain=True), draw_from=st.sampled_from([0, 1]))
def test_a_draw_is_worth_more_than_a_loss_and_less_than_a_win(name: str, past: list[Contest], draw_from: int) -> None:
    system = get_system(name)
    before = replay(system, past, 4).beliefs
    day = past[-1].day
    loss, draw, win = (
        rate(system, before.copy(), Contest([0, 1], ranks, day=day)).mu[0] for ranks in ([2, 1], [1, 1], [1, 2])
    )
    assert loss < draw < win


@every_system
@pytest.mark.parametrize("size", [2, 3, 10, 400])
def test_all_newcomers_who_tie_stay_equal(name: str, size: int) -> None:
    system = get_system(name)
    beliefs = system.new_beliefs(size)
    changes = rate(system, beliefs, Contest(range(size), np.ones(size)))
    assert len({*changes.mu.tolist()}) == len({*changes.sigma.tolist()}) == len({*changes.performance.tolist()}) == 1
    # In every system, including Codeforces with its defaults: equal players who tie performed as expected.
    assert changes.mu[0] == pytest.approx(changes.mu_before[0], abs=1e-6)
    assert (beliefs.count == 1).all()
    assert (changes.rank == 1).all()
    assert (changes.field == size).all()


@pytest.mark.parametrize("name", STRICT)
@pytest.mark.parametrize("size", [2, 5, 300])
def test_a_tie_of_all_players_pulls_the_best_down_and_the_last_up(name: str, size: int) -> None:
    system = get_system(name)
    past = random_series(seed=size, n_contests=12, n_players=size, size=size)
    beliefs = replay(system, past, size).beliefs
    best, last = int(beliefs.mu.argmax()), int(beliefs.mu.argmin())
    changes = rate(system, beliefs, Contest(range(size), np.ones(size), day=past[-1].day))
    assert np.isfinite(changes.mu).all()
    assert np.isfinite(changes.sigma).all()
    assert changes.mu[best] < changes.mu_before[best]
    assert changes.mu[last] > changes.mu_before[last]


@every_system
@pytest.mark.parametrize("gap", [1e3, 1e6])
@pytest.mark.parametrize("size", [2, 3, 30])
def test_a_tie_across_a_huge_gap_gives_finite_numbers(name: str, gap: float, size: int) -> None:
    system = get_system(name)
    beliefs = replay(system, random_series(seed=1, n_contests=3, n_players=size, size=size), size).beliefs
    beliefs.mu[0] += gap
    if beliefs.memory is not None:
        beliefs.memory.centre[0] += gap
    changes = rate(system, beliefs, Contest(range(size), np.ones(size), day=9.0))
    for column in (changes.mu, changes.sigma, changes.performance):
        assert np.isfinite(column).all()
    assert (changes.sigma > 0).all()


def test_a_tied_contest_moves_no_one_on_the_ladder_and_adds_newcomers_at_the_bottom() -> None:
    system = get_system("ladder")
    beliefs = replay(system, [Contest([0, 1, 2], [1, 2, 3])], 4).beliefs
    changes = rate(system, beliefs, Contest([3, 2, 0], [1, 1, 1]))
    assert changes.mu.tolist() == [-4.0, -3.0, -1.0]
    assert beliefs.mu.tolist() == [-1.0, -2.0, -3.0, -4.0]
