"""The page of season points: this season and earlier ones, and the rules in words."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import translation

from ratings.derived.season import DERIVATION
from ratings.derived.season_tables import season_name, seasons_of
from ratings.display.season import SeasonRules
from ratings.models import Derived
from ratings.publishing.deriving import derive_series
from ratings.publishing.schemes import choose_scheme
from tests.factories import FIRST_DAY, make_contest, make_series, rate
from tests.pages import Page
from tests.ratings.leagues import LEAGUES, content_of, make_league_series

pytestmark = pytest.mark.django_db

PAGE = "/c/main/series/cup/season/"


@pytest.fixture
def cup():
    return make_league_series(season={"length": "year"})


def get(client, query="", status=200):
    response = client.get(f"{PAGE}{query}")
    assert response.status_code == status
    return Page(response)


def players_of(page):
    return [row for row in page.tables[0][1:] if len(row) > 1]


def test_the_newest_season_is_shown_with_points_gain_and_bonus(client, cup):
    _, content = content_of(cup, DERIVATION)
    page = get(client)
    begin, end = content["offsets"][-2:].tolist()
    rows = players_of(page)
    assert page.tables[0][0][:6] == ["Place", "Player", "Points", "Last change", "Bonus in last change", "Bonus left"]
    assert [row[2] for row in rows] == [f"{points:,}" for points in content["points"][begin:end].tolist()]
    assert [row[5] for row in rows] == [f"{left:,}" for left in content["left"][begin:end].tolist()]
    assert "1 Jan 2025 to 31 Dec 2025" in page.text
    assert "Contests 2" in page.text


def test_an_earlier_season_can_be_asked_for(client, cup):
    _, content = content_of(cup, DERIVATION)
    page = get(client, "?season=1")
    assert "1 Jan 2024 to 31 Dec 2024" in page.text
    assert len(players_of(page)) == content["offsets"][1]
    assert page.links["The newest season"] == "?"


@pytest.mark.parametrize("asked", ["0", "3", "-1", "2025", "1.0", "x" * 10_000, "\0", "<i>"])
def test_a_season_that_does_not_exist_gives_the_newest_and_says_so(client, cup, asked):
    response = client.get(PAGE, {"season": asked})
    text = Page(response).text
    if asked == "\0":  # empty without the NUL, so no season was asked for
        assert response.status_code == 200
        return
    assert response.status_code == 404
    assert "There is no season" in text
    assert "1 Jan 2025" in text


def test_one_league_of_a_season_can_be_asked_for(client, cup):
    _, content = content_of(cup, DERIVATION)
    rules = SeasonRules("year")
    newest = seasons_of(rules, content)[0]
    group = int(content["group"][newest.rows][0])
    page = get(client, f"?season=2&league={group + 1}")
    assert len(players_of(page)) == int((content["group"][newest.rows] == group).sum())
    assert players_of(page)[0][0] == "1"
    empty = next(number for number in range(8) if number not in content["group"][newest.rows].tolist())
    assert "No one in this league took part" in get(client, f"?league={empty + 1}").text
    get(client, "?league=77", status=404)
    get(client, "?page=9", status=404)


def test_the_rules_are_stated_with_their_numbers(client, cup):
    text = get(client).text
    assert "by 60 times the difference: the share you actually beat (ties count half) minus the expected share" in text
    assert "a difference of 400 points means odds of 10 to 1" in text
    assert "everyone gets 1 a day" in text
    assert "They don’t affect ratings" in text


def test_without_a_bonus_none_is_explained(client):
    make_league_series(season={"length": "year", "bonus_per_day": 0})
    assert "Bonus points:" not in get(client).text


def test_under_a_fixed_range_odds_follow_from_the_numbers(client):
    make_league_series(season={"length": "year"}, display={"mapping": "fermi", "range": 10_000})
    text = get(client).text
    assert "by 900 times the difference" in text
    assert "ten to one" not in text


def test_until_points_are_computed_the_page_says_so(client, cup):
    Derived.objects.all().delete()
    assert "are being computed" in get(client).text


def test_a_season_that_has_not_begun_says_so(client):
    make_league_series(season={"starts": ["2031-01-01"]})
    assert "No season has begun yet" in get(client).text


def test_the_page_of_a_series_without_season_points_links_to_what_it_has(client):
    make_series("cup")
    page = get(client, status=404)
    assert "has no season points" in page.text
    assert page.links["Leaderboard"] == "/c/main/series/cup/leaderboard/"


def test_season_points_of_a_series_without_a_run_are_explained(client):
    series = make_series("cup")
    choose_scheme(series.pk, season={"length": "year"})
    page = get(client)
    assert "No one is rated yet" in page.text
    assert "How season points work" in page.text


def test_a_series_with_one_contest_has_its_points(client):
    series = make_series("cup")
    make_contest(series, standings=[("ann", 1), ("bob", 2)], day=94)
    choose_scheme(series.pk, season={"length": "year"})
    rate(series)
    derive_series(series.pk)
    # Both play at 0 + 1,500 against a rating of 1,500 on 9 April: the winner gains half of K, doubled by the bonus.
    rows = {row[1]: row for row in players_of(get(client))}
    assert rows["ann"][2] == "60"
    assert rows["bob"][2] == "0"


def test_a_player_reads_points_place_and_bonus(client, cup):
    view, content = content_of(cup, DERIVATION)
    begin = int(content["offsets"][-2])
    from contests.models import Player

    player = Player.objects.get(pk=view.index.player_ids[content["place"][begin]])
    text = Page(client.get(player.get_absolute_url())).text
    points = int(content["points"][begin])
    assert f"Season points, 2025: {points:,} point" in text
    assert "place 1 of" in text
    assert f"{int(content['left'][begin]):,} bonus points left" in text


def test_a_player_who_was_away_reads_that(client, cup):
    make_contest(cup, standings=[("ann", 1), ("bob", 2)], day=800)
    rate(cup)
    derive_series(cup.pk)
    text = Page(client.get("/c/main/players/p00/")).text
    assert "Season points, 2026: no points yet" in text
    assert "No rated contests so far this season." in text


def test_seasons_have_names():
    names = [season_name(SeasonRules(length), 3, FIRST_DAY) for length in ("year", "quarter", "month")]
    assert names == ["2024", "Quarter 1 of 2024", "January 2024"]
    with translation.override("de"):
        assert season_name(SeasonRules("month"), 3, FIRST_DAY) == "Januar 2024"
    assert season_name(SeasonRules(starts=(FIRST_DAY.date(),)), 3, FIRST_DAY) == "Season 3"


@pytest.mark.parametrize("rows", [2, 200])
def test_the_number_of_queries_does_not_grow(client, rows):
    series = make_series("cup")
    choose_scheme(series.pk, leagues=LEAGUES, season={"length": "month"})
    for _ in range(4):
        make_contest(series, players=rows)
    rate(series)
    derive_series(series.pk)
    client.get(PAGE)
    with CaptureQueriesContext(connection) as queries:
        get(client)
    # The series; run, scheme; the content; two for what is waiting; the season's last contest; players and their last
    # contests.
    assert len(queries) == 9
