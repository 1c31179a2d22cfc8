"""The forecast page: against rating the contest for real, and with invalid queries."""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from contests.models import Contest, Player, Standing
from ratings.models import Rating, RatingChange
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


def previewed(contest, player, place):
    """Return the displayed rating after a contest with the player in this place, as the engine computes it."""
    ratings = Rating.objects.filter(series=contest.series_id).select_related("player").order_by("-mu", "sigma")
    others = [rating.player for rating in ratings if rating.player.handle != player]
    finish = [*others[: place - 1], Player.objects.get(handle=player), *others[place - 1 :]]
    entries = [Entry(each.handle, each.pk, rank) for rank, each in enumerate(finish, start=1)]
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
        found = points_of(row[2])
        assert found == previewed(draft, "kim", place), place


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
        expected = "out of reach" if not reached else "a win" if reached == [1] else f"{max(reached)} or better"
        assert place == ("any" if len(reached) == 8 else expected)
        assert (chance == "–") == (not reached)
        if reached:
            assert chance == places_of(page)[max(reached)][4]


def test_chances_increase_by_place_to_certainty(client):
    make_cup()
    page = Page(ask(client, player="joe"))
    chances = [float(row[4].strip("<> %").replace(",", "")) for row in places_of(page).values()]
    assert chances == sorted(chances)
    assert chances[-1] == 100.0
    assert "Chance – Probability of this place or better" in page.text


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


def test_the_forecast_for_an_unrated_player_is_that_of_a_newcomer(client):
    make_cup()
    make_unrated_player("newbie")
    page = Page(ask(client, player="newbie"))
    assert "no rated contest yet" in page.text
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
        assert "There is no player “hidden”" in Page(answer).text


@pytest.mark.parametrize(
    ("query", "status", "words"),
    [
        ({"player": "anna"}, 404, "There is no player “anna”. Did you mean: ann"),
        ({"player": "ann", "rival": "bo"}, 404, "There is no player “bo” to choose as a rival"),
        ({"player": "ann", "contest": "99999"}, 404, "There is no such contest"),
        ({"player": "ann", "contest": "-1"}, 404, "There is no such contest"),
        ({"player": "ann", "contest": "9" * 40}, 404, "There is no such contest"),
        ({"player": "ann", "contest": "٣"}, 404, "There is no such contest"),
        ({"player": "ann", "target": "high"}, 400, "must be a whole number"),
        ({"player": "ann", "target": "9" * 40}, 400, "must be a whole number"),
        ({"player": "ann", "target": "-5"}, 200, "The rating you entered"),
        ({"player": "ann", "target": "999999"}, 200, "out of reach"),
        ({"player": "<b>x</b>"}, 404, "There is no player “<b>x</b>”"),
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
    assert list(places_of(Page(ask(client, player="ann")))) == [1, 2]


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
        assert round(answer.context["forecast"].expected) in rows[player]
        assert len(rows[player]) < 20


@pytest.mark.parametrize("system", ["trueskill", "elo-mmx", "trueskill-spb"])
def test_slow_systems_use_a_sample_of_a_large_field_and_say_so(client, system):
    series = make_series("cup")
    choose_scheme(series.pk, system=system)
    for _ in range(2):
        make_contest(series, players=400)
    rate(series)
    page = Page(ask(client, player="p200"))
    assert "This system is slow to compute" in page.text
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
    assert len(queries) == 16
    assert Contest.objects.count() == 3
