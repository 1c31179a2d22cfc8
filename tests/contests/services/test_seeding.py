"""The demo community in the database."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from django.db.models import F

from contests.demo.community import generate_community, generate_neighbours
from contests.models import Contest, Membership, Player, Standing
from contests.services.seeding import store_community
from tests.factories import make_user

SLUGS = ("main", "hillside")
pytestmark = pytest.mark.django_db


def test_contests_without_results_are_announced():
    store_community(generate_community(until=datetime.now(UTC), seed=7), organizer=make_user())
    assert [contest.series.slug for contest in Contest.objects.coming()] == ["night-relay"]
    assert Contest.objects.filter(is_announced=True).count() == 2


def test_two_communities_have_their_own_players_even_with_the_same_handle():
    ida, bo = make_user("ida"), make_user("bo")
    now = datetime.now(UTC)
    store_community(generate_community(until=now, seed=7), organizer=ida, members={"organizer": bo})
    store_community(generate_neighbours(until=now, seed=7), organizer=ida)
    assert set(Membership.objects.values_list("community", "user__username", "role")) == {
        ("main", "ida", "owner"), ("main", "bo", "organizer"), ("hillside", "ida", "owner"),
    }  # fmt: skip
    mixed = Standing.objects.exclude(player__community=F("contest__series__community"))
    assert not mixed.exists()
    handles = [
        set(Player.objects.filter(community=one).values_list("handle_key", flat=True)) for one in ("main", "hillside")
    ]
    assert handles[0] & handles[1], "the same handle in both"
