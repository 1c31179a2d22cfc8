"""The list of contests: announced contests, and filters."""

from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone

from contests.models import Visibility
from tests.factories import make_community, make_contest, make_series
from tests.pages import Page

pytestmark = pytest.mark.django_db


def names(table):
    return [row[0].split(" ")[0] for row in table[1:]]


def announce(series, name, days):
    at = timezone.now() + timedelta(days=days)
    return make_contest(series, name=name, finalized=False, is_announced=True, ends_at=at, standings=[("hidden", 1)])


@pytest.fixture
def cup():
    series = make_series("cup", name="Harbour Cup")
    for year in (2021, 2022, 2022, 2023):
        make_contest(series, players=2, name=f"Round{year}", ends_at=datetime(year, 5, 1, tzinfo=UTC))
    return series


def test_upcoming_contests_come_first_and_then_those_awaiting_results(client, cup):
    announce(cup, "Later", 30)
    announce(cup, "Soon", 3)
    announce(cup, "Over", -1)
    make_contest(cup, name="Quiet", finalized=False, ends_at=timezone.now() + timedelta(days=1))
    page = Page(client.get("/contests/"))
    coming, awaited, results = page.tables
    assert names(coming) == ["Soon", "Later"]
    assert names(awaited) == ["Over"]
    assert names(results) == ["Round2023", "Round2022", "Round2022", "Round2021"]
    assert "hidden" not in page.text
    assert "Quiet" not in page.text


def test_filters_apply_to_upcoming_contests(client, cup):
    announce(cup, "Soon", 3)
    other = make_series("other")
    announce(other, "Elsewhere", 3)
    assert names(Page(client.get("/contests/?series=cup")).tables[0]) == ["Soon"]
    assert names(Page(client.get("/contests/?q=elsew")).tables[0]) == ["Elsewhere"]
    assert names(Page(client.get("/contests/?year=2021")).tables[0]) == ["Round2021"]


def test_an_unlisted_series_offers_its_own_years(client, cup):
    make_community("other", visibility=Visibility.UNLISTED)
    other = make_series("other", community="other")
    make_contest(other, players=2, name="Round2019", ends_at=datetime(2019, 5, 1, tzinfo=UTC))
    response = client.get("/contests/?series=other/other&year=2019")
    assert (response.status_code, response.context["years"]) == (200, [2019])
    assert names(Page(response).tables[0]) == ["Round2019"]
    assert client.get("/contests/?series=other/other&year=2021").status_code == 404
    assert client.get("/contests/?year=2019").status_code == 404, "it is not in the list of all series"


def test_filters_combine_and_pages_keep_them(client, cup):
    other = make_series("other")
    make_contest(other, players=2, name="Round2022x", ends_at=datetime(2022, 5, 1, tzinfo=UTC))
    page = Page(client.get("/contests/?year=2022&q=round&series=cup"))
    assert names(page.tables[0]) == ["Round2022", "Round2022"]
    assert "2 contests" in page.text
    for number in range(50):
        make_contest(other, players=2, name=f"many{number}", ends_at=datetime(2022, 6, 1, tzinfo=UTC))
    page = Page(client.get("/contests/?year=2022&series=other"))
    assert page.links["Next page →"].startswith("?year=2022&series=other&after=")
    assert page.links["Page 2"] == "?year=2022&series=other&page=last"


@pytest.mark.parametrize("year", ["1800", "abc", "-2022", "2" * 10_000, "٢٠٢٢"])
def test_a_year_without_results_is_reported(client, cup, year):
    page = Page(client.get("/contests/", {"year": year}))
    assert page.status == 404
    said = f"There are no results from the year “{year[:20]}”. These are the contests of all years."
    assert said in page.text
    assert len(page.tables[0]) == 5


@pytest.mark.parametrize("text", ["nothing like it", "%", "<script>alert(1)</script>", "x" * 10_000])
def test_text_that_no_name_contains_finds_nothing(client, cup, text):
    response = client.get("/contests/", {"q": text})
    page = Page(response)
    assert page.status == 200
    assert "No results match" in page.text
    assert b"<script>alert" not in response.content


def test_the_page_links_the_feeds_of_its_contests(client, cup):
    assert b'href="/feeds/results.atom"' in client.get("/contests/").content.split(b"</head>")[0]
    assert b'href="/c/main/series/cup/contests.ics"' in client.get("/contests/?series=cup").content.split(b"</head>")[0]


@pytest.mark.parametrize("contests", [1, 30])
def test_the_number_of_queries_is_fixed(client, django_assert_num_queries, contests):
    for number in range(contests):
        series = make_series(f"s{number}")
        make_contest(series, players=3)
        announce(series, "Soon", 3)
        announce(series, "Over", -3)
    # series, the newest change (three), years (three), number, contests with series, winners, coming and awaited
    # ones, whether there are several communities
    with django_assert_num_queries(13):
        assert client.get("/contests/").status_code == 200
