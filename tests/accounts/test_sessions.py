"""The list of sessions, signing out elsewhere, and the end of sessions with their account."""

import re

import pytest
from allauth.usersessions.models import UserSession
from django.contrib.sessions.models import Session
from django.test import Client
from django.urls import reverse

from tests.factories import make_user
from tests.pages import Page

pytestmark = pytest.mark.django_db

PASSWORD = "correct-horse-battery"
PAGE = "/accounts/sessions/"
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
SAFARI = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Safari/604.1"


def log_in(name="ida", agent=FIREFOX, address="192.0.2.1"):
    client = Client(REMOTE_ADDR=address, headers={"user-agent": agent})
    assert client.post(reverse("login"), {"login": name, "password": PASSWORD}).status_code == 302
    return client


def is_in(client):
    return client.get(reverse("account")).status_code == 200


@pytest.fixture
def ida():
    return make_user("ida")


@pytest.fixture
def three(ida):
    return log_in(), log_in(agent=SAFARI, address="2001:db8::7"), log_in(agent="<script>")


def test_the_list_names_browsers_and_addresses(three):
    page = three[0].get(PAGE)
    text = Page(page).text
    for words in ("Firefox on Linux", "this browser", "Safari on iOS", "2001:db8::7"):
        assert words in text
    assert "&lt;script&gt;" in page.content.decode()


def test_the_current_browser_is_first_and_the_others_follow_newest_first(three):
    rows = Page(three[1].get(PAGE)).tables[0][1:]
    browsers = [row[0].split(" Since ")[0] for row in rows]
    assert browsers == ["Safari on iOS this browser", "<script>", "Firefox on Linux"]
    assert all(re.search(r" Since \d{1,2} [A-Z][a-z]{2} 20\d\d", row[0]) for row in rows)


def test_one_browser_is_signed_out(three):
    own, other, _third = three
    session = UserSession.objects.get(session_key=other.session.session_key)
    own.post(PAGE, {"end": session.pk})
    assert [is_in(client) for client in three] == [True, False, True]


def test_all_others_are_signed_out(three):
    three[0].post(PAGE)
    assert [is_in(client) for client in three] == [True, False, False]


def test_signing_out_everywhere_includes_this_browser(three):
    answer = three[0].post(PAGE, {"end": "all"}, follow=True)
    assert Page(answer).headings == ["Log in"]
    assert [is_in(client) for client in three] == [False, False, False]


@pytest.mark.parametrize("end", ["0", "x", "-1", "9" * 30])
def test_nobody_can_end_sessions_of_others_and_odd_values_are_ignored(three, end):
    make_user("bo")
    bos = log_in("bo")
    foreign = UserSession.objects.get(session_key=bos.session.session_key)
    for value in (end, str(foreign.pk)):
        three[0].post(PAGE, {"end": value})
    assert is_in(bos)
    assert all(is_in(client) for client in three)


def test_sessions_end_when_the_account_is_switched_off_and_do_not_come_back(ida, three):
    ida.is_active = False
    ida.save()
    assert not any(is_in(client) for client in three)
    ida.is_active = True
    ida.save()
    assert not any(is_in(client) for client in three)


def test_sessions_end_with_the_account(ida, three):
    ida.delete()
    assert not any(is_in(client) for client in three)
    assert Session.objects.count() == 0


def test_an_account_that_is_switched_off_says_so_to_those_who_know_the_password(ida):
    ida.is_active = False
    ida.save()
    wrong, right = (
        Client().post(reverse("login"), {"login": "ida", "password": password}, follow=True)
        for password in ("wrong", PASSWORD)
    )
    assert "do not match" in Page(wrong).text
    assert Page(right).headings == ["Your account is deactivated"]
    assert "_auth_user_id" not in right.client.session
