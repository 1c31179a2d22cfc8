"""The data of the rating graph."""

import gzip
import json
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest

from contests.models import Contest, Player, Series
from ratings.display import contrast
from ratings.display.colours import DARK_PAGE, LIGHT_PAGE
from ratings.models import RatingChange, Scheme
from ratings.queries import boards
from ratings.queries.snapshot import SeriesSnapshot
from web.shared.charts import LINES, compare_chart, rating_chart

FIRST = datetime(2024, 1, 1, tzinfo=UTC)


def series_snapshot(system="elo-mmr", **display):
    scheme = Scheme(pk=1, system=system, display=display or {"mapping": "offset"}, tiers=[])
    return SeriesSnapshot(Series(community_id="main", slug="cup"), None, scheme)


def change(day, mu_before, mu, sigma, *, amended_at=None, **fields):
    ends_at = FIRST + timedelta(days=day - 1)
    contest = Contest(pk=day, name=f"Contest {day}", ends_at=ends_at, amended_at=amended_at)
    numbers = {"sigma_before": 350.0, "performance": 1700.0, "rank": 3, "field_size": 20, **fields}
    return RatingChange(contest=contest, mu_before=mu_before, mu=mu, sigma=sigma, **numbers)


def history(*ratings, sigma=90.0):
    """One contest a day."""
    before = [1500.0, *ratings[:-1]]
    return [
        change(day, mu_before, mu, sigma)
        for day, (mu_before, mu) in enumerate(zip(before, ratings, strict=True), start=1)
    ]


def test_a_point_has_the_results_in_displayed_points():
    point = rating_chart(series_snapshot(), [change(2, 1500.0, 1643.4, 200.0)])["points"][0]
    assert point == {
        "id": 2,
        "at": 1_704_153_600_000,  # 2 January 2024, 0:00 UTC
        "contest": "Contest 2",
        "place": 3,
        "of": 20,
        "rating": 1643,
        "change": 143,
        "low": 1443,
        "high": 1843,
        "performance": 1700,
        "tier": 3,
        "provisional": True,
    }


def test_changes_are_differences_of_what_is_shown():
    points = rating_chart(series_snapshot(), [change(1, 1500.0, 1500.5, 90.0), change(2, 1500.5, 1501.4, 90.0)])[
        "points"
    ]
    assert [(point["rating"], point["change"]) for point in points] == [(1501, 1), (1501, 0)]


def test_points_lead_to_their_rows_and_contests():
    addresses = rating_chart(series_snapshot(), history(1600.0))["addresses"]
    assert addresses["row"] == "contest-{id}"
    assert addresses["page"] == "?series=cup&at={id}#contest-{id}"
    assert addresses["contest"].replace("{id}", "17") == "/contests/17/"


def test_tiers_come_lowest_first_with_symbols_and_colours_for_both_themes():
    tiers = rating_chart(series_snapshot(), [])["tiers"]
    assert tiers[0]["from"] is None
    assert [tier["from"] for tier in tiers[1:]] == sorted(tier["from"] for tier in tiers[1:])
    assert all(tier["light"].startswith("#") and tier["dark"].startswith("#") for tier in tiers)
    assert len({tier["symbol"] for tier in tiers}) == len(tiers)


def test_the_band_follows_the_mapping_and_stays_in_its_range():
    snapshot = series_snapshot(mapping="fermi", range=1000, centre=1500.0, temperature=100.0)
    point = rating_chart(snapshot, [change(1, 1500.0, 1500.0, 1e6)])["points"][0]
    assert (point["rating"], point["low"], point["high"]) == (500, 0, 1000)


def test_a_conservative_display_is_drawn_where_it_is_shown():
    scheme = Scheme(pk=1, display={"mapping": "offset", "k": 2.0}, parameters={"sig_limit": 80.0}, tiers=[])
    points = rating_chart(
        SeriesSnapshot(Series(community_id="main", slug="cup"), None, scheme), [change(1, 1500.0, 1600.0, 130.0)]
    )["points"]
    assert points[0]["rating"] == 1500  # 1600 - 2 * (130 - 80)
    assert (points[0]["low"], points[0]["high"]) == (1470, 1730)  # the best estimate, 1600, and 130 around it


def test_there_is_no_band_where_the_deviation_has_no_meaning():
    chart = rating_chart(series_snapshot(system="elo"), [change(1, 1500.0, 1600.0, 350.0)])
    assert not chart["hasBand"]
    assert not chart["hasPerformance"]
    assert [chart["points"][0][name] for name in ("low", "high", "performance")] == [1600, 1600, None]


def test_a_rating_is_provisional_for_as_many_contests_as_the_series_says(monkeypatch):
    monkeypatch.setattr(boards, "board_of", lambda _: SimpleNamespace(rule=boards.Rule(contests=3, days=365)))
    points = rating_chart(series_snapshot(), history(*range(1500, 1505)))["points"]
    assert [point.get("provisional", False) for point in points] == [True] * 2 + [False] * 3


def test_the_peak_is_the_first_of_the_highest_points():
    assert rating_chart(series_snapshot(), history(1500.0, 1700.0, 1600.0, 1700.0))["peak"] == 1
    assert rating_chart(series_snapshot(), [])["peak"] is None


