"""The comparison of players."""

import json
import re
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection
from django.test.utils import CaptureQueriesContext

from contests.models import Player, PlayerAlias
from ratings.publishing.schemes import choose_scheme
from tests.factories import make_contest, make_player, make_series, make_unrated_player, make_user, rate
from tests.pages import Page
from web.shared.charts import LINES

pytestmark = pytest.mark.django_db


@pytest.fixture
def cup():
    series = make_series("cup")
    make_contest(series, standings=[("ann", 1), ("bob", 2), ("cid", 2)], name="First round")
    make_contest(series, standings=[("bob", 1), ("ann", 2)], name="Second round")
    make_contest(series, standings=[("ann", 1), ("bob", 2), ("Qubit, LLC", 3)], name="Third round")
    rate(series)
    return series


def page(client, query="", status=200):
    response = client.get(f"/compare/{query}")
    assert response.status_code == status
    return re.sub(r"\s+", " ", response.content.decode())


def text_of(html):
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html))


def rows_of(html):
    """Return the handles at the top of the table of figures."""
    table = html.split('class="table compare-table"')[1].split("</table>")[0]
    return re.findall(r'<th scope="col"> <span class="compare-who">.*?<bdi><a [^>]*>([^<]*)</a>', table)


def test_without_players_the_page_explains_itself_and_offers_the_best_of_a_series(client, cup):
    text = page(client)
    assert "Up to 8 players" in text
    query = re.search(r'class="card-title"><bdi><a href="\?([^"]*)"', text)[1].replace("&amp;", "&")
    assert len(rows_of(page(client, f"?{query}"))) == 3
    assert "Example: the top players of a series" in page(client, "?series=cup")


def test_examples_within_a_community_come_from_it(client, cup):
    other, secret = make_series("relay", community="hill"), make_series("inner", community="hill", is_public=False)
    for series in (other, secret):
        make_contest(series, standings=[("ann", 1), ("dot", 2)])
        rate(series)

    def examples(query):
        return set(re.findall(r'class="card-title"><bdi><a href="[^"]*">([^<]*)', page(client, query)))

    whole = {cup.name, other.name}
    assert examples("") == whole
    assert examples("?community=main") == {cup.name}
    assert examples("?community=hill") == examples("?series=hill/relay") == {other.name}
    assert "No one is rated yet" in page(client, "?community=nowhere")
    for path in (other.get_absolute_url(), "/c/hill/", "/c/hill/players/dot/"):
        assert 'href="/compare/?community=hill"' in client.get(path).content.decode(), path
    assert 'name="community" value="hill"' in page(client, "?community=hill")
    type(cup).objects.filter(community="hill").update(is_listed=False)
    assert (examples(""), examples("?community=hill")) == ({cup.name}, {other.name}), "unlisted"


def test_without_any_rated_series_the_page_says_what_is_missing(client):
    make_series("empty")
    assert "No one is rated yet" in page(client)
    assert "No one is rated yet" in page(client, "?series=empty")


def test_two_players_have_a_head_to_head(client, cup):
    text = page(client, "?players=ann,bob&series=cup")
    assert rows_of(text) == ["ann", "bob"]
    words = text_of(text)
    assert "They met in 3 contests." in words
    score = text_of(re.search(r'class="duel-score">(.*?)</p>', text)[1])
    assert re.findall(r"\d+", score) == ["2", "1"]
    meetings = text.split('id="meetings"')[1].split("</table>")[0]
    assert re.findall(r"(First|Second|Third) round", meetings) == ["Third", "Second", "First"]
    cell = r'<td class="num[^"]*">\s*(\w+)\s*<'
    places = re.findall(cell + ".*?" + cell, meetings)
    assert places == [("1", "2"), ("lost", "won"), ("1", "2")]


def test_several_players_have_a_table_of_pairs(client, cup):
    text = page(client, "?players=ann,bob,cid,Qubit, LLC")
    assert rows_of(text) == ["ann", "bob", "cid", "Qubit, LLC"]
    met = text_of(text.split('id="met"')[1].split("</table>")[0])
    assert re.search(r"ann · 2 : 1 1 : 0 1 : 0", met)
    assert re.search(r"bob 1 : 2 · 0 : 0 1 tie 1 : 0", met)
    assert "never met" in met
    chances = [int(n) for n in re.findall(r">(\d+) %<", text.split('id="chances"')[1].split("</table>")[0])]
    assert len(chances) == 12
    assert all(abs(chances[i] + chances[j] - 100) <= 1 for i, j in ((0, 3), (1, 6), (2, 9), (4, 7), (5, 10), (8, 11)))


