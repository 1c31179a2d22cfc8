"""The graph of the best players on the page of a series, and the small graphs of leaderboards."""

import re
from datetime import datetime
from itertools import pairwise

import numpy as np
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from hypothesis import given
from hypothesis import strategies as st

from contests.services.communities import name_of_slug
from ratings.derived import derived
from ratings.derived.top_histories import DERIVATION
from ratings.models import RatingChange
from ratings.publishing.deriving import derive_series
from ratings.queries.rows import ratings_of
from ratings.queries.snapshot import snapshot_of
from ratings.queries.sparklines import CONTESTS, newest_ratings
from tests.factories import make_contest, make_player, make_series, rate
from tests.pages import Page
from web.public.series import top_graph
from web.public.series.top_graph import spread

HANDLES = [f"p{number}" for number in range(12)]


@pytest.fixture
def cup(db):
    """30 contests over three years among twelve players; p0 wins most of them."""
    series = make_series("cup")
    make_player("p0", name="Pia Zero", country="DE")
    for day in range(0, 900, 30):
        order = [HANDLES[0], *np.random.default_rng(day).permutation(HANDLES[1:]).tolist()]
        make_contest(series, standings=[(handle, place) for place, handle in enumerate(order, 1)], day=day)
    rate(series)
    return series


def tabs(client, path):
    nav = client.get(path).content.decode().split("series-tabs")[1].split("</nav>")[0]
    return {text.strip() for text in re.findall(r">([^<>]+)</a>", nav)}


def all_ratings(snapshot, handle):
    """Every rating after a contest, one by one, as the player's page shows them."""
    changes = RatingChange.objects.current().filter(series=snapshot.series, player__handle=handle)
    return [snapshot.rating_of(change.mu, change.sigma) for change in changes.order_by("contest__ends_at")]


def test_small_graphs_have_the_newest_ratings_of_each_player_in_one_query(cup, django_assert_num_queries):
    snapshot = snapshot_of(cup)
    rows = ratings_of(snapshot, snapshot.index.player_ids)
    with django_assert_num_queries(1):
        found = newest_ratings((snapshot, row) for row in rows)
    assert len(found) == 12
    for row in rows:
        assert found[row.pk] == all_ratings(snapshot, row.player.handle)[-CONTESTS:]
    assert newest_ratings([]) == {}


def test_a_leaderboard_shows_flag_real_name_and_form_of_each_player(client, cup):
    content = client.get("/c/main/series/cup/leaderboard/").content.decode()
    assert content.count('class="small-graph') == 12
    row = Page(client.get("/c/main/series/cup/leaderboard/")).tables[0][1]
    assert any(cell.startswith("Pia Zero") and cell.endswith("p0") for cell in row), "real name first, then the handle"
    assert 'alt="Germany"' in content


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("Ann (Norway)", "Ann (Norway)"),
        ("Alexander Wang (United States of America)", "Alexander Wang"),
        ("Alexander-Maria Wang (China)", "Alexander-Maria…"),
        ("(the best of all teams)", "(the best of all…"),
    ],
)
def test_long_names_lose_their_country_first(name, label):
    assert top_graph._cut(name) == label


@pytest.mark.parametrize(
    ("begin", "end", "times"),
    [
        ("1998-06-01T00:00", "2001-03-01T00:00", ["1999", "2000", "2001"]),
        ("2023-11-10T00:00", "2024-09-20T00:00", ["Jan 2024", "Apr 2024", "Jul 2024"]),
        ("2004-08-07T00:00", "2004-08-10T00:00", ["8 Aug", "9 Aug"]),
        ("2004-08-07T03:10", "2004-08-08T21:00", ["7 Aug 12:00", "8 Aug 00:00", "8 Aug 12:00"]),
        ("2004-08-07T09:50", "2004-08-07T12:20", ["7 Aug 10:00", "7 Aug 11:00", "7 Aug 12:00"]),
    ],
)
def test_the_axis_has_years_months_days_or_hours(begin, end, times):
    days = [datetime.fromisoformat(f"{day}+00:00").timestamp() / 86_400 for day in (begin, end)]
    ticks = top_graph._times(*days)
    assert [words for _, words in ticks] == times
    places = [float(place.rstrip("%")) for place, _ in ticks]
    assert places == sorted(places)
    assert 0 < places[0] < places[-1] < 100


