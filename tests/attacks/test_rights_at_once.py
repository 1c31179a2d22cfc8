"""
Rights follow changes of visibility, roles and content at once, even if every page was cached before.

One browser stays open through each test. After each change, it gets the responses that the table has for the new state.
"""

from __future__ import annotations

import logging

import pytest
from django.contrib.auth import get_user_model
from django.test import Client
from django.urls import reverse

from contests.models import Membership, Player, Visibility
from contests.services.communities import create_community, delete_community, remove_member, set_role
from contests.services.contests import delete_contest, restore_contest
from contests.services.merging import merge_players, split_players
from contests.services.organizers import add_organizer, remove_organizer
from contests.services.renaming import rename_player
from contests.services.series import describe_series
from tests.attacks.addresses import CASES, community
from tests.attacks.matrix import Matrix
from tests.attacks.people import HOME
from tests.attacks.rules import OUTSIDERS, PROGRAMS, READERS, ROLES, may_read_series
from tests.factories import make_community, make_contest, make_user, rate

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

#: Kinds of pages with cached parts, and kinds that show everyone the same.
CACHED = ("parts", "lists", "community", "readers")
SAME_FOR_ALL = ("open lists", "programs", "community programs", "listed")


@pytest.fixture(autouse=True)
def _many_requests(monkeypatch: pytest.MonkeyPatch) -> None:
    """No limit on requests, and no line in the log for each refusal."""
    monkeypatch.setattr("podium.throttling.AddressThrottle.get_rate", lambda throttle: None)
    monkeypatch.setattr(logging.getLogger("django.request"), "disabled", True)


def become(matrix: Matrix, state: str) -> None:
    """Change who may read the series of a world."""
    series = matrix.site.world.series
    private = state == "private series"
    describe_series(series.pk, name=series.name, description="", is_public=not private)
    matrix.site.show(Visibility.PUBLIC if private else state)
    matrix.state = state


@pytest.mark.parametrize("roles", [READERS, OUTSIDERS], ids=["readers", "outsiders"])
def test_each_role_gets_the_answers_of_the_table_as_the_visibility_changes(roles):
    matrix = Matrix("public")
    for state in ("public", "unlisted", "private", "private series"):
        become(matrix, state)
        # The owner's pages and what programs may read are in the caches before outsiders ask for theirs.
        matrix.read("owner", names=[name for name in matrix.rows if CASES[name].who in CACHED])
        for program in PROGRAMS if roles is OUTSIDERS else ():
            matrix.read(program, names=matrix.operations)
        # Readers get the same answers in every state: except in one, those with the least rights are enough.
        least = READERS if state == "private" else READERS[-2:]
        for role in (role for role in roles if role in OUTSIDERS or role in least):
            matrix.read(role)
    become(matrix, "public")
    matrix.read(roles[-1], after=" again")
    matrix.check()


def test_a_role_counts_at_once_and_until_it_is_taken_away():
    matrix = Matrix("private")
    site = matrix.site
    user, client, series = site.users["stranger"], site.clients["stranger"], site.world.series
    steps = (
        ("stranger", lambda: None),
        ("viewer", lambda: set_role(HOME, user, "viewer")),
        ("owner", lambda: set_role(HOME, user, "owner")),
        ("organizer", lambda: set_role(HOME, user, "organizer")),
        ("viewer", lambda: set_role(HOME, user, "viewer")),
        ("stranger", lambda: remove_member(HOME, user.pk)),
        ("series organizer", lambda: add_organizer(series.pk, user.username)),
        ("stranger", lambda: remove_organizer(series.pk, user.pk)),
        ("staff", lambda: get_user_model().objects.filter(pk=user.pk).update(is_staff=True)),
        ("stranger", lambda: get_user_model().objects.filter(pk=user.pk).update(is_staff=False)),
        ("owner", lambda: set_role(HOME, user, "owner")),
        ("deactivated", lambda: get_user_model().objects.filter(pk=user.pk).update(is_active=False)),
    )
    for number, (role, change) in enumerate(steps):
        change()
        names = [name for name in matrix.rows if CASES[name].who not in SAME_FOR_ALL]
        matrix.read(role, client=client, names=names, after=f" in step {number}")
    matrix.check()


def test_a_form_opened_with_a_right_is_refused_without_it():
    """The rights at the moment of sending decide, whatever the page had shown."""
    matrix = Matrix("private")
    client, user = matrix.site.clients["owner"], matrix.site.users["owner"]
    page = reverse("organize:members", args=[HOME])
    assert client.get(page).status_code == 200
    set_role(HOME, user, "organizer", actor=matrix.site.users["staff"])
    matrix.site.clients["organizer"] = client
    names = [name for name, case in CASES.items() if case.who == "owners"]
    matrix.send("organizer", names)
    remove_member(HOME, user.pk)
    matrix.site.clients["stranger"] = client
    matrix.send("stranger", let_in="none")
    matrix.check()
    assert not Membership.objects.filter(user=user).exists()


