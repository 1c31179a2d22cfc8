"""robots.txt, site maps and security.txt: their content, none of which is private."""

from __future__ import annotations

import re
import urllib.robotparser
from datetime import UTC, datetime, timedelta
from xml.etree import ElementTree

import pytest
from django.test import Client

from contests.models import Community
from tests.factories import make_contest, make_series, make_user, rate
from web.public.crawlers import sitemaps

pytestmark = pytest.mark.django_db

NAMESPACE = {"s": "http://www.sitemaps.org/schemas/sitemap/0.9"}
SITE = "http://testserver"


@pytest.fixture
def cup():
    series = make_series("cup")
    make_contest(series, standings=[("ann", 1), ("bob", 2), ("Ötzi & co/1", 3)])
    rate(series)
    return series


def addresses(client: Client, path: str) -> list[str]:
    """The paths that a site map lists."""
    response = client.get(path)
    assert response.status_code == 200
    assert response["Content-Type"] == "application/xml"
    root = ElementTree.fromstring(response.content)
    found = [location.text or "" for location in root.findall("*/s:loc", NAMESPACE)]
    assert all(each.startswith(f"{SITE}/") for each in found)
    return [each.removeprefix(SITE) for each in found]


def all_maps(client: Client) -> dict[str, bytes]:
    """The index and every map that it lists."""
    paths = ["/robots.txt", "/sitemap.xml", *addresses(client, "/sitemap.xml")]
    return {path: client.get(path).content for path in paths}


def test_robots_read_pages_but_no_forms_and_find_the_site_map(client):
    response = client.get("/robots.txt")
    assert response["Content-Type"] == "text/plain; charset=utf-8"
    lines = response.content.decode().splitlines()
    rules = urllib.robotparser.RobotFileParser()
    # The standard library's parser does not support patterns.
    rules.parse([line for line in lines if "?" not in line])
    read = [
        "/", "/c/main/series/cup/leaderboard/", "/contests/7/", "/c/main/players/ann/", "/compare/", "/api/v1/docs/",
    ]  # fmt: skip
    left_out = [
        "/organize/", "/admin/login/", "/suggest/?q=a", "/search/?q=a", "/accounts/login/", "/account/",
        "/api/v1/series/",
    ]  # fmt: skip
    assert [path for path in read if not rules.can_fetch("*", f"https://podium.example{path}")] == []
    assert [path for path in left_out if rules.can_fetch("*", f"https://podium.example{path}")] == []
    assert "Disallow: /compare/?" in lines
    assert rules.site_maps() == [f"{SITE}/sitemap.xml"]


def test_the_maps_list_every_public_page_and_each_answers(client, cup):
    contest = cup.contests.get()
    maps = addresses(client, "/sitemap.xml")
    assert maps == [
        "/sitemap-series.xml",
        "/c/main/series/cup/sitemap-contests.xml",
        "/c/main/series/cup/sitemap-players-1.xml",
    ]
    series, contests, players = (addresses(client, path) for path in maps)
    assert set(series) == {
        "/", "/c/", "/c/main/", "/series/", "/contests/", "/players/",
        "/c/main/series/cup/", "/c/main/series/cup/leaderboard/",
    }  # fmt: skip
    assert contests == [f"/contests/{contest.pk}/"]
    assert players == ["/c/main/players/ann/", "/c/main/players/bob/", "/c/main/players/%C3%96tzi%20&%20co/1/"]
    assert [path for path in (*series, *contests, *players) if client.get(path).status_code != 200] == []


def test_players_are_split_into_maps_of_limited_size(client, monkeypatch):
    monkeypatch.setattr(sitemaps, "PLAYERS", 3)
    series = make_series("cup")
    make_contest(series, players=7)
    rate(series)
    maps = [path for path in addresses(client, "/sitemap.xml") if "players" in path]
    listed = [addresses(client, path) for path in maps]
    assert [len(each) for each in listed] == [3, 3, 1]
    assert len({path for each in listed for path in each}) == 7
    for number in (0, 4, 10**9):
        assert client.get(f"/c/main/series/cup/sitemap-players-{number}.xml").status_code == 404


