"""Headings and links of contests of two players, which often all have the same name."""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from contests.models import Player
from tests.factories import make_contest, make_series, rate
from tests.pages import Page

pytestmark = pytest.mark.django_db

NAME = "Slayer, map 50"
TITLE = re.compile("<title>(.*?)</title>", re.DOTALL)


@pytest.fixture
def games():
    """Return three games with the same name: a win, a draw and a walkover."""
    series = make_series("duels")
    pairs = [[("ann", 1), ("bob", 2)], [("bob", 1), ("eve", 1)], [("eve", 2), ("ann", 1)]]
    games = [make_contest(series, name=NAME, standings=pair, is_walkover=n == 2, is_rated=n < 2)
             for n, pair in enumerate(pairs)]  # fmt: skip
    Player.objects.filter(handle="ann").update(name="Ann Sea")
    rate(series)
    return games


@pytest.mark.parametrize("path", ["", "analysis/"])
def test_pages_of_games_lead_with_the_players(client, games, path):
    for game, players in zip(games, ["Ann Sea – bob", "bob – eve", "Ann Sea – eve"], strict=True):
        answer = client.get(f"/contests/{game.pk}/{path}")
        page = Page(answer)
        assert page.headings[0].removesuffix(" Unrated").endswith(players)
        assert f"{players} {NAME}" in page.text.replace(" Unrated", "")
        title = TITLE.search(answer.content.decode())[1]
        assert players in title
        assert NAME in title


def test_neighbours_are_named_by_their_players(client, games):
    html = client.get(f"/contests/{games[1].pk}/").content.decode()
    assert 'title="Ann Sea – bob"' in html
    assert 'title="Ann Sea – eve"' in html


def test_names_that_have_both_players_are_not_repeated(client):
    game = make_contest(make_series("duels"), name="Final: Bob against ANN", standings=[("ann", 1), ("bob", 2)])
    page = Page(client.get(f"/contests/{game.pk}/"))
    assert page.headings == ["Final: Bob against ANN"]


def test_teams_and_larger_contests_keep_their_names(client):
    series = make_series("cup")
    teams = make_contest(series, name="Pairs", standings=[("ann", 1), ("bob", 1)], teams={"ann": "X", "bob": "X"})
    three = make_contest(series, name="Three", players=3)
    assert Page(client.get(f"/contests/{teams.pk}/")).headings == ["Pairs"]
    assert Page(client.get(f"/contests/{three.pk}/")).headings == ["Three"]


def test_the_players_take_one_query(client, games, monkeypatch):
    address = f"/contests/{games[1].pk}/"
    client.get(address)
    with CaptureQueriesContext(connection) as queries:
        client.get(address)
    monkeypatch.setattr("web.public.contest.duels.duels_of", lambda contests: {})
    with CaptureQueriesContext(connection) as without:
        client.get(address)
    assert len(queries) == len(without) + 1