def expect(matrix: Matrix, statuses: dict[str, tuple[int, int]]) -> None:
    """
    Request addresses as each role that may read the series and each that may not.

    statuses
        By address, the status for each of the two.
    """
    for role in ROLES:
        for path, (told, hidden) in statuses.items():
            expected = told if may_read_series(role, matrix.state) else hidden
            answer = matrix.site.clients[role].get(path)
            if answer.status_code != expected:
                matrix.wrong.append(f"{path} as {role}, {matrix.state}: {answer.status_code} in place of {expected}")


def api(name: str, *args: object) -> str:
    return reverse(f"api:{name}", args=args)


@pytest.mark.parametrize("state", ["public", "private"])
def test_a_deleted_contest_is_gone_for_those_who_could_read_it(state):
    matrix = Matrix(state)
    world, actor = matrix.site.world, matrix.site.users["owner"]
    about = ["contest", "contest-analysis", "contest-csv", "why"]
    pages = [matrix.path(name) for name in about]
    described = [matrix.path(name) for name in ("api:contest", "api:standings", "api:rating-changes")]
    own = [reverse(f"organize:{name}", args=[world.final.pk]) for name in ("contest", "contest-edit", "upload")]
    for role in ROLES:
        matrix.read(role, names=[*about, "api:contest", "organize:contest"])
    organizers = {role for role in ROLES if matrix.site.clients[role].get(own[0]).status_code == 200}
    delete_contest(world.final.pk, reason="entered twice", actor=actor)
    rate(world.series)
    expect(matrix, dict.fromkeys(pages, (410, 404)) | dict.fromkeys(described, (404, 404)))
    for role in ROLES:
        expected = 302 if role in ("anonymous", "deactivated") else 404
        # Those who may restore it are sent to the list from which they can.
        answers = {path: 302 if role in organizers and path == own[0] else expected for path in own}
        wrong = [path for path, status in answers.items() if matrix.site.clients[role].get(path).status_code != status]
        matrix.wrong += [f"{path} as {role}, deleted" for path in wrong]
    restore_contest(world.final.pk, reason="not twice", actor=actor)
    rate(world.series)
    world.final.refresh_from_db()
    for role in ROLES:
        matrix.read(role, names=[*about, "api:contest", "organize:contest"], after=" again")
    matrix.check()


@pytest.mark.parametrize("state", ["public", "private"])
def test_rights_to_a_player_stay_after_renaming_and_merging(state):
    matrix = Matrix(state)
    world, actor = matrix.site.world, matrix.site.users["owner"]
    names = [name for name in CASES if name in (
        "player", "player-history", "card", "badge", "widget", "why", "api:player", "api:history", "api:player-by-id",
        "organize:person", "organize:person-merge",
    )]  # fmt: skip
    for role in ROLES:
        matrix.read(role, names=names)
    old = matrix.path("player")
    rename_player(world.player.pk, handle="renamed", actor=actor)
    world.player.refresh_from_db()
    for role in ROLES:
        matrix.read(role, names=names, after=", renamed")
    expect(matrix, {old: (301, 404)})

    make_contest(world.series, standings=[("twin", 1), ("alone", 2)], day=7)
    rate(world.series)
    twin = Player.objects.get(handle="twin")
    merge = merge_players(world.player.pk, twin.pk, reason="one person", actor=actor)
    rate(world.series)
    for role in ROLES:
        matrix.read(role, names=names, after=", merged")
    is_open = state == "public"
    gone = reverse("player", args=[HOME, "twin"])
    expect(matrix, {
        gone: (301, 404),
        api("player-by-id", twin.pk): (308 if is_open else 404, 404),
    })  # fmt: skip
    split_players(merge.pk, reason="two after all", actor=actor)
    rate(world.series)
    expect(matrix, {gone: (200, 404)})
    for role in ROLES:
        matrix.read(role, names=names, after=", split")
    matrix.check()


def test_a_deleted_community_leaves_no_rights_to_the_next_one_of_that_name():
    """A private community without series: its members lose their rights with it, and do not get them back."""
    names = [name for name, case in CASES.items() if case.args is community]
    assert len(names) > 12
    make_community("club", visibility=Visibility.PRIVATE, name="Harbour Club")
    people = {role: make_user(role) for role in ("owner", "organizer", "viewer", "stranger")}
    clients = {role: Client() for role in people}
    for role, user in people.items():
        clients[role].force_login(user)
        if role != "stranger":
            set_role("club", user, role)
    paths = {name: reverse(name, args=["club"]) for name in names}

    def wrong(*, members: bool) -> list[str]:
        found = []
        for role, client in clients.items():
            for name, path in paths.items():
                now = role if members else "stranger"
                expected = CASES[name].expected(now, "get", "private")
                answer = client.get(path)
                if answer.status_code != expected:
                    found.append(f"{name} as {role}, {members=}: {answer.status_code} in place of {expected}")
                if not (members and role in READERS) and b"Harbour" in answer.content:
                    found.append(f"{name} as {role}, {members=} names the community")
        return found

    assert wrong(members=True) == []
    delete_community("club", actor=people["owner"])
    assert wrong(members=False) == []
    create_community("club", name="Harbour Club", visibility=Visibility.PRIVATE, actor=make_user("next"))
    assert wrong(members=False) == []
