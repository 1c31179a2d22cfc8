"""Entity tags, and requests from other origins."""

import pytest
from django.test import Client

from contests.models import Player
from tests.factories import make_contest, make_series, make_user, rate

pytestmark = pytest.mark.django_db

ADDRESSES = [
    "series/",
    "communities/main/series/cup/",
    "communities/main/series/cup/leaderboard/",
    "communities/main/series/cup/distribution/",
    "communities/main/series/cup/runs/",
    "communities/main/series/cup/changes/",
    "contests/",
    "players/",
    "communities/main/players/ann/",
    "communities/main/players/ann/history/",
    "schema/",
]


@pytest.fixture
def cup():
    series = make_series("cup")
    make_contest(series, standings=[("ann", 1), ("bob", 2)])
    rate(series)
    return series


@pytest.mark.parametrize("address", ADDRESSES)
def test_unchanged_responses_are_not_sent_again(client, cup, address):
    first = client.get(f"/api/v1/{address}")
    assert first["ETag"].startswith('W/"')
    assert first["Cache-Control"] == "public, no-cache"
    for known in (first["ETag"], first["ETag"].removeprefix("W/"), f'"other", {first["ETag"]}', "*"):
        again = client.get(f"/api/v1/{address}", headers={"If-None-Match": known})
        assert (again.status_code, again.content, again["ETag"]) == (304, b"", first["ETag"])
        assert again["Access-Control-Allow-Origin"] == "*"
        assert again["Vary"] == first["Vary"]
        assert "Accept-Encoding" in again["Vary"]
    assert client.get(f"/api/v1/{address}", headers={"If-None-Match": '"other"'}).content == first.content
    assert client.head(f"/api/v1/{address}")["ETag"] == first["ETag"]
    assert client.head(f"/api/v1/{address}", headers={"If-None-Match": first["ETag"]}).status_code == 304


@pytest.mark.parametrize("condition", ["If-Match", "If-Unmodified-Since"])
def test_conditions_for_writing_are_ignored(client, cup, condition):
    first = client.get("/api/v1/series/")
    for value in (first["ETag"], '"other"', "Thu, 01 Jan 2026 00:00:00 GMT", "Sat, 01 Jan 2050 00:00:00 GMT"):
        again = client.get("/api/v1/series/", headers={condition: value})
        assert (again.status_code, again.content) == (200, first.content)


def test_a_run_and_a_renamed_player_change_the_entity_tag(client, cup):
    def tag(address):
        return client.get(f"/api/v1/{address}")["ETag"]

    board, contests = tag("communities/main/series/cup/leaderboard/"), tag("contests/")
    Player.objects.filter(handle="ann").update(name="Ann Archer")
    renamed = tag("communities/main/series/cup/leaderboard/")
    make_contest(cup, standings=[("bob", 1), ("ann", 2)])
    rate(cup)
    assert len({board, renamed, tag("communities/main/series/cup/leaderboard/")}) == 3
    assert tag("contests/") != contests
    assert tag("communities/main/series/cup/leaderboard/?page_size=1") != tag(
        "communities/main/series/cup/leaderboard/"
    )


def test_responses_are_the_same_for_all_clients(client, cup):
    anonymous = client.get("/api/v1/communities/main/series/cup/leaderboard/")
    client.force_login(make_user(is_staff=True))
    known = client.get("/api/v1/communities/main/series/cup/leaderboard/")
    assert known.content == anonymous.content
    assert "cookie" not in known.get("Vary", "").lower()
    assert not known.cookies


def test_pages_of_any_origin_can_read(client, cup):
    asked = client.options("/api/v1/series/", headers={"Access-Control-Request-Method": "GET"})
    assert (asked.status_code, asked["Access-Control-Allow-Origin"]) == (200, "*")
    assert asked["Access-Control-Allow-Methods"] == "GET, HEAD, OPTIONS"
    assert {"If-None-Match", "Authorization"} <= set(asked["Access-Control-Allow-Headers"].split(", "))
    for address in ("/api/v1/series/", "/api/v1/nothing/", "/api/v2/"):
        answer = client.get(address)
        assert answer["Access-Control-Allow-Origin"] == "*"
        assert answer["Access-Control-Expose-Headers"] == "ETag, Retry-After, WWW-Authenticate"
        assert "Origin" in {name.strip().title() for name in answer["Vary"].split(",")}
        assert "Access-Control-Allow-Credentials" not in answer


@pytest.mark.parametrize("page", ["/series/", "/c/main/series/cup/leaderboard/", "/feeds/results.atom", "/healthz"])
def test_html_pages_are_closed_to_other_origins(client, cup, page):
    assert "Access-Control-Allow-Origin" not in client.get(page)


def test_requests_without_an_origin_get_no_cors_headers(cup):
    assert "Access-Control-Allow-Origin" not in Client().get("/api/v1/series/")


@pytest.mark.parametrize("page", ["/series/", "/api/v1/series/"])
def test_pages_and_the_api_have_the_same_kind_of_entity_tag(client, cup, page):
    tags = {client.get(page)["ETag"], client.head(page)["ETag"]}
    assert len(tags) == 1
    assert tags.pop().startswith('W/"')


@pytest.mark.parametrize("page", ["/series/", "/c/main/series/cup/leaderboard/", "/feeds/results.atom"])
def test_an_unchanged_page_has_the_same_vary_header(client, cup, page):
    first = client.get(page, headers={"Accept-Encoding": "gzip"})
    again = client.get(page, headers={"Accept-Encoding": "gzip", "If-None-Match": first["ETag"]})
    assert again.status_code == 304

    def names(answer):
        return {name.strip() for name in answer["Vary"].split(",")}

    assert names(again) == names(first) >= {"Accept-Encoding", "Cookie"}
