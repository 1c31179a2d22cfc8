"""
Every address of the site, requested as an anonymous visitor, people of others, members of each role, and staff.

The table `CASES` has the expected responses. The addresses come from the resolver, so that one without a case fails
the first test. Each is requested with GET and POST, for a public series and for one that is not public.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from django.contrib import admin
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group
from django.test import Client
from django.urls import reverse

from contests.changes.base import token_of
from contests.models import Player, Series
from contests.services.communities import set_role
from contests.uploads.staging import find_staged
from tests.factories import make_community, make_contest, make_series, make_user
from tests.web.organize.addresses import CASES, DOORS, NAMELESS, OUTSIDERS, ROLES, addresses, path_of, proposals
from tests.web.organize.everything import MARK, World, build_world, everything_stored, undone

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


def admin_pages() -> dict[str, Any]:
    """Return the model of each address of the admin that is about one."""
    pages = ("changelist", "add", "change", "delete", "history")
    names = {
        f"admin:{model._meta.app_label}_{model._meta.model_name}_{page}": model
        for model in admin.site._registry
        for page in pages
    }
    return {**names, "admin:auth_user_password_change": get_user_model()}


@pytest.fixture(params=["public", "not public"])
def world(request: pytest.FixtureRequest) -> World:
    return build_world(1, public=request.param == "public")


@pytest.fixture(params=ROLES)
def role(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def enter(world: World, role: str) -> Callable[[], Client]:
    """Return a function that returns a freshly logged-in client, because some pages log out."""
    user = None
    if role == "foreign organizer":
        user = make_user("eve")
        make_contest(make_series("eves-cup", organizer=user), standings=[("ann", 1), ("bob", 2)])
    elif role == "foreign owner":
        user = make_user("oda")
        make_community("elsewhere", owner=user)
        make_contest(make_series("odas-cup", community="elsewhere"), standings=[("ann", 1), ("bob", 2)])
    elif role == "series organizer":
        user = world.organizer
    elif role == "staff":
        user = make_user("boss", is_staff=True, is_superuser=True)
    elif role != "anonymous":
        user = make_user("max")
        set_role(world.series.community_id, user, role)

    def enter() -> Client:
        client = Client(raise_request_exception=False)
        if user is not None:
            client.force_login(user)
        return client

    return enter


def test_every_address_of_the_site_has_a_case():
    unnamed = {name for name in addresses() if "<path:object_id>/" in name}
    assert set(addresses()) - unnamed - NAMELESS - DOORS - set(admin_pages()) == set(CASES)
    assert len(CASES) > 50


def test_each_role_gets_the_responses_in_the_table(enter, world, role):
    is_outsider = role in OUTSIDERS
    before, wrong = everything_stored(), []
    for name, case in CASES.items():
        path = path_of(name, world)
        for method in ("get", "post"):
            with undone():
                answer = getattr(enter(), method)(path, **({"data": {"nothing": "known"}} if method == "post" else {}))
            expected = case.expected(role, method, public=world.series.is_public)
            if answer.status_code != expected:
                wrong.append(f"{method} {name}: {answer.status_code} in place of {expected}")
            if is_outsider and not world.series.is_public and MARK.encode() in answer.content:
                wrong.append(f"{method} {name} betrays what is not public")
            is_refused = role == "anonymous" or case.who == "staff"
            if is_refused and expected == 302 != (case.get if method == "get" else case.post) and not case.anonymous:
                login = reverse("admin:login" if case.who == "staff" else "login")
                assert answer["Location"].startswith(f"{login}?next="), name
    assert not wrong, "\n".join(wrong)
    assert everything_stored() == before


def test_the_admin_is_for_staff_alone(enter, role):
    """Superusers see each page; what has no form in the admin says 403 to them, too."""
    wrong, visitor = [], enter()
    Group.objects.create(name="clerks")
    owner = make_user("zoe")
    EmailAddress.objects.create(user=owner, email="zoe@example.org")
    Authenticator.objects.create(user=owner, type="totp", data={"secret": "x"})
    SocialAccount.objects.create(user=owner, provider="github", uid="1")
    for name, model in admin_pages().items():
        page = name.rpartition("_")[2]
        path = reverse(name, args=[] if page in ("changelist", "add") else [model.objects.order_by("pk")[0].pk])
        for method in ("get", "post"):
            with undone():
                answer = getattr(visitor, method)(path)
            if role == "staff":
                is_read = method == "get" and page in ("changelist", "change", "history")
                is_right = answer.status_code in ({200} if is_read else {200, 302, 403})
            else:
                is_right = answer.status_code == 302 and answer["Location"].startswith(reverse("admin:login"))
            if not is_right:
                wrong.append(f"{method} {name}: {answer.status_code}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("role", [*OUTSIDERS, "viewer"], indirect=True)
def test_proposals_for_series_of_others_are_neither_shown_nor_made(enter, world, role):
    visitor, before = enter(), everything_stored()
    expected = CASES["organize:change"]
    for change in proposals(world):
        for name in ("organize:change", "organize:change-progress"):
            for method in ("get", "post"):
                answer = getattr(visitor, method)(reverse(name, query={"change": token_of(change)}))
                assert answer.status_code == expected.expected(role, "get", public=world.series.is_public), change
                assert world.series.is_public or role == "viewer" or MARK not in answer.content.decode()
    assert everything_stored() == before


@pytest.mark.parametrize("role", ["foreign organizer"], indirect=True)
def test_sharing_a_player_with_another_series_reveals_nothing_of_it(enter, world, role):
    """The player has results in the series of both: each may look at the player, only both together may change it."""
    eves = Series.objects.get(slug="eves-cup")
    make_contest(eves, standings=[(world.player.handle, 1), ("ann", 2)])
    visitor, before = enter(), everything_stored()
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


@pytest.mark.parametrize("role", ["foreign organizer"], indirect=True)
def test_objects_of_others_are_not_reachable_through_own_addresses(enter, world, role):
    """A staged file, an organizer or a run of the one series, under an address of the other."""
    eves = Series.objects.get(slug="eves-cup")
    own = make_contest(eves, finalized=False)
    visitor, before = enter(), everything_stored()
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
