"""Pairings and teams for a list of players, as pages and downloads."""

import csv
import io
import re
import time
from datetime import timedelta

import numpy as np
import pytest

from contests.models import Contest, Player
from ratings.systems import balance_teams, pair_players
from tests.factories import make_contest, make_series, make_unrated_player, rate
from tests.pages import Page
from tests.web.public.matchmaking.games import HANDLES, ask, beliefs_of, make_games, snapshot_of_cup

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


def boards_of(page):
    return [
        (board.first.player.handle, board.second.player.handle, board.is_rematch)
        for board in page.context["round"].boards
    ]


def test_pairings_are_those_of_the_library(client):
    series = make_games("trueskill")
    system, beliefs, _ = beliefs_of(series)
    page = ask(client, "pairings/", players="\n".join(HANDLES[::-1]))
    expected = pair_players(system, beliefs, np.arange(6))
    assert [(a, b) for a, b, _ in boards_of(page)] == [(HANDLES[a], HANDLES[b]) for a, b in expected.pairs]
    assert page.context["round"].mean_quality == pytest.approx(expected.mean_quality)
    rows = Page(page).tables[0][1:]
    assert [row[0] for row in rows] == ["1", "2", "3"]


def test_pairings_avoid_rematches_and_second_byes(client):
    series = make_games()
    day = Contest.objects.filter(series=series).latest("ends_at").ends_at.date()
    # Since the day before the last one: eve-lee is on day 11, joe-kim 12, joe-lee 13, kim-lee 14.
    everyone = "ann,bob,eve,joe,kim,lee"
    page = ask(client, "pairings/", players="joe,kim,lee,bob", met_since=(day - timedelta(days=2)).isoformat())
    pairs = {frozenset(pair[:2]) for pair in boards_of(page)}
    assert len(pairs) == 2
    # All three of joe, kim and lee met, so that one pair of them is a rematch.
    assert [rematch for *_, rematch in boards_of(page)].count(True) == 1
    assert "1 rematch can’t be avoided" in Page(page).text
    game = Contest.objects.filter(series=series, standings__player__handle="ann").get(standings__player__handle="bob")
    pairs = {frozenset(pair[:2]) for pair in boards_of(ask(client, "pairings/", players=everyone, met_in=game.pk))}
    assert frozenset(("ann", "bob")) not in pairs
    odd = "ann\nbob\neve\njoe\nkim"
    assert ask(client, "pairings/", players=odd).context["round"].bye.player.handle == "kim"
    assert ask(client, "pairings/", players=odd, byes="kim").context["round"].bye.player.handle == "joe"


def test_a_gap_is_in_displayed_points(client):
    series = make_games("elo", display={"mapping": "offset", "offset": 0})
    *_, points = beliefs_of(series)
    nearest = min(abs(a - b) for number, a in enumerate(points) for b in points[number + 1 :])
    page = ask(client, "pairings/", players="\n".join(HANDLES), gap=max(nearest, 1))
    found = page.context["round"]
    for board in found.boards:
        assert abs(board.first.points - board.second.points) <= max(nearest, 1)
    assert found.waiting
    assert "no one is close enough" in Page(page).text
    widest = max(points) - min(points)
    far = ask(client, "pairings/", players="ann\nlee", gap=1, waited="ann", widen=widest)
    assert boards_of(far) == [("ann", "lee", False)]


def test_all_players_of_an_event_are_on_the_list(client):
    make_games()
    contest = make_contest(make_series("cup-2"), players=3)
    own = make_contest(snapshot_of_cup().series, players=4, day=99)
    rate(own.series)
    assert len(ask(client, "pairings/", event=own.pk).context["round"].boards) == 2
    page = ask(client, "pairings/", event=own.pk, players="ann, bob\np0")
    assert len(page.context["round"].boards) == 3
    for other in (contest.pk, "9" * 30, "x", make_contest(own.series, players=2, finalized=False).pk):
        assert "no such contest or event" in Page(ask(client, "pairings/", 404, event=other)).text


@pytest.mark.parametrize("path", ["pairings/", "teams/", "what-if/"])
def test_menus_tell_contests_of_one_name_apart(client, path):
    series = make_series("cup")
    for day in (0, 0.25, 1):
        make_contest(series, players=2, name="Map 50", day=day)
    rate(series)
    options = re.findall(r"<option[^>]*>\s*(Map 50[^<]*)</option>", ask(client, path).content.decode())
    menus = 2 if path == "pairings/" else 1
    assert len(options) == 3 * menus
    assert len(set(options)) == 3, "each differs from the others"


def test_every_entry_of_a_list_is_reported_or_used(client):
    make_games()
    page = ask(client, "pairings/", players="ann\nbobb\n<script>\nbob\nANN")
    assert boards_of(page) == [("ann", "bob", False)]
    text = Page(page).text
    assert "bobb – did you mean bob" in text
    for unknown in ("bobb", "&lt;script&gt;"):
        assert f"<q><bdi>{unknown}</bdi></q>" in page.content.decode()
    assert "on the list more than once, but count only once: ann" in text
    assert "ann\nbobb\n&lt;script&gt;\nbob\nANN</textarea>" in page.content.decode()


