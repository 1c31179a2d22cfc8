"""Matchmaking in the API: the numbers of the pages, and errors that name the parameter."""

from datetime import date

import pytest

from accounts.tokens import create_token
from contests.services.events import GameEntry, add_game
from ratings.publishing.schemes import choose_scheme
from tests.factories import make_contest, make_series, make_unrated_player, rate

pytestmark = pytest.mark.django_db

CUP = "communities/main/series/cup"


@pytest.fixture
def cup():
    series = make_series("cup")
    for first, second in ("ab", "bc", "ca", "ad", "bd", "cd"):
        make_contest(series, standings=[(first * 3, 1), (second * 3, 2)])
    rate(series)
    return series


def test_a_match_has_the_numbers_of_the_comparison_and_of_the_page(get, client, cup):
    found = get(f"{CUP}/match/", a="AAA", b="ddd")
    (pair,) = get("compare/", series="cup", players="aaa,ddd")["pairs"]
    for name in ("win_probability", "draw_probability", "loss_probability", "match_quality"):
        assert found[name] == pair[name], name
    first, second = found["players"]
    leaders = {row["player"]["handle"]: row["mu"] for row in get(f"{CUP}/leaderboard/")["results"]}
    assert found["even_handicap"] == pytest.approx(leaders["ddd"] - leaders["aaa"])
    assert (found["series"], found["run"]) == ("cup", 1)
    assert (first["player"]["handle"], first["side"], second["side"]) == ("aaa", "a", "b")
    assert first["if_a_wins"] > first["rating"] > first["if_b_wins"]
    assert second["if_b_wins"] > second["rating"] > second["if_a_wins"]
    assert first["if_draw"] is None
    page = client.get("/c/main/series/cup/match/?a=aaa&b=ddd").context["match"]
    assert [first["if_a_wins"], second["if_a_wins"]] == [after for side in page.after_win for after in side]


def test_opponents_come_best_first(get, cup):
    found = get(f"{CUP}/opponents/", player="aaa")
    qualities = [row["match_quality"] for row in found["results"]]
    assert qualities == sorted(qualities, reverse=True)
    assert {row["player"]["handle"] for row in found["results"]} == {"bbb", "ccc", "ddd"}
    for row in found["results"]:
        match = get(f"{CUP}/match/", a="aaa", b=row["player"]["handle"])
        assert match["match_quality"] == pytest.approx(row["match_quality"])
        assert match["win_probability"] == pytest.approx(row["win_probability"])
        assert match["players"][0]["if_a_wins"] == row["rating_after_win"]
    assert len(get(f"{CUP}/opponents/", player="aaa", count=1)["results"]) == 1
    # The contests are on consecutive days: aaa played ddd on the fourth of six.
    assert {row["player"]["handle"] for row in get(f"{CUP}/opponents/", player="aaa", unmet_days=2)["results"]} == {
        "bbb", "ccc",
    }  # fmt: skip
    # So many days ago, there was no year.
    assert get(f"{CUP}/opponents/", player="aaa", unmet_days=1_000_000)["results"] == []


def test_established_opponents_are_those_of_the_leaderboard(get, cup):
    """Pages list everyone if fewer than ten players are established; the REST API does not."""
    make_contest(cup, standings=[("aaa", 1), ("once", 2)], day=20)
    rate(cup)
    listed = {row["player"]["handle"] for row in get(f"{CUP}/leaderboard/", established="true")["results"]}
    assert listed
    assert "once" not in listed
    found = get(f"{CUP}/opponents/", player="aaa", established="true")["results"]
    assert {row["player"]["handle"] for row in found} == listed - {"aaa"}


