"""Dangerous acts need a login or a confirmation within the last quarter of an hour; what was typed is kept."""

import time

import pytest
from django.test import Client
from django.urls import reverse

from contests.changes.base import token_of
from contests.changes.of_contests import DeleteContest
from contests.models import Contest, Invitation
from contests.services.communities import set_role
from contests.services.organizers import invite
from tests.factories import make_contest, make_series, make_user, rate
from tests.pages import Page

pytestmark = pytest.mark.django_db

PASSWORD = "correct-horse-battery"
HERE = {"origin": "http://testserver"}


@pytest.fixture
def ida():
    return make_user("ida")


@pytest.fixture
def series(ida):
    series = make_series("cup", organizer=ida)
    for day in (0, 7):
        make_contest(series, players=4, day=day)
        rate(series)
    return series


@pytest.fixture
def own(ida, series):
    client = Client()
    client.force_login(ida)
    return client


def grow_old(client, seconds=901):
    session = client.session
    session["podium_confirmed_at"] = time.time() - seconds
    session.save()


def post(client, page, fields, action=""):
    client.get(page)
    grow_old(client)
    return client.post(action or page, fields, headers={**HERE, "referer": f"http://testserver{page}"})


def confirm(client, answer):
    assert answer["Location"].startswith(f"{reverse('account_reauthenticate')}?next=")
    asked = client.get(answer["Location"])
    assert Page(asked).headings == ["Confirm that it’s you"]
    fields = {"next": asked.context["redirect_field_value"]}
    assert Page(asked).links["Cancel"] == fields["next"]
    assert client.post(answer["Location"], {**fields, "password": "wrong"}).status_code == 200
    return client.post(answer["Location"], {**fields, "password": PASSWORD}, follow=True)


def test_a_roll_back_waits_for_a_confirmation_and_keeps_the_reason(own, series):
    page = reverse("organize:run-roll-back", args=[series, 1])
    back = confirm(own, post(own, page, {"reason": "wrong <b>scores</b>"}))
    assert back.request["PATH_INFO"] == page
    assert "Thank you for confirming. Nothing has been saved yet." in Page(back).text
    assert "wrong &lt;b&gt;scores&lt;/b&gt;" in back.content.decode()
    assert series.runs.count() == 2, "nothing is carried out"
    assert own.post(page, {"reason": "wrong scores"}).status_code == 302
    assert series.runs.count() == 3


def test_no_one_who_did_not_confirm_is_thanked_for_it(own, series, ida):
    set_role(series.community_id, ida, "owner")
    tokens, members = (reverse(f"organize:{name}", args=[series.community_id]) for name in ("tokens", "members"))
    invite_member = reverse("organize:member-invitations", args=[series.community_id])
    for page, fields, action in (
        (tokens, {"name": "Club website"}, ""),
        (members, {"role": "viewer", "note": "Bo, timekeeper"}, invite_member),
    ):
        own.get(post(own, page, fields, action)["Location"])
        again = own.get(page)
        text = Page(again).text
        assert "Thank you for confirming" not in text
        assert "Nothing was saved. Your entries are below: check them and submit the form again." in text
        assert f'value="{list(fields.values())[-1]}"' in again.content.decode(), "what was typed is kept"
        back = confirm(own, post(own, page, fields, action))
        assert "Thank you for confirming. Nothing has been saved yet. Your entries are below" in Page(back).text
        assert f'value="{list(fields.values())[-1]}"' in back.content.decode(), "also if it was sent twice"


def test_a_deletion_waits_for_a_confirmation(own, series):
    draft = make_contest(series, players=2, day=20, finalized=False)
    page = reverse("organize:contest-delete", args=[draft.pk])
    answer = post(own, page, {"reason": "entered twice"})
    assert Contest.objects.get(pk=draft.pk).state == "draft"
    assert "entered twice" in confirm(own, answer).content.decode()
    own.post(page, {"reason": "entered twice"})
    assert not Contest.objects.filter(pk=draft.pk, state="draft").exists()


def test_the_deletion_of_a_finalized_contest_waits_too(own, series):
    contest = series.contests.first()
    proposal = DeleteContest(contest.pk, contest.version, reason="entered twice")
    page = f"{reverse('organize:change')}?change={token_of(proposal)}"
    back = confirm(own, post(own, page, {}))
    assert back.request["PATH_INFO"] == reverse("organize:change")
    contest.refresh_from_db()
    assert contest.state == "finalized"
    own.post(page)
    contest.refresh_from_db()
    assert contest.state == "deleted"


@pytest.mark.parametrize(("name", "fields"), [("organizers", {"username": "bo"}), ("invitations", {"note": "for Bo"})])
def test_rights_wait_for_a_confirmation(own, series, name, fields):
    make_user("bo")
    page = reverse("organize:organizers", args=[series])
    back = confirm(own, post(own, page, fields, action=reverse(f"organize:{name}", args=[series])))
    assert back.request["PATH_INFO"] == page
    assert f'value="{next(iter(fields.values()))}"' in back.content.decode()
    assert series.organizers.count() == 1
    assert not Invitation.objects.exists()


def test_removals_and_withdrawals_wait_too(own, series, ida):
    bo = make_user("bo")
    series.organizers.add(bo)
    invitation, _token = invite(series.pk, actor=ida)
    for path in (
        reverse("organize:organizer-remove", args=[series, bo.pk]),
        reverse("organize:invitation-withdraw", args=[invitation.pk]),
    ):
        grow_old(own)
        assert own.post(path)["Location"].startswith(reverse("account_reauthenticate")), path
    invitation.refresh_from_db()
    assert invitation.withdrawn_at is None
    assert bo in series.organizers.all()


def test_a_login_counts_as_a_confirmation_for_a_quarter_of_an_hour(series):
    client = Client()
    client.post(reverse("login"), {"login": "ida", "password": PASSWORD})
    page = reverse("organize:organizers", args=[series])
    assert client.post(page, {"username": "nobody"}).status_code == 422
    grow_old(client, 890)
    assert client.post(page, {"username": "nobody"}).status_code == 422
    grow_old(client)
    assert client.post(page, {"username": "nobody"}).status_code == 302


def test_a_confirmation_of_one_account_does_not_count_for_another(own, series):
    page = reverse("organize:organizers", args=[series])
    answer = post(own, page, {"username": "secret-guest"})
    bo = make_user("bo")
    series.organizers.add(bo)
    own.force_login(bo)
    assert "secret-guest" not in own.get(page).content.decode()
    assert answer.status_code == 302


def test_no_page_leads_out_of_the_site(own):
    address = f"{reverse('account_reauthenticate')}?next=https://evil.example/"
    assert Page(own.get(address)).links["Cancel"] == reverse("account")
    answer = own.post(address, {"password": PASSWORD})
    assert answer["Location"] == reverse("organize:home")
