"""Balanced teams, compared with all divisions."""

from collections.abc import Iterator
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.systems import Beliefs, balance_teams, get_system, match_quality
from ratings.systems.matchmaking import teams as module
from tests.ratings.systems.strategies import steady

TRUESKILL = get_system("trueskill")


def pool(name: str, means: list[float], sigmas: list[float] | None = None) -> Beliefs:
    beliefs = get_system(name).new_beliefs(len(means))
    beliefs.mu[:] = means
    if sigmas is not None:
        beliefs.sigma[:] = sigmas
    return beliefs


def divisions(sizes: list[int]) -> Iterator[list[list[int]]]:
    """Yield every division, by way of all orders of the players."""
    seen = set()
    for order in permutations(range(sum(sizes))):
        ends = np.cumsum(sizes).tolist()
        teams = [tuple(sorted(order[end - size : end])) for size, end in zip(sizes, ends, strict=True)]
        if tuple(teams) not in seen:
            seen.add(tuple(teams))
            yield [list(team) for team in teams]


def best_quality(beliefs: Beliefs, sizes: list[int]) -> float:
    return max(match_quality(TRUESKILL, beliefs, teams) for teams in divisions(sizes))


PLAYERS = st.lists(st.tuples(st.integers(0, 50), st.integers(1, 8)), min_size=7, max_size=7)
SIZES = st.sampled_from([[2, 2], [3, 3], [2, 2, 2], [1, 1, 2, 2], [1, 3], [3, 2, 2], [2, 1, 1]])


@steady(40)
@given(players=PLAYERS, sizes=SIZES)
def test_no_division_is_better(players: list[tuple[int, int]], sizes: list[int]) -> None:
    mu, sigma = zip(*players[: sum(sizes)], strict=True)
    beliefs = pool("trueskill", list(mu), list(sigma))
    result = balance_teams(TRUESKILL, beliefs, range(len(mu)), sizes)
    assert [len(team) for team in result.teams] == sizes
    assert sorted(player for team in result.teams for player in team) == list(range(len(mu)))
    assert result.quality == pytest.approx(match_quality(TRUESKILL, beliefs, result.teams), rel=1e-9)
    assert result.quality == pytest.approx(best_quality(beliefs, sizes), rel=1e-9)
    assert result.is_best
    assert result.bound == result.quality


@steady(40)
@given(players=PLAYERS, sizes=SIZES)
def test_the_best_quality_lies_between_that_of_a_search_and_its_bound(
    players: list[tuple[int, int]], sizes: list[int]
) -> None:
    mu, sigma = zip(*players[: sum(sizes)], strict=True)
    beliefs = pool("trueskill", list(mu), list(sigma))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(module, "_MOST_DIVISIONS", 0)
        result = balance_teams(TRUESKILL, beliefs, range(len(mu)), sizes)
    best = best_quality(beliefs, sizes)
    assert result.quality <= best * (1 + 1e-9)
    assert result.bound >= best * (1 - 1e-9)
    assert result.quality == pytest.approx(match_quality(TRUESKILL, beliefs, result.teams), rel=1e-9)


@steady(20)
@given(means=st.lists(st.integers(0, 4000), min_size=6, max_size=12, unique=True), data=st.data())
def test_the_order_of_players_changes_nothing(means: list[int], data: st.DataObject) -> None:
    shuffled = data.draw(st.permutations(means))
    sizes = [len(means) // 2, len(means) - len(means) // 2]

    def teams(listed: list[int]) -> list[list[int]]:
        result = balance_teams(get_system("elo"), pool("elo", list(map(float, listed))), range(len(listed)), sizes)
        return [[listed[player] for player in team] for team in result.teams]

    assert teams(means) == teams(shuffled)


def test_a_search_finds_teams_that_are_known_to_exist() -> None:
    # 40 teams of five with the same total: the five means of each team are random, and shifted to an average of 25.
    random = np.random.default_rng(3)
    rows = random.normal(0, 5, (40, 5))
    rows -= rows.mean(axis=1, keepdims=True)
    means = (25 + rows).ravel()
    result = balance_teams(TRUESKILL, pool("trueskill", means.tolist(), [1.0] * 200), range(200), [5] * 40)
    assert not result.is_best
    # All deviations are alike, so the bound is the quality of these teams.
    assert result.bound == pytest.approx(
        match_quality(TRUESKILL, pool("trueskill", means.tolist(), [1.0] * 200), np.arange(200).reshape(40, 5).tolist())
    )
    assert result.quality > 0.999 * result.bound


def test_systems_of_individuals_balance_by_the_mean() -> None:
    means = [1900.0, 1800.0, 1600.0, 1500.0, 1310.0, 1200.0]
    result = balance_teams(get_system("elo-mmr"), pool("elo-mmr", means), range(6), [3, 3])
    # 4700 to 4610 points; the next best division has 4710 to 4600.
    assert result.teams == [[0, 2, 5], [1, 3, 4]]


@pytest.mark.parametrize(
    ("sizes", "message"),
    [([4], "at least two teams"), ([2, 3], "add up to 5, but there are 4"), ([4, 0], "at least one player")],
)
def test_invalid_requests_are_refused(sizes: list[int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        balance_teams(TRUESKILL, TRUESKILL.new_beliefs(4), range(4), sizes)


def test_too_many_players() -> None:
    with pytest.raises(ValueError, match="at most 200"):
        balance_teams(TRUESKILL, TRUESKILL.new_beliefs(202), range(202), [101, 101])
