"""Competition ranks against their definition: 1 plus the number of strictly better rows."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contests.ranking import close_up, competition_ranks

NUMBERS = st.integers(-3, 3).map(float) | st.floats(allow_nan=False)


def test_equals_share_the_best_rank():
    assert competition_ranks([90, 80, 80, 70]) == [1, 2, 2, 4]


def test_lower_penalties_break_ties():
    assert competition_ranks([5, 5, 6, 5], [30, 20, 99, 20]) == [4, 2, 1, 2]


def test_infinities_tie_with_themselves():
    assert competition_ranks([math.inf, math.inf, -math.inf, -math.inf]) == [1, 1, 3, 3]


@given(st.lists(st.tuples(NUMBERS, NUMBERS)))
def test_a_rank_is_one_plus_the_number_of_better_rows(rows):
    def better(a, b):
        return a[0] > b[0] or (a[0] == b[0] and a[1] < b[1])

    expected = [1 + sum(better(other, row) for other in rows) for row in rows]
    assert competition_ranks([score for score, _ in rows], [penalty for _, penalty in rows]) == expected


@given(st.lists(st.integers(1, 20)))
def test_closing_up_counts_the_better_places_that_are_left(places):
    assert close_up(places) == [1 + sum(other < place for other in places) for place in places]


@given(st.lists(st.integers(1, 20)))
def test_closing_up_twice_changes_nothing(places):
    assert close_up(close_up(places)) == close_up(places)


@given(st.lists(st.tuples(st.integers(1, 6), st.integers(0, 3)), max_size=20))
def test_a_team_counts_once_however_many_members_it_has(rows):
    places = [place for place, _ in rows]
    teams = ["" if team == 0 else f"{place}-{team}" for place, team in rows]
    units = {team or row: place for row, (place, team) in enumerate(zip(places, teams, strict=True))}
    assert close_up(places, teams) == [1 + sum(other < place for other in units.values()) for place in places]


@pytest.mark.parametrize("arguments", [([math.nan],), ([1.0], [math.nan]), ([1.0], [1.0, 2.0])])
def test_values_without_an_order_are_refused(arguments):
    with pytest.raises(ValueError, match="penalt"):
        competition_ranks(*arguments)


def test_no_rows_have_no_ranks():
    assert competition_ranks([]) == []
    assert close_up([]) == []
