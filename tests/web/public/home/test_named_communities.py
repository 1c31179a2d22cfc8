"""Series are listed with their communities, if the site lists several."""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.factories import make_community, make_contest, make_series, rate

pytestmark = pytest.mark.django_db

PAGES = ["/", "/series/", "/compare/", "/contests/", "/players/", "/search/?q=cup"]


def shown(client, page):
    """Return the texts of the main part of a page."""
    content = client.get(page).content.decode().split("<main")[1]
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "|", content))


@pytest.mark.parametrize("page", PAGES)
def test_a_series_is_named_with_its_community_if_there_are_several(client, page):
    series = make_series("cup")
    make_contest(series, players=4, name="First")
    rate(series)
    name = series.community.name
    pattern = re.compile(rf"\|{re.escape(name)}\|")
    alone = len(pattern.findall(shown(client, page)))
    other = make_series("cup", community=make_community("other", name="Other place").pk)
    make_contest(other, players=4, name="Second")
    rate(other)
    text = shown(client, page)
    assert len(pattern.findall(text)) > alone
    assert "|Other place|" in text


@pytest.mark.parametrize("page", PAGES)
def test_the_names_take_a_fixed_number_of_queries(client, page):
    numbers = []
    for letters in ("ab", "cdef"):
        for letter in letters:
            series = make_series(f"cup-{letter}", community=make_community(letter, name=f"Place {letter}").pk)
            make_contest(series, players=4, name=f"Cup {letter}")
            rate(series)
        client.get(page)
        with CaptureQueriesContext(connection) as queries:
            client.get(page)
        numbers.append(len(queries))
    assert numbers[0] == numbers[1]


def test_the_front_page_shows_communities_with_the_newest_results_first(client):
    for day, slug in enumerate(["quiet", "busy"]):
        series = make_series(f"cup-{slug}", community=make_community(slug, name=f"Place {slug}").pk)
        make_contest(series, players=4, day=day)
        rate(series)
    for letter in "gfedcba":
        make_community(letter, name=f"Place {letter}")
    section = client.get("/").content.decode().split('id="communities"')[1]
    names = ["busy", "quiet", "a", "b", "c", "d"]
    assert re.findall(r"<bdi>Place (\w+)</bdi></a>", section) == names
