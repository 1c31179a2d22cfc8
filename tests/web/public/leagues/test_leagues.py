"""The page of leagues: who is in which, who moved last, and the rules in words."""

from __future__ import annotations

import math

import numpy as np
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from contests.models import Player
from ratings.derived.league_tables import leagues_in_rows
from ratings.derived.leagues import DERIVATION
from ratings.models import Derived
from ratings.publishing.deriving import derive_series
from ratings.publishing.schemes import choose_scheme
from ratings.queries.snapshot import snapshot_of
from tests.factories import make_contest, make_player, make_series, make_user, rate
from tests.pages import Page
from tests.ratings.leagues import LEAGUES, content_of, make_league_series, plain_histories, plain_leagues

pytestmark = pytest.mark.django_db

PAGE = "/c/main/series/cup/leagues/"
HOSTILE = ["x" * 10_000, "0", "-1", "99", "1e3", "٣", "%00", "<b>", "Torch"]


@pytest.fixture
def cup():
    return make_league_series()


def leagues_by_rank(snapshot, content):
    """Name the league of each player of the leaderboard, best first; None for provisional players."""
    return [snapshot.tiers[number].name if number >= 0 else None for number in content["league"].tolist()]


def get(client, query="", status=200):
    response = client.get(f"{PAGE}{query}")
    assert response.status_code == status
    return Page(response)


def test_players_are_listed_below_their_leagues_and_the_highest_league_comes_first(client, cup):
    snapshot, content = content_of(cup, DERIVATION)
    names = [*(tier.name for tier in snapshot.tiers), "Provisional"]
    heads, players = [], {}
    for row in get(client).tables[0][1:]:
        if len(row) == 1:
            heads.append(next(name for name in names if row[0].endswith(name)))
        else:
            players.setdefault(heads[-1], []).append(row[1])
    # The highest league first, provisional players last.
    order = [-1 if name == "Provisional" else names.index(name) for name in heads]
    assert order == sorted(order, reverse=True)
    expected = leagues_by_rank(snapshot, content)
    by_handle = {name: head for head, listed in players.items() for name in listed}
    assert len(by_handle) == len(expected) == 14
    for pk, league in zip(snapshot.index.player_ids.tolist(), expected, strict=True):
        handle = next(handle for handle in by_handle if make_player(handle).pk == pk)
        assert by_handle[handle] == (league or "Provisional")
    assert content["league"].max() > content["league"].min()


def test_one_league_can_be_asked_for_and_its_counts_are_links(client, cup):
    snapshot, content = content_of(cup, DERIVATION)
    number = int(content["league"].max())
    page = get(client, f"?league={number + 1}")
    table = page.tables[0]
    assert len(table) == 1 + int((content["league"] == number).sum())
    label = f"{snapshot.tiers[number].symbol}{snapshot.tiers[number].name} {len(table) - 1}"
    assert page.links[label] == f"?league={number + 1}"


@pytest.mark.parametrize(("size", "is_divided"), [(2, True), (1_000, False)])
@pytest.mark.parametrize("page", ["leagues", "season", "leaderboard"])
def test_players_have_their_division_if_the_league_has_several(client, page, size, is_divided):
    rules = {"assignment": "moving_average", "contests": 3, "margin": 20, "provisional_contests": 2}
    series = make_league_series(leagues=rules | {"division_size": size}, season={"length": "year"})
    _, content = content_of(series, DERIVATION)
    divided = set(content["league"][content["division"] > 1].tolist())
    assert content["division"].any()
    assert bool(divided) == is_divided
    text = Page(client.get(f"/c/main/series/cup/{page}/?show=everyone")).text
    assert ("Division 1 " in text, "Division 2 " in text) == (is_divided, is_divided)
    # A league with a single division doesn't number it, even if others have several.
    if page != "season":
        first = (content["division"] == 1) & np.isin(content["league"], list(divided))
        assert text.count("Division 1 ") == first.sum()


def test_a_league_without_players_says_so(client, cup):
    _, content = content_of(cup, DERIVATION)
    empty = next(number for number in range(8) if number not in content["league"].tolist())
    assert "No one is in this league now" in get(client, f"?league={empty + 1}").text


