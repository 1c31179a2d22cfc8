"""Measures for matches agree with the definitions in the TrueSkill paper, worked out match by match."""

import numpy as np
import pytest

from ratings.systems import Contest, get_system, match_quality
from ratings.systems.evaluate.matches import (
    Matches,
    draws_among_tightest,
    predicted_matches,
    prediction_error,
    settled_after,
    tightest,
    winning_ratios,
)


def matches(quality, drawn=None, player=(), match=(), score=()):
    n = len(quality)
    zeros = np.zeros(n)
    columns = (np.array(quality), zeros, zeros, zeros if drawn is None else np.array(drawn))
    return Matches(*columns, np.array(player, int), np.array(match, int), np.array(score, float), 0)


def games():
    """Games of one against one and of one against two, among six players, with draws; then a contest of nine sides."""
    random = np.random.default_rng(7)
    contests = []
    for _ in range(60):
        a, b, c = random.permutation(6)[:3]
        first, second = random.normal([a, b], 1.0).round()
        contests.append(Contest([a, b], [-first, -second]))
        contests.append(Contest([a, b, c], [-first, -second, -second], teams=[0, 1, 1]))
    return [*contests, Contest(range(9), range(9)), contests[0]]


@pytest.mark.parametrize("name", ["trueskill", "elo"])
def test_errors_are_the_share_of_games_whose_weaker_side_won(name):
    system, contests = get_system(name), games()
    found = predicted_matches(system, contests, 9)
    beliefs, decided, of_all, scores = system.new_beliefs(9), [], [], np.zeros(9)
    worth = np.sum if system.teams_add_up else np.mean
    for number, contest in enumerate(contests):
        half = len(contest) // 2
        one, two = contest.players[:half], contest.players[half:]
        if len(contest) < 9:
            assert found.quality[min(number, 120)] == match_quality(system, beliefs, [one, two])
            ahead, won = worth(beliefs.mu[one]) - worth(beliefs.mu[two]), contest.ranks[-1] - contest.ranks[0]
            if won != 0:
                decided.append(0.5 if abs(ahead) == 0 else float(ahead * won < 0))
            of_all.append(float(ahead * won < 0))
            scores[one] += 0.5 if won == 0 else float(won > 0)
            scores[two] += 0.5 if won == 0 else float(won < 0)
        system.rate_round(beliefs, contest)
    assert (len(found), found.left_out) == (121, 1)
    assert found.drawn.sum() == len(of_all) - len(decided) > 5
    assert prediction_error(found) == pytest.approx((100 * np.mean(decided), 100 * np.mean(of_all)))
    np.testing.assert_allclose(np.bincount(found.player, found.score, 9), scores)


def test_three_sides_are_three_pairs():
    system = get_system("elo")
    first, second = Contest([0, 1, 2], [1, 2, 3]), Contest([0, 1, 2], [2, 1, 1])
    found = predicted_matches(system, [first, second], 3)
    # Before the first contest, all are equal. Before the second, 0 is ahead of 1 and 1 of 2, and 0 loses to both.
    np.testing.assert_allclose(found.wrong, [0.5, 1.0])
    np.testing.assert_allclose(found.wrong_of_all, [0.0, 2 / 3])
    np.testing.assert_allclose(found.drawn, [0.0, 1 / 3])
    np.testing.assert_allclose(found.score, [1.0, 0.5, 0.0, 0.0, 0.75, 0.75])


def test_the_challenge_set_is_the_tightest_fifth():
    quality = np.array([0.1, 0.9, 0.5, 0.9, 0.2, 0.3, 0.4, 0.1, 0.1, 0.9])
    assert np.flatnonzero(tightest(quality)).tolist() == [1, 3]


def test_draws_are_counted_from_the_best_quality_on_and_shared_among_equal_qualities():
    found = matches([0.9, 0.5, 0.5, 0.1], drawn=[1, 1, 0, 0])
    shares = np.array([0.0, 0.25, 0.5, 0.75, 1.0])
    np.testing.assert_allclose(draws_among_tightest(found, shares), [0, 0.5, 0.75, 1, 1])
    assert draws_among_tightest(matches([0.9, 0.5]), shares) is None


def test_winning_ratios_count_the_chosen_matches_of_players_with_enough_of_them():
    found = matches([0.9, 0.8, 0.1], player=[0, 1, 0, 1, 0, 1], match=[0, 0, 1, 1, 2, 2], score=[1, 0, 0.5, 0.5, 0, 1])
    chosen = np.array([True, True, False])
    ratios = winning_ratios(found, chosen, (1, 2, 3))
    assert [(each.players, each.deviation) for each in ratios] == [(2, 25.0), (2, 25.0), (0, None)]


def test_a_rating_has_settled_when_it_stays_near_its_last_value():
    assert settled_after(np.array([0.0, 50.0, 95.0, 80.0, 92.0, 100.0])) == 4
    assert settled_after(np.array([3.0])) == 0
