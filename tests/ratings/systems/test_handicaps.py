"""Handicaps in ratings: predictions count an entry as stronger, and its own rating gets the change."""

import math
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest

from ratings.systems import SYSTEMS, Beliefs, Contest, get_system, match_quality
from ratings.systems.contest import Entrants
from ratings.systems.evaluate.matches import predicted_matches
from ratings.systems.evaluate.metrics import Judge
from ratings.systems.explain import explain
from ratings.systems.forecast.by_place import Trial
from ratings.systems.situation import PastPerformances, Result, Situation
from tests.ratings.systems.contract import numbers, rate, rated_by
from tests.ratings.systems.strategies import random_series

with_points = pytest.mark.parametrize("name", [name for name in SYSTEMS if SYSTEMS[name].rates_handicaps])
# Players and ranks, labels of teams, and the handicap of each row relative to a unit.
GAME = ([2, 0], [1, 2], None, [0.5, 0.0])
DRAW = ([2, 0], [1, 1], None, [0.0, -0.8])
FIELD = ([4, 1, 0, 3], [1, 2, 2, 4], None, [0.3, 0.0, -0.6, 0.0])
TWO_TEAMS = ([0, 1, 2, 3], [1, 1, 2, 2], "aabb", [0.4, 0.4, 0.0, 0.0])
THREE_TEAMS = ([0, 1, 2, 3, 4], [1, 1, 2, 2, 2], "aabbc", [0.0, 0.0, -0.7, -0.7, 0.2])


def contests_for(name: str, unit: float) -> list[tuple[Contest, Contest]]:
    """Return contests with handicaps, and the same without."""
    made = []
    for players, ranks, teams, handicap in (GAME, DRAW, FIELD, TWO_TEAMS, THREE_TEAMS):
        if teams is not None and not SYSTEMS[name].rates_teams:
            continue
        terms: dict[str, Any] = {"day": 1000.0, "teams": None if teams is None else list(teams)}
        advantage = unit * np.array(handicap)
        made.append((Contest(players, ranks, handicap=advantage, **terms), Contest(players, ranks, **terms)))
    return made


def moved(system: Any, beliefs: Beliefs, contest: Contest) -> Beliefs:
    """Return beliefs in which the handicaps are part of the means, and of the memory of past performances."""
    assert contest.handicap is not None
    higher, counted = beliefs.copy(), set()
    for player, entry, points in zip(contest.players, contest.entry.tolist(), contest.handicap, strict=True):
        # If members add up, the advantage of a team counts once.
        if not (system.teams_add_up and entry in counted):
            higher.mu[player] += points
        counted.add(entry)
    return higher


@with_points
def test_a_handicap_counts_like_a_higher_mean_in_expectations_only(name: str) -> None:
    # New players: Elo-MMR remembers no performances of theirs that would have to move with the mean.
    system = get_system(name)
    beliefs = system.new_beliefs(5)
    beliefs.mu += 0.3 * beliefs.sigma * np.array([-2.0, 1.0, 0.5, 1.5, -1.0])
    beliefs.count[:] = 1  # no one is a newcomer, who would enter Kreimeier's pool at its mean
    for contest, _ in contests_for(name, float(beliefs.sigma[0])):
        higher = moved(system, beliefs, contest)
        shift = (higher.mu - beliefs.mu)[contest.players]
        ours, theirs = rate(system, beliefs.copy(), contest), rate(system, higher, contest_without(contest))
        unit = float(beliefs.sigma[0])
        np.testing.assert_allclose(ours.sigma, theirs.sigma, rtol=1e-9)
        if name != "elo-mmr":  # tested separately below, because it remembers past performances
            np.testing.assert_allclose(ours.mu, theirs.mu - shift, atol=1e-8 * unit)
        if system.has_performance and not system.teams_add_up:
            np.testing.assert_allclose(ours.performance, theirs.performance - shift, atol=1e-8 * unit)
        assert ours.mu_before.tolist() == beliefs.mu[contest.players].tolist()


def contest_without(contest: Contest) -> Contest:
    return Contest(contest.players, contest.ranks, contest.weight, day=contest.day, teams=contest.teams)


@with_points
def test_games_have_the_same_ratings_as_other_contests(name: str) -> None:
    system, beliefs = rated_by(name, random_series(seed=3, n_contests=9, n_players=6, size=4), 6)
    for contest, _ in contests_for(name, float(beliefs.mu.std())):
        fast, general = beliefs.copy(), beliefs.copy()
        changes, by_arrays = rate(system, fast, contest), system._rate(Entrants(general, contest))
        scale = max(1.0, float(np.abs(beliefs.mu).max()))
        np.testing.assert_allclose(numbers(changes), numbers(by_arrays), atol=1e-9 * scale)


