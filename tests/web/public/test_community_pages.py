"""Pages of communities: identity, series, players, logo, colours, feeds, and what outsiders never learn from them."""

from __future__ import annotations

import io
import re

import pytest
from django.test import Client
from django.urls import reverse
from PIL import Image

from contests.models import Community, Membership
from contests.services.communities import describe_community, set_logo
from ratings.display import contrast
from ratings.display.colours import DARK_PAGES, LIGHT_PAGES, readable
from tests.factories import make_community, make_contest, make_player, make_series, make_user, rate
from tests.pages import Page
from web.public.community import views

pytestmark = pytest.mark.django_db


@pytest.fixture
def club():
    make_community("club", name="Chess Club <b>", description="We play on Tuesdays.", website="https://club.example/x")
    series = make_series("cup", community="club", name="Club Cup")
    make_contest(series, standings=[("ann", 1), ("bob", 2)])
    rate(series)
    return Community.objects.get(pk="club")


def picture() -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (100, 100), "#00aa00").save(file, "PNG")
    return file.getvalue()


def member(community: str, role: str) -> Client:
    user = make_user()
    Membership.objects.create(community_id=community, user=user, role=role)
    client = Client()
    client.force_login(user)
    return client


def test_the_page_shows_the_identity_and_the_number_of_players(client, club):
    describe_community(
        "club", name=club.name, description=club.description, visibility="public", accent="#ffff00", licence="CC-BY-4.0"
    )
    page = Page(client.get("/c/club/"))
    for words in (
        "Chess Club <b>",
        "We play on Tuesdays.",
        "2 players",
        "Website: club.example",
        "Club Cup",
        "CC BY 4.0",
    ):
        assert words in page.text
    assert page.links["CC BY 4.0 (attribution)"] == "https://creativecommons.org/licenses/by/4.0/"
    assert page.links["Website: club.example"] == "https://club.example/x"
    series = make_series("shown", community="club")
    player = make_player("ann", community="club")
    for address in ("/c/club/", series.get_absolute_url(), player.get_absolute_url()):
        assert "/accents/ffff00.css" in client.get(address).content.decode()


def test_an_empty_community_says_so(client):
    make_community("empty", name="Empty")
    for path in ("/c/empty/", "/c/empty/series/"):
        assert "There are no series yet" in Page(client.get(path)).text


@pytest.mark.parametrize("path", ["", "series/", "players/", "players/?q=ann"])
def test_unlisted_communities_have_a_badge_and_private_ones_are_missing_for_outsiders(client, club, path):
    Community.objects.filter(pk="club").update(visibility="unlisted")
    assert "Unlisted" in Page(client.get(f"/c/club/{path}")).text
    club.refresh_from_db()
    describe_community("club", name="Chess Club", description="", visibility="private")
    hidden, unknown = client.get(f"/c/club/{path}"), client.get(f"/c/nosuch/{path}")
    assert (hidden.status_code, unknown.status_code) == (404, 404)
    assert hidden.content.replace(b"club", b"nosuch") == unknown.content
    text = Page(member("club", "viewer").get(f"/c/club/{path}")).text
    assert "Private" in text


def test_players_are_searched_within_the_community(client, club):
    make_contest(make_series("other"), standings=[("ann", 1), ("annabel", 2)])
    page = Page(client.get("/c/club/players/?q=ann"))
    assert page.links["ann"] == "/c/club/players/ann/"
    assert "annabel" not in page.text
    assert "No players found" in Page(client.get("/c/club/players/?q=annabel")).text
    found = client.get("/suggest/?q=ann&kind=players&community=club").json()["items"]
    assert [item["url"] for item in found] == ["/c/club/players/ann/"]


def test_before_a_search_the_page_of_players_shows_the_best_of_each_series_of_the_community(client, club, monkeypatch):
    rate(club.series.get())
    make_series("unrated", community="club", name="Unrated")
    for slug, community, is_public in (("other", "main", True), ("secret", "club", False)):
        series = make_series(slug, community=community, name=f"{slug} cup", is_public=is_public)
        make_contest(series, standings=[(f"{slug}-winner", 1), (f"{slug}-second", 2)])
        rate(series)
    page = Page(client.get("/c/club/players/"))
    assert page.links["Club Cup"] == "/c/club/series/cup/"
    assert page.links["2 players"] == "/c/club/series/cup/leaderboard/", "the number on the card"
    assert not {"other cup", "secret cup", "Unrated"} & set(page.links)
    assert "The best players Club Cup" in page.text, "it has no other series"
    page = Page(member("club", "viewer").get("/c/club/players/"))
    assert {"Club Cup", "secret cup"} <= set(page.links)
    assert "The best players by series" in page.text
    assert "All series" not in page.links
    monkeypatch.setattr(views, "CARDS", 1)
    page = Page(member("club", "organizer").get("/c/club/players/"))
    assert page.links["All series"] == "/c/club/series/"
    assert len({"Club Cup", "secret cup"} & set(page.links)) == 1
    assert "The best players" not in Page(client.get("/c/club/players/?q=ann")).text


@pytest.mark.parametrize("typed", ["/communities", "/communities/", "/communities/?page=1"])
def test_the_list_of_communities_is_found_at_the_whole_word_too(client, club, typed):
    answer = client.get(typed, follow=True)
    assert answer.redirect_chain[-1] == ("/c/?page=1" if "?" in typed else "/c/", 301)
    assert Page(answer).links["Chess Club <b>"] == "/c/club/"


