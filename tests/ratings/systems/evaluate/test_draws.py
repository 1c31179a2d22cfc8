"""Calibration of draws: predicted and observed frequencies of ties, and the loss over three outcomes."""

import math

import numpy as np
import pytest

from ratings.systems import Contest, RatingSystem, backtest, get_system
from ratings.systems.evaluate.calibration import pairs_for_draws
from ratings.systems.evaluate.metrics import Judge
from ratings.systems.forecast.outcomes import by_draw_rate


def judged_games(system: RatingSystem, chances_of: object, games: int) -> Judge:
    """Two-player games whose results have the given chances, judged by beliefs that are right."""
    random = np.random.default_rng(4)
    beliefs, judge = system.new_beliefs(2), Judge(system, 0)
    center = beliefs.mu[0]
    for gap in random.uniform(-1.5, 1.5, games):
        beliefs.mu[:] = center + gap, center
        win, draw, _ = chances_of(gap)  # type: ignore[operator]
        drawn = random.random()
        ranks = [1, 2] if drawn < win else [1, 1] if drawn < win + draw else [2, 1]
        judge.judge(beliefs, Contest([0, 1], ranks))
    return judge


def test_draws_of_davidsons_model_are_predicted_as_often_as_they_occur() -> None:
    system = get_system("kreimeier")

    def chances(gap: float) -> tuple[float, float, float]:
        return tuple(float(part) for part in by_draw_rate(np.array(1 / (1 + math.exp(-gap))), 0.3))  # type: ignore[return-value]

    scores = judged_games(system, chances, 6_000).scores()
    assert scores.draw_rate == pytest.approx(0.3, abs=0.02)
    seen = [each for each in scores.draws if each.pairs > 300]
    assert len(seen) == 7
    for each in seen:
        assert each.predicted == pytest.approx(each.observed, abs=0.06)
    assert sum(each.pairs for each in scores.draws) == 6_000
    assert seen[0].predicted > seen[-1].predicted  # type: ignore[operator]
    ideal = np.mean([-sum(p * math.log(p) for p in chances(gap)) for gap in np.linspace(-1.5, 1.5, 200)])
    assert scores.outcome_loss == pytest.approx(ideal, abs=0.03)


def test_a_draw_is_predicted_from_the_games_before_it() -> None:
    # Ten imaginary games with half a draw, and nothing else: the chance of a draw of newcomers is 0.05.
    scores = backtest(get_system("elo"), [Contest([0, 1], [1, 1])], 2, min_contests=0)
    assert scores.outcome_loss == pytest.approx(-math.log(0.05), abs=1e-3)
    assert (scores.pair_inversion, scores.contests) == (None, 0)
    won = backtest(get_system("elo"), [Contest([0, 1], [2, 1])], 2, min_contests=0)
    assert won.outcome_loss == pytest.approx(-math.log(0.475), abs=1e-3)
    assert backtest(get_system("elo"), [], 2).outcome_loss is None


def test_trueskill_predicts_draws_by_its_margin() -> None:
    system = get_system("trueskill", draw_probability=0.4, tau=0.0)
    beliefs, judge = system.new_beliefs(4), Judge(system, 0)
    beliefs.sigma[:] = 1e-6
    judge.judge(beliefs, Contest([0, 1, 2, 3], [1, 1, 1, 1], teams=["a", "a", "b", "b"]))
    scores = judge.scores()
    assert scores.outcome_loss == pytest.approx(-math.log(0.4))
    assert [each.predicted for each in scores.draws if each.pairs] == pytest.approx([0.4])


def test_the_pairs_of_large_fields_have_as_many_ties_as_all_pairs() -> None:
    random, ours, everything = np.random.default_rng(6), [], []
    for n in range(100, 400):
        place = np.sort(random.integers(0, 40, n))  # groups of two to ten, which distant places would miss
        first, second = pairs_for_draws(n)
        assert (first < second).all()
        assert len(first) == 45 * 44 // 2
        ours.append((place[first] == place[second]).mean())
        sizes = np.bincount(place)
        everything.append((sizes * (sizes - 1)).sum() / (n * (n - 1)))
    assert np.mean(ours) == pytest.approx(np.mean(everything), rel=0.05)
