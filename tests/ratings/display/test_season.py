"""The rules of season points: the calendar, Elo steps and the bonus."""

from __future__ import annotations

import math
import re
from datetime import date

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.display import Fermi, Offset, default_tiers, tiers_from_list, win_probability_from_shown
from ratings.display.season import (
    SeasonRules,
    league_floors,
    place_scores,
    season_rules_from_dict,
    settle,
)

days = st.dates(date(1950, 1, 1), date(2100, 12, 31))


def test_seasons_of_the_calendar_begin_on_its_first_days():
    year, quarter, month = (SeasonRules(length) for length in ("year", "quarter", "month"))
    assert year.season_starts(date(2024, 3, 1), date(2025, 1, 1)) == [date(2024, 1, 1), date(2025, 1, 1)]
    assert quarter.season_starts(date(2024, 9, 30), date(2024, 10, 1)) == [date(2024, 7, 1), date(2024, 10, 1)]
    assert month.season_starts(date(2024, 12, 31), date(2025, 1, 1)) == [date(2024, 12, 1), date(2025, 1, 1)]
    assert quarter.season_end(date(2024, 10, 1)) == date(2025, 1, 1)


def test_custom_seasons_last_until_the_next_begins():
    own = SeasonRules(starts=(date(2024, 2, 1), date(2024, 9, 1)))
    assert own.season_starts(date(2020, 1, 1), date(2024, 8, 31)) == [date(2024, 2, 1)]
    assert own.season_end(date(2024, 2, 1)) == date(2024, 9, 1)
    assert own.season_end(date(2024, 9, 1)) is None


@given(st.sampled_from(["year", "quarter", "month"]), days, days)
def test_every_day_is_in_exactly_one_season_of_the_calendar(length, one, other):
    first, last = sorted([one, other])
    rules = SeasonRules(length)
    starts = rules.season_starts(first, last)
    ends = [rules.season_end(start) for start in starts]
    assert starts[0] <= first
    assert starts[-1] <= last < ends[-1]
    assert starts[1:] == ends[:-1]


def test_the_last_year_has_no_next_season():
    assert SeasonRules("year").season_end(date(9999, 1, 1)) is None


def test_odds_between_2600_and_2500_are_those_of_elo():
    # The analysis' example: 300 points in a league from 2,300 play as 2,600 against 2,500.
    levels = Offset().odds([300 + 2300, 2500], 400.0)
    assert 1 / (1 + math.exp(levels[1] - levels[0])) == pytest.approx(1 / (1 + 10 ** (-100 / 400)))


@given(st.floats(0, 10_000), st.floats(0, 10_000))
def test_under_a_fermi_display_odds_are_those_of_the_shown_numbers(a, b):
    first, second = Fermi().odds([a, b], 400.0)
    assert 1 / (1 + math.exp(second - first)) == pytest.approx(win_probability_from_shown(a, b), abs=1e-12)


def test_defaults_follow_the_display():
    rules = SeasonRules("year")
    assert (rules.k_in(Offset()), rules.bonus_in(Offset())) == (60, 1)
    assert (rules.k_in(Fermi()), rules.bonus_in(Fermi())) == (900, 15)
    assert SeasonRules(scale=800.0).k_in(Offset()) == 120
    chosen = SeasonRules(k=10, bonus_per_day=0)
    assert (chosen.k_in(Fermi()), chosen.bonus_in(Fermi())) == (10, 0)


@given(st.floats(0, 10_000), st.floats(-1000, 1000))
def test_a_step_stays_in_the_fixed_range_and_has_the_direction_of_the_result(level, surplus):
    gain = float(Fermi().elo_gains(SeasonRules().k_in(Fermi()), np.array([level]), np.array([surplus]))[0])
    assert 0 <= np.clip(level, 0.5, 9999.5) + gain <= 10_000
    assert gain * np.sign(surplus) >= -1e-9


