"""The forecast page, compared with actually rating the contest, and with invalid queries."""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from contests.models import Contest, Player, Standing
from ratings.derived import draws
from ratings.models import Rating, RatingChange
from ratings.publishing.deriving import derive_series
from ratings.publishing.projection import Entry, preview_contest
from ratings.publishing.schemes import choose_scheme
from ratings.queries.snapshot import snapshot_of
from ratings.systems import SYSTEMS
from tests.factories import make_contest, make_series, make_unrated_player, make_user, rate, roll_back
from tests.pages import Page

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

HANDLES = ["ann", "bob", "eve", "joe", "kim", "lee", "max", "zoe"]
ORDERS = ["abejklmz", "baejkmlz", "zabejklm", "ebazjklm"]


def make_cup(system="elo-mmr", **scheme):
    series = make_series("cup", organizer=make_user("olga"))
    choose_scheme(series.pk, system=system, **scheme)
    for number, order in enumerate(ORDERS):
        handles = [next(handle for handle in HANDLES if handle[0] == letter) for letter in order]
        rows = [(handle, place) for place, handle in enumerate(handles, start=1)]
        make_contest(series, standings=rows, day=20 * number, name=f"Round {number + 1}")
    rate(series)
    return series


def ask(client, **query):
    return client.get("/c/main/series/cup/what-if/", query)


def places_of(page):
    return {int(row[0].split()[0]): row for row in page.tables[1][1:]}


def points_of(cell):
    return int(re.search(r"\d[\d,]*", cell)[0].replace(",", ""))


def change_of(cell):
    return int(re.search(r"[−+]?\d[\d,]*", cell)[0].replace("−", "-").replace(",", ""))


def previewed(contest, player, place, *, is_tied=False):
    """Return the displayed rating after a contest with the player in this place, as the engine computes it."""
    ratings = Rating.objects.filter(series=contest.series_id).select_related("player").order_by("-mu", "sigma")
    others = [rating.player for rating in ratings if rating.player.handle != player]
    finish = [*others[: place - 1], Player.objects.get(handle=player), *others[place - 1 :]]
    ranks = [rank - (is_tied and rank == place + 1) for rank in range(1, len(finish) + 1)]
    entries = [Entry(each.handle, each.pk, rank) for each, rank in zip(finish, ranks, strict=True)]
    row = next(row for row in preview_contest(contest, entries).rows if row.handle == player)
    return snapshot_of(contest.series).rating_of(row.mu, row.sigma)


@pytest.mark.parametrize("display", [{"mapping": "offset"}, {"mapping": "fermi", "range": 10000}])
@pytest.mark.parametrize("system", SYSTEMS)
def test_the_forecast_of_each_place_equals_rating_the_contest(client, system, display):
    series = make_cup(system, display=display)
    draft = make_contest(series, finalized=False, is_announced=True, name="Final", weight=2.0, perf_ceiling=1650.0)
    page = Page(ask(client, player="kim", contest=draft.pk))
    assert "in Final, assuming the same field as in Round 4 (field size: 8)" in page.text
    rows = places_of(page)
    assert list(rows) == list(range(1, 9))
    for place, row in rows.items():
        assert points_of(row[2]) == previewed(draft, "kim", place), place
        if place < 8:
            before = points_of(row[2]) - change_of(row[1])
            assert before + change_of(row[3]) == previewed(draft, "kim", place, is_tied=True), place
        else:
            assert row[3] == "–"


def test_places_are_not_shared_in_a_series_without_ties(client, monkeypatch):
    series = make_cup()
    assert "If tied" in Page(ask(client, player="kim")).tables[1][0]
    derive_series(series.pk)
    assert "If tied" in Page(ask(client, player="kim")).tables[1][0], "too few players have met"
    monkeypatch.setattr(draws, "ENOUGH_GAMES", 10)
    page = Page(ask(client, player="kim"))
    assert page.tables[1][0] == ["Place", "Change", "New rating", "Tier", "This or better"]
    assert "tying" not in page.text