def test_namesakes_of_several_communities_are_told_apart(client, club):
    make_contest(make_series("other"), standings=[("ann", 1), ("cid", 2)])
    items = client.get("/suggest/?q=ann&kind=players").json()["items"]
    assert {item["community"] for item in items} == {"Main", "Chess Club <b>"}
    text = Page(client.get("/search/?q=ann")).text
    assert "Chess Club <b>" in text
    assert "Main" in text


def test_the_list_of_series_has_those_of_the_community(client, club):
    make_series("elsewhere", name="Elsewhere")
    make_series("secret", community="club", name="Secret", is_public=False)
    text = Page(client.get("/c/club/series/")).text
    assert "Club Cup" in text
    assert "Elsewhere" not in text
    assert "Secret" not in text
    assert "Secret" in Page(member("club", "viewer").get("/c/club/series/")).text


PAGES = ["/c/club/series/cup/", "/c/club/series/cup/leaderboard/", "/c/club/players/ann/", "/contests/{}/"]


@pytest.mark.parametrize("path", PAGES)
def test_pages_name_the_community_only_if_the_site_lists_several(client, club, path):
    path = path.format(club.series.get().contests.get().pk)
    assert club.name not in Page(client.get(path)).text
    before = client.get(path).content
    make_community("hidden", visibility="private")
    make_community("by-link", visibility="unlisted")
    assert client.get(path).content == before
    make_community("second")
    assert Page(client.get(path)).links[club.name] == "/c/club/"


def test_the_front_page_is_that_of_the_only_listed_community_or_shows_several(client, club):
    make_community("hidden", name="Hidden", visibility="private")
    page = Page(client.get("/"))
    assert "Chess Club <b>" in page.text
    assert "Hidden" not in page.text
    make_community("second", name="Second Club")
    page = Page(client.get("/"))
    assert page.links["Second Club"] == "/c/second/"
    assert page.links["All communities"] == "/c/"
    assert "Hidden" not in page.text


@pytest.mark.parametrize("path", ["/", "/c/"])
def test_a_card_names_the_series_that_the_visitor_may_read(client, club, path):
    make_community("second", name="Second Club")
    for number in range(3):
        make_series(f"open-{number}", community="club", name=f"Open {number}")
    make_series("secret", community="club", name="A secret", is_public=False)
    page = Page(client.get(path))
    assert "Club Cup · Open 0 · Open 1 · one more series" in page.text
    assert "A secret" not in page.text
    assert "A secret · Club Cup · Open 0 · 2 more series" in Page(member("club", "viewer").get(path)).text
    assert "No series yet" in page.text


def test_logos_are_png_with_safe_headers_and_only_at_their_present_address(client, club):
    digest = set_logo("club", picture()).logo
    response = client.get(f"/c/club/logo-{digest}-128.png")
    assert response["Content-Type"] == "image/png"
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["Cache-Control"] == "public, max-age=86400, s-maxage=120, immutable"
    assert Image.open(io.BytesIO(response.content)).size == (128, 128)
    for wrong in (f"{digest}-127", f"{'0' * 16}-128", "-128"):
        assert client.get(f"/c/club/logo-{wrong}.png").status_code == 404
    assert f"logo-{digest}-256.png" in client.get("/c/club/").content.decode()
    describe_community("club", name="Club", description="", visibility="private")
    assert client.get(f"/c/club/logo-{digest}-128.png").status_code == 404
    kept = member("club", "viewer").get(f"/c/club/logo-{digest}-128.png")
    assert "private" in kept["Cache-Control"]


@pytest.mark.parametrize("colour", ["#000000", "#ffffff", "#ffff00", "#1a7f37", "#b3360b", "#7f7f7f", "#0000ff"])
def test_accent_colours_become_readable_on_both_themes(client, colour):
    text = client.get(f"/accents/{colour[1:]}.css").content.decode()
    light, dark = re.search(r":root\{--accent:light-dark\((#\w{6}),(#\w{6})\)", text).groups()
    assert min(contrast(light, page) for page in LIGHT_PAGES) >= 4.5
    assert min(contrast(dark, page) for page in DARK_PAGES) >= 4.5


def test_a_readable_colour_stays_and_invalid_colours_have_no_style_sheet(client):
    assert readable("#b3360b", LIGHT_PAGES) == "#b3360b"
    for wrong in ("red", "12345", "1234567", "12345g", "FFFFFF"):
        assert client.get(f"/accents/{wrong}.css").status_code == 404


@pytest.mark.parametrize(("name", "entry"), [("results.atom", "<entry>"), ("contests.ics", "BEGIN:VEVENT")])
def test_feeds_of_a_community_have_its_public_contests(client, club, name, entry):
    make_contest(make_series("other"), name="Foreign", players=2)
    make_contest(make_series("secret", community="club", is_public=False), name="Secret", players=2)
    make_contest(make_series("two", community="club"), name="Second one", players=2)
    text = client.get(f"/c/club/{name}").content.decode()
    assert "Second one" in text
    assert text.count(entry) == 2
    assert "Foreign" not in text
    assert "Secret" not in text
    describe_community("club", name="Club", description="", visibility="unlisted")
    assert client.get(f"/c/club/{name}").status_code == 200
    describe_community("club", name="Club", description="", visibility="private")
    assert client.get(f"/c/club/{name}").status_code == 404
    assert member("club", "owner").get(f"/c/club/{name}").status_code == 404, "feed readers do not sign in"


def test_members_see_players_without_visible_results_and_outsiders_do_not_count_them(client, club):
    make_contest(club.series.get(), standings=[("newcomer", 1)], finalized=False)
    make_player("nobody", community="club")
    assert "2 players" in Page(client.get("/c/club/")).text
    assert "3 players" in Page(member("club", "viewer").get("/c/club/")).text
    assert reverse("community-players", args=["club"]) == "/c/club/players/"
