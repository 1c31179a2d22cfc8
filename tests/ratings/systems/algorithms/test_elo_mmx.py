"""Elo-MMX compared with the plain reference, by pairs and by running sums, and its own guarantees."""

from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from ratings.systems import Contest, get_system, replay
from ratings.systems.algorithms.elo_mmx import gaussian_performances
from ratings.systems.numerics.truncation import above
from tests.ratings.systems.strategies import contests, elo_mmr_parameters, random_series, series, steady
from tests.reference import elo_mmr
from tests.reference import elo_mmx as twin

# Rating points. The twin is exact to rounding; the fast version interpolates between points.
TOLERANCE = 1e-7

# The number of pairs up to which all of them are summed.
both_ways = pytest.mark.parametrize("pairs", [10**9, 0], ids=["by pairs", "by running sums"])


def summed_up_to(pairs: int) -> Any:
    return patch("ratings.systems.algorithms.elo_mmx._ALL_PAIRS", pairs)


def twin_rows(parameters: dict[str, Any], made: list[Contest]) -> list[list[float]]:
    pool: dict[int, twin.Player] = {}
    rows = []
    for contest in made:
        players = contest.players.tolist()
        performances = twin.rate_round(
            elo_mmr.Parameters(**parameters),
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


def twin_performances(
    contest: Contest, mu: NDArray[np.float64], deviation: NDArray[np.float64], split_ties: bool
) -> list[float]:
    beliefs = contest.ranks.tolist(), mu.tolist(), deviation.tolist()
    return [twin.performance(i, *beliefs, split_ties=split_ties) for i in range(len(contest))]


@both_ways
@steady(60)
@given(parameters=elo_mmr_parameters(with_transfer_speed=False), made=series())
def test_elo_mmx_equals_the_plain_reference(pairs: int, parameters: dict[str, Any], made: list[Contest]) -> None:
    with summed_up_to(pairs):
        history = replay(get_system("elo-mmx", **parameters), made, 12)
    ours = np.column_stack([history.mu, history.sigma, history.performance])
    expected = np.array(twin_rows(parameters, made)).reshape(-1, 3)
    np.testing.assert_allclose(ours, expected, rtol=0, atol=TOLERANCE)


@both_ways
@steady(60)
@given(
    contest=contests(12, plain=True),
    spread=st.sampled_from([300.0, 3e3, 1e5]),
    decades=st.sampled_from([0.2, 2.0, 4.0]),
    split_ties=st.booleans(),
    seed=st.integers(0, 1000),
)
def test_upsets_and_unequal_deviations_equal_the_plain_reference(
    pairs: int, contest: Contest, spread: float, decades: float, split_ties: bool, seed: int
) -> None:
    random = np.random.default_rng(seed)
    mu = random.normal(1500.0, spread, len(contest))
    deviation = 200.0 * 10.0 ** random.uniform(0.0, decades, len(contest))
    with summed_up_to(pairs):
        ours = gaussian_performances(contest, mu, deviation, split_ties=split_ties)
    expected = twin_performances(contest, mu, deviation, split_ties)
    np.testing.assert_allclose(ours, expected, rtol=1e-11, atol=1e-9 * deviation.max())


@pytest.mark.parametrize("split_ties", [False, True])
def test_the_places_of_a_large_field_equal_the_plain_reference(split_ties: bool) -> None:
    contest = random_series(seed=6, n_contests=1, n_players=1200, size=1000)[0]
    random = np.random.default_rng(7)
    mu, deviation = random.normal(1500.0, 300.0, 1000), random.uniform(215.0, 450.0, 1000)
    ours = gaussian_performances(contest, mu, deviation, split_ties=split_ties)
    beliefs = contest.ranks.tolist(), mu.tolist(), deviation.tolist()
    order = np.argsort(contest.ranks, kind="stable")
    for row in order[[0, 1, 250, 500, 750, 998, 999]].tolist():
        assert ours[row] == pytest.approx(twin.performance(row, *beliefs, split_ties=split_ties), rel=0, abs=TOLERANCE)


def test_the_winner_among_ten_thousand_equals_the_plain_reference() -> None:
    # Performances far from everyone, where all depends on small tails.
    size = 10_000
    mu, deviation = np.full(size, 1500.0), np.full(size, 300.0)
    ours = gaussian_performances(Contest(range(size), range(size)), mu, deviation, split_ties=False)
    sums = [1500.0] * size, [300.0] * size
    first = twin.performance(0, range(size), *sums, split_ties=False)
    assert ours[0] == pytest.approx(first, rel=0, abs=TOLERANCE)
    assert ours[-1] == pytest.approx(3000.0 - first, rel=0, abs=TOLERANCE)


def test_running_sums_and_all_pairs_agree_in_a_large_field() -> None:
    made = random_series(seed=6, n_contests=4, n_players=700, size=500)
    with summed_up_to(0):
        by_sums = replay(get_system("elo-mmx"), made, 700)
    with summed_up_to(10**9):
        by_pairs = replay(get_system("elo-mmx"), made, 700)
    assert not np.array_equal(by_sums.performance, by_pairs.performance)
    np.testing.assert_allclose(by_sums.performance, by_pairs.performance, rtol=0, atol=1e-8)


def test_a_gap_of_a_million_rating_points_in_a_large_field_costs_few_evaluations() -> None:
    size = 2_000
    mu = np.where(np.arange(size) < size // 2, 1500.0, 1_001_500.0)
    deviation = np.full(size, 300.0)
    for contest in (Contest(range(size), range(size)), Contest(range(size), range(size, 0, -1))):
        with patch("ratings.systems.algorithms.elo_mmx.above", wraps=above) as tails:
            gaussian_performances(contest, mu, deviation, split_ties=False)
        # With equal spacing, seven thousand points would be needed.
        assert sum(call.args[0].size for call in tails.call_args_list) < 500 * 2 * size


@pytest.mark.parametrize("sigma", [80.0, 350.0])
def test_performances_are_normal_with_the_variances_of_belief_drift_and_noise(sigma: float) -> None:
    # Drift 0.2 * 80^2, noise (1 + 1 / 0.2) 80^2 + 5 / 0.2.
    system = get_system("elo-mmx", drift_per_day=5.0)
    model = system.performance_model(np.array([1700.0]), np.array([sigma]))
    assert model.shape == "normal"
    assert model.location[0] == 1700.0
    assert model.scale[0] ** 2 == pytest.approx(sigma**2 + 1280.0 + 38_400.0 + 25.0, rel=1e-12)