def test_pairings_and_teams(get, cup):
    make_unrated_player("new")
    found = get(f"{CUP}/pairings/", players="aaa,bbb,ccc,ddd", met_since="2024-01-08")
    # Since 8 January: ccc-aaa, aaa-ddd, bbb-ddd and ccc-ddd. So all 3 pairings have a rematch, two of them only one.
    assert sorted(board["is_rematch"] for board in found["boards"]) == [False, True]
    odd = get(f"{CUP}/pairings/", player=["aaa", "bbb", "new"])
    assert len(odd["boards"]) == 1
    assert odd["bye"]["player"]["handle"] in {"aaa", "bbb", "new"}
    assert get(f"{CUP}/pairings/", players="aaa,ddd", max_gap=1)["waiting"]
    event = cup.contests.first().pk
    assert len(get(f"{CUP}/pairings/", event=event)["boards"]) == 1
    teams = get(f"{CUP}/teams/", players="aaa\nbbb\nccc\nddd")
    assert [len(team["players"]) for team in teams["teams"]] == [2, 2]
    assert teams["is_best"]
    assert teams["match_quality"] == teams["best_possible"]
    sizes = get(f"{CUP}/teams/", players="aaa,bbb,ccc,ddd", sizes="1,3")
    assert [len(team["players"]) for team in sizes["teams"]] == [1, 3]


def test_pairings_refuse_what_could_have_no_effect(client, cup):
    many = make_contest(cup, standings=[("aaa", 1), ("bbb", 2), ("ccc", 3)])
    for query, words in (
        ({"met_in": many.pk}, "met_in: This contest is neither an event nor a game."),
        ({"byes": "ccc"}, "byes: “ccc” is not among the players to pair."),
        ({"waited": "ccc", "max_gap": 100}, "waited: “ccc” is not among the players to pair."),
        ({"widening": 5}, "widening: Set `max_gap` too"),
    ):
        answer = client.get(f"/api/v1/{CUP}/pairings/", {"players": "aaa,bbb", **query})
        assert answer.status_code == 400, query
        assert words in answer.json()["detail"], query


def test_errors_name_the_parameter_or_the_players(client, cup):
    for address, query, status, words in (
        ("match", {}, 400, "a: Name at least one player."),
        ("match", {"a": ",", "b": "aaa"}, 400, "a: Name at least one player."),
        ("match", {"a": "aaa", "b": ",,,"}, 400, "b: Name at least one player."),
        ("opponents", {"player": " , "}, 400, "player: Name at least one player."),
        ("match", {"a": "aaa", "b": "aaa"}, 400, "b: A player can't be on both sides."),
        ("match", {"a": "aaa,AAA", "b": "bbb"}, 400, "a: “aaa” is named more than once."),
        ("match", {"a": "aaa", "b": "zed"}, 404, "There is no public player “zed”"),
        ("match", {"a": "aaa", "b": "x," * 500}, 400, "b: Name at most 16 players."),
        ("match", {"a": "aaa\0", "b": "bbb"}, 400, "a: Null characters"),
        ("match", {"a": "aaa", "b": "bbb", "c": "ccc"}, 400, "c: Unknown parameter."),
        ("opponents", {}, 400, "player: This field is required."),
        ("opponents", {"player": "zed"}, 404, "“zed”"),
        ("opponents", {"player": "aaa,bbb"}, 400, "player: Name only one player."),
        ("opponents", {"player": "aaa", "count": "0"}, 400, "count: "),
        ("pairings", {}, 400, "players: Name 2 to 200 players, not 0."),
        ("pairings", {"players": "aaa,zed,yak"}, 404, "There is no public player “zed” or “yak” in the community"),
        ("pairings", {"players": "aaa,bbb", "met_since": "May"}, 400, "met_since: "),
        ("pairings", {"players": "aaa,bbb", "event": 999999}, 404, "contest, event or game with the id 999999"),
        ("pairings", {"players": "\n".join(f"x{n}" for n in range(900))}, 400, "players: Name at most 200 players."),
        ("teams", {"players": "aaa,bbb", "sizes": "1;1"}, 400, "sizes: Write the sizes"),
        ("teams", {"players": "aaa,bbb", "sizes": "1,2"}, 400, "sizes: The sizes add up to 3"),
        ("teams", {"players": "aaa,bbb", "sizes": "1,1", "teams": "3"}, 400, "teams: `sizes` has 2 teams."),
        ("teams", {"players": "aaa,bbb", "sizes": "0,2"}, 400, "sizes: A team needs at least one player."),
        ("teams", {"players": "aaa,bbb", "teams": "3"}, 400, "teams: There are only 2 players."),
    ):
        answer = client.get(f"/api/v1/{CUP}/{address}/", query)
        assert (answer.status_code, words in answer.json()["detail"]) == (status, True), (query, answer.json())
    make_series("empty")
    assert client.get("/api/v1/communities/main/series/empty/match/?a=aaa&b=bbb").status_code == 404


