"""The leaderboard, filtered: by text, country, affiliation, activity, contests and tier."""

import re

import numpy as np
import pytest

from contests.models import Player
from ratings.queries.boards import board_of
from ratings.queries.filters import Filters, matching_rows
from ratings.queries.snapshot import snapshot_of
from tests.factories import make_contest, make_series, rate
from tests.pages import Page
from web.shared.params import filters_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def cup():
    """Ann has played all three contests, the last 100 days after the first; bob and cid two, dan the first alone."""
    series = make_series("cup")
    make_contest(series, standings=[("ann", 1), ("bob", 2), ("cid", 2), ("dan", 4)], day=0)
    make_contest(series, standings=[("ann", 1), ("bob", 2), ("cid", 2)], day=70)
    make_contest(series, standings=[("ann", 1), ("eve", 2)], day=100)
    rate(series)
    Player.objects.filter(handle__in=["bob", "dan"]).update(country="NO", affiliation="Fjord Club")
    Player.objects.filter(handle="ann").update(country="DE", name="Änne Example")
    return series


def page_of(client, query=None):
    return Page(client.get("/c/main/series/cup/leaderboard/", query or {}))


def handles(client, **query):
    content = client.get("/c/main/series/cup/leaderboard/", query).content.decode()
    return re.findall(r'name="player" value="([^"]+)"\s+aria-labelledby', content)


def ranks(client, **query):
    """Rank among all and in the list."""
    return [row[:2] for row in page_of(client, query).tables[0][1:]]


def test_a_text_is_looked_for_in_handles_and_names(client, cup):
    assert handles(client, q="AN") == ["ann", "dan"]
    assert handles(client, q="exam") == ["ann"]
    assert handles(client, q="änne") == ["ann"]
    assert handles(client, q="Änne") == ["ann"]
    assert handles(client, q="exambob") == []


def test_a_country_or_affiliation_is_that_of_the_player(client, cup):
    assert set(handles(client, country="no")) == {"bob", "dan"}
    assert set(handles(client, affiliation="fjord club")) == {"bob", "dan"}
    assert handles(client, affiliation="fjord") == []
    assert handles(client, country="DE", affiliation="Fjord Club") == []


def test_players_without_a_country_can_be_asked_for(client, cup):
    assert set(handles(client, country="ZZ")) == {"cid", "eve"}


def test_active_counts_back_from_the_newest_contest_and_not_from_today(client, cup):
    assert set(handles(client, active=29)) == {"ann", "eve"}
    assert set(handles(client, active=30)) == {"ann", "bob", "cid", "eve"}
    assert len(handles(client, active=100)) == 5
    assert "counts back from the end of the newest rated contest of the series (15 Apr 2024)" in page_of(client).text


def test_the_minimum_counts_rated_contests(client, cup):
    assert handles(client, min=3) == ["ann"]
    assert set(handles(client, min=2)) == {"ann", "bob", "cid"}


def test_a_tier_is_asked_for_by_name(client, cup):
    snapshot = snapshot_of(cup)
    for tier in snapshot.tiers:
        expected = {
            handle
            for handle, score in Player.objects.values_list("handle", "ratings__score")
            if snapshot.tiers.tier_of(snapshot.rating(score)) == tier
        }
        assert set(handles(client, tier=tier.name.upper())) == expected


def test_rank_and_percentile_count_everyone_and_the_rank_in_the_list_only_those_who_match(client, cup):
    everyone = dict(zip(handles(client), [row[0] for row in page_of(client).tables[0][1:]], strict=True))
    assert [row[0] for row in page_of(client, {"country": "NO"}).tables[0][1:]] == [everyone["bob"], everyone["dan"]]
    assert [row[1] for row in ranks(client, country="NO")] == ["1", "2"]


def test_equal_players_share_the_rank_in_the_list_too(client):
    series = make_series("cup")
    make_contest(series, standings=[("ann", 1), ("bob", 2), ("cid", 2), ("dan", 2), ("eve", 5)])
    rate(series)
    Player.objects.exclude(handle__in=["ann", "bob"]).update(country="NO")
    assert ranks(client, country="NO") == [["2", "1"], ["2", "1"], ["5", "3"]]


