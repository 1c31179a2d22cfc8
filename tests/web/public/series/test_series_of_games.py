"""Pages of series of games count games, and those of other series count contests."""

from __future__ import annotations

import re

import pytest

from ratings.publishing.deriving import derive_series
from ratings.publishing.schemes import choose_scheme
from tests.factories import make_contest, make_series, rate
from tests.pages import Page

pytestmark = pytest.mark.django_db

SERIES = "/c/main/series/duels/"


@pytest.fixture
def duels():
    series = make_series("duels", name="Duels")
    for number in range(12):
        make_contest(series, name=f"Round {number + 1}", standings=[("ann", 1), ("bob", 2)])
    rate(series)
    derive_series(series.pk)
    return series


def headings(page):
    return {cell.split(" ↓")[0] for table in page.tables for cell in table[0]}


def labels(page):
    """Return the headings of the columns and of the rows."""
    return headings(page) | {row[0] for table in page.tables for row in table}


@pytest.mark.parametrize(("path", "heading"), [("", "Games"), ("leaderboard/", "Last game"), ("records/", "Games")])
def test_tables_of_series_of_games_count_games(client, duels, path, heading):
    # The tiers of the overview and its newest contests have a table too.
    page = Page(client.get(f"{SERIES}{path}"))
    assert heading in headings(page)
    assert not {"Contests", "Contest", "Last contest"} & headings(page)


def test_records_of_games_name_games(client, duels):
    text = Page(client.get(f"{SERIES}records/")).text
    for said in ("Largest gains in one game", "Most games", "count once the player has played 5 games"):
        assert said in text
    german = Page(client.get(f"{SERIES}records/", headers={"accept-language": "de"})).text
    for said in ("Größte Gewinne in einer Partie", "Meiste Partien"):
        assert said in german


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("records/", "in one of the last three games."),
        ("records/", "Most consecutive wins Place"),
        ("", "All games The latest games of this series"),
        ("how/", "Accuracy of all systems on the games of this series"),
    ],
)
def test_sentences_and_captions_name_games(client, duels, path, said):
    assert said in Page(client.get(f"{SERIES}{path}")).text


def test_the_list_of_series_counts_games(client, duels):
    text = Page(client.get("/series/")).text
    assert "2 players · 12 games" in text
    assert "12 contests" not in text


def test_forecasts_of_games_count_games(client, duels):
    text = Page(client.get(f"{SERIES}what-if/?player=bob")).text
    assert "game" in text
    assert "Against a typical opponent" in text
    assert "Both players perform as their ratings predict." in text
    assert "Typical contest" not in text
    assert "good contest" not in text
    assert "more than one contest" not in text


def test_leaderboards_of_games_ask_for_games(client, duels):
    make_contest(duels, standings=[("cid", 1), ("ann", 2)])
    rate(duels)
    assert "at least 3 games" in Page(client.get(f"{SERIES}leaderboard/?min=3")).text
    established = f"{SERIES}leaderboard/?show=established"
    text = Page(client.get(established)).text
    assert text.count("At least 5 rated games, the last one within 365 days of the newest game.") == 2
    assert "rated contests, the last" not in text
    german = Page(client.get(established, headers={"accept-language": "de"})).text
    assert "Mindestens 5 gewertete Partien, die letzte höchstens 365 Tage vor der neuesten." in german


def test_comparisons_of_players_of_games_count_games(client, duels):
    page = Page(client.get("/compare/?series=main/duels&players=ann,bob"))
    assert "They met in 12 games." in page.text
    assert "that ann beats bob in their next game is" in page.text
    assert {"Games", "Game"} <= labels(page)
    assert not {"Contests", "Contest", "Best place"} & labels(page)


def test_records_of_games_have_no_podiums(client, duels):
    text = Page(client.get(f"{SERIES}records/")).text
    assert "Most wins" in text
    assert "Most podiums" not in text


def test_a_series_with_one_other_contest_counts_contests(client):
    """Also if all of its newest contests are games: a regatta of eight is no game."""
    cup = make_series("cup")
    make_contest(cup, players=8)
    for _ in range(40):
        make_contest(cup, standings=[("p0", 1), ("p1", 2)])
    rate(cup)
    derive_series(cup.pk)
    for path, said in (("", "Last contest"), ("leaderboard/", "Last contest"), ("records/", "Contests")):
        page = Page(client.get(f"/c/main/series/cup/{path}"))
        assert said in page.text
        assert not {"Games", "Game", "Last game"} & headings(page), path
        assert "games" not in page.text
    player = Page(client.get("/c/main/players/p7/")).text
    assert "Last contest 8th of 8" in player
    assert "game" not in player


def test_unrated_contests_do_not_count_as_others(client, duels):
    make_contest(duels, players=3, is_rated=False)
    make_contest(duels, standings=[("ann", 1), ("bob", 2)])
    rate(duels)
    derive_series(duels.pk)
    assert "Last game" in headings(Page(client.get(f"{SERIES}leaderboard/")))


def test_series_of_contests_count_contests(client):
    cup = make_series("cup")
    for _ in range(6):
        make_contest(cup, players=4)
    rate(cup)
    derive_series(cup.pk)
    assert "Contests" in headings(Page(client.get("/c/main/series/cup/")))
    records = Page(client.get("/c/main/series/cup/records/")).text
    assert "Largest gains in one contest" in records
    assert "Most podiums" in records
    compared = Page(client.get("/compare/?series=main/cup&players=p0,p1"))
    assert "They met in 6 contests." in compared.text
    assert "Best place" in labels(compared)


def test_pages_about_one_game_and_its_players_name_games(client, duels):
    game = duels.contests.order_by("ends_at").last()
    page = Page(client.get(f"/contests/{game.pk}/why/ann/"))
    for said in (
        "Performance in this game",
        "The previous rated game was",
        "All games of ann",
        "The page of this game",
    ):
        assert said in page.text
    assert not re.search("this contest|rated contest|All contests", page.text)
    page = Page(client.get(f"/contests/{game.pk}/"))
    assert "Standings" not in page.text
    for path, said in (
        ("match/?a=ann&b=bob", "played right after the latest game"),
        ("opponents/?player=ann&show=everyone", "counted back from the newest game"),
        ("distribution/?active=1", "the year up to the newest game"),
    ):
        text = Page(client.get(f"{SERIES}{path}")).text
        assert said in text
        assert "est contest" not in text


@pytest.mark.parametrize(
    ("system", "expected"),
    [("trueskill", ["The result of this game", "More certain after this game"]), ("elo", ["a player’s first game"])],
)
def test_parts_of_the_change_of_a_game_name_it(client, duels, system, expected):
    choose_scheme(duels.pk, system=system, display={"mapping": "offset", "k": 3.0} if system == "trueskill" else None)
    rate(duels)
    text = Page(client.get(f"/contests/{duels.contests.order_by('ends_at').last().pk}/why/ann/")).text
    for said in expected:
        assert said in text
