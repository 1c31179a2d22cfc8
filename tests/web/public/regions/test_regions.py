"""Countries and affiliations of a series, by the mean of their five best players."""

import numpy as np
import pytest
from django.core.cache import cache

from contests.models import Player
from ratings.models import Rating
from ratings.publishing.schemes import choose_scheme
from ratings.queries.snapshot import snapshot_of
from tests.factories import make_contest, make_series, make_user, rate
from tests.pages import Page
from web.shared.regions import BEST, best_of, table_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def cup():
    """Players p0 (best) to p19; Norway has p0, Germany p1 to p6, Japan p18 and p19, no one else has a country."""
    series = make_series("cup")
    make_contest(series, players=20)
    rate(series)
    Player.objects.filter(handle="p0").update(country="NO", affiliation="Fjord Club")
    Player.objects.filter(handle__in=[f"p{n}" for n in range(1, 7)]).update(country="DE", affiliation="<b>Uni</b>")
    Player.objects.filter(handle__in=["p18", "p19"]).update(country="JP")
    return series


def points(series, handle):
    snapshot = snapshot_of(series)
    return snapshot.rating(Rating.objects.get(player__handle=handle).score)


def rows_of(client, kind="countries", query=""):
    tables = Page(client.get(f"/c/main/series/cup/{kind}/{query}")).tables
    return tables[0][1:] if tables else []


def test_a_country_has_the_mean_of_its_five_best_with_newcomers_for_those_it_lacks(client, cup):
    germany = np.mean([points(cup, f"p{n}") for n in range(1, 6)])
    norway = np.mean([points(cup, "p0"), 1500, 1500, 1500, 1500])
    rows = rows_of(client)
    assert [row[1].split(" p")[0] for row in rows] == ["Germany", "Norway", "Japan"]
    assert f"{np.floor(germany + 0.5):,.0f}" in rows[0][2]
    assert f"{np.floor(norway + 0.5):,.0f}" in rows[1][2]
    # Both of Japan's players are below a newcomer, so their country has no rank.
    assert [(row[0], row[2]) for row in rows[2:]] == [("–", "–")]
    assert [row[0] for row in rows[:2]] == ["1", "2"]
    assert "rated above 1,500 have no rank" in Page(client.get("/c/main/series/cup/countries/")).text
    assert "no rank" not in Page(client.get("/c/main/series/cup/affiliations/")).text


def test_no_one_makes_a_country_worse_by_playing():
    # The same best three, with and without a weak fourth.
    strong = [2000, 1900, 1800]
    for fourth in ([], [300], [1499], [1501]):
        score = np.array(strong + fourth)
        above, _, _ = best_of(np.ones(len(score), dtype=int), np.ones(len(score), dtype=bool), score, 1500, 2)
        assert above[1] == 500 + 400 + 300 + max(0, sum(fourth) - 1500)


def test_more_players_than_five_do_not_help():
    score = np.arange(2000, 1900, -1)
    above, best, counted = best_of(np.ones(100, dtype=int), np.ones(100, dtype=bool), score, 1500, 2)
    assert above[1] == sum(score[:BEST] - 1500)
    assert best[1].tolist() == [0, 1, 2, 3, 4]
    assert counted[1] == 100


def test_regions_are_told_apart_whatever_the_order_of_their_players():
    region = np.array([2, 1, 2, 1, 0, 2])
    score = np.array([1900, 1800, 1700, 1600, 1590, 1400])
    counts = np.array([True, True, True, True, True, False])
    above, best, counted = best_of(region, counts, score, 1500, 4)
    assert above.tolist() == [90, 400, 600, 0]
    assert best[2].tolist() == [0, 2, -1, -1, -1]
    assert counted.tolist() == [1, 2, 2, 0]


def test_only_active_players_count_back_from_the_newest_contest(client, cup):
    # A year and a day after the first contest, all its players except p0 have become inactive.
    make_contest(cup, standings=[("p0", 1), ("x", 2)], day=366)
    rate(cup)
    assert [row[1].split(" p")[0] for row in rows_of(client)] == ["Norway"]
    assert len(rows_of(client, query="?active=366")) == 3
    assert len(rows_of(client, query="?active=ever")) == 3
    assert "2 more countries have no eligible players." in Page(client.get("/c/main/series/cup/countries/")).text


def test_a_player_with_one_lucky_contest_does_not_count_where_people_play_often():
    series = make_series("cup")
    for _ in range(12):
        make_contest(series, players=8)
    make_contest(series, standings=[("lucky", 1), *((f"p{n}", n + 2) for n in range(8))])
    rate(series)
    Player.objects.filter(handle="lucky").update(country="NO")
    Player.objects.filter(handle="p7").update(country="DE")
    table = table_of(snapshot_of(series), "countries")
    assert (table.names, table.counted_from, table.others) == (["DE"], 5, 1)


