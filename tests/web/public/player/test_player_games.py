"""Players of games: opponents, sides and streaks; players of other contests have no such section."""

from __future__ import annotations

import re

import pytest

from contests.models import Player
from contests.uploads.importing import import_file
from tests.factories import make_contest, make_series, rate
from tests.pages import Page
from web.public.player.history import result_rows

pytestmark = pytest.mark.django_db
# Ann's games, counted by hand: 3 wins, 1 draw, 2 losses.
GAMES = ["Ann,Bo,1-0", "Bo,Ann,1-0", "Ann,Bo,=", "Cy,Ann,0-1", "Ann,Cy,1-0", "Ann,Di,0-1", "Ann,Eve,+:-"]


def test_a_player_of_games_has_opponents_sides_and_streaks(client, tmp_path):
    series = make_series("chess")
    path = tmp_path / "league.csv"
    rows = [f"2025-05-{day:02},{game}" for day, game in enumerate(GAMES, 1)]
    path.write_text("\n".join(["date,white,black,result", *rows]) + "\n", encoding="utf-8")
    import_file(series.pk, path=path)
    rate(series)
    answer = client.get(Player.objects.get(handle="Ann").get_absolute_url())
    games = answer.context["games"]
    total = games.total
    assert (total.wins, total.draws, total.losses, round(total.percent, 1)) == (3, 1, 2, 58.3), "walkovers do not count"
    listed = [(one.player.handle, one.record.wins, one.record.draws, one.record.losses) for one in games.opponents]
    assert listed == [("Bo", 1, 1, 1), ("Cy", 2, 0, 0), ("Di", 0, 0, 1)]
    assert {side: (one.wins, one.draws, one.losses) for side, one in games.by_side} == {
        "white": (2, 1, 1),
        "black": (1, 0, 1),
    }
    assert (games.streak, games.streak_outcome, games.longest_wins, games.longest_unbeaten) == (1, -1, 2, 3)
    assert "/compare/?series=chess&amp;player=Ann&amp;player=Bo" in answer.content.decode()
    page = Page(answer)
    assert "2 wins · 3 without a loss" in page.text
    assert "Lost to Di" in page.text
    assert "W D W W L" not in page.text, "oldest first: the first game is the leftmost"
    assert [row[2] for row in page.tables[0][1:]] == ["lost", "won", "won", "drawn", "lost", "won"], "newest first"
    against = [re.search(r"against (\w+)", row[0])[1] for row in page.tables[0][1:]]
    assert against == ["Di", "Cy", "Cy", "Bo", "Bo", "Bo"]
    assert client.get("/compare/?series=chess&player=Ann&player=Bo").status_code == 200


def test_the_best_place_among_contests_and_games_is_that_of_contests(client):
    series = make_series("mixed")
    for _ in range(2):
        make_contest(series, standings=[("zoe", 1), ("yan", 2), ("ann", 3)], day=1)
    make_contest(series, standings=[("ann", 1), ("zoe", 2)], day=2)
    make_contest(series, standings=[("ann", 1), ("zoe", 2)], day=400)
    make_contest(series, standings=[("zoe", 1), ("ann", 2), ("yan", 3), ("wim", 4)], day=800)
    make_contest(series, standings=[("zoe", 1), ("ann", 2), ("yan", 3), ("wim", 4)], day=801)
    rate(series)
    answer = client.get("/c/main/players/ann/")
    page = Page(answer)
    assert "Best place 2 2 times, first on 16 Mar 2026" in page.text
    seasons = next(rows for rows in page.tables if rows[0][0] == "Season")
    assert [(row[0], row[2], row[3]) for row in seasons[1:]] == [
        ("2026", "2", "0"), ("2025", "–", "1"), ("2024", "3", "1"),
    ]  # fmt: skip


