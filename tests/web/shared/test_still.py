"""The graphs that the server draws: which contests their lines pass through."""

from web.shared.still import HIGH, MOST_POINTS, still_comparison, still_graph

DAY = 86_400_000


def graph_of(moments, ratings):
    """Draw a player's graph of contests at these moments, in days, and return the corners of its line as (x, y)."""
    points = [
        {"at": DAY * at, "rating": rating, "low": rating - 50, "high": rating + 50, "tier": 0}
        for at, rating in zip(moments, ratings, strict=True)
    ]
    chart = {
        "points": points, "isLong": False, "hasBand": True, "tiers": [], "seasons": [],
        "peak": max(range(len(points)), key=lambda place: points[place]["rating"]),
    }  # fmt: skip
    drawn = still_graph(chart)
    assert drawn is not None
    return [pair.split(",") for pair in drawn.lines[0].points.split()]


def test_of_several_contests_on_one_day_the_line_passes_through_the_last():
    corners = graph_of([0.1, 0.2, 0.9, 30.0, 30.0, 60.0], [1500, 1300, 1510, 1400, 1520, 1600])
    assert len(corners) == 3
    heights = [int(y) for _, y in corners]
    assert heights == sorted(heights, reverse=True), "the line rises from day to day"


def test_the_line_passes_through_the_peak_even_if_the_day_went_on():
    corners = graph_of([0.1, 30.2, 30.8, 60.0], [1500, 1700, 1400, 1450])
    assert len(corners) == 4
    assert min(corners, key=lambda corner: int(corner[1])) == corners[1]


def test_long_histories_keep_the_first_and_the_last_day():
    corners = graph_of(range(1000), [1500 + place % 7 for place in range(999)] + [1400])
    assert MOST_POINTS <= len(corners) <= MOST_POINTS + 1
    assert int(corners[0][0]) < 30
    assert int(corners[-1][0]) > 970


def test_the_newest_band_of_a_conservative_display_is_in_the_picture():
    points = [
        {"at": DAY * at, "rating": rating, "low": rating + 600, "high": rating + 1000, "tier": 0}
        for at, rating in enumerate([1500, 1550, 1520])
    ]
    chart = {"points": points, "isLong": False, "hasBand": True, "tiers": [], "seasons": [], "peak": 1}
    drawn = still_graph(chart)
    assert drawn is not None
    heights = [int(pair.split(",")[1]) for pair in drawn.band.split()]
    assert 0 <= heights[3] < heights[2] <= HIGH, "the upper and the lower edge at the newest contest"


def test_lines_of_a_comparison_pass_through_the_last_contest_of_each_day():
    contests = [{"at": DAY * at} for at in (0.1, 0.5, 20.0, 20.5, 41.0)]
    points = [{"contest": number, "rating": 1500 + 10 * number} for number in range(5)]
    line = {"dash": [], "shape": ""}
    drawn = still_comparison({"contests": contests, "players": [{"points": points, "line": line}], "tiers": []})
    assert drawn is not None
    assert len(drawn.lines[0].points.split()) == 3
