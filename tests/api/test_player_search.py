"""The search for players: words in any order and case, results in pages by id, and use of an index."""

import re

import pytest
from django.db import connection

from contests.matching.name_index import index_all_players
from contests.models import Player, Series
from contests.services.merging import merge_players
from contests.services.renaming import add_alias
from tests.factories import make_contest, make_player, make_series, rate
from tests.services import on_postgresql

pytestmark = pytest.mark.django_db


def found(get, text, **parameters):
    return [row["handle"] for row in get("players/", search=text, **parameters)["results"]]


def test_players_are_searched_by_the_beginnings_of_words_in_any_order(get):
    make_contest(standings=[(handle, 1) for handle in ("Anna", "anton", "Joanna", "lewis_hamilton", "Hamilton-Lee")])
    tadej = make_player("tpogi", name="Tadej Pogačar")
    make_contest(standings=[("tpogi", 1), ("max_verstappen", 2), ("Łukasz", 3)])
    assert found(get, "AN") == ["Anna", "anton"]
    assert found(get, "lewis hamilton") == found(get, "HAMILTON lew") == ["lewis_hamilton"]
    assert found(get, "hamilton") == ["lewis_hamilton", "Hamilton-Lee"], "in the order of ids"
    assert found(get, "hamiltonlee") == ["Hamilton-Lee"], "in one word"
    assert found(get, "pogacar") == found(get, "Pogačar tadej") == ["tpogi"]
    assert found(get, "max ver") == found(get, "max_verstappen") == found(get, "maxverst") == ["max_verstappen"]
    assert found(get, "lew is") == ["lewis_hamilton"], "the words joined"
    assert found(get, "lukasz") == ["Łukasz"]
    assert found(get, "amilton") == found(get, "lewis lee") == []
    add_alias(tadej.pk, handle="pogi98")
    assert found(get, "pogi98") == ["tpogi"]


@pytest.mark.parametrize("address", ["players/", "communities/main/series/cup/leaderboard/"])
def test_more_words_than_the_search_uses_are_refused(client, get, address):
    make_contest(make_series("cup"), standings=[("a b c d e f g h", 1), ("bob", 2)])
    rate(Series.objects.get(slug="cup"))
    assert get(address, search="h g f e d c b a a")["results"], "a repeated word counts once"
    answer = client.get(f"/api/v1/{address}", {"search": "a b c d e f g h zzz"})
    assert answer.status_code == 400
    assert answer.json()["errors"] == [{"parameter": "search", "detail": "Search for at most 8 words, not 9."}]


def test_a_search_for_symbols_matches_the_beginning_of_handles(get):
    make_contest(standings=[(handle, 1) for handle in ("50%_", "5000", "%%", "%_%", "a%")])
    assert found(get, "%") == ["%%", "%_%"], "no wildcard"
    assert found(get, "%_") == ["%_%"]
    assert found(get, "\u200b") == []


def test_a_search_finds_a_player_by_the_names_of_merged_players(get):
    make_contest(standings=[("ann", 1), ("bob", 2)])
    make_contest(standings=[("annie_smith", 1), ("bob", 2)])
    merge_players(make_player("ann").pk, make_player("annie_smith").pk, reason="a test")
    assert found(get, "smith annie") == ["ann"]
    series = Player.objects.get(handle="ann").standings.first().contest.series
    rate(series)
    board = f"communities/main/series/{series.slug}/leaderboard/"
    for text in ("smith annie", "anniesmith", "ann"):
        assert [row["player"]["handle"] for row in get(board, search=text)["results"]] == ["ann"], text
    assert get(board, search="smith bob")["results"] == []


def test_search_results_are_paged_by_id(client, get):
    make_contest(standings=[(f"kim_lee{i}", i) for i in range(1, 8)])
    make_contest(standings=[(f"kimlee{i}", i) for i in range(1, 4)])
    page = get("players/", search="kim lee", page_size=3)
    handles = [row["handle"] for row in page["results"]]
    while page["next"]:
        page = client.get(page["next"]).json()
        handles += [row["handle"] for row in page["results"]]
    assert sorted(handles) == sorted([f"kim_lee{i}" for i in range(1, 8)] + [f"kimlee{i}" for i in range(1, 4)])
    assert handles == list(Player.objects.order_by("pk").values_list("handle", flat=True))


def test_a_search_finds_only_players_with_public_results(get):
    make_contest(make_series("hidden", is_public=False), standings=[("kim_lee", 1)])
    make_player("kim_choi")
    assert found(get, "kim") == []


class Plans:
    """Collects the plan of each database query that looks up words."""

    def __init__(self):
        self.found = []

    def __call__(self, execute, sql, params, many, context):
        if sql.startswith("SELECT") and "contests_playerword" in sql:
            with connection.cursor() as cursor:
                cursor.execute(f"{'EXPLAIN' if on_postgresql() else 'EXPLAIN QUERY PLAN'} {sql}", params)
                self.found.append("\n".join(str(row[-1]) for row in cursor.fetchall()))
        return execute(sql, params, many, context)


@pytest.mark.parametrize(("text", "queries"), [("player77", 2), ("player77 x", 4), ("p", 2)])
def test_a_search_for_words_uses_an_index(get, django_assert_num_queries, text, queries):
    contest = make_contest(players=1)
    players = Player.objects.bulk_create(
        Player(community_id="main", handle=f"player{i}_x", handle_key=f"player{i}_x", name=f"Name{i}")
        for i in range(5_000)
    )
    contest.standings.bulk_create(
        contest.standings.model(contest=contest, player=player, place=2, rank=2) for player in players
    )
    index_all_players()
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")  # as an import does at its end; without statistics PostgreSQL guesses
    plans = Plans()
    with connection.execute_wrapper(plans):
        handles = found(get, text, page_size=1000)
    assert set(handles) >= {"player77_x", "player770_x"}
    assert len(plans.found) == queries
    for plan in plans.found:
        assert not read_whole(plan, "contests_playerword"), plan
    if text != "p":
        assert "player_by_word" in plans.found[0], plans.found[0]
        assert not read_whole(plans.found[0], "contests_player"), plans.found[0]


def read_whole(plan, table):
    """Return whether the plan reads every row of the table."""
    return re.search(rf"(Seq Scan on|SCAN) {table}\b", plan) is not None
