"""
Every address of the site and every operation of the REST API, requested as people of every role.

The rows come from the resolver and from the description of the interface; one without a case in the table of addresses
fails. The columns are roles and visibilities. The expected answers follow from the rules of tests/attacks/rules.py.
"""

from __future__ import annotations

import logging
import re
from itertools import product
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from django.contrib import admin
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group
from django.urls import resolve, reverse
from drf_spectacular.generators import SchemaGenerator

from tests.attacks.addresses import CASES, DOORS, NAMELESS, addresses
from tests.attacks.matrix import ELSEWHERE, Matrix, named
from tests.attacks.people import Site
from tests.attacks.rules import ROLES, STATES, may_name_series
from tests.factories import make_user
from tests.web.organize.everything import changed_tables, everything_stored, undone

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

#: Forms that find nothing to do: no run is waiting, and none was rolled back.
CHANGELESS = {"organize:rate-results", "organize:review-ask-who", "organize:run-cancel"}


@pytest.fixture(autouse=True)
def _many_requests(monkeypatch: pytest.MonkeyPatch) -> None:
    """No limit on requests, and no line in the log for each refusal."""
    monkeypatch.setattr("podium.throttling.AddressThrottle.get_rate", lambda throttle: None)
    monkeypatch.setattr(logging.getLogger("django.request"), "disabled", True)


def admin_pages() -> dict[str, Any]:
    """Return the model of each admin page that is about one model."""
    pages = ("changelist", "add", "change", "delete", "history")
    names = {
        f"admin:{model._meta.app_label}_{model._meta.model_name}_{page}": model
        for model in admin.site._registry
        for page in pages
    }
    return {**names, "admin:auth_user_password_change": get_user_model()}


def operations() -> dict[str, set[str]]:
    """Return the methods of each operation in the description of the REST API, by name of its address."""
    known = {"id": "1", "handle": "ann", "number": "1"}
    found: dict[str, set[str]] = {}
    for path, methods in SchemaGenerator().get_schema(request=None, public=True)["paths"].items():
        address = re.sub(r"\{(\w+)\}", lambda parameter: known.get(parameter[1], "main"), path)
        found.setdefault(resolve(address).view_name, set()).update(methods)
    return found


def test_every_address_of_the_site_has_a_case():
    unnamed = {name for name in addresses() if "<path:object_id>/" in name}
    assert set(addresses()) - unnamed - NAMELESS - DOORS - set(admin_pages()) == set(CASES)
    assert len(CASES) > 150


def test_every_operation_of_the_rest_interface_has_a_case():
    found = operations()
    assert found.keys() <= CASES.keys()
    described = {name for name in CASES if name.startswith("api:")} - {"api:docs", "api:schema", "api:unknown"}
    assert described - found.keys() <= {"api:root"}
    for name, methods in found.items():
        assert methods <= {"get", "post"}, f"{name} has methods that the table does not know"
        assert ("post" in methods) == (CASES[name].post != 405), name


@pytest.mark.parametrize("state", STATES)
def test_forms_of_each_role_get_the_answers_of_the_table_and_change_nothing_without_the_right(state):
    matrix = Matrix(state)
    before = everything_stored()
    for role in ROLES:
        # Those who are let in get the same answers in all states. In one other state, the least rights are enough.
        matrix.send(role, let_in={"public": "all", "private": "least"}.get(state, "none"))
        matrix.propose(role)
    matrix.check()
    assert changed_tables(before) == []


def test_pages_that_are_the_same_everywhere_answer_by_role():
    """The sign-in, accounts and the administration."""
    matrix = Matrix("public")
    before, names = everything_stored(), [name for name, case in CASES.items() if case.who in ELSEWHERE]
    for role in ROLES:
        for name in names:
            matrix.read(role, client=matrix.site.browser(role), names=[name])
        matrix.send(role, names)
    matrix.check()
    assert changed_tables(before) == []


