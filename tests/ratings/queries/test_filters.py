"""The text filter of leaderboards."""

import pytest

from contests.matching.name_index import index_players
from ratings.queries.filters import ids_matching
from tests.factories import make_contest, make_player, make_series, rate

pytestmark = pytest.mark.django_db


@pytest.fixture
def ann():
    ann = make_player("ann", name="Maryann Harbour")
    index_players([ann.pk])
    return ann


@pytest.mark.parametrize("text", ["ann", "AN", "arbour", "harb mary"])
def test_a_text_finds_players_of_the_community_only(ann, text):
    make_player("ann", community="elsewhere", name="Maryann Harbour")
    assert ids_matching(text, "main").tolist() == [ann.pk]


def test_the_api_finds_what_the_page_finds(client, ann):
    series = make_series("cup")
    make_contest(series, standings=[("ann", 1), ("bob", 2)])
    rate(series)
    for text, found in [("arbour", ["ann"]), ("harb", ["ann"]), ("b", ["bob", "ann"]), ("x", [])]:
        answer = client.get(f"/api/v1/communities/main/series/cup/leaderboard/?search={text}").json()
        page = client.get(f"/c/main/series/cup/leaderboard/?q={text}")
        assert sorted(row["player"]["handle"] for row in answer["results"]) == sorted(found)
        listed = sorted(row.leader.rating.player.handle for row in page.context["rows"])
        assert listed == sorted(found), text
