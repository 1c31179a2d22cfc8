"""Glicko-2 compared with Glickman's published example and the plain reference, and its own guarantees."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.systems import Contest, get_system, replay
from ratings.systems.algorithms.glicko2 import Glicko2
from tests.ratings.systems.contract import rate
from tests.ratings.systems.strategies import random_series, series, steady
from tests.reference import glicko2 as twin


def glicko2(**parameters: Any) -> Glicko2:
    system = get_system("glicko2", **parameters)
    assert isinstance(system, Glicko2)
    return system


def twin_rows(made: list[Contest], n_players: int, tau: float) -> list[tuple[float, float]]:
    """Everyone against everyone."""
    players = [(1500.0, 350.0, 0.06)] * n_players
    rows = []
    for contest in made:
        field = [players[player] for player in contest.players]
        ranks = contest.ranks.tolist()
        for row, player in enumerate(contest.players.tolist()):
            games = [
                (other[0], other[1], 1.0 if ranks[row] < rank else 0.5 if ranks[row] == rank else 0.0)
                for place, (other, rank) in enumerate(zip(field, ranks, strict=True))
                if place != row
            ]
            mu, sigma, volatility = field[row]
            players[player] = twin.rated(mu, sigma, volatility, games, tau, contest.weight)
            rows.append(players[player][:2])
    return rows


def test_the_published_example_has_its_published_result() -> None:
    mu, sigma, volatility = glicko2().rate_player(1500, 200, 0.06, [1400, 1550, 1700], [30, 100, 300], [1, 0, 0])
    # Glickman rounds intermediate results: his 1464.06 is 1464.05 without rounding.
    assert mu == pytest.approx(1464.06, abs=0.01)
    assert sigma == pytest.approx(151.52, abs=0.005)
    assert volatility == pytest.approx(0.05999, abs=0.00001)


@steady(40)
@given(seed=st.integers(0, 1000), n_players=st.sampled_from([2, 5, 300]))
def test_a_contest_is_a_rating_period_of_everyone_against_everyone(seed: int, n_players: int) -> None:
    random = np.random.default_rng(seed)
    system = glicko2()
    beliefs = system.new_beliefs(n_players)
    beliefs.mu[:] = random.normal(1500.0, 300.0, n_players)
    beliefs.sigma[:] = random.uniform(30.0, 350.0, n_players)
    beliefs.extra["volatility"][:] = random.uniform(0.03, 0.3, n_players)
    before = beliefs.copy()
    ranks = random.permutation(n_players) // 2 + (np.arange(n_players) == 0)
    contest = Contest(range(n_players), ranks)
    rate(system, beliefs, contest)
    for player in range(min(n_players, 5)):
        others = np.arange(n_players) != player
        scores = 0.5 * ((ranks[others] > ranks[player]) + 1.0 * (ranks[others] >= ranks[player]))
        own = before.mu[player], before.sigma[player], before.extra["volatility"][player]
        expected = system.rate_player(*own, before.mu[others], before.sigma[others], scores)
        ours = beliefs.mu[player], beliefs.sigma[player], beliefs.extra["volatility"][player]
        np.testing.assert_allclose(ours, expected, rtol=1e-9)


@steady(80)
@given(made=series(plain=True), tau=st.sampled_from([0.2, 0.5, 1.2]))
def test_glicko2_equals_the_plain_reference(made: list[Contest], tau: float) -> None:
    history = replay(get_system("glicko2", tau=tau), made, 12)
    ours = np.column_stack([history.mu, history.sigma])
    np.testing.assert_allclose(ours, np.reshape(twin_rows(made, 12, tau), (-1, 2)), rtol=0, atol=1e-6)


def test_a_large_field_equals_the_plain_reference() -> None:
    made = random_series(seed=3, n_contests=3, n_players=320, size=280)
    history = replay(get_system("glicko2"), made, 320)
    ours = np.column_stack([history.mu, history.sigma])
    np.testing.assert_allclose(ours, twin_rows(made, 320, 0.5), rtol=0, atol=1e-6)


def test_surprises_raise_the_volatility_and_their_absence_lowers_it() -> None:
    system = glicko2()
    beliefs = system.new_beliefs(4)
    beliefs.mu[:], beliefs.sigma[:] = [2100, 1500, 2100, 1500], 60.0
    rate(system, beliefs, Contest([0, 1], [2, 1]))
    rate(system, beliefs, Contest([2, 3], [1, 2]))
    volatility = beliefs.extra["volatility"]
    assert volatility[0] > 0.06
    assert volatility[1] > 0.06
    assert volatility[2] < 0.06
    assert volatility[3] < 0.06


def test_a_game_of_weight_two_counts_like_two_games() -> None:
    system = glicko2()
    beliefs = system.new_beliefs(2)
    beliefs.mu[:], beliefs.sigma[:] = [1500, 1700], [200.0, 90.0]
    changes = rate(system, beliefs, Contest([0, 1], [1, 2], weight=2.0))
    twice = system.rate_player(1500, 200, 0.06, [1700, 1700], [90, 90], [1, 1])
    assert changes.mu[0] == pytest.approx(twice[0], rel=1e-12)
    assert changes.sigma[0] == pytest.approx(twice[1], rel=1e-12)


@pytest.mark.parametrize(("days", "periods"), [(6.0, 0), (7.0, 0), (13.9, 0), (14.0, 1), (77.0, 10)])
def test_deviations_grow_for_each_whole_period_without_a_contest(days: float, periods: int) -> None:
    opponent = [1500.0], [50.0], [1.0]
    system = glicko2(period_days=7.0)
    beliefs = system.new_beliefs(3)
    beliefs.mu[:], beliefs.sigma[:], beliefs.count[:] = 1500.0, 50.0, [1, 0, 0]
    changes = rate(system, beliefs, Contest([0, 1], [1, 2], day=days))
    grown = np.sqrt(50.0**2 + periods * (0.06 * 173.7178) ** 2)
    assert changes.sigma[0] == pytest.approx(system.rate_player(1500, grown, 0.06, *opponent)[1], rel=1e-12)
    unmoved = glicko2()
    beliefs.count[0], beliefs.last_day[0], beliefs.sigma[0], beliefs.sigma[2] = 1, 0.0, 50.0, 50.0
    beliefs.mu[[0, 2]], beliefs.extra["volatility"][[0, 2]] = 1500.0, 0.06
    assert rate(unmoved, beliefs, Contest([0, 2], [1, 2], day=days)).sigma[0] == pytest.approx(
        unmoved.rate_player(1500, 50, 0.06, *opponent)[1], rel=1e-12
    )


def test_ratings_do_not_explode_in_many_large_contests() -> None:
    made = random_series(seed=5, n_contests=12, n_players=1000, size=1000)
    mu = replay(glicko2(), made, 1000).mu
    assert -1500 < mu.min() < mu.max() < 4500


def test_idleness_never_raises_a_deviation_above_that_of_a_newcomer() -> None:
    system = glicko2(period_days=1.0)
    beliefs = system.new_beliefs(2)
    beliefs.count[:], beliefs.sigma[:] = 1, [300.0, 30.0]
    changes = rate(system, beliefs, Contest([0, 1], [1, 2], day=1e9))
    assert changes.sigma[0] == pytest.approx(system.rate_player(1500, 350, 0.06, [1500], [350], [1])[1], rel=1e-12)


def test_predictions_for_equally_certain_players_match_their_games() -> None:
    model = glicko2().performance_model(np.array([1700.0, 1500.0]), np.array([0.1, 0.1]))
    assert model.shape == "logistic"
    # The variance of a game's outcome: that of a logistic with the internal scale.
    np.testing.assert_allclose((model.scale**2).sum(), 173.7178**2, rtol=1e-5)


def test_a_player_without_games_only_becomes_less_certain() -> None:
    mu, sigma, volatility = Glicko2().rate_player(1500, 200, 0.06, [], [], [])
    assert (mu, volatility) == (1500.0, pytest.approx(0.06, rel=1e-9))
    assert sigma == pytest.approx(np.hypot(200, 0.06 * 173.7178), rel=1e-9)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"mu": np.nan}, "mu = nan is not allowed: it must be finite"),
        ({"sigma": 0.0}, "sigma = 0.0 is not allowed: it must be finite and positive"),
        ({"volatility": -0.06}, "volatility = -0.06 is not allowed: it must be finite and positive"),
        ({"opponent_mu": [1400.0, np.inf]}, "opponent_mu = inf in game 1 is not allowed: it must be finite"),
        (
            {"opponent_sigma": [-30.0, 30.0]},
            "opponent_sigma = -30.0 in game 0 is not allowed: it must be finite and pos",
        ),
        ({"scores": [1.0, np.nan]}, "scores = nan in game 1 is not allowed: it must be from 0 to 1"),
        ({"scores": [2.0, 0.0]}, "scores = 2.0 in game 0 is not allowed: it must be from 0 to 1"),
        ({"scores": [1.0]}, r"opponent_mu, opponent_sigma and scores have shapes \(2,\), \(2,\), \(1,\): give one"),
    ],
)
def test_invalid_games_are_refused(arguments: dict[str, Any], message: str) -> None:
    played: dict[str, Any] = {
        "mu": 1500, "sigma": 200, "volatility": 0.06,
        "opponent_mu": [1400, 1550], "opponent_sigma": [30, 100], "scores": [1, 0],
    }  # fmt: skip
    Glicko2().rate_player(**played)
    with pytest.raises(ValueError, match=message):
        Glicko2().rate_player(**(played | arguments))
