"""A player's league and season points in the API, compared with those by the plain twins."""

import math

import pytest

from ratings.publishing.deriving import derive_series
from ratings.queries.snapshot import snapshot_of
from tests.factories import make_contest, make_player, make_series, rate
from tests.ratings.leagues import HANDLES, LEAGUES, make_league_series, plain_histories, plain_leagues, plain_points

pytestmark = pytest.mark.django_db

#: The default tiers' thresholds; the lowest league has its floor as far below 1,000 as that is below 1,250.
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
        names.add(expected)
    assert len(names) > 2


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


def test_a_series_without_leagues_has_neither(get):
    series = make_series("plain")
    make_contest(series, standings=[("ann", 1), ("bob", 2)])
    rate(series)
    row = rating_of(get, "ann")
    assert (row["league"], row["season"]) == (None, None)
