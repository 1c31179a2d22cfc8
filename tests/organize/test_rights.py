"""
Every address of the site as anonymous visitor, as somebody else's organizer, as its organizer, and as staff.

What each of them gets stands in one table, `CASES`. The addresses come from the resolver, so that one without a case
fails the first test; what the table says is asked by GET and by POST, for a public series and for one that is not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
from django.contrib import admin
from django.test import Client
from django.urls import get_resolver, reverse

from contests.changes import CorrectStandings, DeleteContest, DescribeContest, FinalizeContest, RestoreContest, token_of
from contests.services.correcting import Correction
from contests.services.drafting import ContestDescription
from tests.factories import make_contest, make_series, make_user
from tests.organize.everything import MARK, TOKEN, World, build_world, everything_stored, undone

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from contests.changes import Change

pytestmark = pytest.mark.django_db

ROLES = ("anonymous", "foreign organizer", "organizer", "staff")
#: Who is let in, and what the others get: by role, of a public series and of one that is not.
LOGIN = (302, 302)
REFUSED = {
    "everybody": {},
    "readers": {"anonymous": (None, 404), "foreign organizer": (None, 404)},
    "programs": dict.fromkeys(ROLES, (None, 404)),  # the REST interface shows what is public, whoever asks
    "accounts": {"anonymous": LOGIN},
    "organizers": {"anonymous": LOGIN, "foreign organizer": (403, 404)},
    "staff": {"anonymous": LOGIN, "foreign organizer": LOGIN, "organizer": LOGIN},
}


@dataclass(frozen=True)
class Case:
    """
    What an address answers.

    who
        Key of REFUSED.
    args
        Arguments of the address, from what there is.
    get, post
        Status for who is let in; 405 everybody gets.
    query
        What is asked with it.
    anonymous
        The two for anonymous visitors, where theirs differ.
    """

    who: str
    args: Callable[[World], list[Any]] = lambda world: []
    get: int = 200
    post: int = 200
    query: Callable[[World], dict[str, Any]] = lambda world: {}
    anonymous: tuple[int, int] | None = None

    def expected(self, role: str, method: str, *, public: bool) -> int:
        if role == "anonymous" and self.anonymous is not None:
            return self.anonymous[method == "post"]
        status = self.get if method == "get" else self.post
        refusal = REFUSED[self.who].get(role)
        refused = None if refusal is None else refusal[0 if public else 1]
        is_asked_first = self.who == "staff"  # Django's admin looks who it is before it looks what they want
        return status if refused is None or (status == 405 and not is_asked_first) else refused


def slug(world: World) -> list[Any]:
    return [world.series.slug]


def draft(world: World) -> list[Any]:
    return [world.draft.pk]


def final(world: World) -> list[Any]:
    return [world.final.pk]


def handle(world: World) -> list[Any]:
    return [world.player.handle]


def review(world: World) -> list[Any]:
    return [world.draft.pk, world.staged.token]


def change_of(world: World) -> dict[str, str]:
    return {"change": token_of(FinalizeContest(world.draft.pk, world.draft.version))}


CASES = {
    "home": Case("everybody"),
    "series-list": Case("everybody"),
    "series": Case("readers", slug),
    "leaderboard": Case("readers", slug),
    "contest": Case("readers", final),
    "contests": Case("everybody"),
    "players": Case("everybody"),
    "player": Case("everybody", handle),
    "tier-styles": Case("everybody", lambda world: ["elo-mmr-1"], get=404, post=404),
    "login": Case("everybody"),
    "logout": Case("everybody", get=405, post=302),
    "healthz": Case("everybody"),
    "readyz": Case("everybody"),
    "organize:home": Case("accounts"),
    "organize:series-create": Case("accounts", post=422),
    "organize:series": Case("organizers", slug),
    "organize:series-edit": Case("organizers", slug, post=422),
    "organize:scheme": Case("organizers", slug, post=422),
    "organize:organizers": Case("organizers", slug, post=422),
    "organize:organizer-remove": Case("organizers", lambda world: [world.series.slug, world.colleague.pk], post=302),
    "organize:invitations": Case("organizers", slug, get=405),
    "organize:invitation-withdraw": Case("organizers", lambda world: [world.invitation.pk], get=405, post=302),
    "organize:invitation": Case("everybody", lambda world: [TOKEN], post=302, anonymous=(200, 422)),
    "organize:progress": Case("organizers", slug),
    "organize:progress-json": Case("organizers", slug),
    "organize:ring": Case("organizers", slug, get=405, post=302),
    "organize:contest-create": Case("organizers", slug, post=422),
    "organize:contest": Case("organizers", final),
    "organize:contest-edit": Case("organizers", draft, post=422),
    "organize:contest-delete": Case("organizers", draft),
    "organize:upload": Case("organizers", draft, post=422),
    "organize:review": Case("organizers", review),
    "organize:review-annotated": Case("organizers", review),
    "organize:review-progress": Case("organizers", review),
    "organize:review-read": Case("organizers", review, get=405, post=302),
    "organize:review-people": Case("organizers", review, get=405, post=302),
    "organize:review-take-over": Case("organizers", review, get=405, post=302),
    "organize:review-now": Case("organizers", review, get=405, post=302),
    "organize:review-save": Case("organizers", review, get=405, post=302),
    "organize:review-discard": Case("organizers", review, get=405, post=302),
    "organize:contest-restore": Case("organizers", lambda world: [world.deleted.pk]),
    "organize:finalize": Case("organizers", draft, get=302, post=302),
    "organize:correct-selected": Case("organizers", final, get=405, post=302),
    "organize:correct": Case("organizers", lambda world: [world.standing.pk], post=422),
    "organize:change": Case("organizers", query=change_of, post=302),
    "organize:change-progress": Case("organizers", query=change_of),
    "api:schema": Case("everybody", post=405),
    "api:docs": Case("everybody", post=405),
    "api:series-list": Case("everybody", post=405),
    "api:series": Case("programs", slug, post=405),
    "api:leaderboard": Case("programs", slug, post=405),
    "api:distribution": Case("programs", slug, post=405),
    "api:runs": Case("programs", slug, post=405),
    "api:changes": Case("programs", slug, post=405),
    "api:contests": Case("everybody", post=405),
    "api:contest": Case("programs", final, post=405),
    "api:standings": Case("programs", final, post=405),
    "api:rating-changes": Case("programs", final, post=405),
    "api:players": Case("everybody", post=405),
    "api:player": Case("programs", handle, post=405),
    "api:history": Case("programs", handle, post=405),
    "api:unknown": Case("everybody", lambda world: ["no/such/thing"], get=404, post=404),
    "admin:index": Case("staff"),
    "admin:password_change": Case("staff"),
    "admin:password_change_done": Case("staff", post=405),
    "admin:autocomplete": Case("staff", post=405, query=lambda world: {
        "app_label": "contests", "model_name": "series", "field_name": "organizers", "term": "i"
    }),
    "admin:jsi18n": Case("staff", post=405),
    "admin:view_on_site": Case("staff", lambda world: [0, 0], get=404, post=404),
    "admin:app_list": Case("staff", lambda world: ["contests"]),
}  # fmt: skip
#: Addresses of the admin that have no name: what leads old links on, and what is nowhere.
NAMELESS = {"admin:(?P<url>.*)$"}
#: Lead on to the index, depending on who is logged in.
DOORS = {"admin:login", "admin:logout"}


def addresses(resolver: Any = None, namespace: str = "") -> Iterator[str]:
    """Give the name of every address, or its route where it has none."""
    for part in (resolver or get_resolver()).url_patterns:
        if hasattr(part, "url_patterns"):
            inner = f"{part.namespace}:" if part.namespace else ""
            yield from addresses(part, namespace + inner)
        else:
            yield namespace + (part.name or str(part.pattern))


def admin_pages() -> dict[str, str]:
    """Return the addresses of the admin's models, with the page that each of them is."""
    pages = ("changelist", "add", "change", "delete", "history")
    names = {
        f"admin:{model._meta.app_label}_{model._meta.model_name}_{page}": page
        for model in admin.site._registry
        for page in pages
    }
    return {**names, "admin:auth_user_password_change": "password"}