def test_the_graph_gets_the_numbers_that_are_in_the_tables(client, cup):
    text = page(client, "?players=ann,bob")
    data = json.loads(re.search(r'id="compare-chart"[^>]*>(.*?)</script>', text)[1])
    assert [player["name"] for player in data["players"]] == ["ann", "bob"]
    last = text_of(text.split('class="compare-numbers"')[1].split("</table>")[0])
    for player in data["players"]:
        assert f"{player['points'][-1]['rating']:,}" in last
    assert "style=" not in text


def test_the_series_is_the_one_they_have_in_common(client, cup):
    other = make_series("other")
    make_contest(other, standings=[("ann", 1), ("zoe", 2)], day=100)
    rate(other)
    assert 'Compare players <span class="soft">in <bdi>Cup' in page(client, "?players=ann,bob")
    assert 'Compare players <span class="soft">in <bdi>Other' in page(client, "?players=ann,zoe")
    assert 'Compare players <span class="soft">in <bdi>Other' in page(client, "?players=ann")


def test_players_without_a_rating_in_the_series_are_listed(client, cup):
    other = make_series("other")
    make_contest(other, standings=[("zoe", 1), ("yan", 2)])
    rate(other)
    text = page(client, "?series=cup&players=ann,zoe")
    assert rows_of(text) == ["ann"]
    assert "Without a rating in" in text
    assert "Add another player" in text
    assert "Without ratings in" in page(client, "?series=cup&players=yan,zoe")
    make_unrated_player("onlooker")
    assert "Not rated in any series" in page(client, "?players=onlooker")


def test_unknown_handles_are_named_with_the_nearest_and_the_others_compared(client, cup):
    text = page(client, "?players=ann,bobb")
    assert "There is no player with the handle “<bdi>bobb</bdi>”" in text
    assert "?players=ann,bob" in text
    assert rows_of(text) == ["ann"]
    assert "There is no player" in page(client, "?players=zzz", status=404)


def test_players_can_be_entered_by_their_real_names(client, cup):
    Player.objects.filter(handle="ann").update(name="Anna Müller")
    assert rows_of(page(client, "?players=bob,anna muller")) == ["bob", "Anna Müller"]


def test_only_players_who_can_be_compared_are_suggested(client, cup):
    for slug, community, standings in (
        ("other", "main", [("bobbin", 1), ("zoe", 2)]), ("relay", "hill", [("bobb", 1), ("annie", 2), ("hal", 3)]),
    ):  # fmt: skip
        series = make_series(slug, community=community)
        make_contest(series, standings=standings)
        rate(series)
    make_unrated_player("bobbs")

    def suggested(query):
        text = page(client, query, status=200 if "ann" in query else 404)
        notes = text.split("message-warning", 1)[1].split("</div>")[0]
        return [(address.replace("&amp;", "&"), handle) for address, handle in re.findall(r'"\?([^"]*)">(\w+)<', notes)]

    assert suggested("?series=cup&players=ann,bobb") == [("series=cup&players=ann,bob", "bob")]
    assert suggested("?players=ann,bobbb") == [("players=ann,bob", "bob"), ("players=ann,bobbin", "bobbin")]
    assert suggested("?players=ann,bobb") == [], "of another community"
    assert suggested("?series=hill/relay&players=bob") == [("series=hill/relay&players=bobb", "bobb")]
    assert suggested("?series=nope&players=bobb") == [("players=bobbin", "bobbin"), ("players=bob", "bob")]


def test_without_a_series_or_community_players_of_the_whole_site_are_suggested(client, cup):
    series = make_series("grand-prix", community="motorsport")
    make_contest(series, standings=[("lewis-hamilton", 1), ("max-verstappen", 2)])
    rate(series)
    secret = make_series("secret", community="hidden", is_public=False)
    make_contest(secret, standings=[("hamilton-two", 1), ("bob-two", 2)])
    rate(secret)
    text = page(client, "?players=hamilton", status=404)
    assert 'href="?community=motorsport&amp;players=lewis-hamilton"' in text
    assert "hamilton-two" not in text
    assert re.search(r'<optgroup label="Motorsport">\s*<option value="motorsport/grand-prix">', text)
    assert '<option value="cup">' in text
    assert "optgroup" not in page(client, "?community=motorsport&players=nobody", status=404)


