"""Rights of an organizer of one series in another: shared players, and objects under addresses of one's own."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from contests.models import Player, Series
from contests.uploads.staging import find_staged
from tests.attacks.addresses import CASES
from tests.factories import make_contest, make_series, make_user
from tests.web.organize.everything import MARK, World, build_world, everything_stored

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


@pytest.fixture(params=["public", "not public"])
def world(request: pytest.FixtureRequest) -> World:
    return build_world(1, public=request.param == "public")


@pytest.fixture
def visitor(world: World) -> Client:
    """The browser of someone who organizes another series of the community."""
    user = make_user("eve")
    make_contest(make_series("eves-cup", organizer=user), standings=[("ann", 1), ("bob", 2)])
    client = Client(raise_request_exception=False)
    client.force_login(user)
    return client


def test_sharing_a_player_with_another_series_reveals_nothing_of_it(visitor, world):
    """The player has results in the series of both: each organizer may look at the player, neither may change it."""
    eves = Series.objects.get(slug="eves-cup")
    make_contest(eves, standings=[(world.player.handle, 1), ("ann", 2)])
    before = everything_stored()
    page = visitor.get(reverse("organize:person", args=[world.player.pk]))
    assert page.status_code == 200
    hidden = [MARK] if not world.series.is_public else [f"{MARK} reason"]
    assert [word for word in hidden if word in page.content.decode()] == []
    refused = 403  # organizers who can see the player learn the reason
    for name in ("person-edit", "person-rename", "person-name", "person-name-remove", "person-merge"):
        answer = visitor.post(
            reverse(f"organize:{name}", args=[world.player.pk]), {"handle": "stolen", "name": "Stolen"}
        )
        assert answer.status_code == refused, name
    assert visitor.post(reverse("organize:merge-split", args=[world.merge.pk]), {"reason": "x"}).status_code == refused
    # The other way round, from a player of one's own.
    ann = reverse("organize:person-merge", args=[Player.objects.get(handle="ann").pk])
    answer = visitor.post(f"{ann}?with={world.player.handle}", {"kept": "1", "reason": "spite"})
    assert answer.status_code == 422
    assert everything_stored() == before


def test_objects_of_others_are_not_reachable_through_own_addresses(visitor, world):
    """A staged file, an organizer or a run of the one series, under an address of the other."""
    eves = Series.objects.get(slug="eves-cup")
    own = make_contest(eves, finalized=False)
    before = everything_stored()
    token = world.staged.token
    for name in (name for name in CASES if name.startswith("organize:review")):
        for method in ("get", "post"):
            answer = getattr(visitor, method)(reverse(name, args=[own.pk, token]), follow=True)
            assert answer.status_code in (200, 405), name
            assert answer.status_code == 405 or answer.request["PATH_INFO"] == reverse(
                "organize:contest", args=[own.pk]
            )
            assert MARK not in answer.content.decode(), name
    remove = reverse("organize:organizer-remove", args=[eves, world.organizer.pk])
    assert visitor.post(remove).status_code == 404
    for name in ("run", "run-cancel", "run-roll-back"):
        assert visitor.post(reverse(f"organize:{name}", args=[eves, world.newer]), {"reason": "x"}).status_code == 404
    rows = {"rows": [world.standing.pk], "status": "disqualified", "reason": "spite"}
    answer = visitor.post(reverse("organize:correct-selected", args=[own.pk]), rows, follow=True)
    assert MARK not in answer.content.decode()
    assert everything_stored() == before
    assert find_staged(token) is not None
