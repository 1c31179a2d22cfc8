"""A player's league and season points in the API, compared with those from the plain twins."""

import math

import pytest

from ratings.publishing.deriving import derive_series
from ratings.queries.snapshot import snapshot_of
from tests.factories import make_contest, make_player, make_series, rate
from tests.pages import Page
from tests.ratings.leagues import HANDLES, LEAGUES, make_league_series, plain_histories, plain_leagues, plain_points

pytestmark = pytest.mark.django_db

#: The default tiers' thresholds. The lowest league has none; its floor is 1,000 - (1,250 - 1,000) = 750.
FLOORS = [750, 1000, 1250, 1500, 1750, 2000, 2300, 2600]


def rating_of(get, handle):
    (row,) = get(f"communities/main/players/{handle}/")["ratings"]
    return row


def test_leagues_and_season_points_are_those_of_the_twins(get):
    series = make_league_series(season={"length": "year"})
    snapshot, histories = snapshot_of(series), plain_histories(series)
    points, _ = plain_points(series, snapshot, year=2025, floors=FLOORS, leagues=LEAGUES)
    names = set()
    for handle in HANDLES:
        player, row = make_player(handle), rating_of(get, handle)
        league = plain_leagues(snapshot, histories[player.pk], LEAGUES)[-1]
        expected = None if league is None or league < 0 else snapshot.tiers[league].name
        assert row["league"]["name"] == expected
        last = [snapshot.rating_of(change.mu, change.sigma) for change in histories[player.pk]][-3:]
        assert row["league"]["mean"] == pytest.approx(sum(last) / len(last))
        assert row["league"]["ratings"] == len(last)
        assert row["season"]["start"] == "2025-01-01"
        if player.pk in points:
            assert row["season"]["points"] == math.floor(points[player.pk] + 0.5)
            assert row["season"]["rank"] <= row["season"]["players"]
        assert (row["league"]["low"], row["league"]["high"], row["league"]["division"]) == (None, None, None)
        names.add(expected)
    assert len(names) > 2


def test_divisions_ranges_and_points_without_bonus(get, client):
    rules = {"assignment": "confidence", "k": 0.5, "provisional_contests": 2, "division_size": 3}
    series = make_league_series(leagues=rules, season={"length": "year"})
    snapshot, histories = snapshot_of(series), plain_histories(series)
    rows = {handle: rating_of(get, handle) for handle in HANDLES}
    members, last = {}, series.contests.newest_first()[0].ends_at.year
    for handle, row in rows.items():
        change = histories[make_player(handle).pk][-1]
        ends = [snapshot.mapping.show(change.mu + sign * 0.5 * change.sigma) for sign in (-1, 1)]
        assert [row["league"]["low"], row["league"]["high"]] == ends
        assert row["league"]["mean"] is None
        division = row["league"]["division"]
        assert (division is not None) == (row["league"]["name"] is not None and change.contest.ends_at.year == last)
        if division:
            members.setdefault((row["league"]["name"], division["number"]), []).append(row)
        season = row["season"]
        if season["points"] is not None:
            assert season["points_without_bonus"] <= season["points"]
            assert season["rank_without_bonus"] <= season["players"]
    assert len(members) > 2
    for listed in members.values():
        points = [row["season"]["points"] for row in listed]
        for row in listed:
            better = sum(other > row["season"]["points"] for other in points)
            assert row["league"]["division"]["rank"] == better + 1
            assert row["league"]["division"]["players"] == len(listed) <= 3
        address, (name, number) = (
            "communities/main/series/cup/leaderboard/",
            next(key for key, value in members.items() if value is listed),
        )
        found = get(address, league=name.upper(), division=number)["results"]
        assert sorted(row["rank"] for row in listed) == [row["rank"] for row in found]
        everyone = {row["player"]["handle"] for row in get(address, league=name)["results"]}
        assert everyone == {handle for handle, row in rows.items() if row["league"]["name"] == name}
    for wrong, field in (({"league": "<b>"}, "league"), ({"division": 1}, "division")):
        answer = client.get(f"/api/v1/{address}", wrong)
        assert answer.status_code == 400
        assert field in str(answer.json())
    assert get(address, league=name, division=99)["results"] == []
    # The same on pages: the player's line, the column of the leaderboard, and the lists of a division.
    (name, number), listed = max(members.items(), key=lambda item: len(item[1]))
    league = [tier.name for tier in snapshot.tiers].index(name) + 1
    handle = next(handle for handle in HANDLES if rows[handle] is listed[0])
    division = listed[0]["league"]["division"]
    page = Page(client.get(f"/c/main/players/{handle}/?series=cup"))
    assert f"Division {number} place {division['rank']} of {division['players']}" in page.text
    assert page.links[f"Division {number}"] == f"/c/main/series/cup/leagues/?league={league}&division={number}"
    assert f"Division {number}" in Page(client.get("/c/main/series/cup/leaderboard/?show=everyone")).text
    found = Page(client.get(f"/c/main/series/cup/leagues/?league={league}&division={number}")).tables[0][1:]
    assert len(found) == len(listed)
    found = Page(client.get(f"/c/main/series/cup/season/?league={league}&division={number}&by=results")).tables[0]
    assert found[0][2:4] == ["Without bonus", "With bonus"]
    assert [row[2] for row in found[1:]] == [
        f"{points:,}" for points in sorted((row["season"]["points_without_bonus"] for row in listed), reverse=True)
    ]
    for page in ("leagues", "season"):
        for wrong in ("0", "99", "-1", "<b>", "x" * 5000):
            answer = client.get(f"/c/main/series/cup/{page}/", {"league": league, "division": wrong})
            assert answer.status_code == 404
            assert "There is no division" in Page(answer).text
        # A division belongs to a league.
        assert client.get(f"/c/main/series/cup/{page}/", {"division": 1}).status_code == 404


def test_a_player_without_a_contest_in_the_season_has_no_points(get):
    series = make_league_series(season={"length": "year"}, contests=3)
    make_contest(series, standings=[("new", 1), ("p01", 2)], day=700)
    rate(series)
    assert rating_of(get, "p01")["season"] is None, "not computed yet"
    derive_series(series.pk)
    row = rating_of(get, "p05")["season"]
    assert (row["points"], row["rank"], row["league"], row["contests"]) == (None, None, None, 0)
    new = rating_of(get, "new")
    assert (new["league"]["name"], new["season"]["contests"]) == (None, 1)


def test_a_series_without_leagues_has_neither(get, client):
    series = make_series("plain")
    make_contest(series, standings=[("ann", 1), ("bob", 2)])
    rate(series)
    row = rating_of(get, "ann")
    assert (row["league"], row["season"]) == (None, None)
    answer = client.get("/api/v1/communities/main/series/plain/leaderboard/?league=Torch")
    assert answer.status_code == 400
    assert "This series has no leagues" in str(answer.json())