def test_a_small_step_in_the_middle_of_a_fixed_range_is_k_times_the_surplus():
    gain = Fermi().elo_gains(100.0, np.array([5000.0]), np.array([0.01]))
    assert gain == pytest.approx(1.0, rel=1e-6)


def test_the_lowest_league_has_a_floor_as_far_below_as_the_next_two_are_apart():
    assert league_floors(default_tiers(Offset()), Offset()).tolist() == [750, 1000, 1250, 1500, 1750, 2000, 2300, 2600]


def test_no_floor_is_below_the_smallest_displayed_number():
    low = [
        {**tier, "minimum": minimum}
        for tier, minimum in zip(default_tiers(Offset()).to_list(), (None, 100, 400), strict=False)
    ]
    assert league_floors(tiers_from_list(low), Offset()).tolist() == [1, 100, 400]
    assert league_floors(tiers_from_list(low[:2]), Fermi()).tolist() == [0, 100]
    assert league_floors(tiers_from_list(low[:1]), Fermi()).tolist() == [0]


def test_a_score_is_the_share_of_the_others_beaten_with_ties_half():
    # The first beats three of three; the second and third beat the last and tie with each other.
    assert place_scores(np.array([1, 2, 2, 4])).tolist() == [1, 0.5, 0.5, 0]
    assert [place_scores(np.array(rank)).tolist() for rank in ([3, 7], [4, 4], [2, 1])] == [[1, 0], [0.5, 0.5], [0, 1]]


def test_gains_are_doubled_while_the_bonus_lasts_and_losses_never():
    points, spent = settle(np.array([10.0, 10, 10, 10]), np.array([8.0, 8, -8, -20]), np.array([100.0, 3, 100, 100]))
    assert points.tolist() == [26, 21, 2, 0]
    assert spent.tolist() == [8, 3, 0, 0]


@pytest.mark.parametrize(
    "stored",
    [
        {"length": "month", "k": 20.0, "scale": 200.0, "bonus_per_day": 0.0},
        {"starts": ["2024-01-31", "2025-02-28"], "k": None, "scale": 400.0, "bonus_per_day": None},
    ],
)
def test_rules_are_stored_and_read_back(stored):
    assert season_rules_from_dict(stored).to_dict() == stored


def test_one_day_is_a_list_of_one_and_the_default_is_a_calendar_year():
    assert season_rules_from_dict({"starts": "2024-05-01"}).starts == (date(2024, 5, 1),)
    assert season_rules_from_dict({"k": 5}).length == "year"
    assert season_rules_from_dict({}) is None


@pytest.mark.parametrize(
    ("stored", "message"),
    [
        ("year", "season must be an object"),
        ({"length": "week"}, "length must be one of year, quarter, month, not 'week'"),
        ({"length": ["year"]}, "length must be one of"),
        ({"length": "year", "starts": ["2024-01-01"]}, "a length or starts, not both"),
        ({"starts": ["2024-02-30"]}, "starts must be days written as 2026-01-31, not '2024-02-30'"),
        ({"starts": [7]}, "starts must be days"),
        ({"starts": ["2024-02-01", "2024-01-01"]}, "ascending order: 2024-01-01 comes after 2024-02-01"),
        ({"starts": ["2024-02-01", "2024-02-01"]}, "starts must be in ascending order"),
        ({"starts": ["1066-10-14"]}, "between the years 1900 and 2200"),
        ({"starts": [f"{1900 + n // 12}-{n % 12 + 1:02}-01" for n in range(201)]}, "at most 200 days, not 201"),
        ({"length": "year", "k": 0}, "k must be a number between 0.01"),
        ({"length": "year", "scale": 0}, "scale must be a number between 1"),
        ({"length": "year", "bonus_per_day": -1}, "bonus_per_day must be a number between 0"),
        ({"length": "year", "bonus_per_day": "much"}, "bonus_per_day must be a number"),
        ({"length": "year", "pool": 1}, "'pool' is unknown"),
    ],
)
def test_errors_name_the_invalid_value(stored, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        season_rules_from_dict(stored)