@pytest.mark.parametrize("system", ["elo", "kreimeier", "trueskill", "elo-mmr", "glicko2"])
def test_a_forecast_uses_the_teams_of_the_contest(client, system):
    series = make_cup(system)
    teams = dict(zip(HANDLES, ["red", "red", "blue", "blue", "green", "green", "", ""], strict=True))
    rows = [(handle, 1 + number // 2 + (number == 7)) for number, handle in enumerate(HANDLES)]
    make_contest(series, standings=rows, teams=teams, name="Relay")
    rate(series)
    page = Page(ask(client, player="kim"))
    assert "(field size: 5)" in page.text
    assert "These are the places of teams." in page.text
    assert list(places_of(page)) == [1, 2, 3, 4, 5]


def test_the_places_needed_are_the_last_rows_that_reach_each_goal(client):
    make_cup()
    page = Page(ask(client, player="kim", target="1500"))
    rows = {place: points_of(row[2]) for place, row in places_of(page).items()}
    goals = page.tables[0][1:]
    assert goals[0][0] == "Keep the rating"
    assert goals[-1][0] == "The rating you entered"
    for _, wanted, place, chance in goals:
        reached = [each for each, rating in rows.items() if rating >= points_of(wanted)]
        expected = (
            "more than one contest" if not reached else "a win" if reached == [1] else f"{max(reached)} or better"
        )
        assert place == ("any" if len(reached) == 8 else expected)
        assert (chance == "–") == (not reached)
        if reached:
            assert chance == places_of(page)[max(reached)][5]


def test_chances_increase_by_place_to_certainty(client):
    make_cup()
    page = Page(ask(client, player="joe"))
    chances = [float(row[5].strip("<> %").replace(",", "")) for row in places_of(page).values()]
    assert chances == sorted(chances)
    assert chances[-1] == 100.0
    assert "This or better – Probability of this place or better" in page.text


@pytest.mark.parametrize("system", ["elo-mmr", "trueskill"])
def test_ties_make_the_probability_against_a_rival_smaller_as_in_the_comparison(client, system):
    series = make_cup(system)
    make_contest(series, standings=[("ann", 1), ("bob", 1), ("eve", 3), ("joe", 3), ("kim", 3)], day=90)
    rate(series)
    derive_series(series.pk)
    chance, other = (ask(client, player=a, rival=b).context["chance"] for a, b in (("joe", "kim"), ("kim", "joe")))
    duel = client.get("/compare/?series=cup&players=joe,kim").context["duel"]
    assert chance == pytest.approx(100 * duel.probability)
    assert chance + other == pytest.approx(100 * (1 - duel.draw))
    assert duel.draw > 0.01


def test_a_rival_has_the_same_probability_as_in_the_comparison(client):
    make_cup()
    ahead = ask(client, player="ann", rival="max").context["chance"]
    behind = ask(client, player="max", rival="ann").context["chance"]
    assert ahead + behind == pytest.approx(100.0)
    assert ahead > 50.0
    assert "finishes ahead of max with a probability of" in Page(ask(client, player="ann", rival="max")).text
    assert "be their own rival" in Page(ask(client, player="ann", rival="ann")).text


def test_without_a_player_the_page_explains_itself_and_gives_examples(client):
    make_cup()
    page = Page(ask(client))
    assert page.status == 200
    assert "Enter a player" in page.text
    assert len([address for address in page.links.values() if address.startswith("?player=")]) == 6


@pytest.mark.parametrize("address", ["what-if/?player=ann", "match/?a=ann&b=bob"])
def test_ratings_that_a_roll_back_brought_back_have_forecasts(client, address):
    series = make_series("cup")
    for day in range(3):
        make_contest(series, standings=[("ann", 1), ("bob", 2)], day=day)
        rate(series)
    assert client.get(f"/c/main/series/cup/{address}").status_code == 200
    roll_back(series.pk, 1, reason="the second round was entered twice")
    assert {bytes(rating.belief) for rating in Rating.objects.all()} == {b""}
    assert client.get(f"/c/main/series/cup/{address}").status_code == 200


@pytest.mark.parametrize(
    ("system", "parameters"), [("elo-mmr", {}), ("elo-mmr", {"drift_per_day": 10.0}), ("glicko", {})]
)
def test_after_a_roll_back_forecasts_are_about_those_of_the_restored_run(client, system, parameters):
    series = make_series("cup")
    choose_scheme(series.pk, system=system, parameters=parameters, reason="a choice")
    for day in range(12):
        make_contest(series, standings=[("ann", 1), ("bob", 2), ("cy", 3), ("di", 4)], day=day)
    rate(series)
    restored = changes_by_place(client)
    make_contest(series, standings=[("di", 1), ("cy", 2), ("bob", 3), ("ann", 4)], day=12.5)
    rate(series)
    assert changes_by_place(client) != restored
    roll_back(series.pk, 1, reason="the last round was entered upside down")
    assert changes_by_place(client) == pytest.approx(restored, rel=0.4)


def changes_by_place(client) -> list[int]:
    """Return the changes that the page forecasts for ann in each place."""
    table = next(table for table in Page(ask(client, player="ann")).tables if table[0][0] == "Place")
    return [int(re.sub("[^0-9−]", "", row[1]).replace("−", "-")) for row in table[1:]]


def test_the_forecast_for_an_inactive_player_says_since_when(client):
    series = make_cup()
    for day in range(900, 909):
        make_contest(series, standings=[("ann", 1), ("bob", 2)], day=day)
    rate(series)
    assert "inactive since 6 Mar 2024" in Page(ask(client, player="zoe")).text
    assert "inactive since" not in Page(ask(client, player="ann")).text


def test_the_forecast_for_an_unrated_player_is_that_of_a_newcomer(client):
    make_cup()
    make_unrated_player("newbie")
    page = Page(ask(client, player="newbie"))
    assert "no rated contests yet" in page.text
    assert "(field size: 9)" in page.text


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_system_forecasts_newcomers_and_unrated_rivals(client, system):
    make_cup(system)
    make_unrated_player("newbie")
    assert ask(client, player="newbie", rival="ann").status_code == 200
    assert ask(client, player="ann", rival="newbie").status_code == 200


def test_only_organizers_forecast_a_draft_with_its_own_list(client):
    series = make_cup()
    draft = make_contest(
        series, standings=[("ann", 1), ("kim", 2), ("secret", 3)], finalized=False, is_announced=True, name="Final"
    )
    assert "assuming the same field as in Round 4" in Page(ask(client, player="kim", contest=draft.pk)).text
    client.force_login(series.organizers.get())
    page = Page(ask(client, player="kim", contest=draft.pk))
    assert "in Final, against the players already entered (field size: 3)" in page.text
    assert list(places_of(page)) == [1, 2, 3]


def test_unannounced_drafts_are_unknown_to_visitors(client):
    series = make_cup()
    draft = make_contest(series, standings=[("ann", 1), ("kim", 2)], finalized=False, name="Hush")
    answer = ask(client, player="kim", contest=draft.pk)
    assert answer.status_code == 404
    assert "Hush" not in answer.content.decode()
    assert "There is no such contest in this series" in Page(answer).text
    client.force_login(series.organizers.get())
    assert "Hush" in ask(client, player="kim").content.decode()


def test_players_of_private_series_are_unknown(client):
    make_cup()
    make_contest(make_series("secret", is_public=False), standings=[("hidden", 1), ("x", 2)])
    for name in ("player", "rival"):
        answer = ask(client, **{"player": "ann", name: "hidden"})
        assert answer.status_code == 404
        assert "There is no player with the handle “hidden”" in Page(answer).text


@pytest.mark.parametrize(
    ("query", "status", "words"),
    [
        ({"player": "anna"}, 404, "There is no player with the handle “anna”. Did you mean: ann"),
        ({"player": "ann", "rival": "bo"}, 404, "There is no player with the handle “bo” to choose as a rival"),
        ({"player": "ann", "contest": "99999"}, 404, "There is no such contest"),
        ({"player": "ann", "contest": "-1"}, 404, "There is no such contest"),
        ({"player": "ann", "contest": "9" * 40}, 404, "There is no such contest"),
        ({"player": "ann", "contest": "٣"}, 404, "There is no such contest"),
        ({"player": "ann", "target": "high"}, 400, "must be a whole number"),
        ({"player": "ann", "target": "9" * 40}, 400, "must be a whole number"),
        ({"player": "ann", "target": "-5"}, 200, "The rating you entered"),
        ({"player": "ann", "target": "999999"}, 200, "more than one contest"),
        ({"player": "<b>x</b>"}, 404, "There is no player with the handle “<b>x</b>”"),
        ({"player": "x" * 10000, "rival": "\u202e" * 10000, "target": "1" * 10000}, 404, "There is no player"),
        ({"player": "\x00", "rival": "\x00", "contest": "\x00", "target": "\x00"}, 200, "Enter a player"),
    ],
)
def test_invalid_queries_get_helpful_messages(client, query, status, words):
    make_cup()
    answer = ask(client, **query)
    assert answer.status_code == status
    assert words in Page(answer).text
    assert "<b>x</b>" not in answer.content.decode()


def test_series_without_ratings_or_opponents_say_so(client):
    make_series("empty")
    assert client.get("/c/main/series/empty/what-if/?player=ann").status_code == 200
    assert client.get("/c/main/series/none/what-if/").status_code == 404
    series = make_series("cup")
    make_contest(series, standings=[("ann", 1), ("bob", 2)])
    rate(series)
    assert Page(ask(client, player="ann")).status == 200
    assert [row[0] for row in Page(ask(client, player="ann")).tables[1][1:]] == ["Win", "Draw", "Loss"]


def test_large_fields_are_listed_at_round_places(client):
    series = make_series("cup")
    for _ in range(2):
        make_contest(series, players=400)
    rate(series)
    answers = {player: ask(client, player=player) for player in ("p0", "p250")}
    rows = {player: set(places_of(Page(answer))) for player, answer in answers.items()}
    assert {1, 2, 5, 10, 20, 50, 100, 200, 400} <= rows["p0"]
    assert {1, 50, 100, 150, 200, 250, 300, 350, 400} <= rows["p250"]
    for player, answer in answers.items():
        assert answer.context["forecast"].median in rows[player]
        assert len(rows[player]) < 20


@pytest.mark.parametrize("system", ["trueskill", "elo-mmx", "trueskill-spb"])
def test_slow_systems_use_a_sample_of_a_large_field_and_say_so(client, system):
    series = make_series("cup")
    choose_scheme(series.pk, system=system)
    for _ in range(2):
        make_contest(series, players=400)
    rate(series)
    page = Page(ask(client, player="p200"))
    assert "This rating system is slow to compute" in page.text
    assert max(places_of(page)) == 400
    assert min(places_of(page)) == 1


@pytest.mark.parametrize("parameters", [{"drift_per_day": 40.0}, {"noob_delay": [0.5, 0.6, 0.7, 0.8, 0.9]}])
def test_idle_days_and_first_contests_are_as_of_the_contest(client, parameters):
    series = make_cup(parameters=parameters)
    draft = make_contest(series, finalized=False, is_announced=True, name="Final", day=200)
    rows = places_of(Page(ask(client, player="kim", contest=draft.pk)))
    assert len(rows) > 5
    for place, row in rows.items():
        assert points_of(row[2]) == previewed(draft, "kim", place)


@pytest.mark.parametrize("players", [2, 200])
def test_the_number_of_queries_does_not_grow_with_the_field(client, players):
    series = make_series("cup")
    for _ in range(3):
        make_contest(series, players=players)
    rate(series)
    assert Standing.objects.count() == RatingChange.objects.count() == 3 * players
    with CaptureQueriesContext(connection) as queries:
        assert ask(client, player="p0", rival="p1", target="1600").status_code == 200
    assert len(queries) <= 24
    assert Contest.objects.count() == 3


def test_the_default_field_has_the_median_size_of_the_newest_contests(client):
    series = make_series("cup")
    for number, players in enumerate([40, 12, 30, 3, 11]):
        make_contest(series, players=players, day=number, name=f"Round of {players}")
    rate(series)
    page = Page(ask(client, player="p1"))
    assert "in a typical contest, with the same field as Round of 12 (field size: 12)" in page.text
    forecast = ask(client, player="p1").context["forecast"]
    chances = {row.place: row.chance for row in forecast.rows}
    assert chances[forecast.median] >= 50.0
    assert chances.get(forecast.median - 1, 0.0) < 50.0
    assert f"of 12, mean {forecast.expected:.1f}" in page.text


def test_goals_beyond_a_win_take_several_good_contests(client):
    series = make_cup()
    few = ask(client, player="ann", target="9000").context["forecast"].goals[-1]
    assert few.good is None, "the first five contests say nothing"
    for _ in range(6):
        make_contest(series, standings=[("ann", 1), ("bob", 2), ("cid", 3), ("dan", 4)])
    rate(series)
    forecast = ask(client, player="ann").context["forecast"]
    win = forecast.rows[0].change
    page = ask(client, player="ann", target=str(forecast.before + 3 * win))
    goal = page.context["forecast"].goals[-1]
    count, gain = goal.good
    assert 0 < gain <= win
    assert count >= 3
    assert f"about {count} good contests" in Page(page).text
    assert "Even a win in this contest would not reach the goal, so the forecast shows how many good" in Page(page).text


def make_games():
    """Make games of ann, who drew with bob, beat eve, and beat and lost to joe."""
    series = make_series("cup")
    for day, (first, second, place) in enumerate(
        [("ann", "bob", 1), ("ann", "eve", 2), ("ann", "joe", 2), ("joe", "ann", 2), ("kim", "joe", 2)]
    ):
        make_contest(series, standings=[(first, 1), (second, place)], day=day, name=f"{first} against {second}")
    rate(series)
    return series


def test_a_typical_opponent_is_one_of_as_many_games_as_there_were(client):
    make_games()
    assert (
        "the one with the median rating among the opponents of the player’s last 4 games"
        in Page(ask(client, player="ann")).text
    )
    # One opponent is no choice.
    assert "median rating among" not in Page(ask(client, player="kim")).text


def test_a_two_player_game_has_a_win_a_draw_and_a_loss(client):
    series = make_games()
    draft = make_contest(series, finalized=False, is_announced=True, name="Final", day=9)
    answer = ask(client, player="ann", contest=draft.pk, rival="bob")
    outcomes = answer.context["forecast"].outcomes
    assert "in a game against bob" in Page(answer).text
    # No draws have been counted yet, so a draw has no chance to show.
    assert outcomes[1].chance is None
    assert outcomes[0].chance + outcomes[2].chance == pytest.approx(100.0)
    assert [row[-1] == "–" for row in Page(answer).tables[1][1:]] == [False, True, False]
    handles = {each: Player.objects.get(handle=each) for each in ("ann", "bob")}
    for row, (ann, bob) in zip(outcomes, [(1, 2), (1, 1), (2, 1)], strict=True):
        entries = [Entry(name, handles[name].pk, rank) for name, rank in (("ann", ann), ("bob", bob))]
        found = next(each for each in preview_contest(draft, entries).rows if each.handle == "ann")
        assert row.rating == snapshot_of(series).rating_of(found.mu, found.sigma)
    goals = {row[0]: row[2:] for row in Page(answer).tables[0][1:]}
    keeping = [row for row in outcomes if row.change >= 0]
    assert goals["Keep the rating"][0] == ("a draw or a win" if len(keeping) == 2 else "a win")


def test_the_opponent_in_a_game_is_the_rival_or_a_typical_one(client):
    series = make_games()
    met = Rating.objects.filter(series=series, player__handle__in=["bob", "eve", "joe"]).order_by("-score")
    for query, opponent in (
        ({}, met[1].player.handle),
        ({"rival": "kim"}, "kim"),
        ({"contest": Contest.objects.get(name="ann against eve").pk}, None),
    ):
        answer = ask(client, player="ann", **query)
        found = answer.context["terms"].opponent
        assert (found and found.handle) == opponent
        assert answer.context["forecast"].entries == 2
    make_unrated_player("newbie")
    assert ask(client, player="newbie").context["terms"].opponent.handle in {"kim", "joe"}
