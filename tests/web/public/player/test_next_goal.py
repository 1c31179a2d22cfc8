"""In the highest tier, the next goal is the player above; the best player reads how far the player below is behind."""

import pytest

from ratings.models import Rating
from ratings.publishing.schemes import choose_scheme
from ratings.queries.snapshot import snapshot_of
from tests.factories import make_contest, make_series, rate
from tests.pages import Page

pytestmark = pytest.mark.django_db
HANDLES = ("ann", "bob", "cid")
EVERYONE = {"name": "Everyone", "minimum": None, "colour_light": "#1f5fbf", "colour_dark": "#7db3ff", "symbol": "●"}


@pytest.fixture
def points():
    series = make_series("cup")
    for day in range(3):
        make_contest(series, standings=[(handle, place) for place, handle in enumerate(HANDLES, 1)], day=day)
    choose_scheme(series.pk, tiers=[EVERYONE])
    rate(series)
    snapshot = snapshot_of(series)
    return {rating.player.handle: snapshot.rating(rating.score) for rating in Rating.objects.select_related("player")}


def text_of(client, handle):
    return Page(client.get(f"/c/main/players/{handle}/")).text


def test_the_distances_are_those_of_the_displayed_ratings(client, points):
    ann, bob, cid = (points[handle] for handle in HANDLES)
    assert ann > bob > cid
    assert f"{ann - bob} points ahead of the player below Everyone is the highest tier." in text_of(client, "ann")
    assert f"{ann - bob} points behind the player above" in text_of(client, "bob")
    assert f"{bob - cid} points behind the player above" in text_of(client, "cid")


def test_equal_players_are_level_and_have_no_distance_of_zero_points(client):
    series = make_series("cup")
    choose_scheme(series.pk, tiers=[EVERYONE])
    make_contest(series, standings=[("ann", 1), ("bob", 1)])
    rate(series)
    assert "Level with the player below" in text_of(client, "ann")


def test_positions_and_players_who_are_alone_have_no_distances(client, points):
    series = make_series("ladder")
    choose_scheme(series.pk, system="ladder", display={"mapping": "offset"}, tiers=[EVERYONE])
    make_contest(series, standings=[("dan", 1), ("eve", 2)])
    rate(series)
    text = text_of(client, "dan")
    assert "Everyone is the highest tier" in text
    assert "the player below" not in text
    assert "the player above" not in text