@with_points
def test_no_handicap_and_full_play_change_no_bits(name: str) -> None:
    system, beliefs = rated_by(name, random_series(seed=4, n_contests=9, n_players=6, size=4), 6)
    for _, plain in contests_for(name, 1.0):
        zeros, ones = np.zeros(len(plain)), np.ones(len(plain))
        even = Contest(plain.players, plain.ranks, day=plain.day, teams=plain.teams, play=ones, handicap=zeros)
        assert even.play is None
        assert even.handicap is None
        assert (
            numbers(rate(system, beliefs.copy(), even)).tobytes()
            == numbers(rate(system, beliefs.copy(), plain)).tobytes()
        )


@with_points
def test_predictions_and_explanations_count_handicaps(name: str) -> None:
    system = get_system(name)
    beliefs = system.new_beliefs(5)
    beliefs.mu += 0.3 * beliefs.sigma * np.array([-2.0, 1.0, 0.5, 1.5, -1.0])
    beliefs.count[:] = 1
    nothing = np.empty(0)
    past = PastPerformances(nothing, nothing, nothing, nothing, nothing)
    for contest, plain in contests_for(name, float(beliefs.sigma[0])):
        higher = moved(system, beliefs, contest)
        ours, theirs = Situation(system, beliefs, contest, 1), Situation(system, higher, plain, 1)
        np.testing.assert_allclose(ours.ahead, theirs.ahead, atol=1e-12)
        np.testing.assert_allclose(ours.strength, theirs.strength, rtol=1e-12)
        judges = Judge(system, 0), Judge(system, 0)
        judges[0].judge(beliefs, contest)
        judges[1].judge(higher, plain)
        assert judges[0].scores() == judges[1].scores() or math.isclose(
            judges[0].scores().outcome_loss or 0.0, judges[1].scores().outcome_loss or 0.0
        )
        changes = rate(system, beliefs.copy(), contest)
        result = Result(*(float(getattr(changes, each)[1]) for each in ("mu", "sigma", "performance")))
        found = explain(system, beliefs, contest, 1, result, past)
        total = sum(part.points for part in found.parts)
        if name != "elo-mmr":
            assert total == pytest.approx(result.mu - beliefs.mu[contest.players[1]], abs=1e-6 * beliefs.sigma[0])


@pytest.mark.parametrize("name", [name for name in SYSTEMS if SYSTEMS[name].rates_handicaps])
def test_the_fast_forecast_counts_handicaps(name: str) -> None:
    system, beliefs = rated_by(name, random_series(seed=8, n_contests=9, n_players=5, size=4), 5)
    unit = float(beliefs.mu.std())
    handicap, players = unit * np.array([0.5, 0.0, -0.4, 0.0, 0.2]), np.arange(5)
    contest = Contest(players, players, day=1000.0, handicap=handicap)
    fast = system.outcomes_by_place(Entrants(beliefs, contest))
    if fast is None:
        return
    mu, _, performance = fast(np.array([1, 3, 5]))
    for number, place in enumerate((0.5, 2.5, 4.5)):
        rated = rate(system, beliefs.copy(), Contest(players, [place, 1, 2, 3, 4], day=1000.0, handicap=handicap))
        assert mu[number] == pytest.approx(rated.mu[0], abs=1e-6 * unit)
        assert performance[number] == pytest.approx(rated.performance[0], abs=1e-6 * unit)


def test_a_handicap_in_elo_by_hand() -> None:
    """The published formula with shifted ratings: 1500 and 100 points against 1500."""
    elo = get_system("elo", k_factor=24.0)
    beliefs = Beliefs(2, 1500.0, 350.0)
    changes = rate(elo, beliefs, Contest([0, 1], [1, 2], handicap=[100, 0]))
    expected = 1 / (1 + 10 ** (-100 / 400))  # 0.640065
    assert changes.mu.tolist() == pytest.approx([1500 + 24 * (1 - expected), 1500 - 24 * (1 - expected)], rel=1e-12)
    assert changes.mu[0] == pytest.approx(1508.6384, abs=1e-4)
    # The whole difference of the ratings as a handicap: a draw changes nothing.
    beliefs.mu[:] = 1700, 1400
    assert rate(elo, beliefs, Contest([0, 1], [1, 1], handicap=[0, 300])).mu.tolist() == [1700, 1400]


