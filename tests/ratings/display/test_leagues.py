"""Leagues: promotion when a moving mean reaches a threshold, relegation when it falls far enough below."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.display import Offset, default_tiers, tiers_from_list
from ratings.display.leagues import PROVISIONAL, LeagueRules, league_history, league_rules_from_dict
from tests.reference.leagues import leagues_of_player

TIERS = default_tiers(Offset())
SPARK, CANDLE, LANTERN, TORCH, BEACON, COMET, STAR, NOVA = range(8)
EVERYONE = LeagueRules(contests=3, margin=30, provisional_contests=1)

shown_ratings = st.lists(st.integers(900, 2700), min_size=1, max_size=30)
rules = st.builds(
    LeagueRules,
    contests=st.integers(1, 12),
    margin=st.none() | st.integers(0, 400),
    provisional_contests=st.integers(1, 6),
    provisional_sigma=st.none() | st.sampled_from([90.0, 120.0]),
)


def leagues_of(rules, shown, sigma=None, tiers=TIERS):
    """The leagues of one player, None for provisional."""
    deviations = np.full(len(shown), 80.0) if sigma is None else np.asarray(sigma, dtype=np.float64)
    found = league_history(rules, tiers, np.asarray(shown, dtype=np.int64), deviations, np.array([0]))
    return [None if league == PROVISIONAL else league for league in found.league.tolist()]


def test_promotion_waits_for_the_mean():
    # One day at 1,800 is not enough for Beacon (1,750); the means are 1,600, 1,700, 1,733.3, 1,800.
    assert leagues_of(EVERYONE, [1600, 1800, 1800, 1800]) == [TORCH, TORCH, TORCH, BEACON]


def test_relegation_waits_until_the_mean_is_below_the_threshold_by_more_than_the_margin():
    # Means 1,760, 1,740, 1,720, 1,719.7: the league of 1,750 is lost below 1,720.
    assert leagues_of(EVERYONE, [1760, 1720, 1680, 1759]) == [BEACON, BEACON, BEACON, TORCH]


def test_a_mean_equal_to_a_threshold_is_enough():
    # 1,749 + 1,750 + 1,751 is 3 * 1,750; one point less is not.
    assert leagues_of(EVERYONE, [1749, 1750, 1751])[-1] == BEACON
    assert leagues_of(EVERYONE, [1749, 1750, 1750])[-1] == TORCH


def test_several_thresholds_are_crossed_at_once():
    climb = LeagueRules(contests=1, margin=0, provisional_contests=1)
    assert leagues_of(climb, [1000, 2300, 1260]) == [CANDLE, STAR, LANTERN]


def test_a_fall_over_several_leagues_ends_where_the_mean_is_within_the_margin():
    # 1,725 is below Beacon (1,750), but by less than 30: the fall from Star ends there.
    fall = LeagueRules(contests=1, margin=30, provisional_contests=1)
    assert leagues_of(fall, [2300, 1725]) == [STAR, BEACON]
    assert leagues_of(fall, [2300, 1719]) == [STAR, TORCH]


def by_confidence(mu, sigma, k=3.0, start=None):
    """Leagues of a player by confidence; `start` is placed first, with hardly any uncertainty."""
    mu, sigma = ([start, *mu], [0.1, *sigma]) if start is not None else (mu, sigma)
    low, high = ([round(m + sign * k * s) for m, s in zip(mu, sigma, strict=True)] for sign in (-1, 1))
    rules = LeagueRules(assignment="confidence", k=k, provisional_contests=1)
    limits = (np.array(low), np.array(high))
    found = league_history(rules, TIERS, np.array(mu), np.array(sigma), np.array([0]), limits)
    return found.league.tolist()


def test_promotion_by_confidence_is_that_of_the_ladder_analysis():
    # "Your MMR: 2500, your sigma: 100, Diamond threshold: 2300. Since 2500 - 3 * 100 = 2200 is less", no promotion.
    assert by_confidence([2500], [100.0], start=2100)[-1] == COMET
    # It needs more MMR, less sigma, or both.
    assert by_confidence([2600], [100.0], start=2100)[-1] == STAR
    assert by_confidence([2500], [66.0], start=2100)[-1] == STAR
    # "If your MMR is 2450 and your sigma is 50, you would need to drop to 2150 before demotion": 2150 + 150 = 2300.
    assert by_confidence([2450, 2150, 2149], [50.0, 50.0, 50.0]) == [STAR, STAR, COMET]


@given(shown_ratings, st.sampled_from([0.5, 1.0, 3.0]), st.randoms())
def test_by_confidence_only_a_whole_range_beyond_a_threshold_moves_a_player(mu, k, random):
    sigma = [random.choice([40.0, 80.0, 200.0]) for _ in mu]
    leagues = by_confidence(mu, sigma, k)
    bounds = [-math.inf, *TIERS.thresholds, math.inf]
    for before, after, m, s in zip(leagues, leagues[1:], mu[1:], sigma[1:], strict=False):
        low, high = round(m - k * s), round(m + k * s)
        if after > before:
            assert bounds[after] <= low < bounds[after + 1]
        elif after < before:
            assert bounds[after] <= high < bounds[after + 1]
        else:
            assert low < bounds[after + 1]
            assert high >= bounds[after]


def test_stored_rules_name_only_what_they_use():
    rules = league_rules_from_dict({"assignment": "confidence", "k": 2, "division_size": 100})
    assert rules.to_dict() == {
        "assignment": "confidence", "k": 2, "provisional_contests": 5, "provisional_sigma": None, "division_size": 100,
    }  # fmt: skip
    assert league_rules_from_dict(rules.to_dict()) == rules
    assert "division_size" not in LeagueRules().to_dict()
    for wrong in ({"margin": 3}, {"k": 0}, {"division_size": 1}, {"division_size": 2.5}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            league_rules_from_dict({"assignment": "confidence", **wrong})


def test_players_with_few_contests_are_provisional_and_then_placed_by_the_mean():
    # The mean of 1,500, 1,800 and 2,100 is 1,800.
    few = LeagueRules(contests=10, margin=0, provisional_contests=3)
    assert leagues_of(few, [1500, 1800, 2100]) == [None, None, BEACON]


def test_players_who_become_uncertain_lose_the_league_and_are_placed_again():
    limit = LeagueRules(contests=2, margin=300, provisional_contests=1, provisional_sigma=100.0)
    sigma = [100.0, 80.0, 100.1, 90.0]
    # By hysteresis alone the last one would still be Beacon.
    assert leagues_of(limit, [1760, 1760, 1700, 1700], sigma) == [BEACON, BEACON, None, TORCH]


def test_the_default_margin_is_a_fifth_of_the_smallest_distance():
    # Thresholds of the default tiers are 250 and 300 apart.
    assert LeagueRules().margin_in(TIERS) == 50
    assert LeagueRules(margin=7).margin_in(TIERS) == 7
    one = tiers_from_list(TIERS.to_list()[:2])
    assert LeagueRules().margin_in(one) == 0


@given(rules, st.lists(st.tuples(shown_ratings, st.randoms()), min_size=1, max_size=5))
def test_leagues_of_all_players_equal_those_of_each_player(rules, players):
    shown = [ratings for ratings, _ in players]
    sigma = [[random.choice([80.0, 95.0, 130.0]) for _ in ratings] for ratings, random in players]
    first = np.cumsum([0, *(len(ratings) for ratings in shown)])[:-1]
    found = league_history(rules, TIERS, np.concatenate(shown), np.concatenate(sigma), first)
    margin = rules.margin_in(TIERS)
    expected = [
        league
        for ratings, deviations in zip(shown, sigma, strict=True)
        for league in leagues_of_player(
            ratings, deviations, TIERS.thresholds, contests=rules.contests, margin=margin,
            provisional_contests=rules.provisional_contests, provisional_sigma=rules.provisional_sigma,
        )
    ]  # fmt: skip
    assert found.league.tolist() == [PROVISIONAL if league is None else league for league in expected]


@given(shown_ratings)
def test_with_one_contest_and_no_margin_leagues_are_the_tiers(shown):
    instant = LeagueRules(contests=1, margin=0, provisional_contests=1)
    assert leagues_of(instant, shown) == TIERS.positions(shown).tolist()


@given(rules, shown_ratings, shown_ratings)
def test_later_contests_do_not_change_earlier_leagues(rules, shown, more):
    assert leagues_of(rules, shown + more)[: len(shown)] == leagues_of(rules, shown)


@given(rules, shown_ratings, st.integers(-3000, 3000))
def test_shifting_the_display_changes_no_league(rules, shown, shift):
    moved = [
        {**tier, "minimum": None if tier["minimum"] is None else tier["minimum"] + shift} for tier in TIERS.to_list()
    ]
    assert leagues_of(rules, [rating + shift for rating in shown], tiers=tiers_from_list(moved)) == leagues_of(
        rules, shown
    )


@given(rules, shown_ratings)
def test_the_mean_is_between_the_thresholds_of_the_league_and_of_the_next_one(rules, shown):
    found = league_history(rules, TIERS, np.array(shown), np.full(len(shown), 80.0), np.array([0]))
    floors, ceilings = [-math.inf, *TIERS.thresholds], [*TIERS.thresholds, math.inf]
    for league, mean in zip(found.league.tolist(), found.mean.tolist(), strict=True):
        if league != PROVISIONAL:
            assert floors[league] - rules.margin_in(TIERS) <= mean < ceilings[league]


def test_a_series_without_players_has_no_leagues():
    nothing = np.empty(0, dtype=np.int64)
    found = league_history(EVERYONE, TIERS, nothing, np.empty(0), nothing)
    assert (len(found.league), len(found.mean), len(found.window)) == (0, 0, 0)


@given(rules)
def test_rules_are_stored_and_read_back(rules):
    assert league_rules_from_dict(rules.to_dict()) == rules


@pytest.mark.parametrize("stored", [{}, {"assignment": "instant"}])
def test_empty_rules_and_instant_assignment_give_immediate_tiers(stored):
    assert league_rules_from_dict(stored) is None


@pytest.mark.parametrize(
    ("stored", "message"),
    [
        ([], "leagues must be an object"),
        ({"contests": 3}, "assignment must be"),
        ({"assignment": "lottery"}, 'must be "instant" (alone) or "moving_average" or "confidence", not \'lottery\''),
        ({"assignment": "instant", "contests": 3}, "assignment must be"),
        ({"assignment": "moving_average", "size": 3}, "'size' is unknown"),
        ({"assignment": "moving_average", "contests": 0}, "contests must be a whole number between 1 and 100, not 0"),
        ({"assignment": "moving_average", "contests": True}, "contests must be a whole number"),
        ({"assignment": "moving_average", "contests": 2.5}, "contests must be a whole number"),
        ({"assignment": "moving_average", "margin": -1}, "margin must be a whole number between 0 and 1,000,000"),
        ({"assignment": "moving_average", "provisional_contests": 101}, "provisional_contests must be"),
        ({"assignment": "moving_average", "provisional_sigma": math.nan}, "provisional_sigma must be a number"),
        ({"assignment": "moving_average", "provisional_sigma": "90"}, "provisional_sigma must be a number"),
    ],
)
def test_errors_name_the_invalid_value(stored, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        league_rules_from_dict(stored)
