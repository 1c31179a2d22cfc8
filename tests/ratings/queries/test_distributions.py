"""Bins, percentiles, tiers and positions of ratings, on examples that can be counted by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.display import Offset, default_tiers
from ratings.queries.distributions import (
    PERCENTILES,
    bin_width,
    bins,
    flows_by_tier,
    locate_rating,
    most_bins,
    percentiles,
    tier_shares,
)
from web.shared.drawings import histogram, stacks

#: Thresholds 1000, 1250, 1500, 1750, 2000, 2300, 2600.
TIERS = default_tiers(Offset())
ratings_of_many = st.lists(st.integers(-500, 5000), min_size=1, max_size=60).map(sorted)


def rising(*ratings):
    return np.array(sorted(ratings), dtype=np.int64)


def test_bins_have_no_gaps_and_contain_all_players():
    found = bins(rising(1399, 1400, 1449, 1550), 50)
    assert [(one.start, one.last, one.players) for one in found] == [
        (1350, 1399, 1), (1400, 1449, 2), (1450, 1499, 0), (1500, 1549, 0), (1550, 1599, 1),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("ratings", "width"), [((1500,), 1), ((1500, 1558), 1), ((1500, 1559), 2), ((1000, 3000), 50), ((0, 9999), 200)]
)
def test_the_bin_width_limits_the_number_of_bins(ratings, width):
    assert bin_width(rising(*ratings)) == width
    assert len(bins(rising(*ratings), width)) <= 60


@pytest.mark.parametrize(("players", "bars"), [(1, 12), (23, 12), (100, 20), (900, 60), (10**6, 60)])
def test_few_players_get_few_bars(players, bars):
    assert most_bins(players) == bars


def test_a_percentile_is_the_lowest_rating_that_this_share_does_not_exceed():
    found = {row.percent: (row.rating, row.above) for row in percentiles(rising(*range(1, 201)))}
    assert found[50] == (100, 100)
    assert found[99] == (198, 2)
    assert found[1] == (2, 198)


@given(ratings_of_many)
def test_percentiles_follow_the_definition(ratings):
    for row in percentiles(np.array(ratings)):
        at_or_below = sum(rating <= row.rating for rating in ratings)
        below = sum(rating < row.rating for rating in ratings)
        assert 100 * at_or_below >= row.percent * len(ratings) > 100 * below
        assert row.above == len(ratings) - at_or_below


def test_all_percentiles_of_one_player_are_the_same_rating():
    assert [row.rating for row in percentiles(rising(1500))] == [1500] * len(PERCENTILES)
    assert percentiles(rising()) == []


def test_the_position_of_a_rating_counts_lower_and_higher_ratings():
    found = locate_rating(rising(1400, 1500, 1500, 1600), 1500)
    assert (found.below, found.above, found.better_than, found.rank) == (1, 1, 25.0, 2)


@pytest.mark.parametrize(("rating", "better"), [(0, 0.0), (1400, 0.0), (1401, 33.3), (1601, 100.0), (10**9, 100.0)])
def test_percentages_are_rounded_down_so_that_100_means_better_than_all(rating, better):
    assert locate_rating(rising(1400, 1500, 1600), rating).better_than == better


def test_tiers_come_highest_first_with_cumulative_shares():
    rows = tier_shares(rising(900, 1500, 1600, 2600), TIERS)
    found = {row.tier.name: (row.players, row.share, row.share_up) for row in rows}
    assert rows[0].tier.name == "Nova"
    assert found["Nova"] == (1, 25.0, 25.0)
    assert found["Torch"] == (2, 50.0, 75.0)
    assert found["Spark"] == (1, 25.0, 100.0)
    assert {row.tier.name: row.below for row in rows}["Torch"] == 1750


def test_the_movement_between_tiers_is_counted_from_row_to_column():
    counts = np.zeros((9, 8), dtype=np.int64)
    counts[3, 3], counts[3, 4], counts[4, 3], counts[8, 4] = 5, 2, 1, 7
    found = flows_by_tier(counts, TIERS)
    assert (found.rose, found.fell, found.stayed, found.new) == (2, 1, 5, 7)
    assert [tier.name for tier, _ in found.columns] == ["Beacon", "Torch"]
    assert [row.tier.name if row.tier else "new" for row in found.rows] == ["Beacon", "Torch", "new"]
    assert [[cell.players for cell in row.cells] for row in found.rows] == [[0, 1], [2, 5], [7, 0]]
    assert [[cell.is_same for cell in row.cells] for row in found.rows] == [[True, False], [False, True], [False] * 2]


def share(text):
    return float(text.removesuffix("%")) / 100


@given(ratings_of_many)
def test_bars_stay_within_the_chart_and_are_proportional_to_players(ratings):
    columns = bins(np.array(ratings), bin_width(np.array(ratings)))
    chart = histogram(columns, TIERS)
    heights = [share(bar.height) for bar in chart.columns]
    for bar, height in zip(chart.columns, heights, strict=True):
        assert 0 <= share(bar.x) <= share(bar.x) + share(bar.width) <= 1.0002
        assert share(bar.y) + height == pytest.approx(1, abs=2e-4)
        assert height / max(heights) == pytest.approx(bar.bin.players / max(c.players for c in columns), abs=2e-4)
    assert sum(share(span.width) for span in chart.tiers) == pytest.approx(1, abs=1e-3)
    assert 0 <= share(chart.marker(10**7).at) <= 1


def test_one_bar_does_not_fill_the_chart():
    chart = histogram(bins(rising(1500), 1), TIERS)
    assert share(chart.columns[0].width) < 0.2


def test_stacked_bars_show_numbers_or_fill_the_chart():
    first, second = stacks([[1, 1, 0, 0, 0, 0, 0, 0], [2, 0, 6, 0, 0, 0, 0, 0]], TIERS, as_shares=False)
    assert sum(share(part.height) for part in second.segments) == pytest.approx(
        4 * sum(share(part.height) for part in first.segments), abs=1e-3
    )
    _, second = stacks([[1, 1, 0, 0, 0, 0, 0, 0], [2, 0, 6, 0, 0, 0, 0, 0]], TIERS, as_shares=True)
    assert [(part.name, share(part.height)) for part in second.segments] == [("Lantern", 0.75), ("Spark", 0.25)]
    assert stacks([], TIERS, as_shares=False) == []
