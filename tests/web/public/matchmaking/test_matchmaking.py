"""Matchmaking on pages: numbers checked against the library and by hand, lists, downloads, and what outsiders see."""

import csv
import io
import re
import time
from datetime import timedelta

import numpy as np
import pytest
from django.urls import reverse

from contests.models import Contest, Player, Series
from ratings.models import Rating
from ratings.publishing.deriving import derive_series
from ratings.publishing.schemes import choose_scheme
from ratings.queries.snapshot import snapshot_of
from ratings.systems import (
    SYSTEMS,
    balance_teams,
    best_opponents,
    get_system,
    match_quality,
    pair_players,
    team_win_probability,
    win_probability,
)
from tests.factories import make_contest, make_series, make_unrated_player, make_user, rate
from tests.pages import Page
from web.public.matchmaking.tags import quality_words

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

HANDLES = ["ann", "bob", "eve", "joe", "kim", "lee"]


def make_games(system="elo", slug="cup", **scheme):
    """Return a series of two-player games: earlier handles beat later ones, in one game a day."""
    series = make_series(slug)
    choose_scheme(series.pk, system=system, **scheme)
    day = 0
    for number, first in enumerate(HANDLES):
        for second in HANDLES[number + 1 :]:
            make_contest(series, standings=[(first, 1), (second, 2)], day=day)
            day += 1
    rate(series)
    return series


def beliefs_of(series):
    """Return the system, the beliefs of all rated players by handle order, and their displayed points."""
    snapshot = snapshot_of(series)
    system = get_system(snapshot.scheme.system, **snapshot.scheme.parameters)
    ratings = [Rating.objects.get(series=series, player__handle=handle) for handle in HANDLES]
    beliefs = system.new_beliefs(len(HANDLES))
    beliefs.unpack(list(range(len(HANDLES))), [bytes(rating.belief) for rating in ratings])
    return system, beliefs, [snapshot.rating(rating.score) for rating in ratings]


def ask(client, page, status=200, **query):
    answer = client.get(f"/c/main/series/cup/{page}", query)
    assert answer.status_code == status, answer.content.decode()
    return answer


def test_a_match_under_elo_has_the_numbers_of_its_formula(client):
    series = make_games()
    ratings = [Rating.objects.get(player__handle=handle) for handle in ("bob", "kim")]
    page = ask(client, "match/", a="bob", b="kim")
    found = page.context["match"]
    expected = 1 / (1 + 10 ** ((ratings[1].mu - ratings[0].mu) / 400))
    assert (found.win, found.draw, found.loss) == (pytest.approx(expected), 0.0, pytest.approx(1 - expected))
    assert found.quality == pytest.approx(4 * expected * (1 - expected))
    assert found.after_draw is None
    assert found.handicap == pytest.approx(ratings[1].mu - ratings[0].mu)
    assert f"{round(ratings[0].mu - ratings[1].mu)} rating points for kim" in Page(page).text
    snapshot = snapshot_of(series)
    k = get_system("elo").parameters()["k_factor"]
    for result, after in ((1, found.after_win), (0, found.after_loss)):
        gain = k * (result - expected)
        assert after[0] == [snapshot.rating(ratings[0].mu + gain)]
        assert after[1] == [snapshot.rating(ratings[1].mu - gain)]


@pytest.mark.parametrize("system", SYSTEMS)
def test_the_predicted_ratings_after_a_win_come_true(client, system):
    series = make_games(system, display={"mapping": "offset"})
    found = ask(client, "match/", a="kim", b="ann").context["match"]
    proposed = ask(client, "opponents/", player="kim").context["found"]
    make_contest(series, standings=[("kim", 1), ("ann", 2)], day=14, sequence=1)
    rate(series)
    snapshot = snapshot_of(series)
    after = [snapshot.rating(Rating.objects.get(player__handle=handle).score) for handle in ("kim", "ann")]
    assert [found.after_win[0][0], found.after_win[1][0]] == after
    assert [one.after_win for one, _ in proposed if one.entrant.player.handle == "ann"] == after[:1]


def test_draws_appear_once_games_of_the_series_are_drawn(client):
    series = make_games()
    assert "Draw" not in Page(ask(client, "match/", a="ann", b="bob")).text
    for number in range(20):
        make_contest(series, standings=[("ann", 1), ("bob", 1)], day=100 + number)
    rate(series)
    derive_series(series.pk)
    found = ask(client, "match/", a="ann", b="bob")
    match = found.context["match"]
    assert match.win + match.draw + match.loss == pytest.approx(1.0)
    assert match.draw == pytest.approx(ask(client, "match/", a="bob", b="ann").context["match"].draw)
    assert match.after_loss[0] < match.after_draw[0] < match.after_win[0]
    assert "Draw" in Page(found).text


