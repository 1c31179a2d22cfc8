"""Accuracy metrics compared with their plain references, and their use in backtests."""

import math
import time
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.systems import SYSTEMS, Contest, backtest, get_system
from ratings.systems.evaluate.metrics import Judge, pair_inversion, rank_deviation
from tests.ratings.systems.strategies import random_series, series, steady
from tests.reference import metrics as plain

every_system = pytest.mark.parametrize("name", SYSTEMS)


@st.composite
def predictions(draw: st.DrawFn) -> tuple[list[float], list[int]]:
    """Strengths and places of up to 150 entries, ties likely in both."""
    n = draw(st.integers(2, 150))
    random = np.random.default_rng(draw(st.integers(0, 10**6)))
    different, places = draw(st.integers(1, 2 * n)), draw(st.integers(1, n))
    return random.integers(0, different, n).astype(float).tolist(), random.integers(0, places, n).tolist()


@steady(150)
@given(predictions())
def test_metrics_equal_those_of_the_paper_pair_by_pair(prediction: tuple[list[float], list[int]]) -> None:
    strengths, places = prediction
    arrays = np.array(strengths), np.array(places)
    assert pair_inversion(*arrays) == pytest.approx(plain.pair_inversion(strengths, places), abs=1e-9)
    assert rank_deviation(*arrays) == pytest.approx(plain.rank_deviation(strengths, places), abs=1e-9)


def test_a_correct_prediction_scores_100_and_a_reversed_one_0() -> None:
    strengths, places = np.arange(200.0), np.arange(200)
    assert (pair_inversion(-strengths, places), rank_deviation(-strengths, places)) == (100.0, 0.0)
    assert pair_inversion(strengths, places) == 0.0
    assert rank_deviation(strengths, places) == pytest.approx(100.0 * 200 / 2 / 199)


def test_large_fields_cost_little_more_for_each_entry_than_small_ones() -> None:
    random = np.random.default_rng(0)
    seconds = []
    for n in (2_000, 100_000):
        strengths, places = random.normal(size=n), random.permutation(n)
        times = []
        for _ in range(5):
            began = time.process_time()
            pair_inversion(strengths, places)
            rank_deviation(strengths, places)
            times.append(time.process_time() - began)
        seconds.append(min(times) / n)
    assert seconds[1] < 6 * seconds[0], "a comparison of all pairs would cost 50 times as much"


@every_system
@steady(8)
@given(contests=series(plain=True))
def test_the_order_of_rows_changes_no_bits(name: str, contests: list[Contest]) -> None:
    system = get_system(name)
    turned = [Contest(c.players[::-1], c.ranks[::-1], day=c.day) for c in contests]
    scores, others = (backtest(system, each, 12, min_contests=0) for each in (contests, turned))
    assert _without_seconds(scores) == _without_seconds(others)


def _without_seconds(scores: object) -> list[object]:
    return [getattr(scores, name) for name in type(scores).__slots__ if name != "seconds"]  # type: ignore[attr-defined]


def test_only_players_with_enough_contests_are_judged_by_the_beliefs_before_each() -> None:
    system = get_system("elo")
    contests = [Contest([0, 1, 2], [1, 2, 3]), Contest([0, 1, 3], [1, 3, 2]), Contest([3, 0, 1], [1, 2, 3])]
    scores = backtest(system, contests, 4, min_contests=2)
    # Only 0 and 1 have played twice before the third contest, and in both 0 was before 1.
    assert (scores.contests, scores.participations, scores.pair_inversion) == (1, 2, 100.0)
    assert (scores.all_contests, scores.all_participations) == (3, 9)
    assert backtest(system, contests, 4, min_contests=3).pair_inversion is None
    assert backtest(system, contests, 4, min_contests=2, skip=2).all_contests == 1
    assert backtest(system, contests, 4, min_contests=1).participations == 5


