"""Every page takes a fixed number of queries, whatever it shows."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from contests.models import Player
from tests.factories import make_contest, make_series, rate


def queries_of(client, address):
    with CaptureQueriesContext(connection) as queries:
        response = client.get(address)
    assert response.status_code == 200
    return len(queries), response


def rated_series(slug, players, contests=1):
    series = make_series(slug)
    for _ in range(contests):
        contest = make_contest(series, players=players)
    rate(series)
    return series, contest


PAGES = {
    "/": 14,
    "/series/": 10,
    "/c/main/series/{slug}/": 24,
    "/c/main/series/{slug}/leaderboard/": 16,
    "/c/main/series/{slug}/leaderboard/?q=p&country=": 17,
    "/c/main/series/{slug}/leaderboard/?player=p1&country=NO&active=30&min=1": 18,
    "/c/main/series/{slug}/countries/": 13,
    "/contests/{contest}/": 24,
    "/contests/{contest}/?find=p0": 27,
    "/c/main/players/p0/": 16,
    "/players/?q=p0": 15,
}


@pytest.mark.django_db
@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("rows", [3, 200])
def test_the_number_of_queries_does_not_grow_with_the_players(client, page, rows):
    series, contest = rated_series("cup", rows)
    Player.objects.update(country="NO")
    count, response = queries_of(client, page.format(slug=series.slug, contest=contest.pk))
    assert b"p0" in response.content
    assert count == PAGES[page]


@pytest.mark.django_db
@pytest.mark.parametrize("page", ["/", "/series/", "/c/main/players/p0/", "/players/?q=p0", "/contests/"])
def test_the_number_of_queries_does_not_grow_with_series_and_contests(client, page):
    rated_series("cup-1", 3, contests=2)  # opponents have a rating from the second one on
    client.get(page)  # the best of each series, at most eight, are read once for each run
    few, _ = queries_of(client, page)
    for number in range(2, 7):
        rated_series(f"cup-{number}", 3, contests=12)
    client.get(page)
    many, response = queries_of(client, page)
    assert any(text in response.content.decode() for text in ("Cup 6", "and 3 more series"))
    assert many == few
