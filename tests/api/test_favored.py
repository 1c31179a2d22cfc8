"""The favoured side of a match, by win chances and by season points as each side sees them, checked by plain twins."""

from functools import partial

import pytest

from ratings.models import Rating
from ratings.queries.snapshot import snapshot_of
from tests.factories import make_contest, make_player, make_series, rate
from tests.pages import Page
from tests.ratings.leagues import LEAGUES, make_league_series, plain_histories, plain_leagues, plain_points
from web.shared.favored_tags import favored_by_points

pytestmark = pytest.mark.django_db

#: The default tiers' thresholds. The lowest league has none; its floor is 1,000 - (1,250 - 1,000) = 750.
FLOORS = [750, 1000, 1250, 1500, 1750, 2000, 2300, 2600]
STEPS = {(0.0, 0.2): "clearly_b", (0.2, 0.4): "b", (0.4, 0.6): "even", (0.6, 0.8): "a", (0.8, 1.0): "clearly_a"}


def step(expected):
    (word,) = [word for (low, high), word in STEPS.items() if low < expected < high]
    return word


def test_each_side_compares_its_points_with_the_rating_of_the_other(get, client):
    series = make_league_series(season={"length": "year"})
    snapshot, histories = snapshot_of(series), plain_histories(series)
    points, _ = plain_points(series, snapshot, year=2025, floors=FLOORS, leagues=LEAGUES)

    def level_and_rating(handle):
        player = make_player(handle)
        rating = snapshot.rating(Rating.objects.get(series=series, player=player).score)
        league = plain_leagues(snapshot, histories[player.pk], LEAGUES)[-1]
        floor = FLOORS[snapshot.tier_number(rating) if league is None else league]
        return points.get(player.pk, 0.0) + floor, rating

    seen = set()
    for first, second in (("p00", "p13"), ("p05", "p06"), ("p09", "p02"), ("p01", "p03"), ("p04", "p08")):
        match = get("communities/main/series/cup/match/", a=first, b=second)
        expected = match["win_probability"] + 0.5 * match["draw_probability"]
        assert match["favored"] == step(expected)
        numbers = [level_and_rating(handle) for handle in (first, second)]
        for side, (level, _) in enumerate(numbers):
            against = numbers[1 - side][1]
            view = match["favored_by_points"]["ab"[side]]
            assert view["level"] == pytest.approx(level, abs=1)
            assert view["against"] == pytest.approx(against, abs=1)
            chance = 1 / (1 + 10 ** ((against - level) / 400))
            assert view["favored"] == step(1 - chance if side else chance)
            seen.add(view["favored"])
        seen.add(match["favored"])
    assert len(seen) > 2
    page = Page(client.get("/c/main/series/cup/match/?a=p00&b=p13"))
    assert "p00 is clearly favoured by the ratings" in page.text
    # 1,750 against 1,327 for p00, and 1,857 against 1,250 for p13: both favour p00 clearly.
    assert "Compare season points By season points: p00 is clearly favoured. Podium adds" in page.text


def test_the_views_of_both_sides_make_one_sentence():
    """Both sides' season points may give different answers."""
    by_points = partial(favored_by_points, first="<Ann>", second="Bo")
    name = "<bdi>&lt;Ann&gt;</bdi>"
    assert by_points("even", "even") == "By season points, the match is about even."
    assert by_points("clearly_b", "clearly_b") == "By season points: <bdi>Bo</bdi> is clearly favoured."
    for views in (("a", "clearly_a"), ("clearly_a", "a"), ("a", "a")):
        assert by_points(*views) == f"By season points: {name} is favoured."
    bo = "<bdi>Bo</bdi>"
    assert by_points("even", "b") == (
        f"Judging by the season points of {name}, the match is about even; judging by those of {bo}, {bo} is favoured."
    )
    assert by_points("b", "even") == (
        f"Judging by the season points of {name}, {bo} is favoured; judging by those of {bo}, the match is about even."
    )
    assert by_points("a", "clearly_b") == (
        f"Judging by the season points of {name}, {name} is favoured; "
        f"judging by those of {bo}, {bo} is clearly favoured."
    )


def test_without_season_points_only_the_chances_count(get, client):
    series = make_series("cup")
    for _ in range(4):
        make_contest(series, standings=[("ann", 1), ("bob", 2)])
    rate(series)
    match = get("communities/main/series/cup/match/", a="bob", b="ann")
    assert match["favored"] == step(match["win_probability"]) == "clearly_b"
    assert match["favored_by_points"] is None
    for address in ("match/?a=bob&b=ann", "what-if/?player=bob"):
        assert "ann is clearly favoured" in Page(client.get(f"/c/main/series/cup/{address}")).text
