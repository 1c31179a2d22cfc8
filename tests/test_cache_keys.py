"""Requests of visitors don't fill the cache: it keeps a limited number of short keys."""

from __future__ import annotations

import pytest
from django.core.cache import cache
from rest_framework.settings import api_settings

from tests.factories import make_contest, make_series, rate

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

TIMES = 12

ADDRESSES = [
    "/feeds/results.atom",
    "/feeds/contests.ics",
    "/c/main/series/cup/results.atom",
    "/c/main/series/cup/contests.ics",
    "/c/main/cards/p0/?x={}",
    "/c/main/cards/{}/",
    "/c/main/cards/p0/?series={}",
    "/c/main/cards/p0/?lang={}",
    "/c/main/badges/p0/?style={}",
    "/c/main/widgets/p0/?theme={}",
    "/search/?q={}",
    "/suggest/?q={}",
    "/c/main/players/{}/",
    "/c/main/histories/{}/",
    "/compare/?player={}",
    "/c/main/series/cup/leaderboard/?q={}",
    "/c/main/series/cup/leaderboard/?affiliation={}",
    "/c/main/series/cup/leaderboard/?country={}",
    "/c/main/series/cup/leaderboard/?player={}",
    "/c/main/series/cup/distribution/?x={}",
    "/c/main/series/cup/what-if/?player={}",
    "/c/main/series/cup/match/?a=p0&b={}",
    "/c/main/series/cup/opponents/?player={}",
    "/c/main/series/cup/pairings/?players=p0,p1,{}",
    "/c/main/series/cup/teams/?players=p0,p1,{}",
    "/c/main/series/{}/",
    "/contests/?q={}",
    "/contests/{pk}/?q={}",
    "/contests/{pk}/?tier={}",
    "/contests/{pk}/?country={}",
    "/contests/{pk}/why/{}/",
    "/tiers/{}.css",
    "/api/v1/players/?search={}",
    "/api/v1/communities/main/series/cup/leaderboard/?search={}",
    "/api/v1/{}",
]


@pytest.fixture
def contest():
    contest = make_contest(make_series("cup"), players=12)
    rate(contest.series)
    return contest


def keys() -> set[str]:
    """Return the keys that are in the cache now, in Redis or in this process."""
    if hasattr(cache._cache, "get_client"):
        return {key.decode() for key in cache._cache.get_client().scan_iter(cache.make_key("*"))}
    return set(cache._cache)


@pytest.mark.parametrize("address", ADDRESSES)
def test_the_input_of_visitors_makes_no_keys(client, contest, address):
    def ask(text, port):
        path = address.replace("{pk}", str(contest.pk)).replace("{}", text)
        client.get(path, headers={"host": f"localhost:{port}", "accept-language": f"de, x-{text[:8]};q=0.5"})

    ask("first", "80")
    known = keys()
    for number in range(TIMES):
        ask(f"{number}-{'x' * 4000}", f"{number + 1}{'0' * 4000}")
        ask(f"p{number}z", f"{number + 1}")
    assert keys() - known == set()
    assert all(len(key) < 200 for key in known)


def test_cards_of_many_players_share_a_fixed_number_of_keys(client, contest, monkeypatch):
    monkeypatch.setattr("web.public.share.views.CARDS_CACHED", 3)
    pictures = {f"p{i}": client.get(f"/c/main/cards/p{i}/").content for i in range(12)}
    assert len([key for key in keys() if "card:" in key]) <= 3
    assert {handle: client.get(f"/c/main/cards/{handle}/").content for handle in pictures} == pictures


def test_the_limit_counts_networks_and_only_valid_addresses(client, contest, monkeypatch):
    monkeypatch.setattr(api_settings, "NUM_PROXIES", 1)
    before = keys()
    for number in range(TIMES):
        client.get("/api/v1/series/", headers={"x-forwarded-for": f"{number}{'x' * 4000}"})
        client.get("/api/v1/series/", headers={"x-forwarded-for": f"2001:db8::{number:x}"})
    counted = {cache.make_key(f"throttle_anon_{address}") for address in ("127.0.0.1", "2001:db8::/64")}
    assert keys() - before == counted