@pytest.mark.parametrize("asked", HOSTILE)
def test_a_league_that_does_not_exist_shows_all_and_says_so(client, cup, asked):
    response = client.get(PAGE, {"league": asked})
    assert response.status_code == 404
    page = Page(response)
    assert "There is no league" in page.text
    assert len(page.tables[0]) > 14
    assert "<b>" not in page.text or asked == "<b>"


@pytest.mark.parametrize("asked", ["0", "99", "two", "x" * 10_000])
def test_a_page_that_does_not_exist_gives_the_nearest(client, cup, asked):
    page = get(client, f"?page={asked}", status=404)
    assert "There is no page" in page.text


def test_provisional_players_are_found_by_that_word(client):
    series = make_league_series(contests=2)
    page = get(client, "?league=provisional")
    _, content = content_of(series, DERIVATION)
    assert len(page.tables[0]) == 1 + int((content["league"] == -1).sum())


def test_the_rules_are_stated_with_their_numbers(client, cup):
    text = get(client).text
    assert "the average of your last 3 ratings" in text
    assert "more than 20 points below the threshold" in text
    assert "fewer than 2 rated contests" in text
    assert "deviation" not in text


def test_promotions_name_player_league_and_contest(client, cup):
    snapshot, content = content_of(cup, DERIVATION)
    row = get(client).tables[1][1]
    before, after = (snapshot.tiers[int(content[name][0])].name for name in ("up_from", "up_to"))
    assert f"from {before} to {after}" in row[1]
    # On phones, the day stands below the name.
    handle, day = row[0].split(" ", 1)
    assert handle in {f"p{number:02}" for number in range(14)}
    assert day == row[2]


def test_until_leagues_are_computed_the_page_says_so(client, cup):
    Derived.objects.all().delete()
    page = get(client)
    assert "are being computed" in page.text
    assert "How promotion and relegation work" in page.text
    assert leagues_in_rows(snapshot_of(cup), np.arange(2)) is None


def test_the_page_of_a_series_without_leagues_links_to_what_it_has(client):
    make_series("cup")
    page = get(client, status=404)
    assert "tiers but no leagues" in page.text
    assert page.links["Leaderboard"] == "/c/main/series/cup/leaderboard/"
    assert "Leagues" not in page.links


def test_leagues_of_a_series_without_a_run_are_explained(client):
    series = make_series("cup")
    choose_scheme(series.pk, leagues=LEAGUES)
    page = get(client)
    assert "No one is rated yet" in page.text
    assert "How promotion and relegation work" in page.text


def test_the_leaderboard_names_leagues_where_there_are_any(client, cup):
    snapshot, content = content_of(cup, DERIVATION)
    table = Page(client.get("/c/main/series/cup/leaderboard/")).tables[0]
    at = table[0].index("League")
    for row, league in zip(table[1:], leagues_by_rank(snapshot, content), strict=True):
        assert row[at].endswith(league or "Provisional")
    Derived.objects.all().delete()
    assert "Tier" in Page(client.get("/c/main/series/cup/leaderboard/")).tables[0][0]


def test_the_overview_names_leagues_where_the_leaderboard_does(client, cup):
    snapshot, content = content_of(cup, DERIVATION)
    table = Page(client.get(cup.get_absolute_url())).tables[0]
    at = table[0].index("League")
    for row, league in zip(table[1:], leagues_by_rank(snapshot, content), strict=False):
        assert row[at].endswith(league or "Provisional")
    Derived.objects.all().delete()
    assert "Tier" in Page(client.get(cup.get_absolute_url())).tables[0][0]


def test_private_series_are_hidden_from_others(client, cup):
    organizer = make_user("olga")
    cup.organizers.add(organizer)
    type(cup).objects.update(is_public=False, is_listed=False)
    assert client.get(PAGE).status_code == 404
    client.force_login(organizer)
    assert client.get(PAGE).status_code == 200


