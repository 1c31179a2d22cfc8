"""The account page, and password changes and resets."""

import re

import pytest
from django.contrib.auth import get_user_model
from django.core import mail
from django.test import Client
from django.urls import reverse

from accounts.tasks import send_password_reset
from contests.services.organizers import invite
from tests.factories import make_series, make_user
from tests.pages import Page

pytestmark = pytest.mark.django_db

PASSWORD, NEW = "correct-horse-battery", "quay-and-harbour-7"


@pytest.fixture
def ida():
    return make_user("ida", email="ida@example.org")


@pytest.fixture
def own(client, ida):
    client.force_login(ida)
    return client


def test_people_change_their_name_and_with_their_password_their_address(own, ida):
    page = own.get(reverse("account"))
    assert "Your username is ida." in Page(page).text
    assert own.post(reverse("account"), {"name": "Ida Quay", "email": "ida@example.org"}).status_code == 302
    for password in ("", "wrong"):
        refused = own.post(reverse("account"), {"name": "Ida", "email": "eve@example.org", "password": password})
        assert refused.status_code == 422
        assert "Enter your current password" in Page(refused).text
    own.post(reverse("account"), {"name": "Ida", "email": "new@example.org", "password": PASSWORD})
    ida.refresh_from_db()
    assert (ida.first_name, ida.email) == ("Ida", "new@example.org")


def test_an_open_browser_is_no_place_to_try_passwords(own, ida):
    for address, said in (
        (reverse("account"), {"email": "eve@example.org", "password": "wrong"}),
        (reverse("password-change"), {"old_password": "wrong", "new_password1": NEW, "new_password2": NEW}),
    ):
        statuses = [own.post(address, said).status_code for _ in range(11)]
        assert statuses[-1] == 429
    assert own.post(reverse("account"), {"name": "I", "email": "ida@example.org"}).status_code == 302
    ida.refresh_from_db()
    assert ida.check_password(PASSWORD)


def test_changing_the_password_needs_the_current_one_and_logs_out_other_browsers(own, ida):
    other = Client()
    other.force_login(ida)
    said = {"old_password": PASSWORD, "new_password1": NEW, "new_password2": NEW}
    weak = own.post(reverse("password-change"), said | {"new_password1": "12345678", "new_password2": "12345678"})
    assert "too common" in Page(weak).text
    changed = own.post(reverse("password-change"), said, follow=True)
    assert "Your password has been changed" in Page(changed).text
    assert own.get(reverse("account")).status_code == 200
    assert other.get(reverse("account")).status_code == 302
    ida.refresh_from_db()
    assert ida.check_password(NEW)


def link_in(message):
    return re.search(r"http://testserver(/accounts/reset/\S+)", message.body)[1]


def test_a_link_by_mail_leads_to_a_new_password_once(client, ida):
    send_password_reset("IDA@example.org", "http://testserver/", "en")
    (message,) = mail.outbox
    assert message.to == ["ida@example.org"]
    link = link_in(message)
    form = client.get(link, follow=True)
    assert "set-password" in form.request["PATH_INFO"], "the secret is out of the address"
    done = client.post(form.request["PATH_INFO"], {"new_password1": NEW, "new_password2": NEW}, follow=True)
    assert "Log in with the new one" in Page(done).text
    ida.refresh_from_db()
    assert ida.check_password(NEW)
    assert "has expired or has already been used" in Page(Client().get(link, follow=True)).text


@pytest.mark.parametrize("email", ["nobody@example.org", "not an address", "inactive@example.org"])
def test_no_mail_goes_to_others(ida, email):
    make_user("bo", email="inactive@example.org", is_active=False)
    send_password_reset(email, "http://testserver/", "en")
    assert mail.outbox == []


def test_the_answer_is_the_same_whether_there_is_such_an_account(settings, ida, django_assert_num_queries):
    settings.PODIUM_SENDS_MAIL = True
    answers = []
    for email in ("ida@example.org", "nobody@example.org"):
        with django_assert_num_queries(0):  # the table of accounts is not even asked
            answer = Client().post(reverse("password-reset"), {"email": email})
        answers.append((answer.status_code, answer["Location"], answer.content))
    assert answers[0] == answers[1]
    assert "If an account has this email address" in Page(Client().get(answers[0][1])).text
    assert mail.outbox == [], "a worker sends it"


def test_a_worker_sends_the_link(settings, transactional_db, worker):
    settings.PODIUM_SENDS_MAIL = True
    Client().post(reverse("password-reset"), {"email": "nobody@example.org"})
    worker.wait_for("Task podium.send_password_reset")
    worker.wait_for("succeeded")


def test_asking_for_links_has_limits(settings, ida):
    settings.PODIUM_SENDS_MAIL = True
    address = reverse("password-reset")
    for number in range(3):
        assert Client().post(address, {"email": "ida@example.org"}, REMOTE_ADDR=f"192.0.2.{number}").status_code == 302
    assert Client().post(address, {"email": "Ida@Example.org"}, REMOTE_ADDR="203.0.113.1").status_code == 429
    for number in range(10):
        assert Client().post(address, {"email": f"{number}@example.org"}).status_code == 302
    refused = Client().post(address, {"email": "other@example.org"})
    assert refused.status_code == 429
    assert 0 < int(refused["Retry-After"]) <= 3600


def test_a_site_without_mail_explains_whom_to_ask(settings, ida):
    settings.PODIUM_SENDS_MAIL = False
    for answer in (
        Client().get(reverse("password-reset")),
        Client().post(reverse("password-reset"), {"email": "ida@example.org"}),
    ):
        assert "Ask the site administrators" in Page(answer).text
        assert 'name="email"' not in answer.content.decode()


def test_an_invitation_asks_for_an_address_that_may_be_left_out(ida):
    series = make_series("cup", organizer=ida)
    for name, said in (("bo", {"email": "bo@example.org"}), ("cy", {})):
        link = reverse("organize:invitation", args=[invite(series.pk, actor=ida)[1]])
        Client().post(link, {"username": name, "password1": NEW, "password2": NEW, **said})
    found = dict(get_user_model().objects.filter(username__in=["bo", "cy"]).values_list("username", "email"))
    assert found == {"bo": "bo@example.org", "cy": ""}
