"""Theorems 5.2, 5.5, 5.6 and 5.7 of the Elo-MMR paper, on made-up contests."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ratings.systems import Beliefs, Contest, RoundChanges, get_system, replay
from tests.ratings.systems.strategies import contests, elo_mmr_parameters, random_series, series, steady

EXACT = 1e-7  # rating points; the error that the solvers leave
BIG = 600  # enough players for a table instead of all pairs

by_name = pytest.mark.parametrize("name", ["elo-mmr", "elo-mmr-infinity", "elo-mmx"])
memoryless = pytest.mark.parametrize("name", ["elo-mmr-infinity", "elo-mmx"])


def rate(name: str, beliefs: Beliefs, contest: Contest, **parameters: Any) -> RoundChanges:
    changes = get_system(name, **parameters).rate_round(beliefs, contest)
    assert changes is not None
    return changes


def assert_better_places_perform_better(contest: Contest, changes: RoundChanges) -> None:
    order = np.argsort(contest.group, kind="stable")
    steps = np.diff(changes.performance[order])
    next_group = np.diff(contest.group[order]) > 0
    assert (steps[next_group] < 0).all()
    assert (steps[~next_group] == 0).all()


@by_name
@steady(40)
@given(past=series(plain=True), contest=contests(12, plain=True), split_ties=st.booleans())
def test_theorem_5_2_a_better_place_means_a_better_performance(
    name: str, past: list[Contest], contest: Contest, split_ties: bool
) -> None:
    beliefs = replay(get_system(name, split_ties=split_ties), past, 12).beliefs
    later = Contest(contest.players, contest.ranks, day=past[-1].day)
    assert_better_places_perform_better(later, rate(name, beliefs, later, split_ties=split_ties))


@by_name
def test_theorem_5_2_holds_in_a_large_field(name: str) -> None:
    past = random_series(seed=1, n_contests=5, n_players=BIG, size=400)
    beliefs = replay(get_system(name), past, BIG).beliefs
    contest = random_series(seed=2, n_contests=1, n_players=BIG, size=BIG)[0]
    later = Contest(contest.players, contest.ranks, day=past[-1].day)
    assert_better_places_perform_better(later, rate(name, beliefs, later))


def other_players_as_in(history: list[Beliefs], step: int, player: int, held: Beliefs, n_players: int) -> None:
    """Give everyone but one player the beliefs of the true history before a step."""
    others = [number for number in range(n_players) if number != player]
    held.unpack(others, history[step].pack(others))


@by_name
@steady(40)
@given(made=series(n_players=8, least=2, most=6, plain=True, distinct=True), data=st.data())
def test_theorem_5_5_a_better_place_in_the_past_makes_a_better_rating_today(
    name: str, made: list[Contest], data: st.DataObject
) -> None:
    parameters = data.draw(elo_mmr_parameters(with_transfer_speed=name == "elo-mmr"))
    system = get_system(name, **parameters)
    step = data.draw(st.integers(0, len(made) - 1))
    row = data.draw(st.integers(0, len(made[step]) - 1))
    assume(made[step].competition_ranks[row] > 1)
    player = int(made[step].players[row])
    truth = system.new_beliefs(8)
    history = []
    altered = system.new_beliefs(8)
    for number, contest in enumerate(made):
        history.append(system.new_beliefs(8))
        history[-1].unpack(range(8), truth.pack(range(8)))
        # Held fixed: the ratings of all others, as they were, and their relative ranks.
        other_players_as_in(history, number, player, altered, 8)
        system.rate_round(truth, contest)
        ranks = contest.ranks.copy()
        if number == step:
            ranks[row] -= data.draw(st.sampled_from([1.0, 1.5]))  # ties with the next better player, or passes them
        changed = Contest(contest.players, ranks, day=contest.day)
        system.rate_round(altered, changed)
    assert altered.mu[player] > truth.mu[player] + 10 * EXACT


@memoryless
@steady(60)
@given(past=series(n_players=8, plain=True), gap=st.sampled_from([0.0, 1e-3, 40.0, 900.0]), data=st.data())
def test_theorem_5_6_memoryless_ratings_never_cross_without_reason(
    name: str, past: list[Contest], gap: float, data: st.DataObject
) -> None:
    system = get_system(name)
    beliefs = replay(system, past, 8).beliefs
    high, low = 0, 1
    beliefs.sigma[high] = beliefs.sigma[low]
    beliefs.mu[high] = beliefs.mu[low] + gap
    beliefs.count[:], beliefs.last_day[:] = 1, 0.0
    ranks = data.draw(st.permutations(range(8)))
    mu = beliefs.mu.copy()
    changes = rate(name, beliefs, Contest(range(8), ranks, day=past[-1].day))
    assert changes.sigma[high] == changes.sigma[low]
    if ranks[high] < ranks[low]:
        assert changes.mu[high] > changes.mu[low]
    else:
        assert changes.mu[low] - mu[low] > changes.mu[high] - mu[high]


@pytest.mark.parametrize("transfer_speed", [0.04, 1.0, 3.0])
@pytest.mark.parametrize("best", [True, False], ids=["from above", "from below"])
@pytest.mark.parametrize("length", [1, 6, 40])
def test_theorem_5_7_one_contest_moves_a_rating_within_the_bounds(
    transfer_speed: float, best: bool, length: int
) -> None:
    system = get_system("elo-mmr", transfer_speed=transfer_speed)
    held = replay(system, random_series(seed=length, n_contests=length, n_players=6, size=6), 6).beliefs
    memory = held.memory
    assert memory is not None
    # The bounds depend only on the prior before the next contest.
    weight = 0.2
    noise, drift = (1 + 1 / weight) * 80.0**2, weight * 80.0**2
    kappa = held.sigma[0] ** 2 / (held.sigma[0] ** 2 + drift)
    gaussian = kappa * (kappa**transfer_speed * memory.weight[0] + (1 - kappa**transfer_speed) / held.sigma[0] ** 2)
    logistic = 1.0 / (held.sigma[0] ** 2 + drift) - gaussian
    push = math.pi / math.sqrt(3.0 * noise)
    lower, upper = push / (gaussian + math.pi**2 / 6 * logistic), push / gaussian
    before = held.mu[0]
    # An opponent so far away that the performance is practically infinite.
    far = 1e7 if best else -1e7
    held.mu[1] += far
    memory.centre[1] += far
    changes = rate("elo-mmr", held, Contest([0, 1], [1, 2] if best else [2, 1], day=1e3), transfer_speed=transfer_speed)
    moved = changes.mu[0] - before if best else before - changes.mu[0]
    assert lower * (1 - 1e-9) <= moved <= upper * (1 + 1e-9)