def test_private_series_need_a_token(client, cup):
    hidden = make_series("hidden", is_public=False)
    make_contest(hidden, standings=[("secret", 1), ("aaa", 2)])
    rate(hidden)
    token = {"Authorization": f"Bearer {create_token('main', name='Program', lifetime=None)[1]}"}
    for page, query in (
        ("match", "a=secret&b=aaa"), ("opponents", "player=secret"), ("pairings", "players=secret,aaa"),
        ("teams", "players=secret,aaa"),
    ):  # fmt: skip
        for series in ("hidden", "cup"):
            answer = client.get(f"/api/v1/communities/main/series/{series}/{page}/?{query}")
            assert answer.status_code == 404, (series, page)
        path = f"/api/v1/communities/main/series/hidden/{page}/?{query}"
        assert client.get(path, headers=token).status_code == 200, page


def test_an_event_stands_for_the_players_of_its_games_and_a_game_for_its_own(get):
    series = make_series("chess")
    event_of_day = None
    for first, second, better in (("ann", "bo", 1), ("ann", "cy", 1), ("bo", "cy", 0)):
        game = add_game(series.pk, entry=GameEntry((first, second), better, date(2025, 5, 1)))
        event_of_day = game.event_id
    rate(series)
    at = "communities/main/series/chess"
    teams = get(f"{at}/teams/", event=event_of_day)["teams"]
    assert {one["player"]["handle"] for team in teams for one in team["players"]} == {"ann", "bo", "cy"}
    found = get(f"{at}/pairings/", event=event_of_day)
    assert (len(found["boards"]), found["bye"] is None) == (1, False)
    (board,) = get(f"{at}/pairings/", event=game.pk)["boards"]
    assert {board["first"]["player"]["handle"], board["second"]["player"]["handle"]} == {"bo", "cy"}


def test_a_contest_with_too_many_players_is_refused_without_a_wrong_number(client):
    series = make_series("cup")
    contest = make_contest(series, players=205)
    rate(series)
    answer = client.get(f"/api/v1/{CUP}/pairings/", {"event": contest.pk}).json()
    assert answer["detail"] == "players: Name 2 to 200 players, not more."
    answer = client.get(f"/api/v1/{CUP}/pairings/", {"players": "p0"}).json()
    assert answer["detail"] == "players: Name 2 to 200 players, not 1."


def test_newcomers_to_a_ladder_are_expected_at_the_bottom_where_they_enter(get):
    series = make_series("ladder")
    choose_scheme(series.pk, system="ladder")
    for first, second in ("ab", "bc", "cd", "de"):
        make_contest(series, standings=[(first, 1), (second, 2)])
    rate(series)
    for name in ("new", "newer"):
        make_unrated_player(name)
    at = "communities/main/series/ladder"
    last = max(get(f"{at}/leaderboard/")["results"], key=lambda row: row["rank"])
    assert (last["rank"], last["mu"]) == (5, -5.0)
    # docs/rating-systems.md: odds in inverse ratio of the positions. The newcomer would be the sixth.
    match = get(f"{at}/match/", a="new", b=last["player"]["handle"])
    assert match["win_probability"] == pytest.approx(5 / (5 + 6))
    newcomer = match["players"][0]
    assert newcomer["rating"] == newcomer["if_b_wins"] == last["rating"] - 1, "a defeat leaves the sixth place"
    assert newcomer["if_a_wins"] == last["rating"]
    # Two newcomers share places 6 and 7.
    both = get(f"{at}/pairings/", players=f"new,newer,{last['player']['handle']},a")
    boards = {
        frozenset((board["first"]["player"]["handle"], board["second"]["player"]["handle"])): board
        for board in both["boards"]
    }
    even = boards.get(frozenset(("new", "newer")))
    assert even is None or even["win_probability"] == pytest.approx(0.5)