def test_players_without_a_country_are_counted_separately(client, cup):
    page = Page(client.get("/c/main/series/cup/countries/"))
    assert "11 rated players have no country." in page.text
    assert page.links["Show them"] == "/c/main/series/cup/leaderboard/?country=ZZ"


def test_each_region_leads_to_its_leaderboard(client, cup):
    assert (
        Page(client.get("/c/main/series/cup/countries/")).links["Germany"]
        == "/c/main/series/cup/leaderboard/?country=DE"
    )
    page = Page(client.get("/c/main/series/cup/affiliations/"))
    address = page.links["<b>Uni</b>"]
    assert address == "/c/main/series/cup/leaderboard/?affiliation=%3Cb%3EUni%3C%2Fb%3E"
    assert len(Page(client.get(address)).tables[0]) == 7
    assert "13 rated players have no affiliation." in page.text


def test_where_no_one_has_a_country_the_page_says_what_to_do(client):
    series = make_series("cup")
    for kind in ("countries", "affiliations"):
        assert "No one is rated yet" in Page(client.get(f"/c/main/series/cup/{kind}/")).text
    make_contest(series, players=3)
    rate(series)
    assert "No eligible player has a country." in Page(client.get("/c/main/series/cup/countries/")).text
    assert "No eligible player has an affiliation" in Page(client.get("/c/main/series/cup/affiliations/")).text


@pytest.mark.parametrize("active", ["-5", "0", "abc", "1e99", "9" * 10_000, "<script>"])
def test_invalid_days_are_reported_and_ignored(client, cup, active):
    response = client.get("/c/main/series/cup/countries/", {"active": active})
    assert response.status_code == 404
    assert "“Active in the last … days” must be a whole number" in Page(response).text
    assert len(Page(response).tables[0]) == 4
    assert b"<script>" not in response.content


def test_a_page_that_is_not_there_shows_the_nearest(client, cup):
    assert client.get("/c/main/series/cup/affiliations/?page=7").status_code == 404
    assert client.get("/c/main/series/nowhere/countries/").status_code == 404


@pytest.mark.parametrize("system", ["ladder", "elo", "glicko", "kreimeier", "trueskill", "topcoder"])
def test_other_systems_make_sense(client, system):
    series = make_series("cup")
    choose_scheme(series.pk, system=system)
    make_contest(series, players=8)
    rate(series)
    Player.objects.filter(handle__in=["p0", "p1"]).update(country="NO")
    Player.objects.filter(handle__in=["p6", "p7"]).update(country="DE")
    assert [row[1].split(" p")[0] for row in rows_of(client)] == ["Norway", "Germany"]


@pytest.mark.parametrize("kind", ["countries", "affiliations"])
@pytest.mark.parametrize("players", [2, 200])
def test_the_number_of_queries_does_not_grow(client, django_assert_num_queries, kind, players):
    series = make_series("cup")
    make_contest(series, players=players)
    rate(series)
    for player in Player.objects.all():
        Player.objects.filter(pk=player.pk).update(country="NO", affiliation=f"Club {player.pk}")
    with django_assert_num_queries(13):
        assert client.get(f"/c/main/series/cup/{kind}/").status_code == 200
    with django_assert_num_queries(6):  # series, run, scheme, two for what is waiting, players; the rest is kept
        assert client.get(f"/c/main/series/cup/{kind}/").status_code == 200


def test_many_players_without_a_country_are_mentioned_above_the_table(client, cup):
    """Of 20 players, 9 have a country; the number is below the table once 10 of them do."""
    address, note = "/c/main/series/cup/countries/", "rated players have no country."
    text = Page(client.get(address)).text
    assert text.index(f"11 {note}") < text.index("Best players")
    Player.objects.filter(handle="p10").update(country="NO")
    cache.clear()
    text = Page(client.get(address)).text
    assert text.index(f"10 {note}") > text.index("Best players")


@pytest.mark.parametrize("kind", ["countries", "affiliations"])
def test_only_organizers_are_told_how_to_add_regions(client, kind):
    ida, eve = make_user("ida"), make_user("eve")
    series = make_series("cup", organizer=ida)
    make_series("other", organizer=eve)
    make_contest(series, players=3)
    rate(series)
    for user in (None, eve, ida):
        if user is not None:
            client.force_login(user)
        text = Page(client.get(f"/c/main/series/cup/{kind}/")).text
        assert "No eligible player has" in text
        assert "Organizers can" not in text
        assert ("You can add one on the player’s page" in text) == (user is ida)