def test_positions_on_a_ladder_have_no_handicap(client):
    make_games("ladder")
    page = ask(client, "match/", a="bob", b="kim")
    assert page.context["match"].handicap is None
    assert "Handicap for an even match" not in Page(page).text


def test_teams_need_a_system_that_rates_them(client):
    make_games("trueskill")
    page = ask(client, "match/", a="ann, lee", b=["bob", "kim"])
    system, beliefs, _ = beliefs_of(snapshot_of_cup().series)
    found = page.context["match"]
    assert found.quality == pytest.approx(match_quality(system, beliefs, [[0, 5], [1, 4]]))
    assert found.win == pytest.approx(team_win_probability(system, beliefs, [0, 5], [1, 4]))
    assert [row[0].split()[0] for row in Page(page).tables[0][1:]] == ["ann", "lee", "bob", "kim"]
    assert "First side wins" in Page(page).text


def test_impossible_matches_are_explained(client):
    make_games("codeforces")
    make_unrated_player("new")
    for query, status, words in (
        ({"a": "ann,bob", "b": "kim"}, 400, "rates individual players only"),
        ({"a": "ann", "b": "ann"}, 400, "on both sides"),
        ({"a": "ann", "b": "kimm"}, 404, "did you mean kim"),
        ({"a": "x," * 500, "b": "kim"}, 400, "at most 16 players"),
        ({"a": "<b>bold</b>\0", "b": "kim"}, 404, "<b>bold</b>"),
        ({"a": "ann"}, 200, "How would a match end?"),
        ({"a": "ann", "b": "new"}, 200, "begin with everyone’s starting rating"),
    ):
        assert words in Page(ask(client, "match/", status, **query)).text, query


def test_a_handle_with_a_comma_is_one_player(client):
    series = make_games("trueskill")
    make_contest(series, standings=[("Qubit, LLC", 1), ("ann", 2)], day=90)
    rate(series)
    found = ask(client, "match/", a="Qubit, LLC", b="bob,ann").context["match"]
    assert [[entrant.player.handle for entrant in side] for side in found.sides] == [["Qubit, LLC"], ["bob", "ann"]]
    assert len(ask(client, "pairings/", players="Qubit, LLC\nbob").context["round"].boards) == 1


def test_the_best_opponents_are_those_of_the_library(client):
    series = make_games("trueskill")
    system, beliefs, _ = beliefs_of(series)
    page = ask(client, "opponents/", player="EVE")
    found = page.context["found"]
    names = [HANDLES.index(one.entrant.player.handle) for one, _ in found]
    expected = best_opponents(system, beliefs, 2, [0, 1, 3, 4, 5])
    assert names == [number for number, _ in expected]
    assert [one.quality for one, _ in found] == pytest.approx([quality for _, quality in expected])
    assert [one.win for one, _ in found] == pytest.approx(
        [float(win_probability(system, beliefs, 2, number)) for number in names]
    )
    assert reverse("match", args=[series]) + "?a=eve&b=ann" in page.content.decode().replace("&amp;", "&")


def test_opponents_can_be_limited(client):
    series = make_games()

    def found(**options):
        page = ask(client, "opponents/", player="lee", **options)
        return {one.entrant.player.handle for one, _ in page.context["found"]}

    # The 15 games are on days 0 to 14; lee met ann on day 4, bob on 8, eve on 11, joe on 13 and kim on 14.
    assert found() == {"ann", "bob", "eve", "joe", "kim"}
    assert found(unmet=3) == {"ann", "bob"}
    assert found(unmet=2) == {"ann", "bob", "eve"}
    assert found(unmet=100) == found(unmet=1_000_000) == set()
    # The last days: ann 4, bob 8, eve 11.
    assert found(active=3) == {"eve", "joe", "kim"}
    assert "No opponent matches" in Page(ask(client, "opponents/", player="lee", unmet=100)).text
    assert ask(client, "opponents/", 400, player="lee", active="x", unmet="-1").context["problems"]
    assert "did you mean" in Page(ask(client, "opponents/", 404, player="lew")).text
    make_unrated_player("new")
    assert len(ask(client, "opponents/", player="new").context["found"]) == 6
    assert series.pk


def rate_with_a_newcomer():
    """Rate a series of 14 established players and "new", who beat one of them."""
    series = make_series("cup")
    for day in range(6):
        make_contest(series, players=14, day=day)
    make_contest(series, standings=[("new", 1), ("p0", 2)], day=7)
    rate(series)


