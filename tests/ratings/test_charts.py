"""What the rating graph is drawn from."""

import json
from datetime import UTC, datetime

import pytest

from contests.models import Contest, Series
from ratings.charts import rating_chart
from ratings.models import RatingChange, Scheme
from ratings.shown import Shown


def view(**display):
    return Shown(Series(slug="cup"), None, Scheme(pk=1, display=display or {"mapping": "offset"}, tiers=[]))


def change(day, mu_before, mu, sigma, **fields):
    contest = Contest(pk=day, name=f"Contest {day}", ends_at=datetime(2024, 1, day, tzinfo=UTC))
    numbers = {"sigma_before": 350.0, "performance": 1700.0, "rank": 3, "field_size": 20, **fields}
    return RatingChange(contest=contest, mu_before=mu_before, mu=mu, sigma=sigma, **numbers)


def test_a_point_says_what_happened_in_shown_points():
    point = rating_chart(view(), [change(2, 1500.0, 1643.4, 200.0)])["points"][0]
    assert point == {
        "at": 1_704_153_600_000,  # 2 January 2024, 0:00 UTC
        "contest": "Contest 2",
        "url": "/contests/2/",
        "place": 3,
        "of": 20,
        "rating": 1643,
        "change": 143,
        "low": 1443,
        "high": 1843,
        "performance": 1700,
        "tier": 3,
    }


def test_changes_are_differences_of_what_is_shown():
    points = rating_chart(view(), [change(1, 1500.0, 1500.5, 90.0), change(2, 1500.5, 1501.4, 90.0)])["points"]
    assert [(point["rating"], point["change"]) for point in points] == [(1501, 1), (1501, 0)]


def test_tiers_come_lowest_first_with_colours_for_both_themes():
    tiers = rating_chart(view(), [])["tiers"]
    assert tiers[0]["from"] is None
    assert [tier["from"] for tier in tiers[1:]] == sorted(tier["from"] for tier in tiers[1:])
    assert all(tier["light"].startswith("#") and tier["dark"].startswith("#") for tier in tiers)


def test_the_band_follows_the_mapping_and_stays_in_its_range():
    shown = view(mapping="fermi", range=1000, centre=1500.0, temperature=100.0)
    point = rating_chart(shown, [change(1, 1500.0, 1500.0, 1e6)])["points"][0]
    assert (point["rating"], point["low"], point["high"]) == (500, 0, 1000)


def test_a_conservative_display_is_drawn_where_it_is_shown():
    scheme = Scheme(pk=1, display={"mapping": "offset", "k": 2.0}, parameters={"sig_limit": 80.0}, tiers=[])
    points = rating_chart(Shown(Series(slug="cup"), None, scheme), [change(1, 1500.0, 1600.0, 130.0)])["points"]
    assert points[0]["rating"] == 1500  # 1600 - 2 * (130 - 80)


@pytest.mark.parametrize("count", [0, 1, 1000])
def test_a_thousand_contests_stay_small(count):
    changes = [change(1 + number % 28, 1500.0, 1500.0 + number, 90.0) for number in range(count)]
    chart = rating_chart(view(), changes)
    assert len(chart["points"]) == count
    assert len(json.dumps(chart)) < 250_000
