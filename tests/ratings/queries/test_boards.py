"""Facts about rows of a leaderboard: groups between which the difference is significant."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from ratings.queries.boards import Rule, counted_from, group_starts


def plainly(mu, sigma, level=0.95):
    """Return the group starts by the definition, row by row."""
    starts = [0] if mu else []
    for row in range(1, len(mu)):
        first = starts[-1]
        if norm.cdf((mu[first] - mu[row]) / (sigma[first] ** 2 + sigma[row] ** 2) ** 0.5) > level:
            starts.append(row)
    return starts


def test_a_group_ends_where_its_first_player_is_better_with_95_percent():
    # Deviations of 60 and 80 give the difference one of 100; 95 % of a normal distribution are below 1.6449 deviations.
    assert group_starts(np.array([1500.0, 1500.0 - 164.0]), np.array([60.0, 80.0])).tolist() == [0]
    assert group_starts(np.array([1500.0, 1500.0 - 165.0]), np.array([60.0, 80.0])).tolist() == [0, 1]


def test_players_are_compared_with_the_first_of_the_group_not_with_their_neighbour():
    mu = np.array([1000.0, 900.0, 800.0, 700.0, 600.0])
    # 1.6449 · √2 · 80 = 186: 800 is below 1000 by more, 600 below 800.
    assert group_starts(mu, np.full(5, 80.0)).tolist() == [0, 2, 4]


def test_an_uncertain_player_does_not_end_a_group():
    mu, sigma = np.array([1500.0, 1200.0, 1190.0]), np.array([50.0, 350.0, 50.0])
    assert group_starts(mu, sigma).tolist() == [0, 2]


def test_there_are_no_groups_without_players():
    assert group_starts(np.empty(0), np.empty(0)).tolist() == []


@pytest.mark.parametrize("players", [1, 63, 64, 65, 66, 500])
def test_equal_players_form_one_group(players):
    assert group_starts(np.full(players, 1500.0), np.full(players, 80.0)).tolist() == [0]


def test_players_without_uncertainty_form_their_own_groups():
    assert group_starts(np.array([3.0, 2.0, 2.0, 1.0]), np.zeros(4)).tolist() == [0, 1, 3]


players = st.tuples(st.floats(0, 3000), st.floats(1, 400))


@given(st.lists(players, max_size=200), st.floats(0.6, 0.999))
def test_groups_follow_the_definition(beliefs, level):
    beliefs = sorted(beliefs, key=lambda belief: -belief[0])
    mu, sigma = [b[0] for b in beliefs], [b[1] for b in beliefs]
    assert group_starts(np.array(mu), np.array(sigma), level).tolist() == plainly(mu, sigma, level)


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ([1], 1), ([1] * 9 + [50], 1), ([1] * 8 + [2, 2], 2), ([1, 2], 2), ([3], 2), ([4], 2), ([5], 3), ([8], 4),
        ([9], 5), ([400], 5),
    ],
)  # fmt: skip
def test_ratings_count_from_the_fifth_contest_or_earlier_if_players_have_few(counts, expected):
    assert counted_from(Rule(5, 365), np.array(counts)) == expected
    assert counted_from(Rule(2, 365), np.array(counts)) == expected


@pytest.mark.parametrize(("required", "expected"), [(5, 5), (3, 3), (2, 2), (1, 2)])
def test_provisional_ratings_count_only_if_fewer_than_ten_players_get_further(required, expected):
    # Most players of this series have taken part once.
    assert counted_from(Rule(required, 365), np.array([1] * 1000 + [9] * 10)) == expected
    assert counted_from(Rule(required, 365), np.array([1] * 1000 + [9] * 9)) == 1
    assert counted_from(Rule(required, 365), np.array([9] * 1000)) == 5
