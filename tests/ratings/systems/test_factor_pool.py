"""Rows of factors: their location and the other rows in a sum change no bits."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ratings.systems.algorithms.elo_mmr_inference import sum_factors
from ratings.systems.beliefs import FIELDS, FactorPool
from tests.ratings.systems.strategies import steady


def sums_of(factors: np.ndarray, points: np.ndarray) -> np.ndarray:
    sums, buffers = np.empty((3, len(points))), np.empty((3, factors[0].size))
    sum_factors(points, factors, buffers, sums)
    return sums


@steady(60)
@given(width=st.integers(1, 90), zeros=st.integers(0, 40), company=st.integers(1, 20), seed=st.integers(0, 10**6))
def test_a_row_has_the_same_sums_alone_with_others_and_padded(width: int, zeros: int, company: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    rows = random.uniform(0.001, 1.0, (FIELDS, width + zeros, company))
    rows[:, width:, 0] = 0.0
    points = random.uniform(-3.0, 3.0, company)
    alone = sums_of(np.ascontiguousarray(rows[:, :width, :1]), points[:1])
    assert alone[:, 0].tobytes() == sums_of(rows, points)[:, 0].tobytes()


@steady(60)
@given(rounds=st.lists(st.lists(st.integers(0, 5), min_size=1, unique=True), min_size=1, max_size=80), data=st.data())
def test_rows_keep_their_factors_when_they_grow_move_and_shrink(rounds: list[list[int]], data: st.DataObject) -> None:
    pool = FactorPool(6)
    expected: list[list[float]] = [[] for _ in range(6)]
    for number, players in enumerate(rounds):
        values = np.array([number + 0.1 * player for player in players])
        if number % 2:
            pool.append(np.array(players), np.array([values, 2 * values, 3 * values]))
        else:
            for player, value in zip(players, values.tolist(), strict=True):
                pool.append_one(player, value, 2 * value, 3 * value)
        for player, value in zip(players, values.tolist(), strict=True):
            expected[player].append(value)
        if number % 7 == 6:
            player = players[0]
            kept = expected[player][data.draw(st.integers(0, len(expected[player]))) :]
            column = np.array([kept, [2 * v for v in kept], [3 * v for v in kept]])[:, :, None]
            pool.replace(np.array([player]), column, np.array([len(kept)]))
            expected[player] = kept
        elif number % 7 == 3 and len(expected[players[0]]) > 1:
            dropped = data.draw(st.integers(1, len(expected[players[0]])))
            pool.drop_oldest(players[0], dropped)
            expected[players[0]] = expected[players[0]][dropped:]
    for player in range(6):
        np.testing.assert_array_equal(pool.rows(player), [[k * v for v in expected[player]] for k in (1, 2, 3)])
    present = np.array([player for player in range(6) if expected[player]], dtype=np.int64)
    seen = []
    for positions, block in pool.rectangles(present):
        for position, row in zip(positions, block.transpose(2, 0, 1), strict=True):
            wanted = expected[present[position]]
            np.testing.assert_array_equal(row[0], wanted + [0.0] * (row.shape[1] - len(wanted)))
            seen.append(position)
    assert sorted(seen) == list(range(len(present)))
