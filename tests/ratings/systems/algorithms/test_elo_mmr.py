"""Elo-MMR compared with the plain reference, and its own guarantees."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.systems import Contest, get_system, replay
from ratings.systems.beliefs import Beliefs
from tests.ratings.systems.strategies import elo_mmr_parameters, random_series, series, steady
from tests.reference import elo_mmr as twin

# Rating points. The twin is exact to rounding; the fast version stops Newton early and folds old factors.
TOLERANCE = 1e-7


def twin_rows(parameters: dict[str, Any], made: list[Contest], *, memoryless: bool) -> list[list[float]]:
    pool: dict[int, twin.Player] = {}
    rows = []
    for contest in made:
        players = contest.players.tolist()
        performances = twin.rate_round(
            twin.Parameters(**parameters, memoryless=memoryless),
            pool,
            players,
            contest.ranks.tolist(),
            weight=contest.weight,
            perf_ceiling=contest.perf_ceiling,
            day=contest.day,
        )
        for player, performance in zip(players, performances or [], strict=performances is not None):
            rows.append([pool[player].mu, pool[player].sigma, performance])
    return rows


@steady(60)
@given(parameters=elo_mmr_parameters(), made=series())
def test_elo_mmr_equals_the_plain_reference(parameters: dict[str, Any], made: list[Contest]) -> None:
    history = replay(get_system("elo-mmr", **parameters), made, 12)
    ours = np.column_stack([history.mu, history.sigma, history.performance])
    expected = np.array(twin_rows(parameters, made, memoryless=False)).reshape(-1, 3)
    np.testing.assert_allclose(ours, expected, rtol=0, atol=TOLERANCE)


@steady(40)
@given(parameters=elo_mmr_parameters(with_transfer_speed=False), made=series())
def test_elo_mmr_infinity_equals_the_plain_reference(parameters: dict[str, Any], made: list[Contest]) -> None:
    history = replay(get_system("elo-mmr-infinity", **parameters), made, 12)
    ours = np.column_stack([history.mu, history.sigma, history.performance])
    expected = np.array(twin_rows(parameters, made, memoryless=True)).reshape(-1, 3)
    np.testing.assert_allclose(ours, expected, rtol=0, atol=TOLERANCE)


@pytest.mark.parametrize("transfer_speed", [0.04, 1.0])
def test_folding_old_factors_moves_no_mean_by_a_millionth(transfer_speed: float) -> None:
    made = random_series(seed=5, n_contests=200, n_players=4, size=3)
    system = get_system("elo-mmr", transfer_speed=transfer_speed)
    history = replay(system, made, 4)
    assert history.beliefs.memory is not None
    assert history.beliefs.memory.factors.length.max() < history.beliefs.count.max()
    expected = twin_rows({"transfer_speed": transfer_speed}, made, memoryless=False)
    np.testing.assert_allclose(history.mu, [row[0] for row in expected], rtol=0, atol=1e-7)


def test_factors_are_forgotten_before_they_underflow() -> None:
    # Each contest multiplies all past weights by a hundred-millionth: they are 1e-320 after forty.
    made = random_series(seed=5, n_contests=60, n_players=4, size=3)
    history = replay(get_system("elo-mmr", transfer_speed=100.0), made, 4)
    expected = twin_rows({"transfer_speed": 100.0}, made, memoryless=False)
    np.testing.assert_allclose(history.mu, [row[0] for row in expected], rtol=0, atol=1e-7)


def test_the_table_agrees_with_all_pairs_in_a_large_field(monkeypatch: pytest.MonkeyPatch) -> None:
    made = random_series(seed=6, n_contests=4, n_players=700, size=500)
    by_table = replay(get_system("elo-mmr"), made, 700)
    monkeypatch.setattr("ratings.systems.algorithms.elo_mmr_inference._ALL_PAIRS", 10**9)
    by_pairs = replay(get_system("elo-mmr"), made, 700)
    assert not np.array_equal(by_table.performance, by_pairs.performance)
    np.testing.assert_allclose(by_table.performance, by_pairs.performance, rtol=0, atol=1e-7)


def deep_beliefs(made: list[Contest], n_players: int) -> Beliefs:
    return replay(get_system("elo-mmr"), made, n_players).beliefs


@steady(40)
@given(cut=st.integers(1, 49), seed=st.integers(0, 3))
def test_packing_and_unpacking_a_memory_keeps_every_number(cut: int, seed: int) -> None:
    beliefs = deep_beliefs(random_series(seed, n_contests=cut, n_players=6, size=4), 6)
    packed = beliefs.pack(range(6))
    other = get_system("elo-mmr").new_beliefs(9)
    places = [8, 0, 3, 1, 7, 2]
    other.unpack(places, packed)
    assert other.pack(places) == packed