def test_the_admin_is_for_staff_alone():
    """Superusers see each page; an action that the admin does not offer answers 403 even to them."""
    site, wrong = Site("public"), []
    Group.objects.create(name="clerks")
    owner = make_user("zoe")
    EmailAddress.objects.create(user=owner, email="zoe@example.org")
    Authenticator.objects.create(user=owner, type="totp", data={"secret": "x"})
    SocialAccount.objects.create(user=owner, provider="github", uid="1")
    for (name, model), role in product(admin_pages().items(), ROLES):
        page = name.rpartition("_")[2]
        path = reverse(name, args=[] if page in ("changelist", "add") else [model.objects.order_by("pk")[0].pk])
        for method in ("get", "post"):
            if role == "staff":
                with undone():
                    status = getattr(site.browser(role), method)(path).status_code
                is_read = method == "get" and page in ("changelist", "change", "history")
                is_right = status in ({200} if is_read else {200, 302, 403})
            else:
                answer = getattr(site.clients[role], method)(path)
                is_right = answer.status_code == 302 and answer["Location"].startswith(reverse("admin:login"))
            if not is_right:
                wrong.append(f"{method} {name} as {role}")
    assert not wrong, "\n".join(wrong)


def test_a_form_changes_something_for_those_who_may_send_it():
    """Otherwise the refusals above could have a reason other than the rights."""
    matrix, idle = Matrix("public"), set()
    for name in matrix.rows:
        case = CASES[name]
        if case.who in ("organizers", "managers", "owners") and case.post == 302:
            before = everything_stored()
            with undone():
                answer = matrix.site.browser("owner").post(matrix.path(name), case.form(matrix.site.world))
                is_proposal = answer.headers.get("Location", "").startswith(reverse("organize:change"))
                if not is_proposal and not changed_tables(before):
                    idle.add(name)
    assert idle == CHANGELESS


def test_a_token_opens_operations_and_no_page():
    """
    Pages treat programs like anonymous visitors, although the token opens the private community over REST.

    Pictures are no pages: responses of the REST API contain their addresses.
    """
    matrix = Matrix("private")
    before, program = everything_stored(), matrix.site.clients["owner's program"]
    for name in matrix.rows:
        if name not in {*matrix.operations, "player-picture"}:
            matrix.read("anonymous", client=program, names=[name], after=" with a token")
    assert program.get(matrix.path("player-picture")).status_code == 200
    answers = {name: program.get(matrix.path(name)) for name in matrix.operations}
    hidden = {name for name, answer in answers.items() if answer.status_code == 404}
    # The one contest is no event, and the series has neither leagues nor season points.
    assert hidden == {"api:scores", "api:leagues", "api:league-players", "api:seasons", "api:season"}
    check_other_methods(matrix, "owner's program", matrix.operations, ("post", "head", "put", "patch", "delete"))
    matrix.check()
    assert changed_tables(before) == []


@pytest.mark.parametrize(("role", "state"), [("owner", "public"), ("stranger", "private")])
def test_other_methods_change_nothing_and_reveal_nothing(role, state):
    matrix = Matrix(state)
    before = everything_stored()
    check_other_methods(matrix, role, matrix.rows, ("head", "put", "patch", "delete", "options"))
    matrix.check()
    assert changed_tables(before) == []


def check_other_methods(matrix, role, names, methods):
    """Note each response to these methods that is neither the status expected for GET nor 405."""
    state = matrix.state
    for name in names:
        expected = CASES[name].expected(role, "get", state)
        for method in methods:
            answer = getattr(matrix.site.clients[role], method)(matrix.path(name))
            is_right = answer.status_code in ((expected,) if method == "head" else (expected, 405))
            if not is_right and not (method == "options" and answer.status_code == 204):
                matrix.wrong.append(f"{method} {name}: {answer.status_code} in place of {expected}")
            if not may_name_series(CASES[name].who, role, state) and named(answer):
                matrix.wrong.append(f"{method} {name} names what is hidden")
