"""Filters and search in the standings of a contest."""

import re

import pytest

from contests.models import Player, PlayerClaim
from ratings.models import RatingChange
from ratings.publishing.schemes import choose_scheme
from ratings.queries.snapshot import snapshot_of
from tests.factories import make_contest, make_player, make_series, make_user, rate
from tests.pages import Page
from web.public.contest.filters import ORDER, position_of

pytestmark = pytest.mark.django_db


def page_of(client, contest, query=""):
    return Page(client.get(f"/contests/{contest.pk}/{query}"))


def rows_of(page):
    return [(row[0], row[1].split(" ")[0]) for row in page.tables[0][1:]]


@pytest.fixture
def cup():
    contest = make_contest(players=230)
    Player.objects.filter(handle__in=["p3", "p7", "p120"]).update(country="NO")
    Player.objects.filter(handle="p5").update(country="DE")
    rate(contest.series)
    return contest


@pytest.fixture
def small():
    contest = make_contest(players=12)
    rate(contest.series)
    return contest


def test_a_country_filter_keeps_the_places_of_the_whole_contest_and_counts_rows(client, cup):
    page = page_of(client, cup, "?country=no")
    assert rows_of(page) == [("4", "p3"), ("8", "p7"), ("121", "p120")]
    assert "3 of 230 participants" in page.text
    assert "Country: Norway" in page.text


@pytest.mark.parametrize("typed", ["²", "578", "NOR", "١٢"])
def test_invalid_country_codes_are_reported(client, cup, typed):
    page = page_of(client, cup, f"?country={typed}")
    assert page.status == 404
    assert f"There is no country “{typed}”." in page.text


def test_tier_filters_match_the_displayed_tiers(client, cup):
    snapshot = snapshot_of(cup.series)
    changes = RatingChange.objects.filter(contest=cup).select_related("player")
    expected: dict[str, list[str]] = {}
    for change in changes.order_by("rank"):
        expected.setdefault(snapshot.tier(snapshot.rating_of(change.mu, change.sigma)).name, []).append(
            change.player.handle
        )
    assert len(expected) > 2, "the field should reach several tiers"
    for tier in snapshot.tiers:
        handles = []
        for number in (1, 2, 3):
            page = page_of(client, cup, f"?tier={tier.name}&page={number}")
            handles += [handle for _, handle in rows_of(page)] if page.tables and page.status == 200 else []
        assert handles == expected.get(tier.name, [])


@pytest.mark.parametrize("display", [{"mapping": "fermi", "range": 10_000}, {"mapping": "offset", "k": 2.0}])
def test_tiers_follow_the_display_of_the_series(client, cup, display):
    choose_scheme(cup.series_id, display=display, tiers=[])
    rate(cup.series)
    snapshot = snapshot_of(cup.series)
    best = RatingChange.objects.current().get(contest=cup, rank=1)
    tier = snapshot.tier(snapshot.rating_of(best.mu, best.sigma))
    page = page_of(client, cup, f"?tier={tier.name}")
    inside = [
        change.player.handle
        for change in RatingChange.objects.current().filter(contest=cup).select_related("player").order_by("rank")
        if snapshot.tier(snapshot.rating_of(change.mu, change.sigma)) == tier
    ]
    assert [handle for _, handle in rows_of(page)] == inside[:100]


def test_filters_and_search_combine_and_each_can_be_removed(client, cup):
    page = page_of(client, cup, "?country=NO&find=p1")
    assert "doesn’t match the filters" in page.text, "p1 took part, but is not from Norway"
    page = page_of(client, cup, "?country=NO&find=p12&tier=")
    assert page.status == 200
    page = page_of(client, cup, "?country=NO&find=12x")
    assert "No participant has the handle “12x”" in page.text
    make_player("p1200")
    page = page_of(client, cup, "?country=NO&find=20")
    assert rows_of(page) == [("121", "p120")]
    without = {address: words for words, address in page.links.items() if "remove this filter" in words}
    assert without["?country=NO"].startswith("Handle contains “20”")
    assert without["?find=20"].startswith("Country: Norway")


def test_pages_keep_the_filters(client, cup):
    Player.objects.update(country="NO")
    content = client.get(f"/contests/{cup.pk}/?country=NO&find=p").content.decode()
    assert "?country=NO&amp;find=p&amp;page=2" in content


