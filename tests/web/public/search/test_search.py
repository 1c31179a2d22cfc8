"""The search for players, contests and series in one page."""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from contests.matching import known_words
from contests.models import PlayerAlias
from contests.services.contests import delete_contest
from tests.factories import make_community, make_contest, make_player, make_series, make_unrated_player, make_user, rate
from tests.pages import Page

pytestmark = pytest.mark.django_db


def searched(client, query):
    return Page(client.get(f"/search/?{query}"))


def test_one_page_finds_players_contests_and_series(client):
    cup = make_series("harbour-cup", name="Harbour Cup")
    make_contest(cup, name="Night in the harbour", standings=[("harbourmaster", 1), ("bob", 2)])
    rate(cup)
    page = searched(client, "q=HARBOUR")
    assert page.headings == ["Search: HARBOUR"]
    assert page.links["harbourmaster"] == "/c/main/players/harbourmaster/"
    assert page.links["Harbour Cup"] == "/c/main/series/harbour-cup/"
    assert page.links["Night in the harbour"].startswith("/contests/")
    assert "Harbour Cup" in page.tables[0][1][2], "the series beside the rating"


def test_an_exact_handle_comes_first_and_old_handles_lead_to_the_player(client):
    cup = make_series("cup")
    make_contest(cup, standings=[("anna", 1), ("ann", 2), ("zoe", 3)])
    make_contest(cup, standings=[("anna", 1), ("zoe", 2)])
    rate(cup)
    PlayerAlias.objects.create(player=make_player("zoe"), handle="Annabel", handle_key="annabel")
    rows = searched(client, "q=ann").tables[0][1:]
    assert [re.split(r"\W|also", row[0])[0] for row in rows] == ["ann", "anna", "zoe"]
    assert "also known as Annabel" in rows[2][0]
    assert searched(client, "q=annabel").links["zoe"] == "/c/main/players/zoe/"


def test_without_an_index_of_trigrams_the_nearest_handles_are_offered(client, monkeypatch):
    monkeypatch.setattr(known_words, "is_available", lambda: False)
    cup = make_series("cup")
    make_contest(cup, standings=[("max-verstappen", 1), ("verona", 2), ("hamilton", 3)])
    rate(cup)
    for typed, meant in (("hamiltom", "hamilton"), ("berstappen", "max-verstappen")):
        page = searched(client, f"q={typed}")
        assert "Nothing found" in page.text
        offered = page.text[page.text.index("Did you mean one of these?") :].split()
        assert offered[6] == meant
        assert page.links[meant] == f"/c/main/players/{meant}/"


@pytest.mark.parametrize("typed", ["verstapen", "berstappen", "Verstapen max"])
def test_a_misspelt_word_within_a_handle_is_understood(client, typed):
    cup = make_series("cup")
    make_player("max-verstappen", name="Max Verstappen", country="NL")
    make_contest(cup, standings=[("max-verstappen", 1), ("verona", 2), ("bertha", 3)])
    make_contest(cup, standings=[("verona", 1), ("max-verstappen", 2)])
    rate(cup)
    page = searched(client, f"q={typed}")
    assert "These names are similar." in page.text
    player, _, rating = page.tables[0][1]
    assert "Max Verstappen" in player
    assert "max-verstappen" not in player, "the handle adds nothing to the name"
    assert "Cup" in rating.title()
    content = client.get(f"/search/?q={typed}").content.decode()
    assert 'alt="Netherlands"' in content
    assert "<polyline" in content


def test_a_cut_list_links_to_a_longer_one(client):
    for number in range(14):
        make_unrated_player(f"x{number:02}")
    page = searched(client, "q=x")
    assert len(page.tables[0]) == 13
    assert page.links["More players"] == "/players/?q=x"


def test_contests_with_some_of_the_words_are_offered_before_unrelated_players(client):
    series = make_series("formula1", name="Formula 1")
    contest = make_contest(series, name="Hungarian Grand Prix", standings=[("hungry", 1), ("hungchang", 2)])
    rate(series)
    page = searched(client, "q=hungarian+gp")
    assert page.links["Hungarian Grand Prix"] == contest.get_absolute_url()
    assert "No name contains “hungarian gp”. These names are similar." in page.text
    assert "Did you mean" not in page.text
    items = client.get("/suggest/?q=hungarian+gp").json()["items"]
    assert [item["text"] for item in items] == ["Hungarian Grand Prix"]
    page = searched(client, "q=hungr")
    assert "hungry" in page.links


def test_a_contest_as_typed_comes_without_similar_players(client):
    series = make_series("imo", name="Mathematical Olympiad")
    make_contest(series, name="Final 2004", standings=[("MoMo2004", 1), ("olympias", 2)])
    rate(series)
    for typed in ("imo 2004", "olympiad 2004", "final"):
        page = searched(client, f"q={typed}")
        assert "Final 2004" in page.links
        assert not {"MoMo2004", "olympias"} & set(page.links) - {"Mathematical Olympiad"}
        assert "similar" not in page.text
        assert "Did you mean" not in page.text


