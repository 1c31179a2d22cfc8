"""Matches, opponents, and what outsiders see of matchmaking; numbers checked against the library and by hand."""

import re

import pytest
from django.urls import reverse

from ratings.models import Rating
from ratings.publishing.deriving import derive_series
from ratings.queries.snapshot import snapshot_of
from ratings.systems import (
    SYSTEMS,
    best_opponents,
    get_system,
    match_quality,
    team_win_probability,
    win_probability,
)
from tests.factories import make_contest, make_series, make_unrated_player, make_user, rate
from tests.pages import Page
from tests.web.public.matchmaking.games import HANDLES, ask, beliefs_of, make_games, snapshot_of_cup
from web.public.matchmaking.tags import quality_words

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


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


def test_the_list_of_opponents_says_if_no_match_would_be_close(client):
    series = make_games()
    words = "None of these matches would be close."
    assert words not in Page(ask(client, "opponents/", player="eve", show="everyone")).text
    for number in range(60):
        make_contest(series, standings=[("ann", 1), (HANDLES[1 + number % 5], 2)], day=100 + number)
    rate(series)
    page = ask(client, "opponents/", player="ann", show="everyone")
    assert words in Page(page).text
    best = page.context["found"][0][0].entrant.player.handle
    assert re.search("not a close match|far from a close match", Page(ask(client, "match/", a="ann", b=best)).text)


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
