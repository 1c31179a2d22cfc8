"""Ranks, percentiles and pages of a leaderboard, checked by counting."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.display.percentages import percentage
from ratings.queries.snapshot import RankIndex, displayed_percentile, rank_index, snapshot_of
from tests.factories import make_contest, make_series, rate
from web.shared.tags import percentile

scores = st.lists(st.integers(-3, 3).map(float), min_size=1, max_size=30)


def index_of(values):
    order = sorted(range(len(values)), key=lambda i: (-values[i], i))
    return RankIndex(np.array([values[i] for i in order]), np.array(order, dtype=np.int64))


@given(scores)
def test_a_rank_is_one_more_than_the_number_of_better_players(values):
    index = index_of(values)
    for value in values:
        better = sum(other > value for other in values)
        assert index.rank(value) == better + 1
        assert index.percentile(value) == pytest.approx(100 * (len(values) - better) / len(values))
    assert index.ranks(np.array(values)).tolist() == [index.rank(value) for value in values]


@given(scores, st.integers(1, 7))
def test_pages_show_every_player_once_at_their_position(values, size):
    index = index_of(values)
    pages = [index.page(number, size).tolist() for number in range(1, len(values) // size + 2)]
    everyone = [player for page in pages for player in page]
    assert sorted(everyone) == list(range(len(values)))
    for player, value in enumerate(values):
        assert everyone[index.position(player, value)] == player
    assert index.position(len(values), values[0]) is None


def test_the_index_is_empty_before_the_first_run():
    index = rank_index(None)
    assert (len(index), index.rank(1500.0), index.page(1, 10).tolist()) == (0, 1, [])


@pytest.mark.django_db
def test_the_index_follows_the_run():
    series = make_series()
    make_contest(series, players=4)
    rate(series)
    before = snapshot_of(series).index
    make_contest(series, standings=[("p3", 1), ("p2", 2), ("p1", 3), ("p0", 4), ("new", 5)])
    rate(series)
    after = snapshot_of(series).index
    assert (len(before), len(after)) == (4, 5)
    assert (np.diff(after.scores) <= 0).all()


@pytest.mark.django_db
def test_an_index_is_read_once(django_assert_num_queries):
    series = make_series()
    make_contest(series, players=4)
    run = rate(series)
    rank_index(run)
    with django_assert_num_queries(0):
        rank_index(run)


@pytest.mark.parametrize(
    ("rank", "total", "text"),
    [(1, 138_116, "100.0"), (2, 138_116, "99.9"), (137_981, 138_116, "0.1"), (138_100, 138_116, "< 0.1")],
)
def test_no_one_has_the_percentile_0_and_only_the_best_100(rank, total, text):
    assert percentage(displayed_percentile(rank, total), space=" ") == f"{text} %"
    assert percentile(displayed_percentile(rank, total)).replace("\u00a0", " ") == text
