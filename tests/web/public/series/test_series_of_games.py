"""Pages of series of games count games, and those of other series count contests."""

from __future__ import annotations

import pytest

from ratings.publishing.deriving import derive_series
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


@pytest.mark.parametrize(("path", "heading"), [("", "Games"), ("leaderboard/", "Last game"), ("records/", "Games")])
def test_tables_of_series_of_games_count_games(client, duels, path, heading):
    # The tiers of the overview and its newest contests have a table too.
    page = Page(client.get(f"{SERIES}{path}"))
    assert heading in headings(page)
    assert not {"Contests", "Last contest"} & headings(page)


def test_records_of_games_name_games(client, duels):
    text = Page(client.get(f"{SERIES}records/")).text
    for said in ("Largest gains in one game", "Most games", "count from game number 5 onwards"):
        assert said in text
    german = Page(client.get(f"{SERIES}records/", headers={"accept-language": "de"})).text
    for said in ("Größte Gewinne in einer Partie", "Meiste Partien"):
        assert said in german


def test_forecasts_of_games_count_games(client, duels):
    text = Page(client.get(f"{SERIES}what-if/?player=bob")).text
    assert "game" in text
    assert "good contest" not in text
    assert "more than one contest" not in text


def test_series_of_contests_count_contests(client):
    cup = make_series("cup")
    for _ in range(6):
        make_contest(cup, players=3)
    rate(cup)
    derive_series(cup.pk)
    assert "Contests" in headings(Page(client.get("/c/main/series/cup/")))
    assert "Largest gains in one contest" in Page(client.get("/c/main/series/cup/records/")).text