def test_only_established_opponents_are_proposed_by_default(client):
    rate_with_a_newcomer()
    names = {one.entrant.player.handle for one, _ in ask(client, "opponents/", player="p0").context["found"]}
    assert "new" not in names
    everyone = ask(client, "opponents/", player="p0", show="everyone").context["found"]
    assert "new" in {one.entrant.player.handle for one, _ in everyone}


def test_only_established_players_are_examples_of_a_match(client):
    rate_with_a_newcomer()
    pairs = ask(client, "match/").context["examples"]
    assert len(pairs) == 4
    assert "new" not in {side.rating.player.handle for pair in pairs for side in pair}


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


@pytest.mark.parametrize(
    ("quality", "favoured", "words"),
    [
        (0.95, "even", "a very close match"), (0.5, "even", "a fairly close match"),
        (0.73, "a", "not a close match"), (0.2, "b", "far from a close match"),
        (0.5, "clearly_a", "far from a close match"),
    ],
)  # fmt: skip
def test_a_match_with_a_favourite_is_not_called_close(quality, favoured, words):
    assert quality_words(quality, favoured) == words


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


def test_outsiders_learn_nothing_of_private_series_and_players(client):
    make_games()
    hidden = make_series("hidden", is_public=False, organizer=make_user("ida"))
    make_contest(hidden, standings=[("qux-qux-a", 1), ("ann", 2)])
    rate(hidden)
    for page in ("match/", "opponents/", "pairings/", "teams/", "pairings.csv", "teams.csv"):
        assert client.get(f"/c/main/series/hidden/{page}").status_code == 404, page
    for page, query in (
        ("match/", {"a": "{}", "b": "ann"}), ("opponents/", {"player": "{}"}),
        ("pairings/", {"players": "{}\nann\nbob"}), ("pairings/", {"players": "ann\nbob", "byes": "{}"}),
        ("teams/", {"players": "{}\nann\nbob"}),
    ):  # fmt: skip
        said = []
        for handle in ("qux-qux-a", "qux-qux-b"):
            asked = {name: value.format(handle) for name, value in query.items()}
            answer = client.get(f"/c/main/series/cup/{page}", asked)
            said.append((answer.status_code, answer.content.decode().replace(handle, "")))
        assert said[0] == said[1], page
    client.force_login(hidden.organizers.get())
    assert client.get("/c/main/series/hidden/match/?a=qux-qux-a&b=ann").context["match"]
    assert client.get("/c/main/series/hidden/pairings/?players=qux-qux-a,ann").context["round"]


def test_two_hundred_players_take_well_under_a_second(client, django_assert_max_num_queries):
    contest = make_contest(make_series("cup"), players=200)
    rate(contest.series)
    for page, query in (("pairings/", {}), ("teams/", {"teams": 20})):
        begin = time.process_time()
        with django_assert_max_num_queries(40):
            ask(client, page, event=contest.pk, **query)
        assert time.process_time() - begin < 2.0, page


def test_series_of_games_have_a_tab_and_others_a_link_on_the_forecast(client):
    make_games()
    address = "/c/main/series/cup/match/"
    assert address in client.get("/c/main/series/cup/").content.decode()
    assert address in client.get("/c/main/series/cup/what-if/").content.decode()
    assert "/c/main/series/cup/opponents/?player=ann" in client.get("/c/main/players/ann/").content.decode()
    other = make_series("other")
    make_contest(other, players=5)
    rate(other)
    assert "/other/match/" not in client.get("/c/main/series/other/").content.decode()
    assert "/other/match/" in client.get("/c/main/series/other/what-if/").content.decode()
    assert "/other/opponents/" not in client.get("/c/main/players/p0/").content.decode()
    # Their pages have the same tabs as all others.
    texts = [client.get(f"/c/main/series/other/{page}").content.decode() for page in ("", "match/", "what-if/")]
    lists = [re.search(r'series-tabs">(.*?)</ul>', text, re.S)[1] for text in texts]
    tabs = [re.findall("<a href.*?</a>", one, re.S) for one in lists]
    names = [[re.sub("<.*?>", "", tab, flags=re.S) for tab in row] for row in tabs]
    assert names[0] == names[1] == names[2]
    assert len(names[0]) > 4
    assert [name for name, tab in zip(names[1], tabs[1], strict=True) if "aria-current" in tab] == ["Forecast"]
    make_series("empty")
    for page in ("match/", "opponents/", "pairings/", "teams/"):
        assert "No one is rated yet" in client.get(f"/c/main/series/empty/{page}").content.decode()


def snapshot_of_cup():
    return snapshot_of(Series.objects.get(slug="cup"))