def test_a_player_in_a_filtered_list_is_marked_there(client, cup):
    Player.objects.update(country="NO")
    content = client.get(f"/contests/{cup.pk}/?country=NO&find=P217").content.decode()
    assert re.search(r'is-marked" id="found">\s*<td class="num">218</td>', content)


@pytest.mark.parametrize(("rank", "first", "last"), [(1, 1, 50), (100, 51, 100), (101, 101, 150), (230, 201, 230)])
def test_a_place_opens_its_page_and_is_marked(client, cup, rank, first, last):
    response = client.get(f"/contests/{cup.pk}/?rank={rank}")
    rows = rows_of(Page(response))
    assert (rows[0][0], rows[-1][0]) == (str(first), str(last))
    assert re.search(rf'is-marked" id="found">\s*<td class="num">{rank}</td>', response.content.decode())
    assert response.content.count(b"is-marked") == 1


def test_a_shared_place_is_marked_for_all_who_share_it(client):
    contest = make_contest(standings=[("ann", 1), ("bob", 2), ("cid", 2), ("dan", 4), ("eve", 5)])
    assert client.get(f"/contests/{contest.pk}/?rank=2").content.count(b"is-marked") == 2
    # No one has place 3, so the page opens at the next place and marks no row.
    content = client.get(f"/contests/{contest.pk}/?rank=3").content.decode()
    assert re.search(r'is-marked" id="found">\s*<td class="num">4</td>', content)


@pytest.mark.parametrize("asked", ["-1", "0", "abc", "1" + 30 * "0", "1.5", "²", "٣", "x" * 10_000])
def test_invalid_places_are_reported(client, small, asked):
    page = Page(client.get(f"/contests/{small.pk}/", {"rank": asked}))
    assert page.status == 404
    assert f"“{asked[:20]}” is not a valid place" in page.text
    assert len(rows_of(page)) == 12


def test_a_place_beyond_the_last_one_opens_the_last(client, cup):
    page = page_of(client, cup, "?rank=231")
    assert page.status == 404
    assert "There is no place 231 here; the last one is 230." in page.text
    assert rows_of(page)[-1][0] == "230"


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ({"country": "XX"}, "There is no country “XX”"),
        ({"country": "<b>"}, "There is no country “<b>”"),
        ({"country": "N" * 10_000}, "There is no country “NNN"),
        ({"tier": "unknown"}, "There is no tier “unknown”"),
        ({"tier": "t" * 10_000}, "There is no tier “ttt"),
    ],
)
def test_unknown_filters_are_reported_and_ignored(client, small, query, said):
    page = Page(client.get(f"/contests/{small.pk}/", query))
    assert page.status == 404
    assert said in page.text
    assert len(rows_of(page)) == 12


@pytest.mark.parametrize("text", ["\x00", "\u202eevil", "f" * 10_000, "%", "_", "\\", "<script>", "'; DROP TABLE"])
def test_any_text_can_be_searched_for(client, small, text):
    response = client.get(f"/contests/{small.pk}/", {"find": text, "country": "NO"})
    assert response.status_code == 200
    assert b"<script>" not in response.content


def test_a_country_without_participants_is_not_an_error(client, small):
    page = page_of(client, small, "?country=FR")
    assert page.status == 200
    assert "No participants found" in page.text
    assert "0 of 12 participants" in page.text


def test_a_player_gets_a_link_to_their_own_row(client, cup):
    user = make_user("zoe")
    PlayerClaim.objects.create(community_id="main", player=Player.objects.get(handle="p150"), user=user)
    assert "My place" not in page_of(client, cup).text
    client.force_login(user)
    page = page_of(client, cup)
    assert page.links["My place: 151"] == "?find=p150#found"
    marked = client.get(f"/contests/{cup.pk}/?page=4").content.decode()
    assert re.search(r'is-marked">\s*<td class="num">151</td>', marked)


def test_positions_are_those_in_the_table():
    rows = [("ann", 1), ("bob", 2), ("cid", 2), ("dan", 4, None, "unofficial"), ("eve", None, None, "disqualified")]
    contest = make_contest(standings=rows)
    ordered = list(contest.standings.order_by(*ORDER))
    assert [position_of(contest.standings.all(), row) for row in ordered] == list(range(5))


def test_an_unrated_contest_has_no_tier_filter(client):
    contest = make_contest(make_series(), players=20, is_rated=False)
    page = page_of(client, contest, "?tier=Nova")
    assert "No participants found" in page.text
    assert "Tier after the contest" not in page_of(client, contest).text