def test_a_player_reads_what_is_missing(client, cup):
    snapshot, content = content_of(cup, DERIVATION)
    row = next(i for i, league in enumerate(content["league"].tolist()) if 0 < league < 7)
    league, mean = int(content["league"][row]), float(content["mean"][row])
    handle = next(h for h in (f"p{n:02}" for n in range(14)) if make_player(h).pk == snapshot.index.player_ids[row])
    text = Page(client.get(f"/c/main/players/{handle}/")).text
    above, floor = snapshot.tiers[league + 1], snapshot.tiers[league].minimum
    assert f"{above.minimum - mean:,.1f} points short of {above.name}." in text
    assert f"{mean - (floor - 20):,.1f} points above relegation to {snapshot.tiers[league - 1].name}." in text


def test_players_see_the_tier_of_their_rating_and_their_league(client, cup):
    snapshot, content = content_of(cup, DERIVATION)
    checked = 0
    numbers = snapshot.index.player_ids.tolist(), content["league"].tolist(), content["mean"].tolist()
    for pk, league, mean in zip(*numbers, strict=True):
        page = Page(client.get(Player.objects.get(pk=pk).get_absolute_url()))
        points = int(page.text.split(" Rating ")[1].split()[0].replace(",", ""))
        tier = max(
            (tier for tier in snapshot.tiers if tier.minimum is None or tier.minimum <= points),
            key=lambda tier: -math.inf if tier.minimum is None else tier.minimum,
        )
        if league < 0 or snapshot.tiers[league] == tier:
            continue
        steps = next(table for table in page.tables if table[0][0] == "Tier")[1:]
        marked = [cell[0][1:].split(" ")[-2:] for cell in steps if cell[0].endswith((" now", " league"))]
        assert [name for name, mark in marked if mark == "now"] == [tier.name]
        assert [name for name, mark in marked if mark == "league"] == [snapshot.tiers[league].name]
        assert f"ratings, now {mean:,.1f}." in page.text or league == len(snapshot.tiers) - 1
        checked += 1
    assert checked


def test_a_rating_that_would_promote_is_exact(cup):
    from ratings.models import Rating
    from web.shared.leagues import player_league

    snapshot, content = content_of(cup, DERIVATION)
    checked = 0
    for rating in Rating.objects.filter(series=cup):
        own = player_league(snapshot, rating)
        if own.next_promotes is None:
            continue
        row = snapshot.index.position(rating.player_id, rating.score)
        size = min(own.window + 1, 3)
        stays = own.mean * own.window - content["leaving"][row]
        threshold = snapshot.tiers[own.league + 1].minimum
        assert (stays + own.next_promotes) / size >= threshold - 1e-9
        assert (stays + own.next_promotes - 1) / size < threshold
        checked += 1
    assert checked


def test_a_provisional_player_reads_how_many_contests_are_missing(client):
    series = make_series("cup")
    choose_scheme(series.pk, leagues={**LEAGUES, "provisional_contests": 4, "provisional_sigma": 120})
    for _ in range(2):
        make_contest(series, standings=[("ann", 1), ("bob", 2), ("cid", 3)])
    rate(series)
    derive_series(series.pk)
    text = Page(client.get("/c/main/players/ann/")).text
    assert "2 more rated contests until the first league." in text
    assert "a league needs 120 or less" in text
    snapshot, rules = snapshot_of(series), {**LEAGUES, "provisional_contests": 0}
    league = plain_leagues(snapshot, plain_histories(series)[make_player("ann").pk], rules)[-1]
    assert f"matches the league {snapshot.tiers[league].name}." in text


@pytest.mark.parametrize("rows", [2, 200])
def test_the_number_of_queries_does_not_grow(client, rows):
    series = make_series("cup")
    choose_scheme(series.pk, leagues={**LEAGUES, "contests": 1, "margin": 0, "provisional_contests": 1})
    handles = [f"p{number:03}" for number in range(rows)]
    for number in range(6):
        order = handles[::-1] if number > 1 else handles
        make_contest(series, standings=[(handle, place + 1) for place, handle in enumerate(order)])
    rate(series)
    derive_series(series.pk)
    client.get(PAGE)
    with CaptureQueriesContext(connection) as queries:
        page = get(client)
    assert len(page.tables) == 3
    # The series; run, scheme; the content; two for what is waiting; the players of the page; two lists of moves and
    # their contests.
    assert len(queries) == 11
