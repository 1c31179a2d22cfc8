"""The review names players who are known from private series only, before anything makes them public."""

from __future__ import annotations

import pytest

from tests.factories import make_contest, make_series
from tests.web.organize.forms import upload

pytestmark = pytest.mark.django_db

FILE = "rank,handle\n1,ann\n2,bob\n3,cem\n4,new\n"


@pytest.fixture
def rows():
    """Ann has private results, Bob also a public one, and Cem is only in a private draft."""
    private = make_series("private", is_public=False)
    make_contest(private, standings=[("ann", 1), ("bob", 2)])
    make_contest(private, standings=[("cem", 1)], finalized=False)
    make_contest(make_series("open"), standings=[("bob", 1), ("zoe", 2)])


def warned(review):
    return [warning.row for warning in review.context["warnings"].problems if "private series" in warning.message]


def test_players_known_from_private_series_only_are_named_with_their_rows(organizer, series, rows):
    review = upload(organizer, make_contest(series, finalized=False), FILE)
    assert warned(review) == [2]
    assert "makes the player public" in review.content.decode()


def test_a_private_series_publishes_no_one(organizer, series, rows):
    series.is_private = True
    series.save()
    assert warned(upload(organizer, make_contest(series, finalized=False), FILE)) == []