def test_all_filters_hold_at_once(client, cup):
    assert handles(client, q="o", country="NO", affiliation="Fjord Club", active=40, min=2) == ["bob"]
    assert handles(client, q="o", country="NO", affiliation="Fjord Club", active=20, min=2) == []


def test_only_countries_that_occur_can_be_chosen_with_their_players(client, cup):
    Player.objects.create(community_id="main", handle="zoe", handle_key="zoe", country="FR")  # has no rating here
    content = client.get("/c/main/series/cup/leaderboard/").content.decode()
    select = content.split('name="country">')[1].split("</select>")[0]
    assert re.findall(r'<option value="(\w*)"', select) == ["", "DE", "NO", "ZZ"]
    assert "Norway (2)" in select


def test_a_list_without_matches_says_what_was_asked_for(client, cup):
    page = page_of(client, {"q": "<b>zz", "country": "QQ", "active": "30", "min": "2"})
    assert page.status == 200
    assert "“<b>zz” in handle or name QQ active within 30 days of the newest contest at least 2 contests" in page.text
    assert page.links["Show all players"] == "/c/main/series/cup/leaderboard/?show=everyone"


def test_valid_filters_are_used_and_the_others_are_named(client, cup):
    query = {"country": "NO", "tier": "nonsense", "active": "-5", "min": "1e99"}
    page = page_of(client, query)
    assert page.status == 404
    assert "There is no tier “nonsense” in this series; its tiers are Nova, Star," in page.text
    assert "“Active in the last … days” must be a whole number from 1 to 1,000,000, not “-5”." in page.text
    assert "“Minimum contests” must be a whole number from 1 to 1,000,000, not “1e99”." in page.text
    assert set(handles(client, **query)) == {"bob", "dan"}


@pytest.mark.parametrize("number", ["0", "-1", "1.5", "abc", "1e3", "٣", "²", "1000001", "9" * 10_000, "\x00", " "])
@pytest.mark.parametrize("name", ["active", "min"])
def test_invalid_numbers_leave_the_list_whole(client, cup, name, number):
    page = page_of(client, {name: number})
    assert page.status == (200 if not number.strip("\x00 ") else 404)
    assert len(page.tables[0]) == 6


@pytest.mark.parametrize(
    "query",
    [
        "q=%00", "q=" + "x" * 10_000, "country=%00%00", "page=%FF", "country=" + "x" * 999, "country=<script>",
        "affiliation=" + "y" * 10_000, "affiliation=%00", "tier=%E2%80%AE", "q=%E2%80%AE%0A", "q=%ED%A0%80",
    ],
)  # fmt: skip
def test_odd_queries_give_a_page(client, cup, query):
    response = client.get(f"/c/main/series/cup/leaderboard/?{query}")
    assert response.status_code in (200, 404)
    assert b"<script>" not in response.content
    assert len(response.content) < 100_000


@pytest.mark.parametrize("text", ["%", "_", "\\", "'", '"'])
def test_characters_of_sql_are_plain_text(client, cup, text):
    Player.objects.filter(handle="ann").update(handle_key=f"a{text}n", handle=f"a{text}n")
    assert len(page_of(client, {"q": text}).tables[0]) == 2


def test_a_mask_selects_the_same_players_as_a_loop_over_everyone(cup):
    snapshot = snapshot_of(cup)
    board, rated = (
        board_of(snapshot),
        list(Player.objects.filter(ratings__series=cup).order_by("-ratings__score", "pk")),
    )
    asked = Filters(country="NO", min_contests=2, active_days=40)
    expected = [
        row for row, player in enumerate(rated)
        if player.country == "NO" and board.contests[row] >= 2 and board.days[row] >= max(board.days) - 40
    ]  # fmt: skip
    assert matching_rows(snapshot, asked).tolist() == expected
    assert matching_rows(snapshot, Filters()).tolist() == np.arange(len(rated)).tolist()


def test_filters_in_a_query_are_read_back(rf, cup):
    snapshot = snapshot_of(cup)
    query = "q=%26x&country=NO&affiliation=A%26B&active=30&min=2&tier=Torch"
    asked = filters_of(rf.get(f"/?{query}"), snapshot)
    assert asked == filters_of(rf.get(f"/?{asked.query(snapshot)}"), snapshot)
    assert (asked.text, asked.affiliation, asked.active_days, asked.min_contests) == ("&x", "A&B", 30, 2)