def test_handles_of_another_community_alone_lead_to_it(client, cup):
    for community in ("hill", "lake"):
        series = make_series("relay", community=community)
        make_contest(series, standings=[(f"{community}-hal", 1), (f"{community}-ida", 2)])
        rate(series)
    type(series).objects.filter(community="lake").update(is_listed=False)
    text = page(client, "?players=HILL-HAL,hill-ida")
    assert rows_of(text) == ["hill-hal", "hill-ida"]
    assert 'name="community" value="hill"' in text
    assert "is a player of another community" in page(client, "?players=hill-hal&community=main", status=404)
    assert "There is no player" in page(client, "?players=lake-hal", status=404), "unlisted"
    text = page(client, "?players=ann,hill-hal,lake-hal")
    assert rows_of(text) == ["ann"], "the default community comes first"
    notes = Page(client.get("/compare/?players=ann,hill-hal,lake-hal")).text
    notes = notes.partition("hill-hal is a player of another community, Hill.")[2]
    assert notes.startswith(" You can compare only players of one community. There is no player with the handle"), notes
    assert 'data-suggest-community="hill"' in page(client, "?community=hill")


def test_other_spellings_lead_to_one_player(client, cup):
    PlayerAlias.objects.create(handle="Anna", handle_key="anna", player=make_player("ann"))
    text = page(client, "?players=ANN,anna,bob")
    assert rows_of(text) == ["ann", "bob"]
    assert "entered more than once" in text


def test_more_than_eight_players_are_cut_with_a_message(client):
    series = make_series("cup")
    make_contest(series, players=10)
    rate(series)
    text = page(client, "?players=" + ",".join(f"p{i}" for i in range(10)))
    assert len(rows_of(text)) == 8
    assert "2 more players were left out" in text
    assert "Add a top player" not in text


def test_players_can_be_removed_and_added(client, cup):
    text = page(client, "?players=ann,bob&series=cup")
    without = re.findall(r'href="\?([^"]*)"><span aria-hidden="true">×', text)
    assert [query.replace("&amp;", "&") for query in without] == ["series=cup&players=bob", "series=cup&players=ann"]
    added = [query.replace("&amp;", "&") for query in re.findall(r'class="nowrap" href="\?([^"]*)"', text)]
    assert "series=cup&players=ann,bob,cid" in added
    assert "series=cup&player=ann&player=bob&player=Qubit%2C+LLC" in added


def test_games_are_listed_as_won_drawn_and_lost(client):
    series = make_series("duels")
    make_contest(series, name="First game", standings=[("ann", 1), ("bob", 2)])
    make_contest(series, name="Second game", standings=[("bob", 1), ("ann", 2)])
    make_contest(series, name="Third game", standings=[("ann", 1), ("bob", 1)])
    rate(series)
    heading, *games = next(t for t in Page(client.get("/compare/?players=ann,bob")).tables if t[0][0] == "Game")
    assert [heading[2], heading[3], heading[5]] == ["ann", "bob", "Winner"]
    assert [[game[2], game[3], game[5].removesuffix(" Upset")] for game in games] == [
        ["drawn", "drawn", "drawn"], ["lost", "won", "bob"], ["won", "lost", "ann"],
    ]  # fmt: skip


def test_meetings_are_paginated(client):
    series = make_series("cup")
    for _ in range(30):
        make_contest(series, players=2)
    rate(series)
    assert "1–25 of 30" in page(client, "?players=p0,p1")
    assert "26–30 of 30" in page(client, "?players=p0,p1&page=2")
    for wrong in ("0", "3", "x", "-1", "99999999999999999999"):
        assert "There is no page" in page(client, f"?players=p0,p1&page={wrong}", status=404)


def test_an_unknown_series_is_reported_and_replaced(client, cup):
    text = page(client, "?series=nowhere&players=ann,bob", status=404)
    assert "There is no series" in text
    assert rows_of(text) == ["ann", "bob"]
    page(client, "?series=nowhere", status=404)


def test_only_organizers_compare_players_of_private_series(client):
    organizer = make_user()
    hidden = make_series("hidden", is_public=False, organizer=organizer)
    make_contest(hidden, standings=[("secret", 1), ("hush", 2)])
    rate(hidden)
    text = page(client, "?players=secret,hush&series=hidden", status=404)
    assert "Hidden" not in text
    assert "compare-table" not in text
    assert "There is no player" in page(client, "?players=secret", status=404)
    client.force_login(organizer)
    assert rows_of(page(client, "?players=secret,hush")) == ["secret", "hush"]


