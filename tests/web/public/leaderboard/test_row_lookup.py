"""The leaderboard, opened at a rank, a percentile or a player."""

import re

import pytest

from contests.models import Player
from ratings.queries.snapshot import displayed_percentile
from tests.factories import make_contest, make_series, make_unrated_player, make_user, rate
from tests.pages import Page
from web.public.leaderboard.views import position_of_percentile

pytestmark = pytest.mark.django_db


@pytest.fixture
def cup():
    """Players p0 to p249 in this order; those with even numbers are from Norway."""
    series = make_series("cup")
    make_contest(series, players=250)
    rate(series)
    Player.objects.filter(handle__regex="[02468]$").update(country="NO")
    return series


def opened(client, **query):
    """Return the status, the handles on the page, the highlighted ones, and the text."""
    response = client.get("/c/main/series/cup/leaderboard/", query)
    content, page = response.content.decode(), Page(response)
    rows = re.findall(
        r'<tr( class="is-marked" id="asked")?>.*?<th scope="row"[^>]*>.*?<bdi [^>]*><a\s[^>]*>(.*?)</a>',
        content.split("</thead>")[-1],
        re.S,
    )
    return page.status, [handle for _, handle in rows], [handle for mark, handle in rows if mark], page.text


def test_a_rank_opens_its_page_and_marks_the_row(client, cup):
    status, handles, marked, _ = opened(client, rank=150)
    assert (status, marked) == (200, ["p149"])
    assert handles == [f"p{n}" for n in range(100, 200)]


def test_a_player_is_shown_with_the_rows_around(client, cup):
    status, handles, marked, _ = opened(client, player="P100")
    assert (status, marked) == (200, ["p100"])
    assert handles == [f"p{n}" for n in range(95, 200)]
    _, handles, marked, _ = opened(client, player="p99")
    assert marked == ["p99"]
    assert handles == [f"p{n}" for n in range(105)]
    assert opened(client, player="p249")[1][-1] == "p249"


def test_rank_and_player_are_places_in_the_filtered_list(client, cup):
    _, handles, marked, text = opened(client, rank=101, country="NO")
    assert marked == ["p200"]
    assert handles[0] == "p190"
    assert "Rank in this list" in text
    assert opened(client, player="p210", country="NO")[2] == ["p210"]


def test_a_player_whom_the_filters_leave_out_is_said_to_be_elsewhere(client, cup):
    status, handles, marked, text = opened(client, player="p101", country="NO")
    assert (status, marked, handles[0]) == (200, [], "p0")
    assert "p101 is on the leaderboard but doesn’t match the filters." in text
    page = Page(client.get("/c/main/series/cup/leaderboard/", {"player": "p101", "country": "NO"}))
    assert page.links["Show without filters"] == "/c/main/series/cup/leaderboard/?player=p101#asked"


@pytest.mark.parametrize(("percentile", "handle"), [("100", "p0"), ("99.6", "p1"), ("50", "p125"), ("0", "p249")])
def test_a_percentile_opens_at_the_last_player_who_has_it(client, cup, percentile, handle):
    assert opened(client, percentile=percentile)[2] == [handle]
    assert opened(client, percentile=percentile.replace(".", ",") + " %")[2] == [handle]


@pytest.mark.parametrize("total", [1, 2, 3, 7, 100, 333, 1000, 220_000])
def test_a_percentile_that_a_row_has_leads_to_that_row(total):
    for position in {0, total // 3, total // 2, total - 1}:
        exact = 100 * (total - position) / total
        assert position_of_percentile(exact, total) == position
        # The page cuts percentiles to one decimal, so a percentile may lead to a lower row that is equal after the cut.
        written = displayed_percentile(position + 1, total)
        found = position_of_percentile(written, total)
        assert found >= position
        assert displayed_percentile(found + 1, total) == written


def test_a_rank_beyond_the_end_shows_the_end(client, cup):
    status, handles, _, text = opened(client, rank=251)
    assert (status, handles[-1]) == (404, "p249")
    assert "No one has rank 251: this list has 250 players. Here is the end of the list." in text


@pytest.mark.parametrize("rank", ["0", "-3", "abc", "1.5", "9" * 10_000, "<b>", "٣", "\u202e1"])
def test_an_invalid_rank_is_reported(client, cup, rank):
    status, handles, marked, text = opened(client, rank=rank)
    assert (status, marked, handles[0]) == (404, [], "p0")
    assert "“Rank” must be a whole number from 1" in text


@pytest.mark.parametrize("percentile", ["101", "-1", "abc", "nan", "inf", "1e2", "100.1", "%", "5" * 10_000, "<b>"])
def test_an_invalid_percentile_is_reported(client, cup, percentile):
    status, _, marked, text = opened(client, percentile=percentile)
    assert (status, marked) == (404, [])
    assert "A percentile is a number from 0 (lowest) to 100 (highest)" in text


def test_a_real_name_that_one_player_has_leads_to_the_row(client, cup):
    Player.objects.filter(handle="p3").update(name="Ada King")
    assert opened(client, player="king ada")[2] == opened(client, player="p3")[2] != []
    Player.objects.filter(handle="p4").update(name="Ada King")
    assert "There is no player with the handle “Ada King”. Did you mean: p3, p4" in opened(client, player="Ada King")[3]


def test_an_unknown_player_is_reported_with_similar_handles(client, cup):
    status, _, marked, text = opened(client, player="p24x")
    assert (status, marked) == (404, [])
    assert "There is no player with the handle “p24x”. Did you mean: p24" in text
    page = Page(client.get("/c/main/series/cup/leaderboard/", {"player": "p24x"}))
    assert page.links["p240"] == "/c/main/series/cup/leaderboard/?player=p240#asked"
    assert opened(client, player="\u202e<script>")[0] == 404


def test_a_player_without_a_rating_here_is_reported(client, cup):
    make_unrated_player("onlooker")
    status, _, _, text = opened(client, player="onlooker")
    assert status == 404
    assert "onlooker has no rating in this series." in text


def test_players_known_from_private_series_alone_are_not_named(client, cup):
    hidden = make_series("hidden", is_public=False, organizer=make_user("ida"))
    make_contest(hidden, standings=[("secret", 1), ("other", 2)])
    rate(hidden)
    status, _, _, text = opened(client, player="secret")
    assert status == 404
    assert "There is no player with the handle “secret”." in text


def test_a_lookup_in_an_empty_list_says_that_no_one_matches(client, cup):
    for query in ({"rank": 1}, {"percentile": 50}, {"player": "p1"}):
        status, handles, _, text = opened(client, country="FR", **query)
        assert (status, handles) == (200, [])
        assert "No players found" in text


def test_a_page_number_takes_precedence_over_the_lookup(client, cup):
    _, handles, marked, _ = opened(client, rank=1, page=3)
    assert (handles[0], marked) == ("p200", [])