def test_a_tier_is_reached_once_and_not_by_the_first_contest():
    """Tiers begin at 1000, 1250, 1500, 1750, 2000, 2300 and 2600."""
    chart = rating_chart(series_snapshot(), history(1600.0, 1800.0, 1700.0, 1800.0, 2100.0, 2090.0))
    assert [index for index, point in enumerate(chart["points"]) if point.get("reached")] == [1, 4]


def test_amended_contests_are_marked_with_the_moment():
    amended = change(2, 1500.0, 1600.0, 90.0, amended_at=datetime(2024, 1, 2, tzinfo=UTC))
    chart = rating_chart(series_snapshot(), [change(1, 1500.0, 1500.0, 90.0), amended])
    assert [point.get("amended") for point in chart["points"]] == [None, 1_704_153_600_000]
    assert chart["hasAmended"]


@pytest.mark.parametrize(
    ("contests", "days", "ranges"),
    [(1, 1, []), (12, 1, []), (13, 1, ["ten"]), (5, 400, ["year", "years"]), (5, 150, ["year"])],
)
def test_ranges_are_offered_where_they_show_less_than_everything(contests, days, ranges):
    changes = [change(1 + number * days, 1500.0, 1500.0, 90.0) for number in range(contests)]
    assert rating_chart(series_snapshot(), changes)["ranges"] == ranges


def test_names_are_left_as_they_are():
    hostile = change(1, 1500.0, 1500.0, 90.0)
    hostile.contest.name = "</script><b>{place}"
    assert rating_chart(series_snapshot(), [hostile])["points"][0]["contest"] == "</script><b>{place}"


@pytest.mark.parametrize("count", [0, 1, 1000])
def test_a_thousand_contests_stay_small(count):
    changes = [change(1 + 7 * number, 1500.0, 1500.0 + number % 377, 90.0) for number in range(count)]
    chart = rating_chart(series_snapshot(), changes)
    assert len(chart["points"]) == count
    assert len(gzip.compress(json.dumps(chart).encode())) < 40_000


@pytest.mark.parametrize("line", LINES)
def test_lines_of_a_comparison_stand_out_from_the_page(line):
    """WCAG 2.2, success criterion 1.4.11: 3 to 1."""
    assert contrast(line[0], LIGHT_PAGE) >= 3
    assert contrast(line[1], DARK_PAGE) >= 3


def test_no_two_lines_of_a_comparison_differ_by_colour_alone():
    assert len({(dash, shape) for _, _, dash, shape in LINES}) == len(LINES)
    assert len({shape for *_, shape in LINES}) == len(LINES)


def test_players_are_compared_over_the_contests_of_all_of_them():
    both = change(2, 1500.0, 1600.0, 90.0)
    other = change(2, 1500.0, 1400.0, 90.0, rank=20)
    other.contest = both.contest
    early, late = change(1, 1500.0, 1500.0, 90.0), change(3, 1400.0, 1450.0, 90.0)
    chart = compare_chart(
        series_snapshot(),
        [
            (Player(community_id="main", handle="ann"), [early, both]),
            (Player(community_id="main", handle="bob/x"), [other, late]),
        ],
    )
    assert [contest["name"] for contest in chart["contests"]] == ["Contest 1", "Contest 2", "Contest 3"]
    assert [player["name"] for player in chart["players"]] == ["ann", "bob/x"]
    points = [[tuple(point.values()) for point in player["points"]] for player in chart["players"]]
    assert points == [
        [(0, 3, 20, 1500, 0), (1, 3, 20, 1600, 100)],  # position of the contest, place, of, rating, change
        [(1, 20, 20, 1400, -100), (2, 3, 20, 1450, 50)],
    ]
    assert chart["players"][1]["url"] == "/c/main/players/bob/x/?series=cup"


def test_a_comparison_has_players_without_contests_and_no_more_than_eight():
    chart = compare_chart(
        series_snapshot(), [(Player(community_id="main", handle=f"p{number}"), []) for number in range(8)]
    )
    assert (len(chart["players"]), chart["contests"]) == (8, [])
    with pytest.raises(ValueError, match="at most 8 players"):
        compare_chart(series_snapshot(), [(Player(community_id="main", handle="p"), [])] * 9)


def test_games_have_an_outcome_and_other_contests_a_place():
    changes = [change(day, 1500.0, 1500.0, 90.0, rank=1, field_size=2) for day in (1, 2, 3)]
    chart = rating_chart(series_snapshot(), [*changes, change(4, 1500.0, 1600.0, 90.0)], {1: 1, 2: 0, 3: -1})
    assert [point.get("outcome") for point in chart["points"]] == [1, 0, -1, None]
    assert [chart["words"]["outcomes"][outcome] for outcome in (1, 0, -1)] == ["won", "drawn", "lost"]


def test_a_comparison_has_the_outcomes_of_games_too():
    changes = [change(day, 1500.0, 1500.0, 90.0, rank=rank, field_size=2) for day, rank in ((1, 1), (2, 1), (3, 2))]
    compared = [*changes, change(4, 1500.0, 1600.0, 90.0)]
    chart = compare_chart(series_snapshot(), [(Player(community_id="main", handle="p"), compared)], {2})
    assert [point.get("outcome") for point in chart["players"][0]["points"]] == [1, 0, -1, None]
