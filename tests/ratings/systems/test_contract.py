"""The contract of all rating systems."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from ratings.systems import SYSTEMS, Contest, get_system, replay
from tests.ratings.systems.contract import (
    NUMBERS,
    every_system,
    every_system_that_scales,
    every_system_that_shifts,
    held_for,
    numbers,
    rate,
    rated_by,
)
from tests.ratings.systems.strategies import contests, random_series, series, steady


def reordered(contest: Contest, order: NDArray[np.intp]) -> Contest:
    return Contest(contest.players[order], contest.ranks[order], contest.weight, contest.perf_ceiling, contest.day)


# Same numbers for any order of rows, numbering and pool, and however contests arrive


@every_system
@steady(40)
@given(made=series(), seed=st.integers(0, 1000))
def test_the_order_of_rows_changes_no_bits(name: str, made: list[Contest], seed: int) -> None:
    random = np.random.default_rng(seed)
    system = get_system(name)
    ours, theirs = system.new_beliefs(12), system.new_beliefs(12)
    for contest in made:
        order = random.permutation(len(contest))
        changes, others = system.rate_round(ours, contest), system.rate_round(theirs, reordered(contest, order))
        if changes is not None:
            assert numbers(changes)[order].tobytes() == numbers(others).tobytes()
    assert ours.pack(range(12)) == theirs.pack(range(12))


@every_system
@steady(40)
@given(made=series(), seed=st.integers(0, 1000))
def test_rating_one_contest_from_packed_beliefs_gives_the_same_bits_as_a_replay(
    name: str, made: list[Contest], seed: int
) -> None:
    random = np.random.default_rng(seed)
    system = get_system(name)
    history = replay(system, made, 12)
    stored: dict[int, bytes] = {}
    rows = []
    for contest in made:
        held = held_for(system, contest, stored)
        places = random.permutation(len(held) + 3)[: len(held)]
        beliefs = system.new_beliefs(len(held) + 3)
        known = [row for row, player in enumerate(held) if player in stored]
        beliefs.unpack(places[known], [stored[held[row]] for row in known])
        alone = Contest(places[: len(contest)], contest.ranks, contest.weight, contest.perf_ceiling, contest.day)
        changes = system.rate_round(beliefs, alone)
        if changes is not None:
            rows.append(numbers(changes))
            stored.update(zip(held, beliefs.pack(places), strict=True))
    appended = np.concatenate(rows) if rows else np.empty((0, len(NUMBERS)))
    assert appended.tobytes() == numbers(history).tobytes()
    assert history.beliefs.pack(list(stored)) == list(stored.values())


@every_system
@pytest.mark.parametrize("games", [False, True], ids=["contests of 15", "two-player games and contests"])
def test_a_long_series_appended_has_the_same_bits_as_a_replay(name: str, games: bool) -> None:
    made = random_series(seed=1, n_contests=120, n_players=40, size=15)
    if games:  # enough for Elo-MMR to fold old performances
        made = random_series(seed=1, n_contests=300, n_players=6, size=2)
        made[9::20] = random_series(seed=2, n_contests=300, n_players=6, size=5)[9::20]
    system = get_system(name)
    history = replay(system, made, 40)
    newcomers = system.new_beliefs(40).pack(range(40))
    stored: dict[int, bytes] = {}
    rows = []
    for contest in made:
        held = held_for(system, contest, stored)
        beliefs = system.new_beliefs(len(held))
        beliefs.unpack(range(len(held)), [stored.get(player, newcomers[player]) for player in held])
        changes = rate(system, beliefs, Contest(range(len(contest)), contest.ranks, day=contest.day))
        rows.append(numbers(changes))
        stored.update(zip(held, beliefs.pack(range(len(held))), strict=True))
    packed = [stored.get(player, newcomers[player]) for player in range(40)]
    assert np.concatenate(rows).tobytes() == numbers(history).tobytes()
    assert history.beliefs.pack(range(40)) == packed


@every_system
def test_a_replay_has_one_row_for_each_rated_participation_in_the_order_of_the_input(name: str) -> None:
    made = [Contest([4, 1, 3], [2, 1, 2]), Contest([0], [1]), Contest([1, 0], [7, 3])]
    history = replay(get_system(name), iter(made), 5)
    assert history.contest.tolist() == [0, 0, 0, 2, 2]
    assert history.player.tolist() == [4, 1, 3, 1, 0]
    assert history.rank.tolist() == [2, 1, 2, 2, 1]
    assert history.field.tolist() == [3, 3, 3, 2, 2]
    assert history.mu_before[3] == history.mu[1]
    assert history.sigma_before[3] == history.sigma[1]
    assert history.beliefs.count.tolist() == [1, 2, 0, 1, 1]
    assert history.beliefs.mu[[1, 0]].tolist() == history.mu[3:].tolist()
    assert history.skipped == 1


# What may and may not matter


@every_system
@steady(30)
@given(made=series())
def test_only_order_and_equality_of_ranks_count(name: str, made: list[Contest]) -> None:
    system = get_system(name)
    sparse = [Contest(c.players, 2.5 * c.ranks**3 - 7, c.weight, c.perf_ceiling, c.day) for c in made]
    assert numbers(replay(system, sparse, 12)).tobytes() == numbers(replay(system, made, 12)).tobytes()


@every_system_that_shifts
@steady(30)
@given(made=series(plain=True), shift=st.sampled_from([-1500.0, 0.25, 3000.0]))
def test_a_shift_of_all_ratings_shifts_all_results(name: str, made: list[Contest], shift: float) -> None:
    base = get_system(name)
    moved = get_system(name, mu_noob=base.parameters()["mu_noob"] + shift)
    ours, theirs = replay(base, made, 12), replay(moved, made, 12)
    for column in ("mu_before", "mu", "performance"):
        moves = column != "performance" or ours.performance.any()  # 0 where a system has none
        np.testing.assert_allclose(getattr(theirs, column), getattr(ours, column) + moves * shift, rtol=0, atol=1e-7)
    np.testing.assert_allclose(theirs.sigma, ours.sigma, rtol=1e-12)


@every_system_that_scales
@steady(30)
@given(made=series(plain=True), factor=st.sampled_from([0.01, 3.0, 250.0]))
def test_scaling_all_parameters_in_rating_points_scales_all_results(
    name: str, made: list[Contest], factor: float
) -> None:
    power = {"rating points": 1, "rating points squared per day": 2}
    has_drift = any(parameter.name == "drift_per_day" for parameter in SYSTEMS[name].PARAMETERS)
    base = get_system(name, **({"drift_per_day": 20.0} if has_drift else {}))
    scaled = {
        parameter.name: base.parameters()[parameter.name] * factor ** power[parameter.unit]
        for parameter in base.PARAMETERS
        if parameter.unit in power
    }
    ours, theirs = replay(base, made, 12), replay(get_system(name, **scaled), made, 12)
    for column in ("mu", "sigma", "performance"):
        np.testing.assert_allclose(getattr(theirs, column), factor * getattr(ours, column), rtol=1e-9, atol=1e-9)


@every_system
@steady(30)
@given(contest=contests(10, plain=True))
def test_newcomers_who_tie_get_the_same_and_a_better_place_gets_more(name: str, contest: Contest) -> None:
    system = get_system(name)
    changes = system.rate_round(system.new_beliefs(10), contest)
    if changes is None:
        return
    by_group: dict[int, set[float]] = {}
    for group, mu in zip(contest.group.tolist(), changes.mu.tolist(), strict=True):
        by_group.setdefault(group, set()).add(mu)
    assert all(len(values) == 1 for values in by_group.values())
    in_order = [by_group[group].pop() for group in sorted(by_group)]
    assert in_order == sorted(in_order, reverse=True)
    assert len(set(in_order)) == len(in_order)


@every_system
@steady(20)
@given(made=series())
def test_rating_does_not_change_contests(name: str, made: list[Contest]) -> None:
    before = [(c.players.tobytes(), c.ranks.tobytes(), c.group.tobytes(), c.weight, c.day) for c in made]
    replay(get_system(name), made, 12)
    assert before == [(c.players.tobytes(), c.ranks.tobytes(), c.group.tobytes(), c.weight, c.day) for c in made]


@every_system
@pytest.mark.parametrize("contest", [Contest([1], [1], day=9.0), Contest([], [])])
def test_a_contest_of_fewer_than_two_entries_changes_nothing(name: str, contest: Contest) -> None:
    system, beliefs = rated_by(name, random_series(seed=2, n_contests=3, n_players=3, size=2), 3)
    before = beliefs.pack(range(3))
    assert system.rate_round(beliefs, contest) is None
    assert beliefs.pack(range(3)) == before
    assert len(replay(system, [contest], 3)) == 0


@every_system
def test_players_who_do_not_take_part_keep_their_beliefs(name: str) -> None:
    system, beliefs = rated_by(name, random_series(seed=3, n_contests=9, n_players=6, size=4), 6)
    before = beliefs.pack(range(6))
    rate(system, beliefs, Contest([5, 2], [1, 2], day=20.0))
    after = beliefs.pack(range(6))
    assert [player for player in range(6) if before[player] != after[player]] == [2, 5]
