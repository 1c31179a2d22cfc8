"""Data for other sites on the page of a player, and the snippets to copy."""

import html
import re

import pytest
from django.urls import reverse

from tests.factories import make_contest, make_player, make_series, rate

pytestmark = pytest.mark.django_db


def meta(response):
    found = re.findall(
        r'<meta (?:property|name)="((?:og|twitter):[^"]+)" content="([^"]*)">', response.content.decode()
    )
    return {name: html.unescape(content) for name, content in found}


def test_other_sites_are_told_what_the_page_shows(client):
    series = make_series("cup", name="Harbour Cup")
    make_contest(series, standings=[("ann", 1), ("bob", 2), ("cid", 3)])
    rate(series)
    response = client.get("/c/main/players/ann/?sort=place&at=1")
    told = meta(response)
    assert told["og:title"] == "ann in Harbour Cup"
    assert told["og:url"] == "http://testserver/c/main/players/ann/?series=cup"
    assert told["og:image"] == "http://testserver/c/main/cards/ann/?series=cup"
    assert told["twitter:card"] == "summary_large_image"
    rating = response.context["figures"].points
    assert told["og:description"].startswith(f"Rating {rating:,} (")
    assert "rank 1 of 3" in told["og:description"]
    assert '<link rel="canonical" href="http://testserver/c/main/players/ann/?series=cup">' in response.content.decode()


@pytest.mark.parametrize(
    "handle", ["a b", "<b>", "quote\"'", "x](y)", "a/b", "李明", "100%", "a&b", "__x__", "..", "`x`"]
)
def test_snippets_hold_any_name_and_end_where_they_should(client, handle):
    series = make_series("cup", name='The "Cup" <2>')
    make_contest(series, standings=[(handle, 1), ("other", 2)])
    rate(series)
    player = make_player(handle)
    text = client.get(player.get_absolute_url()).content.decode()
    link, picture, markdown, frame = (
        html.unescape(value) for value in re.findall(r'readonly value="([^"]*)" data-snippet', text)
    )
    badge, widget = (
        f"http://testserver{reverse(name, args=[player.community_id, player.handle])}?series=cup"
        for name in ("badge", "widget")
    )
    assert link == f"http://testserver{player.get_absolute_url()}?series=cup"
    for snippet, address in ((picture, badge), (frame, widget)):
        pieces = re.fullmatch(r"(?:<\w+(?: [a-z]+=\"[^\"<>]*\")+>|</\w+>)+", snippet)
        assert pieces, snippet
        assert html.escape(address) in snippet
    assert re.fullmatch(r"\[!\[(?:[^\\\[\]]|\\.)*\]\([^()\s]+\)\]\([^()\s]+\)", markdown), markdown
