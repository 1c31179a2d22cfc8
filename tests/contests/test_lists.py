"""Lists of contests: their years, and their cached number of contests."""

from datetime import UTC, datetime

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from contests.models import Contest, Series
from contests.queries.paging import years_of
from contests.queries.versions import kept_count
from contests.services.contests import delete_contest
from tests.factories import make_contest, make_series

pytestmark = pytest.mark.django_db


def make_contests(series: Series, *years: int) -> None:
    for year in years:
        make_contest(series, standings=[("a", 1)], ends_at=datetime(year, 12, 31, 23, 59, 59, tzinfo=UTC))


def test_the_years_of_a_list_are_those_of_its_contests():
    one, other = make_series("one"), make_series("other")
    contests = Contest.objects.finalized().filter(series=one)
    assert years_of(contests) == []
    make_contests(one, 2003, 2001, 2003, 2010)
    make_contests(other, 2002, 2015)
    assert years_of(contests) == [2010, 2003, 2001]
    make_contests(one, 2019)
    with CaptureQueriesContext(connection) as captured:
        assert years_of(contests) == [2019, 2010, 2003, 2001]
    assert len(captured) == 3
    make_contests(one, 1816)
    assert years_of(contests) == [2019, 2010, 2003, 2001, 1816]


def test_a_cached_count_follows_the_contests_of_its_series():
    series, other = make_series("cup"), make_series("other")
    make_contests(series, 2001, 2002)
    rows, own = Contest.objects.finalized().filter(series=series), Series.objects.filter(pk=series.pk)
    assert kept_count(rows, own) == 2
    make_contests(other, 2001)
    for _ in range(2):
        with CaptureQueriesContext(connection) as captured:
            assert kept_count(rows, own) == 2
        assert not [query for query in captured.captured_queries if "state" in query["sql"]]
    assert kept_count(rows.filter(ends_at__year=2001), own) == 1
    make_contests(series, 2003)
    assert kept_count(rows, own) == 3
    delete_contest(rows[0].pk, reason="played twice")
    assert kept_count(rows, own) == 2