@pytest.mark.parametrize("few", [0, 500], ids=["remembered", "not remembered"])
def test_series_and_communities_are_split_into_parts_which_robots_find(client, monkeypatch, few):
    """The protocol allows 50,000 addresses in a map, and no index of indexes."""
    monkeypatch.setattr(sitemaps, "SERIES", 2)
    monkeypatch.setattr(sitemaps, "FEW_SERIES", few)
    for number in range(5):
        make_contest(make_series(f"cup-{number}"), players=2)
    make_series("not-played")
    for number in range(6):
        Community.objects.create(slug=f"club-{number}", name="Club")
    unlisted = Community.objects.create(slug="quiet", name="Quiet", visibility="unlisted")
    for number in range(4):  # which would fill two more parts
        make_contest(make_series(f"secret-{number}", is_public=False), players=2)
        make_contest(make_series(f"quiet-{number}", community=unlisted.pk), players=2)
    lines = client.get("/robots.txt").content.decode().splitlines()
    indexes = [line.removeprefix(f"Sitemap: {SITE}") for line in lines if line.startswith("Sitemap:")]
    assert indexes == ["/sitemap.xml", *(f"/sitemap.xml?p={part}" for part in (2, 3, 4))]
    maps = [path for index in indexes for path in addresses(client, index)]
    pages = [path for path in maps if path.startswith("/sitemap-series.xml")]
    listed = [addresses(client, path) for path in pages]
    assert [len(each) for each in listed] == [11, 6, 6, 1]
    rows = [*(f"/c/main/series/cup-{number}/" for number in range(5)), "/c/main/series/not-played/"]
    found = [path for each in listed for path in each]
    assert [path for path in found if re.fullmatch("/c/main/series/[^/]+/", path)] == rows
    assert {path for path in found if re.fullmatch("/c/[^/]+/", path)} == {
        "/c/main/", *(f"/c/club-{number}/" for number in range(6))
    }  # fmt: skip
    of_series = [f"/c/main/series/cup-{number}/sitemap-contests.xml" for number in range(5)]
    assert sorted(set(maps) - set(pages)) == of_series
    for part in ("0", "5", "-1", "x", "", "9" * 5000, "1.0"):
        for path in ("/sitemap.xml", "/sitemap-series.xml"):
            assert client.get(path, {"p": part}).status_code == 404, part


def test_what_is_private_changes_no_byte_and_has_no_map(client, cup):
    before = all_maps(client)
    ida = make_user("ida")
    secret = make_series("secret", is_public=False, organizer=ida)
    make_contest(secret, standings=[("ann", 1), ("hidden-one", 2)])
    rate(secret)
    make_contest(cup, standings=[("onlooker", 1)], finalized=False)
    make_contest(make_series("empty", is_public=False), finalized=False)
    assert all_maps(client) == before
    organizer = Client()
    organizer.force_login(ida)
    assert all_maps(organizer) == before
    for visitor in (client, organizer):
        for name in ("contests", "players-1"):
            hidden = visitor.get(f"/c/main/series/secret/sitemap-{name}.xml")
            unknown = visitor.get(f"/c/main/series/nosuch/sitemap-{name}.xml")
            assert (hidden.status_code, unknown.status_code) == (404, 404)
    secret.is_private = False
    secret.save()
    assert all_maps(client) != before


@pytest.mark.parametrize("visibility", ["unlisted", "private"])
def test_a_community_that_is_not_public_is_not_in_the_maps(client, cup, visibility):
    before = all_maps(client)
    Community.objects.create(slug="hidden", name="Hidden", visibility=visibility)
    series = make_series("den", community="hidden")
    make_contest(series, standings=[("otto", 1), ("emil", 2)])
    rate(series)
    assert all_maps(client) == before
    for name in ("contests", "players-1"):
        assert client.get(f"/c/hidden/series/den/sitemap-{name}.xml").status_code == 404