def test_a_handicap_in_trueskill_by_hand() -> None:
    """Herbrich, Minka and Graepel, equations of two players, with the mean of the first shifted by 3."""
    system = get_system("trueskill", beta=25 / 6, tau=25 / 300, draw_probability=0.1)
    contest = Contest([0, 1], [1, 2], handicap=[3.0, 0.0])
    changes = rate(system, system.new_beliefs(2), contest)
    normal, beta, variance = NormalDist(), 25 / 6, (25 / 3) ** 2 + (25 / 300) ** 2
    c = math.sqrt(2 * beta**2 + 2 * variance)
    margin = normal.inv_cdf(0.55) * math.sqrt(2) * beta
    t = (25 + 3 - 25 - margin) / c
    v = normal.pdf(t) / normal.cdf(t)
    assert changes.mu[0] == pytest.approx(25 + variance / c * v, rel=1e-9)
    assert changes.mu[1] == pytest.approx(25 - variance / c * v, rel=1e-9)
    assert changes.sigma[0] == pytest.approx(math.sqrt(variance * (1 - variance / c**2 * v * (v + t))), rel=1e-9)
    # A team has the advantage once, not once for each member, even if a member played only half of the time.
    for play in (None, [1.0, 0.5, 1.0, 0.5]):
        teams = {"teams": list("aabb"), "play": play}
        shifted = system.new_beliefs(4)
        shifted.mu[0] += 3.0
        once = rate(system, system.new_beliefs(4), Contest([0, 1, 2, 3], [1, 1, 2, 2], handicap=[3, 3, 0, 0], **teams))
        moved_up = rate(system, shifted, Contest([0, 1, 2, 3], [1, 1, 2, 2], **teams))
        np.testing.assert_allclose(once.mu, moved_up.mu - [3, 0, 0, 0], rtol=1e-12)


def test_elo_mmr_remembers_performances_without_the_handicap() -> None:
    system = get_system("elo-mmr")
    beliefs = system.new_beliefs(2)
    changes = rate(system, beliefs, Contest([0, 1], [1, 1], handicap=[200.0, 0.0]))
    # A draw of equals, one of whom counts as 200 points stronger: both perform 100 points off their own ratings.
    assert changes.performance.tolist() == pytest.approx([1400.0, 1600.0])
    assert changes.mu[0] < 1500.0 < changes.mu[1]
    assert changes.mu.sum() == pytest.approx(3000.0)
    limited = Contest([0, 1], [1, 1], perf_ceiling=1550.0, handicap=[200.0, 0.0])
    assert rate(system, system.new_beliefs(2), limited).performance.tolist() == pytest.approx([1400.0, 1550.0])


def test_impossible_handicaps_are_refused() -> None:
    for handicap, message in (
        ([math.nan, 0], "row 0 has the handicap nan"),
        ([0, math.inf], "row 1 has the handicap inf"),
        ([1, 2, 3], r"handicaps have shape \(3,\) for 2 players"),
        (["x", "y"], "handicaps must be numbers"),
    ):
        with pytest.raises(ValueError, match=message):
            Contest([0, 1], [1, 2], handicap=handicap)
    with pytest.raises(ValueError, match="the members of a team share one handicap"):
        Contest([0, 1, 2], [1, 1, 2], teams=[7, 7, 8], handicap=[10, 0, 0])
    ladder = get_system("ladder")
    with pytest.raises(ValueError, match=r"ladder has positions and no rating points: it cannot rate .* handicaps"):
        ladder.rate_round(ladder.new_beliefs(2), Contest([0, 1], [1, 2], handicap=[1, 0]))
    assert ladder.rate_round(ladder.new_beliefs(2), Contest([0, 1], [1, 2], handicap=[0, 0])) is not None


def test_the_forecast_by_place_counts_handicaps() -> None:
    for name in ("elo", "trueskill", "elo-mmr"):
        system, beliefs = rated_by(name, random_series(seed=9, n_contests=9, n_players=5, size=4), 5)
        handicap = float(beliefs.mu.std()) * np.array([3.0, 0.0, -3.0, 0.5, 0.0])
        trial = Trial(system, beliefs, np.arange(5), 0, handicap=handicap)
        # The others finish in the order of their ratings with their handicaps.
        others = sorted(range(1, 5), key=lambda player: -(beliefs.mu[player] + handicap[player]))
        for place in (1, 3, 5):
            order = [*others[: place - 1], 0, *others[place - 1 :]]
            contest = Contest(order, range(5), day=float(beliefs.last_day.max()), handicap=handicap[order])
            rated = rate(system, beliefs.copy(), contest)
            mu, sigma, _ = trial.at(np.array([place]))
            assert mu[0] == pytest.approx(rated.mu[place - 1], rel=1e-9)
            assert sigma[0] == pytest.approx(rated.sigma[place - 1], rel=1e-9)
    # A team's handicap counts once, and decides its place among the others.
    system = get_system("trueskill")
    teams = Trial(
        system, system.new_beliefs(5), np.arange(5), 0, teams=list("aabbc"), handicap=np.array([9, 9, 0, 0, 30.0])
    )
    assert teams.players.tolist() == [0, 1, 4, 2, 3]


def test_measures_of_matches_count_handicaps() -> None:
    # Equal players, and the one with the advantage loses each time: every prediction is wrong.
    elo = get_system("elo", k_factor=1e-6)
    games = [Contest([0, 1], [2, 1], day=float(day), handicap=[200.0, 0.0]) for day in range(4)]
    found = predicted_matches(elo, games, 2)
    assert found.wrong.tolist() == [1.0] * 4
    beliefs = elo.new_beliefs(2)
    assert found.quality[0] == pytest.approx(match_quality(elo, beliefs, [[0], [1]], [200.0, 0.0]), abs=1e-9)
