"""The parts of a player's page beside the history: all series, all results, tiers and other names."""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from contests.models import Player, PlayerAlias
from contests.services.merging import merge_players
from contests.services.renaming import add_alias, rename_player
from ratings.models import RatingChange
from ratings.publishing.schemes import choose_scheme
from ratings.systems import SYSTEMS
from tests.factories import make_contest, make_player, make_series, make_user, rate
from tests.pages import Page

pytestmark = pytest.mark.django_db


@pytest.fixture
def cup():
    series = make_series("cup", name="Harbour Cup")
    make_contest(series, name="Spring", standings=[("ann", 1), ("bob", 2), ("cid", 3)], day=1)
    make_contest(series, name="Summer", standings=[("bob", 1), ("ann", 2)], day=2)
    rate(series)
    return series


@pytest.fixture
def regatta(cup):
    series = make_series("regatta", name="Regatta")
    make_contest(series, name="Heat", standings=[("ann", 1), ("bob", 2)], day=400)
    rate(series)
    return series


def test_all_series_are_shown_side_by_side(client, regatta):
    page = Page(client.get("/c/main/players/ann/?view=all"))
    assert page.status == 200
    rows = page.tables[0][1:]
    assert [row[0].split()[0] for row in rows] == ["Regatta", "Harbour"]  # the one played last first
    assert [row[3] for row in rows] == ["1 of 2", "1 of 3"]
    assert [row[6] for row in rows] == ["1", "2"]
    assert [row[7] for row in rows] == ["9 Feb 2025", "8 Jan 2024"]
    svg = client.get("/c/main/players/ann/?view=all").content.decode()
    assert svg.count('<svg class="small-graph') == 2  # once for narrow screens, once for wide ones
    assert "style=" not in svg
    assert rows[0][1] == "–"  # one contest makes no line


def test_a_player_of_one_series_has_no_tab_for_all(client, cup):
    page = Page(client.get("/c/main/players/ann/"))
    assert {"Harbour Cup", "All results"} <= set(page.links)
    assert not any("series" in link and link.startswith("All ") for link in page.links)
    assert "Harbour Cup" in Page(client.get("/c/main/players/ann/?view=all")).text


def test_a_player_of_many_series_has_tabs_for_some_and_for_the_one_shown(client):
    for number in range(12):
        series = make_series(f"s{number:02}", name=f"Series {number:02}")
        make_contest(series, standings=[("ann", 1), ("bob", 2)], day=100 - number)
        rate(series)
    text = client.get("/c/main/players/ann/?series=s11").content.decode()
    tabs = re.search(r'<ul class="tabs player-tabs">.*?</ul>', text, re.DOTALL)[0]
    assert re.findall(r"series=(s\d+)", tabs) == [f"s{number:02}" for number in range(8)] + ["s11"]
    assert "All 12 series" in tabs
    assert len(Page(client.get("/c/main/players/ann/?view=all")).tables[0]) == 13


def test_results_list_what_is_not_rated_too(client, cup):
    make_contest(cup, name="Friendly", standings=[("bob", 1), ("ann", 2)], is_rated=False, day=3)
    make_contest(
        cup, name="Trial", standings=[("bob", 1), ("ann", None, 9.5, "unofficial"), ("cid", 2)], day=4
    )  # fmt: skip
    make_contest(cup, name="Scandal", standings=[("bob", 1), ("ann", 2, 1.0, "disqualified"), ("cid", 3)], day=5)
    make_contest(cup, name="Secret draft", standings=[("ann", 1), ("bob", 2)], finalized=False, day=6)
    rate(cup)
    page = Page(client.get("/c/main/players/ann/?view=results"))
    rows = page.tables[0][1:]
    assert [row[0].split()[0] for row in rows] == ["Scandal", "Trial", "Friendly", "Summer", "Spring"]
    assert [row[3] for row in rows] == ["– disqualified", "– not ranked", "2", "lost", "1 /of 3"]
    assert [row[5] for row in rows[:3]] == ["unrated"] * 3
    assert ["Why?" in row[6] for row in rows] == [False, False, False, True, True]


def test_results_are_filtered_by_series_and_year(client, cup, regatta):
    def names(query):
        return [
            row[0].split()[0] for row in Page(client.get(f"/c/main/players/ann/?view=results{query}")).tables[0][1:]
        ]

    assert names("") == ["Heat", "Summer", "Spring"]
    assert names("&series=cup") == ["Summer", "Spring"]
    assert names("&year=2025") == ["Heat"]
    nothing = Page(client.get("/c/main/players/ann/?view=results&series=cup&year=2025"))
    assert (nothing.status, nothing.tables) == (200, [])
    assert "Nothing matches" in nothing.text
    for query in ("&series=nope", "&year=1999", "&year=x", "&page=9", "&series=" + "x" * 10_000, "&year=%00"):
        page = Page(client.get(f"/c/main/players/ann/?view=results{query}"))
        assert page.status == (200 if query == "&year=%00" else 404), query
        assert len(page.tables[0]) == 4, query