def test_log_loss_and_calibration_are_those_of_all_pairs_of_a_small_field() -> None:
    system, beta = get_system("elo", curve="gaussian"), 200.0
    mu, places = [1700.0, 1500.0, 1450.0, 1300.0], [2, 1, 2, 4]
    beliefs, judge = system.new_beliefs(4), Judge(system, 0)
    beliefs.mu[:] = mu

    def win(i: int, j: int) -> float:
        return 0.5 * math.erfc(-(mu[i] - mu[j]) / beta / 2.0)

    judge.judge(beliefs, Contest([0, 1, 2, 3], places))
    scores = judge.scores()
    assert scores.log_loss == pytest.approx(plain.log_loss(places, win), abs=1e-12)
    assert sum(each.pairs for each in scores.calibration) == 5
    # Favourites by probability: 1 over 2 and 2 over 3 (both right), 0 over 1 (wrong), 1 over 3 and 0 over 3 (right).
    assert [each.observed for each in scores.calibration if each.pairs] == [1.0, 1.0, 0.5, 1.0]
    assert win(0, 3) == pytest.approx(next(each.predicted for each in scores.calibration[::-1] if each.pairs))


def test_the_sample_of_a_large_field_represents_all_pairs() -> None:
    system = get_system("elo-mmr")
    random = np.random.default_rng(5)
    skills = random.normal(1500.0, 300.0, 3_000)
    places = np.argsort(np.argsort(-(skills + random.normal(0.0, 200.0, 3_000))))
    beliefs, judge = system.new_beliefs(3_000), Judge(system, 0)
    beliefs.mu[:], beliefs.sigma[:] = skills, 80.0
    judge.judge(beliefs, Contest(np.arange(3_000), places))
    scale = float(system.performance_model(beliefs.mu[:1], beliefs.sigma[:1]).scale[0])
    gaps = (skills[np.argsort(places)][:, None] - skills[np.argsort(places)][None, :])[
        np.triu_indices(3_000, 1)
    ] / scale
    # The difference of two logistic variables of scale 1 exceeds -x with probability (1 - (1 + x) e^-x) / (1 - e^-x)^2.
    small = np.abs(gaps) < 1e-4
    decay = np.exp(-np.abs(np.where(small, 1.0, gaps)))
    favourite = np.where(small, 0.5, (1.0 - (1.0 - np.log(decay)) * decay) / np.square(1.0 - decay))
    everything = -np.log(np.where(gaps >= 0.0, favourite, 1.0 - favourite)).mean()
    scores = judge.scores()
    assert sum(each.pairs for each in scores.calibration) <= 1024
    assert scores.log_loss == pytest.approx(everything, abs=0.03)


def test_predicted_probabilities_are_frequencies_if_players_perform_as_the_model_says() -> None:
    system = get_system("trueskill", beta=200.0, tau=20.0)
    random = np.random.default_rng(2)
    beliefs, judge = system.new_beliefs(40), Judge(system, 0)
    for _ in range(300):
        beliefs.mu[:], beliefs.sigma[:] = random.normal(1500.0, 300.0, 40), random.uniform(50.0, 300.0, 40)
        model = system.performance_model(beliefs.mu, beliefs.sigma)
        judge.judge(beliefs, Contest(np.arange(40), -random.normal(model.location, model.scale)))
    table = judge.scores().calibration
    assert sum(each.pairs for each in table) == 300 * 40 * 39 // 2
    for k, each in enumerate(table):
        assert (each.low, each.high) == pytest.approx((0.5 + 0.05 * k, 0.55 + 0.05 * k))
        assert each.predicted == pytest.approx(each.observed, abs=0.015)
        assert each.low <= each.predicted <= each.high


def test_teams_are_judged_by_the_sum_or_by_the_mean_of_their_members() -> None:
    two_against_one = Contest([0, 1, 2], [1, 1, 2], teams=["a", "a", "b"])
    for name, right in (("trueskill", 100.0), ("elo", 0.0)):
        system = get_system(name)
        beliefs, judge = system.new_beliefs(3), Judge(system, 0)
        beliefs.mu[:] = [20.0, 20.0, 30.0]
        judge.judge(beliefs, two_against_one)
        scores = judge.scores()
        assert (scores.participations, scores.pair_inversion) == (2, right)
        assert scores.log_loss is not None
        assert (scores.log_loss < math.log(2.0)) == (right == 100.0)