@pytest.mark.parametrize(
    "query",
    ["players=%3Cscript%3Ealert(1)%3C/script%3E", "players=%00,%00", "player=%E2%80%AEabc", "players=" + "x" * 10_000,
     "players=" + "a," * 5000, "series=" + "s" * 10_000, "series=%00&players=%FF", "players=&player=&series="],
)  # fmt: skip
def test_hostile_queries_get_a_page(client, cup, query):
    response = client.get(f"/compare/?{query}")
    assert response.status_code in (200, 404)
    assert b"<script>alert" not in response.content


def test_hostile_names_are_text(client):
    series = make_series("cup")
    names = ["<b>bold</b>", "=cmd()", "أمينة", "a</script><script>alert(1)</script>"]
    make_contest(series, standings=[(name, place) for place, name in enumerate(names, 1)])
    rate(series)
    text = page(client, "?series=cup")
    query = re.search(r'class="card-title"><bdi><a href="\?([^"]*)"', text)[1].replace("&amp;", "&")
    text = page(client, f"?{query}")
    assert "<b>bold" not in text
    assert "<script>alert" not in text


@pytest.mark.parametrize("system", ["elo", "ladder", "trueskill", "topcoder", "kreimeier", "glicko2"])
def test_the_page_makes_sense_for_every_kind_of_system(client, system):
    series = make_series("cup")
    choose_scheme(series.pk, system=system)
    for _ in range(3):
        make_contest(series, players=4)
    rate(series)
    assert len(rows_of(page(client, "?players=p0,p1"))) == 2
    assert len(rows_of(page(client, "?players=p0,p1,p3"))) == 3
    assert ("convention" in page(client, "?players=p0,p1")) == (system == "ladder")


def test_team_members_did_not_meet(client):
    series = make_series("cup")
    choose_scheme(series.pk, system="trueskill")
    teams = {"ann": "red", "bob": "red", "cid": "blue"}
    make_contest(series, standings=[("ann", 1), ("bob", 1), ("cid", 2)], teams=teams)
    rate(series)
    assert "were on the same team in 1 contest" in page(client, "?players=ann,bob")
    assert "1 on the same team" in text_of(page(client, "?players=ann,bob,cid"))


@pytest.mark.parametrize(("players", "queries"), [(2, 15), (3, 15), (8, 14)])
@pytest.mark.parametrize("contests", [1, 40])
def test_the_number_of_queries_is_fixed(client, players, queries, contests):
    series = make_series("cup")
    for _ in range(contests):
        make_contest(series, players=9)
    rate(series)
    client.get("/c/main/series/cup/leaderboard/")
    with CaptureQueriesContext(connection) as found:
        page(client, "?series=cup&players=" + ",".join(f"p{i}" for i in range(players)))
    assert len(found) == queries


def test_the_graph_is_drawn_without_scripts_in_the_colours_of_the_legend(client, cup):
    answer = client.get("/compare/?players=ann,bob,cid&series=cup")
    text, chart, still = answer.content.decode(), answer.context["compare"], answer.context["still"]
    assert [line.number for line in still.lines] == [0, 1, 2]
    ann, bob, cid = ([tuple(map(float, pair.split(","))) for pair in line.points.split()] for line in still.lines)
    assert (len(ann), len(bob), cid) == (3, 3, []), "one contest is a mark without a line"
    assert ann[0][0] == bob[0][0] < ann[1][0] == bob[1][0] < ann[2][0] == bob[2][0]
    heights = {(p, point["rating"]): y for p, line in ((0, ann), (1, bob)) for point, (_, y) in
               zip(chart["players"][p]["points"], line, strict=True)}  # fmt: skip
    in_order = sorted(heights, key=lambda key: (heights[key], key))
    assert [rating for _, rating in in_order] == sorted((rating for _, rating in heights), reverse=True)
    assert all(0 < y < 400 for y in heights.values())
    drawn = text[text.index("chart-still") : text.index("<canvas")]
    assert drawn.count('class="still-mark') == 3
    assert drawn.count("<polyline") == 2
    assert "style=" not in drawn
    assert text.count("compare-line-2") == 2, "the mark and the legend"
    styles = (Path(settings.BASE_DIR) / "static/shared/chart.css").read_text()
    colours = re.findall(r"\.compare-line-(\d) { --line: light-dark\((#\w+), (#\w+)\); }", styles)
    assert colours == [(str(number), light, dark) for number, (light, dark, *_) in enumerate(LINES)]