def test_an_empty_search_says_what_can_be_found(client):
    page = searched(client, "")
    assert page.headings == ["Search"]
    assert "Type the handle or name of a player" in page.text


def test_what_is_private_or_a_draft_is_found_by_its_organizers_alone(client):
    ida = make_user("ida")
    secret = make_series("secret-cup", name="Secret Cup", is_public=False, organizer=ida)
    make_contest(secret, standings=[("secret-ann", 1), ("x", 2)], name="Secret final")
    make_contest(make_series("open"), standings=[("secret-draft", 1)], finalized=False, name="Secret draft")
    rate(secret)
    assert "Nothing found" in searched(client, "q=secret").text
    client.force_login(ida)
    links = searched(client, "q=secret").links
    assert {"secret-ann", "Secret Cup", "Secret final"} <= set(links)
    assert not {"secret-draft", "Secret draft"} & set(links)


@pytest.mark.parametrize("text", ["%00", "%FF", "%25", "_", "%5C", "y" * 10_000, "%E2%80%AEevil", "a%0Ab", "x " * 3000])
@pytest.mark.parametrize("path", ["/search/", "/players/"])
def test_odd_words_give_a_page(client, path, text):
    make_player("ann")
    page = Page(client.get(f"{path}?q={text}"))
    assert page.status == 200
    assert not page.tables


def test_markup_is_shown_as_it_was_typed(client):
    make_unrated_player("<b>bold</b>", name="<script>alert(1)</script>")
    content = client.get("/search/?q=%3Cb%3E").content.decode()
    assert "<b>bold</b>" in Page(client.get("/search/?q=%3Cb%3E")).text
    assert "<script>alert" not in content
    assert "<b>bold" not in content


def test_before_a_search_the_list_of_players_shows_the_best_of_each_public_series(client):
    for slug, is_public in (("open-cup", True), ("secret-cup", False)):
        series = make_series(slug, name=slug, is_public=is_public)
        make_contest(series, standings=[(f"{slug}-winner", 1), (f"{slug}-second", 2)])
        rate(series)
    page = Page(client.get("/players/"))
    assert page.links["open-cup-winner"].startswith("/c/main/players/open-cup-winner/")
    assert "secret" not in page.text
    assert "The best players by series" not in Page(client.get("/players/?q=open")).text


@pytest.mark.parametrize("query", ["q=p", "q=p1", "q=round", "q=nobody-of-this-name"])
def test_the_number_of_queries_does_not_grow(client, query):
    counts = []
    for number, players in enumerate((2, 200)):
        series = make_series(f"cup-{number}", name=f"Round {number}")
        make_contest(series, players=players, name=f"Round robin {number}")
        rate(series)
        client.get(f"/search/?{query}")
        with CaptureQueriesContext(connection) as queries:
            assert client.get(f"/search/?{query}").status_code == 200
        counts.append(len(queries))
    assert counts[1] <= counts[0] + 1, counts
    # If no name has the text, twelve of them look for similar titles, and nine for titles with some of the four words.
    assert max(counts) <= 48


def test_the_front_page_and_the_search_page_have_only_one_search_box(client):
    for path in ("/", "/search/"):
        assert client.get(path).content.decode().count('role="search"') == 1
    assert 'id="site-search"' in client.get("/series/").content.decode()


def test_a_series_whose_only_contest_was_deleted_causes_no_error(client):
    contest = make_contest(make_series("cup"), standings=[("ann", 1), ("bob", 2)])
    rate(contest.series)
    delete_contest(contest.pk, reason="a test")
    rate(contest.series)
    assert client.get("/search/?q=anne").status_code == 200


def test_misspelt_names_of_contests_series_and_communities_are_understood(client):
    make_community("harbour", name="Harbour Club")
    cup = make_series("formula-1", name="Formula 1")
    make_contest(cup, name="Italian GP at Monza", standings=[("ann", 1), ("bob", 2)])
    rate(cup)
    for typed, kind, address in (
        ("formla 1", "series", "/c/main/series/formula-1/"), ("harbuor club", "community", "/c/harbour/"),
        ("monzza", "contest", f"/contests/{cup.contests.get().pk}/"),
    ):  # fmt: skip
        page = searched(client, f"q={typed}")
        assert page.text.count("These names are similar.") == 1
        assert address in page.links.values()
        items = client.get(f"/suggest/?q={typed}").json()["items"]
        assert [(item["kind"], item["url"]) for item in items] == [(kind, address)]
    assert "Nothing found" in searched(client, "q=zebra").text
    assert client.get("/suggest/?q=harbour").json()["items"][0]["note"] == "0 series"