def test_a_team_with_a_newcomer_is_not_judged() -> None:
    system = get_system("trueskill")
    first = Contest([0, 1, 2, 3], [1, 1, 2, 2], teams=["a", "a", "b", "b"])
    second = Contest([0, 1, 2, 4], [1, 1, 2, 2], teams=["a", "a", "b", "b"])
    assert backtest(system, [first, second], 5, min_contests=1).participations == 0
    assert backtest(system, [first, first], 5, min_contests=1).participations == 2


def test_ties_of_all_are_rated_but_not_judged() -> None:
    contests = [Contest([0, 1], [1, 1]), Contest([0, 1], [1, 1]), Contest([0, 1], [2, 1]), Contest([0], [1])]
    scores = backtest(get_system("elo"), contests, 2, min_contests=2)
    assert (scores.contests, scores.all_contests) == (1, 3)
    assert (scores.participations, scores.all_participations) == (2, 6)


@pytest.mark.parametrize(
    ("contests", "participations", "all_contests", "all_participations", "few"),
    [(30, 300, 300, 3000, False), (29, 290, 29, 290, True), (30, 300, 301, 3000, True), (300, 299, 300, 3000, True)],
)
def test_fewer_than_30_contests_or_a_tenth_are_too_few(
    contests: int, participations: int, all_contests: int, all_participations: int, few: bool
) -> None:
    scores = Judge(get_system("elo")).scores()
    counts = {
        "contests": contests, "participations": participations, "all_contests": all_contests,
        "all_participations": all_participations,
    }  # fmt: skip
    assert replace(scores, **counts).are_few is few


def test_contests_that_are_skipped_are_rated_but_not_judged() -> None:
    contests = random_series(seed=1, n_contests=30, n_players=10, size=8)
    system = get_system("elo-mmr")
    beliefs, judge = system.new_beliefs(10), Judge(system)
    for position, contest in enumerate(contests):
        if position >= 20:
            judge.judge(beliefs, contest)
        system.rate_round(beliefs, contest)
    assert _without_seconds(backtest(system, contests, 10, skip=20)) == _without_seconds(judge.scores())


def test_the_error_for_an_unratable_contest_names_its_position() -> None:
    contests = [Contest([0, 1], [1, 2]), Contest([0, 1], [1, 2], teams=["a", "b"])]
    with pytest.raises(ValueError, match=r"contest 1: codeforces rates individuals"):
        backtest(get_system("codeforces"), contests, 2)


@pytest.mark.parametrize("figure", [pair_inversion, rank_deviation])
@pytest.mark.parametrize(
    ("strength", "place", "message"),
    [
        ([1.0], [0], "1 entry is too few: give at least 2"),
        ([], [], "0 entries are too few: give at least 2"),
        ([1.0, math.nan], [0, 1], "row 1 has the strength nan: it must be a number"),
        ([1.0, 2.0], [-1, 0], "row 0 has the place -1: places are whole numbers from 0"),
        ([1.0, 2.0], [0.0, 1.0], "places must be whole numbers"),
        ([1.0, 2.0], [0, 1, 2], r"strengths and places have shapes \(2,\) and \(3,\)"),
    ],
)
def test_invalid_predictions_are_refused(figure: Any, strength: list[float], place: list[float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        figure(np.array(strength), np.array(place, dtype=None if place else int))


@pytest.mark.parametrize(
    "wrong", [{"min_contests": -1}, {"min_contests": math.nan}, {"skip": -3}, {"skip": 0.5}], ids=repr
)
def test_invalid_counts_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(
        ValueError, match=rf"{next(iter(wrong))} = .* is not allowed: it must be a whole number, at least"
    ):
        backtest(get_system("elo"), [], 2, **wrong)