def test_the_page_of_a_series_draws_a_line_for_each_of_the_best(client, cup):
    path = "/c/main/series/cup/"
    assert "top-graph" not in client.get(path).content.decode(), "not derived yet"
    derive_series(cup.pk)
    content = client.get(path).content.decode()
    lines = re.findall(r'<polyline class="top-line line-(\d+)" points="([^"]+)"', content)
    assert [int(number) for number, _ in lines] == list(range(1, 11))
    for _, points in lines:
        x = [float(point.split(",")[0]) for point in points.split()]
        assert x == sorted(x)
        assert all(0 <= value <= 1000 for value in x)
        assert x[-1] == 1000
    snapshot = snapshot_of(cup)
    stored = derived(snapshot, DERIVATION)
    first = stored["counts"][0]
    assert stored["ratings"][:first].tolist() == all_ratings(snapshot, "p0")[4:], "without the unsettled first ones"
    # The highest rating of all has the smallest y.
    heights = {number: min(float(p.split(",")[1]) for p in points.split()) for number, points in lines}
    assert min(heights, key=heights.get) == "1"


def test_the_line_of_a_player_who_stopped_earlier_goes_on_to_the_right_end_as_a_dotted_one(client, cup):
    absent = [(handle, place) for place, handle in enumerate(HANDLES[1:], 1)]
    make_contest(cup, standings=absent, day=900)
    rate(cup)
    derive_series(cup.pk)
    content = client.get("/c/main/series/cup/").content.decode()
    rests = re.findall(r'<line class="top-rest line-(\d+)"\s+x1="([\d.]+)%" x2="100%"', content)
    assert [(number, 90 < float(begin) < 100) for number, begin in rests] == [("1", True)]


def test_a_long_career_is_drawn_by_the_last_rating_of_each_part_of_the_width():
    x = np.linspace(0, 1, 801)
    drawn = [tuple(map(int, point.split(","))) for point in top_graph._points(x, x * x).split()]
    assert drawn[:3] == [(0, 0), (11, 0), (24, 0)], "the first, then the last of ten in the first part, and so on"
    assert drawn[-2:] == [(986, 389), (1000, 400)]
    assert len(drawn) == 81
    assert top_graph._points(x[:1], x[:1]) == "0,0"


@pytest.mark.django_db
def test_a_series_of_one_contest_has_no_graph_and_tabs_lead_to_something(client):
    series = make_series("one")
    path = "/c/main/series/one/"
    make_contest(series, standings=[("ann", 1), ("bob", 2)])
    rate(series)
    derive_series(series.pk)
    assert tabs(client, path) > {"Distribution", "Records", "Forecast"}
    assert "Countries and affiliations" not in tabs(client, path)
    assert "top-graph" not in client.get(path).content.decode()
    make_player("cid", country="NO")
    other = make_series("other")
    make_contest(other, standings=[("cid", 1), ("ann", 2)])
    rate(other)
    assert "Countries and affiliations" in tabs(client, "/c/main/series/other/")


def test_the_number_of_queries_does_not_grow_with_players_and_contests(client, cup):
    derive_series(cup.pk)
    small = make_series("small")
    make_contest(small, standings=[("p0", 1), ("p1", 2)])
    rate(small)
    derive_series(small.pk)
    for page in ("", "leaderboard/"):
        counts = []
        for slug in ("small", "cup"):
            client.get(f"/c/main/series/{slug}/{page}")
            with CaptureQueriesContext(connection) as queries:
                client.get(f"/c/main/series/{slug}/{page}")
            counts.append(len(queries))
        assert counts[1] <= counts[0] + 1, (page, counts)


@given(st.lists(st.floats(0, 1), max_size=12), st.floats(0.01, 0.2))
def test_labels_keep_their_distance_their_order_and_the_drawing(heights, gap):
    found = spread(heights, gap)
    gap = min(gap, 1 / max(1, len(heights) - 1))
    assert all(-1e-9 <= place <= 1 + 1e-9 for place in found)
    pairs = sorted(zip(heights, found, strict=True))
    assert all(after[1] - before[1] >= gap - 1e-9 for before, after in pairwise(sorted(pairs, key=lambda p: p[1])))
    assert all(before[1] <= after[1] for before, after in pairwise(pairs) if before[0] < after[0])
    if all(after[0] - before[0] >= gap for before, after in pairwise(pairs)):
        assert found == pytest.approx(heights), "labels that have room stay where they are"


@pytest.mark.parametrize(
    ("slug", "name"),
    [
        ("harbour-club", "Harbour Club"), ("imo", "IMO"), ("atp", "ATP"), ("icpc-2025", "Icpc 2025"), ("nfl", "NFL"),
        ("formula-1", "Formula 1"), ("the-cup", "The Cup"), ("tour_de_france", "Tour de France"), ("dtvk", "DTVK"),
        ("go", "Go"),
    ],
)  # fmt: skip
def test_names_made_of_slugs_keep_abbreviations(slug, name):
    assert name_of_slug(slug) == name
