"""Season points derived from a run, compared with a reference season by season."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ratings.derived.season import DERIVATION, SEASONS_KEPT, ranks_in_groups
from ratings.models import Derived
from ratings.publishing.deriving import derive_series
from ratings.publishing.schemes import choose_scheme
from tests.factories import make_contest, make_player, make_series, rate
from tests.ratings.leagues import LEAGUES, content_of, make_league_series, plain_points

pytestmark = pytest.mark.django_db

#: The default tiers' thresholds. The lowest league has none; its floor is 1,000 - (1,250 - 1,000) = 750.
FLOORS = [750, 1000, 1250, 1500, 1750, 2000, 2300, 2600]


def table_of(view, content, season):
    """Return the rows of a season by player id, given its position among the seasons."""
    begin, end = content["offsets"][season : season + 2].tolist()
    players = view.index.player_ids[content["place"][begin:end]].tolist()
    names = ("group", "rank", "points", "left", "gain", "bonus", "contests", "last")
    rows = zip(*(content[name][begin:end].tolist() for name in names), strict=True)
    return {player: dict(zip(names, row, strict=True)) for player, row in zip(players, rows, strict=True)}


@pytest.mark.parametrize("leagues", [LEAGUES, {}], ids=["leagues", "tiers"])
def test_points_of_each_year_equal_those_of_the_reference(leagues):
    # Contests of 2024 and 2025, 40 days apart.
    series = make_league_series(season={"length": "year"}, leagues=leagues)
    view, content = content_of(series, DERIVATION)
    assert [season["start"] for season in content["seasons"]] == ["2024-01-01", "2025-01-01"]
    for place, year in enumerate((2024, 2025)):
        points, spent = plain_points(series, view, year=year, floors=FLOORS, leagues=leagues)
        found = table_of(view, content, place)
        assert {player: row["points"] for player, row in found.items()} == {
            player: math.floor(value + 0.5) for player, value in points.items()
        }
        last = series.contests.filter(ends_at__year=year).newest_first()[0]
        filled = (last.ends_at - last.ends_at.replace(month=1, day=1, hour=0)).total_seconds() / 86_400
        left = {player: math.floor(filled - value + 1e-9) for player, value in spent.items()}
        assert {player: row["left"] for player, row in found.items()} == left
        assert sum(points.values()) > 50


def test_teammates_gain_the_same_points():
    series = make_series("relay")
    choose_scheme(series.pk, system="elo", season={"length": "year"})
    teams = {"ann": "red", "bob": "red", "cid": "blue", "dee": "blue", "eve": ""}
    for day, order in enumerate([["red", "blue", ""], ["blue", "", "red"], ["red", "", "blue"]]):
        rows = [(handle, order.index(team) + 1) for handle, team in teams.items()]
        make_contest(series, standings=rows, teams={h: t for h, t in teams.items() if t}, day=40 * day)
    rate(series)
    derive_series(series.pk)
    view, content = content_of(series, DERIVATION)
    labels = {make_player(handle).pk: team or handle for handle, team in teams.items()}
    per_contest = {contest.pk: labels for contest in series.contests.all()}
    points, _ = plain_points(series, view, year=2024, floors=FLOORS, teams=per_contest)
    found = table_of(view, content, 0)
    assert {player: row["points"] for player, row in found.items()} == {
        player: math.floor(value + 0.5) for player, value in points.items()
    }
    assert len(set(points.values())) == 3


def test_points_before_plus_gain_are_the_points_after():
    series = make_league_series(season={"length": "year"}, contests=4)
    view, before = content_of(series, DERIVATION)
    was = {player: row["points"] for player, row in table_of(view, before, 0).items()}
    last = make_contest(series, standings=[("p00", 1), ("p13", 2), ("p05", 3)], day=150)
    rate(series)
    derive_series(series.pk)
    view, after = content_of(series, DERIVATION)
    rows = table_of(view, after, 0)
    for handle in ("p00", "p13", "p05"):
        player = make_player(handle).pk
        assert rows[player]["points"] == was.get(player, 0) + rows[player]["gain"]
        assert rows[player]["last"] == last.pk
    assert rows[make_player("p13").pk]["gain"] > 0


def test_contests_before_the_first_season_give_no_points():
    series = make_league_series(season={"starts": ["2024-12-01", "2025-02-01"]})
    _, content = content_of(series, DERIVATION)
    described = [(one["number"], one["start"], one["end"], one["contests"]) for one in content["seasons"]]
    # The tenth contest ended on the last day of 2024, the two after it in February and March.
    assert described == [(1, "2024-12-01", "2025-02-01", 1), (2, "2025-02-01", None, 2)]


def test_a_season_that_begins_after_all_contests_is_empty():
    series = make_league_series(season={"starts": ["2031-01-01"]})
    _, content = content_of(series, DERIVATION)
    assert content["seasons"] == []
    assert content["offsets"].tolist() == [0]


def test_the_newest_seasons_are_kept_with_their_numbers():
    series = make_league_series(season={"length": "month"}, contests=15)
    _, content = content_of(series, DERIVATION)
    assert len(content["seasons"]) == SEASONS_KEPT
    # 15 contests, 40 days apart from 6 January 2024 on, end on 19 July 2025: the 19th month.
    assert content["seasons"][-1]["number"] == 19


def test_rows_are_sorted_by_league_and_points_and_ranked_within_the_league():
    series = make_league_series(season={"length": "year"})
    view, content = content_of(series, DERIVATION)
    rows = list(table_of(view, content, 1).values())
    keys = [(-row["group"], -row["points"]) for row in rows]
    assert keys == sorted(keys)
    for row in rows:
        better = sum(other["group"] == row["group"] and other["points"] > row["points"] for other in rows)
        assert row["rank"] == better + 1


def test_points_without_bonus_are_those_of_a_season_without_one():
    with_bonus = make_league_series(season={"length": "year"})
    view, content = content_of(with_bonus, DERIVATION)
    choose_scheme(with_bonus.pk, season={"length": "year", "bonus_per_day": 0})
    derive_series(with_bonus.pk)
    _, without = content_of(with_bonus, DERIVATION)
    for season in (0, 1):
        rows, plain = (table_of(view, each, season) for each in (content, without))
        begin = content["offsets"][season]
        names = ("bare", "bare_rank", "division")
        for place, player in enumerate(rows):
            bare, rank, division = (int(content[name][begin + place]) for name in names)
            assert (bare, rank, division) == (plain[player]["points"], plain[player]["rank"], 0)
        order = content["bare_order"][begin : content["offsets"][season + 1]].tolist()
        assert [list(rows)[place] for place in order] == list(plain)
    assert (content["bare"] < content["points"]).any()


def test_ranks_restart_in_each_league_and_ties_share_the_better_rank():
    groups, points = np.array([5, 5, 5, 5, 2, 2, -1]), np.array([9, 7, 7, 1, 30, 0, 0])
    assert ranks_in_groups(groups, points).tolist() == [1, 2, 2, 4, 1, 2, 1]


def test_a_draw_gives_points_like_any_other_result():
    series = make_series("draw")
    choose_scheme(series.pk, leagues=LEAGUES, season={"length": "year"})
    make_contest(series, standings=[("ann", 1), ("bob", 2)], day=0)
    make_contest(series, standings=[("ann", 1), ("bob", 1)], day=1)
    rate(series)
    derive_series(series.pk)
    _, content = content_of(series, DERIVATION)
    assert content["contests"].tolist() == [2, 2]
    # A player who lost has no points. A tie with a stronger player then gives some.
    assert min(content["points"].tolist()) > 0


def test_a_contest_with_one_player_gives_neither_leagues_nor_points(client, settings):
    settings.WHITENOISE_AUTOREFRESH = True
    series = make_series("draw")
    make_contest(series, standings=[("ann", 1)])
    choose_scheme(series.pk, leagues=LEAGUES, season={"length": "year"})
    rate(series)
    derive_series(series.pk)
    view, content = content_of(series, DERIVATION)
    assert view.run is not None
    assert content["seasons"] == []
    for page in ("leagues", "season"):
        assert client.get(f"/c/main/series/draw/{page}/").status_code == 200


def test_a_series_without_season_rules_derives_no_points():
    series = make_league_series()
    assert not Derived.objects.filter(series=series, kind=DERIVATION.stored_kind).exists()


def test_points_stay_within_a_fixed_range():
    series = make_league_series(season={"length": "year"}, display={"mapping": "fermi", "range": 10_000})
    view, content = content_of(series, DERIVATION)
    assert content["points"].max() > 0
    assert content["points"].max() < 10_000
    assert len(view.tiers) == 8