def test_the_index_takes_a_fixed_number_of_queries(client, django_assert_max_num_queries):
    for number in range(5):
        series = make_series(f"cup-{number}")
        make_contest(series, players=2)
        rate(series)
    with django_assert_max_num_queries(3):
        client.get("/sitemap.xml")
    with django_assert_max_num_queries(4):
        client.get("/sitemap-series.xml")


def test_the_lists_of_a_large_site_are_remembered_for_a_while(client, cup, monkeypatch, django_assert_num_queries):
    make_contest(make_series("bowl"))
    few = {path: client.get(path).content for path in ("/sitemap.xml", "/sitemap-series.xml")}
    monkeypatch.setattr(sitemaps, "FEW_SERIES", 1)
    for path, content in few.items():
        assert client.get(path).content == content
        with django_assert_num_queries(1):
            assert client.get(path).content == content
        assert client.get(path, headers={"host": "localhost"}).content != content, "addresses are those of the request"


def test_addresses_begin_with_the_origin_of_the_site(client, cup, settings):
    settings.PODIUM_ORIGIN = "https://ratings.example.org"
    assert b"Sitemap: https://ratings.example.org/sitemap.xml" in client.get("/robots.txt").content
    for path in ("/sitemap.xml", "/sitemap-series.xml", "/c/main/series/cup/sitemap-players-1.xml"):
        text = client.get(path).content.decode()
        assert set(re.findall(r"<loc>(https?://[^/]*)", text)) == {"https://ratings.example.org"}


def test_researchers_find_whom_to_write_to(client, settings):
    """RFC 9116: contacts in order of preference, one date less than a year ahead."""
    settings.PODIUM_SECURITY_CONTACTS = ["mailto:security@example.org", "https://example.org/security?a=1&b=2"]
    response = client.get("/.well-known/security.txt")
    assert response["Content-Type"] == "text/plain; charset=utf-8"
    lines = response.content.decode().splitlines()
    fields = [tuple(line.split(": ", 1)) for line in lines]
    assert [value for name, value in fields if name == "Contact"] == settings.PODIUM_SECURITY_CONTACTS
    (expires,) = [value for name, value in fields if name == "Expires"]
    left = datetime.strptime(expires, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC) - datetime.now(UTC)
    assert timedelta(days=30) < left < timedelta(days=365)
    assert ("Preferred-Languages", "en, de") in fields
    assert ("Canonical", f"{SITE}/.well-known/security.txt") in fields


def test_without_a_contact_there_is_no_such_file(client, settings):
    settings.PODIUM_SECURITY_CONTACTS = []
    assert client.get("/.well-known/security.txt").status_code == 404


def pages_of(client: Client, community: str) -> dict[str, str]:
    """The pages of a community that its pages link to, without their parameters."""
    found: dict[str, str] = {}
    waiting = [f"/c/{community}/"]
    while waiting:
        path = waiting.pop()
        response = client.get(path)
        if response.status_code != 200 or not response["Content-Type"].startswith("text/html"):
            continue
        found[path] = response.content.decode()
        linked = set(re.findall(r'href="(/(?:c/[^"?#]+|contests/[^"?#]+))', found[path]))
        waiting += sorted(linked - set(found) - set(waiting))
    return found


def test_search_engines_list_no_page_of_an_unlisted_community(client, cup):
    rate(make_contest(make_series("dash", community="club"), standings=[("eve", 1), ("adam", 2)]).series)
    Community.objects.filter(pk="club").update(visibility="unlisted")
    pages = pages_of(client, "club")
    own = {path for path in pages if path not in ("/c/", "/contests/")}
    assert {"/c/club/", "/c/club/series/", "/c/club/players/", "/c/club/series/dash/", "/c/club/players/eve/"} <= own
    assert len(own) > 12
    assert [path for path in own if pages[path].count('content="noindex"') != 1] == []
    assert [path for path, page in pages_of(client, "main").items() if "noindex" in page] == []