def test_real_names_stand_for_players(client):
    make_games()
    names = {"ann": "Anna Müller", "bob": "Bob Stone", "eve": "Bob Stone", "kim": "Kim, Min-ji"}
    for handle, name in names.items():
        Player.objects.filter(handle=handle).update(name=name)
    make_unrated_player("zoe", community="elsewhere", name="Joe Brown")
    page = ask(client, "pairings/", players="anna muller\nKim, Min-ji\nBob Stone\nJoe Brown", byes="Müller Anna")
    assert boards_of(page) == [("ann", "kim", False)]
    text = Page(page).text
    assert "Bob Stone – several players have this name. Enter a handle: bob, eve" in text
    assert "Joe Brown" in text.partition("couldn’t find these players")[2], "no player of another community is meant"
    page = ask(client, "opponents/", player="Anna Müller")
    assert page.context["own"].player.handle == "ann"


def test_impossible_lists_are_explained(client):
    make_games()
    for page, query, words in (
        ("pairings/", {"players": "ann"}, "at least two players"),
        ("pairings/", {"players": "\n".join(f"x{n}" for n in range(201))}, "at most 200 players"),
        ("pairings/", {"players": "x," * 14_000}, "at most 200 players"),
        ("pairings/", {"players": "ann\nbob", "gap": "wide"}, "“Maximum rating gap” must be a whole number"),
        ("pairings/", {"players": "ann\nbob", "met_since": "2026-02-30"}, "Enter a date"),
        ("pairings/", {"players": "ann\nbob", "byes": "joe"}, "“joe” had a bye or waited"),
        ("pairings/", {"players": "ann\nbob", "waited": "nobody"}, "“nobody” had a bye or waited"),
        ("teams/", {"players": "ann\nbob", "sizes": "1,2"}, "add up to 3, but the number of players is 2"),
        ("teams/", {"players": "ann\nbob", "sizes": "two"}, "Enter the sizes"),
        ("teams/", {"players": "ann\nbob", "sizes": "0,2"}, "at least two teams"),
        ("teams/", {"players": "ann\nbob", "teams": "3"}, "at least two teams"),
        ("teams/", {"players": "ann\nbob", "teams": "1"}, "at least two teams"),
    ):
        assert words in Page(ask(client, page, 400, **query)).text, query
        assert words in Page(client.get(f"/c/main/series/cup/{page[:-1]}.csv", query)).text, query
    assert Page(ask(client, "pairings/")).text
    assert Page(ask(client, "teams/")).text


def test_teams_are_those_of_the_library(client):
    series = make_games("trueskill")
    system, beliefs, points = beliefs_of(series)
    for query, sizes in (
        ({}, [3, 3]),
        ({"teams": 3}, [2, 2, 2]),
        ({"sizes": "4, 2"}, [4, 2]),
        ({"teams": 4}, [2, 2, 1, 1]),
    ):
        page = ask(client, "teams/", players="\n".join(HANDLES), **query)
        division, expected = page.context["division"], balance_teams(system, beliefs, np.arange(6), sizes)
        names = [[HANDLES.index(member.player.handle) for member in team.members] for team in division.teams]
        assert names == expected.teams
        assert division.quality == pytest.approx(expected.quality)
        assert [team.points for team in division.teams] == [np.mean([points[n] for n in team]) for team in names]
        assert "No other split of these players is better" in Page(page).text


def test_a_search_says_how_far_it_may_be_from_the_best(client):
    contest = make_contest(make_series("cup"), players=23)
    rate(contest.series)
    page = ask(client, "teams/", event=contest.pk, teams=5)
    division = page.context["division"]
    assert not division.is_best
    assert division.quality <= division.bound
    assert division.shortfall == pytest.approx(100 * (1 - division.quality / division.bound))
    assert "below the best possible" in Page(page).text


def rows_of(answer):
    assert answer["Content-Type"] == "text/csv; charset=utf-8"
    return list(csv.reader(io.StringIO(answer.content.decode())))


def test_downloads_escape_formulas(client):
    series = make_games()
    make_contest(series, standings=[("=cmd()", 1), ("ann", 2)], day=90)
    rate(series)
    listed = "ann\nbob\n=cmd()"
    header, game, bye = rows_of(client.get("/c/main/series/cup/pairings.csv", {"players": listed}))
    assert header[:4] == ["kind", "board", "player_a", "rating_a"]
    assert (game[0], game[1], bye[0]) == ("game", "1", "bye")
    assert "'=cmd()" in {game[2], game[4], bye[2]}
    assert float(game[6]) + float(game[8]) == pytest.approx(1.0, abs=1e-4)
    header, *rows = rows_of(client.get("/c/main/series/cup/teams.csv", {"players": listed}))
    assert header == ["team", "player", "rating"]
    assert {row[1] for row in rows} == {"ann", "bob", "'=cmd()"}


def test_two_hundred_players_take_well_under_a_second(client, django_assert_max_num_queries):
    contest = make_contest(make_series("cup"), players=200)
    rate(contest.series)
    for page, query in (("pairings/", {}), ("teams/", {"teams": 20})):
        begin = time.process_time()
        with django_assert_max_num_queries(40):
            ask(client, page, event=contest.pk, **query)
        assert time.process_time() - begin < 2.0, page