@pytest.fixture(params=["public", "not public"])
def world(request: pytest.FixtureRequest) -> World:
    return build_world(1, public=request.param == "public")


@pytest.fixture(params=ROLES)
def role(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def enter(world: World, role: str) -> Callable[[], Client]:
    """A function that gives a browser of the visitor, freshly logged in: some pages log out."""
    user = None
    if role == "foreign organizer":
        user = make_user("eve")
        make_contest(make_series("eves-cup", organizer=user), standings=[("ann", 1), ("bob", 2)])
    elif role == "organizer":
        user = world.organizer
    elif role == "staff":
        user = make_user("boss", is_staff=True, is_superuser=True)

    def enter() -> Client:
        client = Client()
        if user is not None:
            client.force_login(user)
        return client

    return enter


def path_of(name: str, world: World) -> str:
    return reverse(name, args=CASES[name].args(world), query=CASES[name].query(world))


def test_every_address_of_the_site_has_a_case():
    unnamed = {name for name in addresses() if "<path:object_id>/" in name}
    assert set(addresses()) - unnamed - NAMELESS - DOORS - set(admin_pages()) == set(CASES)
    assert len(CASES) > 50


def test_everybody_gets_what_the_table_says(enter, world, role):
    is_outsider = role in ("anonymous", "foreign organizer")
    before, wrong = everything_stored(), []
    for name, case in CASES.items():
        path = path_of(name, world)
        for method in ("get", "post"):
            with undone():
                answer = getattr(enter(), method)(path, **({"data": {"nothing": "known"}} if method == "post" else {}))
            expected = case.expected(role, method, public=world.series.is_public)
            if answer.status_code != expected:
                wrong.append(f"{method} {name}: {answer.status_code} in place of {expected}")
            is_told = name == "organize:invitation"  # who has the link may know what it is for
            if is_outsider and not world.series.is_public and not is_told and MARK in answer.content.decode():
                wrong.append(f"{method} {name} betrays what is not public")
            if expected == 302 != (case.get if method == "get" else case.post):
                login = reverse("admin:login" if case.who == "staff" else "login")
                assert answer["Location"].startswith(f"{login}?next="), name
    assert not wrong, "\n".join(wrong)
    assert everything_stored() == before


def test_the_admin_is_for_staff_alone(enter, role):
    """Superusers see each page; what has no form in the admin says 403 to them, too."""
    wrong, visitor = [], enter()
    for name, page in admin_pages().items():
        path = reverse(name, args=[] if page in ("changelist", "add") else [1])
        for method in ("get", "post"):
            with undone():
                answer = getattr(visitor, method)(path)
            if role == "staff":
                is_right = answer.status_code in ({200} if (page, method) == ("changelist", "get") else {200, 302, 403})
            else:
                is_right = answer.status_code == 302 and answer["Location"].startswith(reverse("admin:login"))
            if not is_right:
                wrong.append(f"{method} {name}: {answer.status_code}")
    assert not wrong, "\n".join(wrong)


def proposals(world: World) -> list[Change]:
    """One change of each kind of which somebody could keep the address, or be sent it."""
    row, version = world.standing, world.final.version
    described = ContestDescription(name="Stolen", ends_at=world.final.ends_at)
    out = {row.pk: Correction("disqualified", row.place)}
    return [
        FinalizeContest(world.draft.pk, world.draft.version),
        DeleteContest(world.final.pk, version, reason="spite"),
        RestoreContest(world.deleted.pk, reason="spite"),
        DescribeContest.of(world.final, described, version=version, reason="spite"),
        CorrectStandings.of(world.final, out, version=version, reason="spite"),
    ]


@pytest.mark.parametrize("role", ["anonymous", "foreign organizer"], indirect=True)
def test_proposals_for_anothers_series_are_neither_shown_nor_made(enter, world, role):
    visitor, before = enter(), everything_stored()
    expected = CASES["organize:change"]
    for change in proposals(world):
        for name in ("organize:change", "organize:change-progress"):
            for method in ("get", "post"):
                answer = getattr(visitor, method)(reverse(name, query={"change": token_of(change)}))
                assert answer.status_code == expected.expected(role, "get", public=world.series.is_public), change
                assert world.series.is_public or MARK not in answer.content.decode()
    assert everything_stored() == before