def test_results_of_private_series_do_not_show(client, cup):
    ida = make_user("ida")
    secret = make_series("secret", name="Secret", is_public=False, organizer=ida)
    make_contest(secret, standings=[("ann", 1), ("zoe", 2)])
    rate(secret)
    for view in ("results", "all"):
        assert "Secret" not in Page(client.get(f"/c/main/players/ann/?view={view}")).text
    client.force_login(ida)
    assert "Secret" in Page(client.get("/c/main/players/ann/?view=results")).text
    assert "og:image" not in client.get("/c/main/players/ann/?series=secret").content.decode()


def test_tiers_show_when_they_were_reached_and_what_is_missing(client):
    series = make_series("cup")
    tiers = [("Low", None), ("Start", 1400), ("Middle", 1600), ("Top", 9000)]
    colours = {"colour_light": "#333333", "colour_dark": "#dddddd"}
    choose_scheme(
        series.pk,
        tiers=[{"name": name, "minimum": at, "symbol": name[0], **colours} for name, at in tiers],
    )
    make_contest(series, name="First", standings=[("bob", 1), ("cid", 2), ("ann", 3), ("dan", 4), ("eve", 5)], day=0)
    for day in range(1, 6):
        make_contest(series, name=f"Later {day}", standings=[("ann", 1), ("bob", 2), ("cid", 3), ("dan", 4)], day=day)
    rate(series)
    changes = RatingChange.objects.current().filter(player__handle="ann").order_by("contest__ends_at")
    ratings = [round(change.mu) for change in changes]
    assert 1400 <= ratings[0] < 1600 < ratings[-1] < 9000
    risen = next(number for number, rating in enumerate(ratings) if rating >= 1600)
    response = client.get("/c/main/players/ann/")
    page = Page(response)
    # Not the tier below the one after the first contest.
    top, middle, start = page.tables[-1][1:]
    assert top[2] == f"{9000 - ratings[-1]:,} points to go"
    assert middle[0].endswith("Middle now")
    assert f"{6 + risen} Jan 2024" in middle[2]
    assert middle[2].endswith(f"Later {risen}")
    assert start[2].startswith("6 Jan 2024 provisional")
    colours = re.findall(r'class="tier tier-\d+-(\d)"><span\s+class="tier-symbol"', response.content.decode())
    assert colours[-3:] == ["3", "2", "1"]


def test_a_player_who_has_fallen_below_the_first_tier_sees_the_current_one(client):
    series = make_series("cup")
    colours = {"colour_light": "#333333", "colour_dark": "#dddddd"}
    tiers = [("Lowest", None), ("Low", 1000), ("High", 1600)]
    choose_scheme(series.pk, tiers=[{"name": name, "minimum": at, "symbol": name[-1], **colours} for name, at in tiers])
    make_contest(series, standings=[("ann", 1), ("bob", 2), ("cid", 3), ("dan", 4)], day=0)
    for day in range(1, 4):
        make_contest(series, standings=[("bob", 1), ("cid", 2), ("dan", 3), ("ann", 4)], day=day)
    rate(series)
    changes = RatingChange.objects.current().filter(player__handle="ann").order_by("contest__ends_at")
    ratings = [change.mu for change in changes]
    assert ratings[0] > 1600 > ratings[-1] > 1000
    high, low = Page(client.get("/c/main/players/ann/")).tables[-1][1:]
    assert "points short" in high[2]
    assert (low[0].endswith("Low now"), low[2]) == (True, "Started above")


def test_old_handles_and_merged_players_are_named(client, cup):
    ida = make_user("ida")
    rename_player(Player.objects.get(handle="bob").pk, handle="robert", actor=ida)
    merge_players(Player.objects.get(handle="robert").pk, _with_result(cup, "bobby").pk, reason="same", actor=ida)
    merge_players(Player.objects.get(handle="robert").pk, make_player("bobbins").pk, reason="same", actor=ida)
    rate(cup)
    text = Page(client.get("/c/main/players/robert/")).text
    assert "Also known as bob, bobby" in text
    assert "bobbins" not in text  # nothing that is public came from that player
    assert "Also known as" not in Page(client.get("/c/main/players/ann/")).text


def _with_result(series, handle):
    make_contest(series, standings=[(handle, 1), ("ann", 2)], day=9)
    return Player.objects.get(handle=handle)


