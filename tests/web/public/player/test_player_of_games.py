"""Players' pages in series of games say games, not contests."""

from __future__ import annotations

import pytest

from contests.models import Player
from tests.factories import make_contest, make_series, rate
from tests.pages import Page

pytestmark = pytest.mark.django_db

ANN = "/c/main/players/ann/"
#: What the page of a player of contests says.
OF_CONTESTS = (
    "Last contest", "Contests 3", "Contest by contest", "Contest Date", "By contest", "First contest",
    "Contests by month", "contest name", "good contest", "few contests", "after any contest",
    "Best place and contests",
    "More contests", "select a contest", "Filter and sort the contests", "Rated contests",
)  # fmt: skip


@pytest.fixture
def duels():
    series = make_series("duels", name="Duels")
    for number in range(3):
        make_contest(series, name=f"Round {number + 1}", standings=[("ann", 1), ("bob", 2)])
    rate(series)
    return series


def test_a_player_of_games_has_games_not_contests(client, duels):
    response = client.get(ANN)
    page = Page(response)
    assert "Games 3" in page.text
    for said in (
        "Last game Won against bob",
        "Last 3 games",
        "Game by game",
        "Games by month",
        "By game",
        "By game, A to Z",
    ):
        assert said in page.text
    assert page.tables[0][0][:2] == ["Game", "Date ↓"]
    assert [said for said in OF_CONTESTS if said in page.text] == []
    assert "rated games: 3." in response.content.decode(), "the description for previews"
    assert 'Ann in Duels after 3 games"'.lower() in response.content.decode().lower()
    asked = Page(client.get(f"{ANN}?at=x&year=1999&sort=size")).text
    assert "There is no game “x” that changed this rating." in asked
    assert "There are no rated games in “1999”." in asked
    assert "The newest games come first." in asked


def test_german_pages_say_partien(client, duels):
    text = Page(client.get(ANN, headers={"accept-language": "de"})).text
    for said in ("Partien 3", "Letzte Partie", "Letzte 3 Partien", "Partie für Partie", "Partien nach Monat"):
        assert said in text
    for said in ("Wettbewerbe 3", "Letzter Wettbewerb", "Letzte 3 Wettbewerbe", "Wettbewerb für Wettbewerb"):
        assert said not in text


def test_players_of_contests_and_lists_of_all_results_have_contests(client, duels):
    results = Page(client.get(f"{ANN}?view=results"))
    assert results.tables[0][0][0] == "Contest"
    cup = make_series("cup")
    for _ in range(2):
        make_contest(cup, players=3)
    rate(cup)
    page = Page(client.get(Player.objects.get(handle="p0").get_absolute_url()))
    assert "Contests 2" in page.text
    assert "Last 2 contests" in page.text
    assert "game" not in page.text.lower()


def test_one_contest_of_two_does_not_make_a_series_of_games(client):
    cup = make_series("cup")
    for players in (4, 3, 2):
        make_contest(cup, players=players)
    rate(cup)
    assert "Contests 3" in Page(client.get(Player.objects.get(handle="p0").get_absolute_url())).text
