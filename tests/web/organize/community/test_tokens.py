"""The page with the API tokens of a community."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.confirming import _CONFIRMED
from accounts.models import ApiToken
from accounts.tokens import ENDED_KEPT, create_token, revoke_token
from contests.errors import ContestError
from contests.models import AuditEntry, Community
from contests.services.communities import delete_community, set_role
from tests.factories import make_community, make_series, make_user
from tests.pages import Page

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

FORM = {"name": "Club website", "lifetime": "365"}
TOKEN = re.compile(r"podium_[0-9A-Za-z]{8}_[0-9A-Za-z]{43}")


@pytest.fixture
def olga():
    return make_user("olga")


@pytest.fixture
def club(olga):
    return make_community("harbour", owner=olga, name="Harbour Club", visibility="private")


@pytest.fixture
def owner(olga, club):
    client = Client()
    client.force_login(olga)
    return client


def at(name="tokens", *args):
    return reverse(f"organize:{name}", args=["harbour", *args])


def shown_in(response):
    return set(TOKEN.findall(response.content.decode()))


def test_an_owner_creates_a_token_that_is_shown_once_and_works(owner, club):
    make_series("cup", community="harbour")
    made = owner.post(at(), FORM)
    (text,) = shown_in(made)
    assert made["Cache-Control"].startswith("max-age=0, no-cache, no-store")
    example = f'curl --header "Authorization: Bearer {text}" "http://testserver/api/v1/communities/harbour/series/"'
    assert example in made.content.decode().replace("&quot;", '"')
    answer = Client(headers={"Authorization": f"Bearer {text}"}).get("/api/v1/communities/harbour/series/")
    assert [row["slug"] for row in answer.json()["results"]] == ["cup"]
    page = owner.get(at())
    assert shown_in(page) == set()
    said = Page(page).text
    assert "Club website" in said
    assert f"{text[:16]}…" in said
    assert " by olga" in said
    assert shown_in(owner.get(reverse("organize:community", args=["harbour"]))) == set()
    history = Page(owner.get(reverse("organize:community", args=["harbour"]))).text
    assert "olga created the API token Club website" in history


@pytest.mark.parametrize(("lifetime", "days"), [("30", 30), ("90", 90), ("365", 365), ("0", None)])
def test_a_token_expires_when_the_owner_says(owner, lifetime, days):
    owner.post(at(), {"name": "x", "lifetime": lifetime})
    token = ApiToken.objects.get()
    if days is None:
        assert token.expires_at is None
        assert "never expires" in Page(owner.get(at())).text
    else:
        assert abs(token.expires_at - timezone.now() - timedelta(days=days)) < timedelta(minutes=5)


def test_by_default_a_token_lasts_for_a_year(owner):
    assert owner.get(at()).context["form"]["lifetime"].value() == "365"


@pytest.mark.parametrize(
    "said", [{"name": ""}, {"lifetime": "7"}, {"lifetime": ""}, {"name": "a\u202eb"}, {"name": "x" * 81}]
)
def test_a_wrong_form_creates_nothing(owner, said):
    answer = owner.post(at(), FORM | said)
    assert answer.status_code == 422
    assert "errorlist" in answer.content.decode()
    assert not ApiToken.objects.exists()
    assert not AuditEntry.objects.filter(action="token.create").exists()


def test_sending_the_form_again_creates_no_second_token(owner):
    owner.post(at(), FORM)
    again = owner.post(at(), FORM | {"name": f" {FORM['name'].upper()} "})
    assert (again.status_code, shown_in(again)) == (422, set())
    assert "There is already a token for “CLUB WEBSITE”. If you did not copy it, revoke it" in Page(again).text
    assert ApiToken.objects.count() == 1
    # The name of a revoked token is free again.
    owner.post(at("token-revoke", ApiToken.objects.get().pk))
    assert len(shown_in(owner.post(at(), FORM))) == 1


def test_a_revoked_token_no_longer_works_and_says_so(owner):
    (text,) = shown_in(owner.post(at(), FORM))
    token = ApiToken.objects.get()
    assert "Club website" in Page(owner.get(at("token-revoke", token.pk))).text
    program = Client(headers={"Authorization": f"Bearer {text}"})
    assert program.get("/api/v1/communities/harbour/").status_code == 200
    assert "Revoked “Club website”" in Page(owner.post(at("token-revoke", token.pk), follow=True)).text
    refused = program.get("/api/v1/communities/harbour/")
    assert (refused.status_code, "was revoked on" in refused.json()["detail"]) == (401, True)
    # A second click changes nothing, and the history has one entry.
    owner.post(at("token-revoke", token.pk))
    assert AuditEntry.objects.filter(action="token.revoke").count() == 1
    assert "No longer valid" in Page(owner.get(at())).text


def test_only_owners_of_the_community_see_and_change_its_tokens(club):
    token, _ = create_token("harbour", name="Private name", lifetime=None)
    people = {name: make_user(name) for name in ("ida", "vera", "eve")}
    make_community("other", owner=people["eve"])
    set_role("harbour", people["ida"], "organizer")
    set_role("harbour", people["vera"], "viewer")
    paths = (at(), at("token-revoke", token.pk), reverse("organize:token-revoke", args=["other", token.pk]))
    for name, person in people.items():
        client = Client()
        client.force_login(person)
        for path in paths:
            for answer in (client.get(path), client.post(path, FORM)):
                # Eve cannot see this community, and its token is not one of hers; the others can see both communities.
                assert answer.status_code == (404 if name == "eve" else 403), (name, path)
                assert "Private name" not in answer.content.decode()
    token.refresh_from_db()
    assert token.revoked_at is None
    assert ApiToken.objects.count() == 1


def test_creating_and_revoking_need_a_fresh_confirmation(owner):
    token, _ = create_token("harbour", name="Old", lifetime=None)
    session = owner.session
    session[_CONFIRMED] = 0
    session.save()
    for path in (at(), at("token-revoke", token.pk)):
        answer = owner.post(path, FORM, headers={"Referer": f"http://testserver{path}"})
        assert (answer.status_code, answer["Location"].partition("?")[0]) == (302, reverse("account_reauthenticate"))
    assert ApiToken.objects.get().revoked_at is None
    assert owner.get(at()).status_code == 200


def test_a_community_has_a_limited_number_of_tokens_that_work(owner, olga, settings):
    settings.PODIUM_MAX_TOKENS = 2
    for name in ("one", "two"):
        assert owner.post(at(), {"name": name, "lifetime": "30"}).status_code == 200
    refused = owner.post(at(), FORM)
    assert refused.status_code == 422
    assert "This community has 2 working API tokens, the most that it can have." in Page(refused).text
    assert ApiToken.objects.count() == 2
    # Tokens that no longer work make room, and neither staff nor commands have a limit.
    revoke_token(ApiToken.objects.get(name="one").pk)
    ApiToken.objects.filter(name="two").update(expires_at=timezone.now())
    create_token("harbour", name="three", lifetime=None, actor=olga)
    create_token("harbour", name="four", lifetime=None, actor=olga)
    with pytest.raises(ContestError, match="the most that it can have"):
        create_token("harbour", name="five", lifetime=None, actor=olga)
    create_token("harbour", name="five", lifetime=None, actor=make_user("boss", is_staff=True))


def test_old_tokens_that_ended_are_forgotten(club):
    ended = timezone.now() - timedelta(days=1)
    ApiToken.objects.bulk_create(
        ApiToken(community=club, name="x", prefix=f"{i:08}", hashed_key="x", revoked_at=ended)
        for i in range(ENDED_KEPT + 5)
    )
    token, _ = create_token("harbour", name="new", lifetime=None)
    assert ApiToken.objects.valid(timezone.now()).get() == token
    assert ApiToken.objects.ended(timezone.now()).count() == ENDED_KEPT


def test_the_page_and_messages_name_tokens_of_former_owners(owner, club):
    bo = make_user("bo")
    set_role("harbour", bo, "owner")
    for name in ("one", "two"):
        create_token("harbour", name=name, lifetime=None, actor=bo)
    assert "not an owner" not in Page(owner.get(at())).text
    changed = owner.post(at("member-role", bo.pk), {"role": "viewer"}, follow=True)
    assert "bo has created 2 API tokens, which still work." in Page(changed).text
    removed = owner.post(at("member-remove", bo.pk), follow=True)
    assert (
        "bo has created 2 API tokens, which still work. Revoke those that bo may have a copy of." in Page(removed).text
    )
    assert "not an owner" in Page(owner.get(at())).text
    bo.delete()
    assert "by a deleted account" in Page(owner.get(at())).text
    assert ApiToken.objects.valid(timezone.now()).count() == 2


def test_the_message_about_a_single_token_speaks_of_one(owner, club):
    bo = make_user("bo")
    set_role("harbour", bo, "owner")
    create_token("harbour", name="one", lifetime=None, actor=bo)
    changed = owner.post(at("member-role", bo.pk), {"role": "viewer"}, follow=True)
    assert "bo has created an API token, which still works. Revoke it if bo may have a copy." in Page(changed).text


def test_deleting_a_community_deletes_its_tokens(club):
    _, text = create_token("harbour", name="x", lifetime=None)
    delete_community("harbour")
    assert not Community.objects.exists()
    assert not ApiToken.objects.exists()
    answer = Client(headers={"Authorization": f"Bearer {text}"}).get("/api/v1/series/")
    assert answer.status_code == 401


def test_the_page_takes_as_many_queries_for_many_tokens_as_for_few(owner, club, django_assert_num_queries):
    for size in (1, 15):
        for i in range(size):
            create_token("harbour", name=f"{size}-{i}", lifetime=None, actor=make_user())
        # session, user, community, right to it; owners, tokens, tokens that ended
        with django_assert_num_queries(7):
            owner.get(at())