def test_names_that_a_private_series_may_have_given_do_not_show(client, cup):
    ida = make_user("ida")
    secret = make_series("secret", is_public=False, organizer=ida)
    make_contest(secret, standings=[("ann", 1), ("annie-private", 2)])
    add_alias(Player.objects.get(handle="ann").pk, handle="Ann from room 12", series_id=secret.pk, actor=ida)
    bob = Player.objects.get(handle="bob")
    merge_players(bob.pk, Player.objects.get(handle="annie-private").pk, reason="same", actor=ida)
    assert "room 12" not in client.get("/c/main/players/ann/").content.decode()
    assert "annie-private" not in client.get("/c/main/players/bob/").content.decode()
    client.force_login(ida)
    assert "room 12" in client.get("/c/main/players/ann/").content.decode()
    assert "annie-private" in client.get("/c/main/players/bob/").content.decode()


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("display", [{"mapping": "offset"}, {"mapping": "fermi", "range": 1000}])
def test_every_system_has_a_page_that_makes_sense(client, system, display):
    series = make_series("cup")
    choose_scheme(series.pk, system=system, display=display)
    make_contest(series, standings=[("ann", 1), ("bob", 2), ("cid", 3)])
    make_contest(series, standings=[("bob", 1), ("ann", 2), ("cid", 2)])
    rate(series)
    has_performance = SYSTEMS[system].has_performance
    for view in ("", "?view=all", "?view=results"):
        page = Page(client.get(f"/c/main/players/ann/{view}"))
        assert page.status == 200
        assert not {"None", "nan", "inf"} & set(page.text.replace(",", " ").split())
    page = Page(client.get("/c/main/players/ann/"))
    words = {"nothing": set(), "uncertainty": {"Uncertainty"}, "volatility": {"Volatility"}}
    assert {word for word in ("Uncertainty", "Volatility") if word in page.text} == words[SYSTEMS[system].sigma_means]
    assert ("Performance" in page.links) == has_performance


def test_a_series_with_one_contest_has_a_whole_page(client):
    series = make_series("cup")
    make_contest(series, name="Only", standings=[("ann", 1), ("bob", 2), ("cid", 3)])
    rate(series)
    page = Page(client.get("/c/main/players/bob/"))
    assert page.status == 200
    assert "Best place 2 on 6 Jan 2024" in page.text
    assert "provisional" in page.text
    assert "Order" not in page.text  # nothing to sort


@pytest.mark.parametrize("view", ["", "?view=all", "?view=results", "?at={contest}&sort=place"])
def test_the_number_of_queries_does_not_grow_with_contests_series_or_names(client, view):
    def count():
        address = "/c/main/players/ann/" + view.format(contest=series.contests.first().pk)
        client.get(address)  # fills what the process caches for each run
        with CaptureQueriesContext(connection) as queries:
            response = client.get(address)
        assert response.status_code == 200
        return len(queries)

    series = make_series("cup")
    make_contest(series, standings=[("ann", 1), ("bob", 2)])
    make_contest(series, standings=[("ann", 1), ("bob", 2)], day=0.5)
    rate(series)
    other = make_series("cup-0")
    make_contest(other, standings=[("ann", 1), ("bob", 2)], day=-5)
    rate(other)
    PlayerAlias.objects.create(handle="one", handle_key="one", player=Player.objects.get(handle="ann"))
    few = count()
    for day in range(60):
        make_contest(series, standings=[("ann", 1 + day % 2), ("bob", 2 - day % 2)], day=1 + day)
    rate(series)
    for number in range(1, 5):
        more = make_series(f"cup-{number}")
        make_contest(more, standings=[("ann", 1), ("bob", 2)], day=-10)
        rate(more)
        PlayerAlias.objects.create(
            handle=f"n{number}", handle_key=f"n{number}", player=Player.objects.get(handle="ann")
        )
    assert count() == few
    assert few <= 16


@pytest.mark.parametrize(
    "handle", ["%E2%80%AEann", "%01%02", "<script>alert(1)</script>", "%D7%90%D7%91%D7%92", "x" * 10_000, "%C2%85"]
)
def test_unknown_handles_of_any_kind_get_a_page_that_helps(client, cup, handle):
    response = client.get(f"/c/main/players/{handle}/")
    assert response.status_code == 404
    text = response.content.decode()
    assert "<script>alert" not in text
    assert "\u202e" not in Page(response).headings[0]
    assert not re.search(r"[\x00-\x08\x0e-\x1f]", text)
    assert 'name="q"' in text


def test_a_name_finds_the_player_if_no_handle_is_similar(client, cup):
    series = make_series("grand-prix")
    make_player("xz17", name="Michaela Schuhmacher")
    make_contest(series, standings=[("xz17", 1), ("lewis-hamilton", 2), ("hamilfam", 3)])
    rate(series)
    assert "xz17" in Page(client.get("/c/main/players/Schuhmacher/")).links
    links = list(Page(client.get("/c/main/players/hamiltno/")).links)
    assert links.index("lewis-hamilton") < links.index("hamilfam")
    assert "lewis-hamilton" in Page(client.get("/c/main/players/Hamilton%20Lewis/")).links