def test_results_without_play_are_named_so(client, tmp_path):
    series = make_series("chess")
    path = tmp_path / "league.csv"
    games = ["Ann,Bo,1-0", "Ann,Eve,+:-", "Eve,bye,+:-"]
    rows = [f"2025-05-01,{game}" for game in games]
    path.write_text("\n".join(["date,white,black,result", *rows]) + "\n", encoding="utf-8")
    import_file(series.pk, path=path)
    rate(series)
    shown = {
        handle: [row[3:5] for row in Page(client.get(f"/c/main/players/{handle}/?view=results")).tables[0][1:]]
        for handle in ("Ann", "Eve")
    }
    assert sorted(shown["Ann"]) == [["won", "1"], ["– walkover", "–"]]
    assert sorted(shown["Eve"]) == [["– bye", "–"], ["– walkover", "–"]]


def test_the_page_of_a_series_of_games_speaks_of_games(client):
    series = make_series("duels")
    for day in range(3):
        make_contest(series, standings=[("ann", 1), ("bob", 2)], day=day)
    rate(series)
    page = Page(client.get("/c/main/series/duels/"))
    assert "Latest games" in page.text
    assert "Biggest movers" not in page.text, "they would be the two players of the last game"
    assert "Games 3" in page.text
    assert "Last game" in page.text


def test_a_player_of_contests_with_many_players_has_no_opponents_table(client):
    series = make_series("cup")
    make_contest(series, players=2)
    make_contest(series, players=3)
    make_contest(series, players=3)
    rate(series)
    answer = client.get(Player.objects.get(handle="p0").get_absolute_url())
    assert (answer.context["games"], "Opponents" in Page(answer).text) == (None, False)


def test_games_among_contests_are_won_drawn_or_lost_however_few_they_are(client):
    series = make_series("cup")
    for _ in range(4):
        make_contest(series, standings=[("ann", 1), ("bob", 2), ("cy", 3)])
    for place, other in ((1, 2), (1, 1), (2, 1)):
        make_contest(series, standings=[("ann", place), ("bob", other)])
    rate(series)
    answer = client.get("/c/main/players/ann/")
    page = Page(answer)
    assert answer.context["games"] is None, "a minority"
    rows = page.tables[0][1:]
    assert [row[2] for row in rows] == ["lost", "drawn", "won", *["1 /of 3"] * 4]
    assert ["against bob" in row[0] for row in rows] == [True] * 3 + [False] * 4
    assert "Last contest Lost to bob" in page.text
    form = "".join(re.findall(r"<b>\s*(\w+)\s*</b>", answer.content.decode().partition('class="form-strip')[2]))
    assert form[:7] == "1111WDL"
    assert "places (in games: won, drawn or lost), and whether the rating rose" in page.text
    assert answer.context["story"].wins == 5, "a draw is no win"


def test_games_of_teams_are_won_or_lost_without_an_opponent(client):
    series = make_series("doubles")
    sides = {"ann": "A", "bob": "A", "cy": "B", "di": "B"}
    for first, second in ((2, 1), (1, 2)):
        places = [(handle, first if side == "A" else second) for handle, side in sides.items()]
        make_contest(series, standings=places, teams=sides)
    rate(series)
    page = Page(client.get("/c/main/players/ann/"))
    assert [row[2] for row in page.tables[0][1:]] == ["won", "lost"]
    assert "Last contest Won ▲" in page.text
    assert "Oldest to newest: won, drawn or lost." in page.text


def test_all_results_tell_games_as_won_drawn_or_lost_in_one_query_more(client, django_assert_num_queries):
    series = make_series("cup")
    make_contest(series, standings=[("ann", 1), ("bob", 2), ("cy", 3)])
    for place, other in ((1, 2), (1, 1), (2, 1)):
        make_contest(series, standings=[("ann", place), ("bob", other)])
    rate(series)
    page = Page(client.get("/c/main/players/ann/?view=results"))
    assert [row[3] for row in page.tables[0][1:]] == ["lost", "drawn", "won", "1 /of 3"]
    standings = list(Player.objects.get(handle="ann").standings.select_related("contest__series"))
    result_rows(standings)
    with django_assert_num_queries(4):
        result_rows(standings)
