"""The story on a player's page: names, form, rivals, seasons, and the graph that needs no JavaScript."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pytest

from contests.models import Player
from ratings.models import RatingChange
from ratings.queries.snapshot import snapshot_of
from tests.factories import make_contest, make_series, rate
from tests.pages import Page
from tests.ratings.leagues import make_league_series
from web.public.player.rivals import _met, _wins
from web.public.player.story import MOST_YEARS
from web.shared.names import initials_of
from web.shared.still import smoothed

#: Places of ann, bob, cid, dan and eve in six contests, 90 days apart from January 2024.
PLACES = {"ann": (2, 1, 5, 3, 2, 1), "bob": (1, 2, 1, 1, 1, 2), "cid": (3, 3, 2, 2, 3, 3), "dan": (4, 4, 3, 4, 4, 4),
          "eve": (5, 5, 4, 5, 5, 5)}  # fmt: skip


@pytest.fixture
def cup(db):
    series = make_series("cup", name="Harbour Cup")
    for number in range(6):
        standings = sorted(((name, places[number]) for name, places in PLACES.items()), key=lambda row: row[1])
        make_contest(series, name=f"Round {number + 1}", standings=standings, day=90 * number)
    Player.objects.filter(handle="ann").update(name="Ann Ångström", country="SE")
    rate(series)
    return series


@pytest.mark.django_db
def test_a_player_who_stopped_is_inactive_and_has_no_next_goal(client):
    series = make_series("cup")
    for day in (0, 10, 20, 400, 500, 600):
        rows = [("ann", 1), ("bob", 2), ("cid", 3)] if day < 100 else [("bob", 1), ("cid", 2)]
        make_contest(series, standings=rows, day=day)
    rate(series)
    inactive, active = (Page(client.get(f"/c/main/players/{name}/")).text for name in ("ann", "bob"))
    assert "inactive since 26 Jan 2024" in inactive
    assert "good contest" not in inactive
    assert "Next" not in inactive
    assert "Next" in active
    assert "inactive since" not in active


@pytest.mark.django_db
def test_a_long_career_has_its_earlier_seasons_on_demand(client):
    series = make_series("cup")
    for year in range(8):
        make_contest(series, standings=[("ann", 1), ("bob", 2)], day=366 * year)
    rate(series)
    page = Page(client.get("/c/main/players/ann/"))
    assert "Show 2 earlier seasons" in page.text
    newest, earlier = (table for table in page.tables if table[0][0] == "Season")
    years = [row[0] for row in (*newest[1:], *earlier[1:])]
    assert (len(newest), len(earlier)) == (7, 3)
    assert years == sorted(set(years), reverse=True)


def test_the_page_shows_the_last_contest_rivals_seasons_and_milestones(client, cup):
    answer = client.get("/c/main/players/ann/")
    page, story = Page(answer), answer.context["story"]
    assert page.headings[0] == "Ann Ångström"
    assert "1st of 5" in page.text
    assert "/flags/se.svg" in answer.content.decode()
    # By hand from PLACES.
    assert (story.wins, story.podiums, story.podium_streak) == (2, 5, 3)
    assert [(season.name, season.contests, season.wins, season.best_place) for season in story.seasons] == [
        ("2025", 1, 1, 1), ("2024", 5, 1, 1),
    ]  # fmt: skip
    changes = list(RatingChange.objects.current().filter(player__handle="ann").order_by("contest__ends_at"))
    shown = [1500, *(round(change.mu) for change in changes)]
    assert [season.change for season in story.seasons] == [shown[6] - shown[5], shown[5] - shown[0]]
    rises = "".join("+" if after > before else "-" for before, after in itertools.pairwise(shown))
    assert story.rise_streak == max(map(len, re.findall(r"\++", rises)))
    firsts = {one.kind: one.row.change.contest.name for one in story.milestones}
    assert (firsts["first"], firsts["podium"], firsts["win"]) == ("Round 1", "Round 1", "Round 2")
    rivals = {one.player.handle: (one.met, one.ahead, one.behind) for one in answer.context["rivals"].met}
    assert rivals == {"bob": (6, 2, 4), "cid": (6, 4, 2), "dan": (6, 5, 1), "eve": (6, 5, 1)}
    assert [one.player.handle for one in answer.context["rivals"].met if one.is_closest] in (["bob"], ["cid"])
    best = answer.context["rivals"].wins[0]
    before = {
        change.mu_before: change.player.handle
        for change in RatingChange.objects.current().exclude(player__handle="ann").select_related("player", "contest")
        if change.rank > PLACES["ann"][int(change.contest.name[-1]) - 1]
    }
    assert (best.player.handle, best.points) == (before[max(before)], round(max(before)))
    months = {(year, month.name): month.contests for year, months in story.activity.years for month in months}
    assert sum(months.values()) == 6
    assert months[2024, "Jan"] == 1
    assert story.activity.most_month == "January", "the first of the busiest"
    assert not story.activity.is_cut


@pytest.mark.django_db
def test_the_calendar_of_one_month_and_ties_with_rivals_are_described(client):
    series = make_series()
    for day, places in enumerate([(1, 1, 3), (1, 2, 3), (2, 1, 3)], start=1):
        make_contest(series, standings=list(zip(("ann", "bob", "cid"), places, strict=True)), day=day)
    rate(series)
    page = Page(client.get("/c/main/players/ann/"))
    assert "Contests by month. All were in January 2024." in page.text
    rivals = next(table for table in page.tables if table[0][:2] == ["Player", "Met"])
    assert rivals[0] == ["Player", "Met", "Ahead of them", "Behind them", "Level with them"]
    assert {row[0].split()[0]: row[1:] for row in rivals[1:]} == {
        "bob": ["3", "1", "1", "1"], "cid": ["3", "3", "0", "0"]
    }  # fmt: skip


@pytest.mark.django_db
def test_newcomers_had_no_rating_that_could_be_beaten(client):
    series = make_series()
    make_contest(series, standings=[("ann", 1), ("bob", 2)], day=0)
    make_contest(series, standings=[("ann", 1), ("bob", 2), ("new", 3)], day=1)
    rate(series)
    wins = client.get("/c/main/players/ann/").context["rivals"].wins
    assert [(one.player.handle, one.row.change.number) for one in wins] == [("bob", 2)]


@pytest.mark.django_db
@pytest.mark.parametrize(("years", "note"), [(MOST_YEARS, ""), (MOST_YEARS + 1, "The calendar begins in 2000;")])
def test_the_calendar_says_which_years_it_leaves_out(client, years, note):
    series = make_series()
    for day in (-365 * (years - 1), 0):
        make_contest(series, standings=[("ann", 1), ("bob", 2)], day=day)
    rate(series)
    page = Page(client.get("/c/main/players/ann/"))
    assert page.status == 200
    assert (note in page.text) if note else ("The calendar begins" not in page.text)


def test_the_graph_is_drawn_without_scripts_too(client, cup):
    answer = client.get("/c/main/players/ann/")
    still, points = answer.context["still"], answer.context["chart"]["points"]
    drawn = [tuple(map(float, pair.split(","))) for pair in still.lines[0].points.split()]
    assert len(drawn) == len(points) == 6
    # A higher rating is farther up, and moments keep their order.
    assert np.argsort([-y for _, y in drawn]).tolist() == np.argsort([point["rating"] for point in points]).tolist()
    assert [x for x, _ in drawn] == sorted(x for x, _ in drawn)
    text = answer.content.decode()
    assert "style=" not in text[text.index("chart-still") : text.index("<canvas")]
    assert [point.get("won", False) for point in points] == [False, True, False, False, False, False]
    assert len(answer.context["chart"]["seasons"]) == 2


@pytest.mark.django_db
def test_a_league_and_a_tier_never_stand_side_by_side(client):
    series, differing = make_league_series(), 0
    snapshot = snapshot_of(series)
    for player in Player.objects.filter(community=series.community):
        answer = client.get(f"{player.get_absolute_url()}?series={series.slug}")
        hero, badges = answer.context["hero"], re.findall(r'class="tier-badge', answer.content.decode())
        assert len(badges) == 1
        assert hero.is_league == (hero.own.name is not None)
        if hero.is_league:
            assert hero.name == hero.own.name
        tier = snapshot.tier(answer.context["figures"].points).name
        head = Page(answer).text.partition("Rank ")[0]
        assert (f"{hero.name} league" in head) == (hero.name != tier)
        differing += hero.name != tier
    assert differing, "some players' ratings are in another tier than their league"


@pytest.mark.parametrize(
    ("name", "initials"),
    [("Fernando Alonso", "FA"), ("tiny_quokka", "TQ"), ("bob", "B"), ("Gabriel O’Neil", "GO"), ("李明", "李"),
     ("★", ""), ("Ana Maria de la Cruz", "AC"), ("ßeta", "S"), ("", "")],
)  # fmt: skip
def test_a_monogram_has_at_most_two_letters(name, initials):
    assert initials_of(name) == initials


def test_numbers_of_rivals_and_wins():
    players, outcomes = np.array([7, 8, 7, 8, 7, 9, 7, 7]), np.array([1, -1, 1, -1, -1, 1, 0, -1])
    assert _met(players, outcomes) == [(7, 5, 2, 2, 1, True)], "8 and 9 were met fewer than three times"
    contests, points = np.arange(8), np.array([1500, 1900, 1700, 1800, 2000, 1600, 1600, 1500])
    assert _wins(players, contests, outcomes, points) == [(7, 1700, 2), (9, 1600, 5)]


def test_the_band_is_a_moving_average():
    assert smoothed(np.array([0.0, 3.0, 6.0, 3.0])).tolist() == [1.5, 3.0, 4.0, 4.5]
