"""A player whose only result was moved to someone else: no list or search shows them."""

from __future__ import annotations

import pytest
from django.urls import reverse

from contests.models import Membership
from contests.services.participants import reassign_standing
from tests.factories import make_community, make_contest, make_player, make_series, make_user, rate
from tests.pages import Page

pytestmark = pytest.mark.django_db


@pytest.fixture
def series():
    return make_series("cup")


@pytest.fixture
def moved(series):
    """A player without results, beside someone with a similar handle."""
    contest = make_contest(series, standings=[("ann", 1), ("bobby", 2), ("bobbie", 3)])
    rate(series)
    reassign_standing(contest.standings.get(player__handle="bobby").pk, handle="eve", reason="a namesake")
    rate(series)
    return make_player("bobby")


@pytest.fixture(params=["visitor", "viewer", "staff"])
def visitor(request, client):
    """Log in someone who may see all players of the community, or no one."""
    if request.param != "visitor":
        user = make_user("vi", is_staff=request.param == "staff")
        Membership.objects.create(community=make_community(), user=user, role="viewer")
        client.force_login(user)
    return request.param


def test_lists_and_searches_leave_out_players_without_results(client, moved, series, visitor):
    addresses = [reverse("search"), reverse("players"), reverse("community-players", args=["main"]), reverse("suggest")]
    for address in addresses:
        content = client.get(f"{address}?q=bobb").content.decode()
        assert ("bobbie" in content, "bobby" in content) == (True, False), address
    assert "bobby" not in client.get(reverse("leaderboard", args=[series])).content.decode()
    assert "3 players" in Page(client.get(reverse("community", args=["main"]))).text


def test_members_can_still_open_the_page_of_a_player_without_results(client, moved, visitor):
    status = 404 if visitor == "visitor" else 200
    assert client.get(moved.get_absolute_url()).status_code == status
