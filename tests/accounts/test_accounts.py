"""The account page, and changes of name, email address and password."""

from urllib.parse import urlsplit

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth import get_user_model
from django.core import mail
from django.test import Client
from django.urls import reverse

from contests.services.organizers import invite
from tests.factories import make_series, make_user
from tests.invitations import accept
from tests.pages import Page

pytestmark = pytest.mark.django_db

PASSWORD, NEW = "correct-horse-battery", "quay-and-harbour-7"
NEW_TWICE = {"password1": NEW, "password2": NEW}


@pytest.fixture
def ida():
    return make_user("ida", email="ida@example.org")


@pytest.fixture
def own(client, ida):
    client.force_login(ida)
    return client


def confirm(client, password=PASSWORD):
    return client.post(reverse("account_reauthenticate"), {"password": password})


def test_people_change_their_name(own, ida):
    page = own.get(reverse("account"))
    assert "Your username is ida." in Page(page).text
    assert own.post(reverse("account"), {"name": "Ida Quay"}).status_code == 302
    assert own.post(reverse("account"), {"name": "<b\0>"}).status_code == 422
    ida.refresh_from_db()
    assert ida.first_name == "Ida Quay"


def test_a_new_email_address_needs_the_password_and_takes_effect_when_it_is_verified(own, ida, mailbox):
    change = {"email": "New@Example.org", "action_add": ""}
    asked = own.post(reverse("account_email"), change)
    assert asked["Location"].startswith(reverse("account_reauthenticate"))
    assert confirm(own, "wrong").status_code == 200
    assert confirm(own).status_code == 302
    own.post(reverse("account_email"), change)
    ida.refresh_from_db()
    assert ida.email == "ida@example.org", "not yet"
    assert [message.to for message in mailbox.messages] == [["new@example.org"]]
    assert "Is new@example.org the email address" in Page(own.get(mailbox.link())).text
    own.post(mailbox.link(0))
    ida.refresh_from_db()
    assert ida.email == "new@example.org"
    assert list(EmailAddress.objects.values_list("email", "verified")) == [("new@example.org", True)]
    assert mailbox.messages[-1].to == ["ida@example.org"], "the old address gets a warning"
    assert "from ida@example.org to new@example.org" in " ".join(mailbox.messages[-1].body.split())


def test_without_mail_a_new_address_takes_effect_at_once(own, ida, without_mail):
    confirm(own)
    own.post(reverse("account_email"), {"email": "new@example.org", "action_add": ""})
    ida.refresh_from_db()
    assert ida.email == "new@example.org"
    assert "cannot verify the address" in Page(own.get(reverse("account_email"))).text
    assert mail.outbox == []
    own.post(reverse("account_email"), {"email": "new@example.org", "action_remove": ""})
    ida.refresh_from_db()
    assert ida.email == ""


def test_another_account_cannot_take_over_a_verified_address(own, ida, mailbox):
    bo = make_user("bo", email="bo@example.org")
    EmailAddress.objects.create(user=bo, email="bo@example.org", verified=True, primary=True)
    confirm(own)
    own.post(reverse("account_email"), {"email": "bo@example.org", "action_add": ""})
    assert EmailAddress.objects.filter(user=ida, verified=True).count() == 0
    for message in mailbox.messages:
        own.post(mailbox.link(mailbox.messages.index(message)))
    assert EmailAddress.objects.get(email="bo@example.org", verified=True).user == bo


def test_guesses_of_the_password_in_an_open_browser_are_limited(own, ida):
    wrong = [
        (reverse("account_reauthenticate"), {"password": "wrong"}),
        (reverse("account_change_password"), {"oldpassword": "wrong", **NEW_TWICE}),
    ]
    statuses = [own.post(*wrong[number % 2]).status_code for number in range(11)]
    assert statuses == [200] * 10 + [429], "both count together"
    ida.refresh_from_db()
    assert ida.check_password(PASSWORD)


def test_changing_the_password_needs_the_current_one_and_logs_out_other_browsers(own, ida):
    other = Client()
    other.force_login(ida)
    page = reverse("account_change_password")
    refused = own.post(page, {"oldpassword": "wrong", **NEW_TWICE})
    assert "Enter your current password" in Page(refused).text
    weak = own.post(page, {"oldpassword": PASSWORD, "password1": "12345678", "password2": "12345678"})
    assert "too common" in Page(weak).text
    changed = own.post(page, {"oldpassword": PASSWORD, **NEW_TWICE}, follow=True)
    assert "Your password has been changed" in Page(changed).text
    assert own.get(reverse("account")).status_code == 200
    assert other.get(reverse("account")).status_code == 302
    ida.refresh_from_db()
    assert ida.check_password(NEW)


def test_a_link_by_mail_leads_to_a_new_password_once(client, ida, mailbox):
    client.post(reverse("account_reset_password"), {"email": "IDA@example.org"})
    assert mailbox.messages[0].to == ["ida@example.org"]
    link = mailbox.link()
    form = client.get(link, follow=True)
    assert "set-password" in form.request["PATH_INFO"], "the secret is out of the address"
    done = client.post(form.request["PATH_INFO"], NEW_TWICE, follow=True)
    assert "Log in with the new one" in Page(done).text
    ida.refresh_from_db()
    assert ida.check_password(NEW)
    assert "has expired or has already been used" in Page(Client().get(link, follow=True)).text


def test_addresses_of_older_accounts_match_in_any_case_but_similar_letters_do_not(mailbox):
    make_user("mike", email="Mike@Example.org", password=PASSWORD)
    for typed, found in (
        ("mike@example.org", True),
        ("m\u0131ke@example.org", False),
        ("m\u0130ke@example.org", False),
    ):
        mail.outbox.clear()
        Client().post(reverse("account_reset_password"), {"email": typed})
        assert [message.to for message in mail.outbox] == ([["mike@example.org"]] if found else []), typed
        answer = Client().post(reverse("login"), {"login": typed, "password": PASSWORD})
        assert answer.status_code == (302 if found else 200), typed


@pytest.mark.parametrize(
    ("email", "status"),
    # A valid address gets the same answer whether anyone has it or not.
    [("nobody@example.org", 302), ("inactive@example.org", 302), ("not an address", 200), ("a\0b@example.org", 200)],
)
def test_no_mail_goes_to_others(ida, email, status, mailbox):
    make_user("bo", email="inactive@example.org", is_active=False)
    assert Client().post(reverse("account_reset_password"), {"email": email}).status_code == status
    assert mail.outbox == []


def test_the_answer_is_the_same_whether_or_not_there_is_such_an_account(settings, ida, django_assert_num_queries):
    settings.PODIUM_SENDS_MAIL = True
    answers = []
    for email in ("ida@example.org", "nobody@example.org"):
        with django_assert_num_queries(0):  # the table of accounts is not even queried
            answer = Client().post(reverse("account_reset_password"), {"email": email})
        answers.append((answer.status_code, answer["Location"], answer.content))
    assert answers[0] == answers[1]
    assert "If an account has this email address" in Page(Client().get(answers[0][1])).text
    assert mail.outbox == [], "a worker sends it"


def test_a_worker_sends_the_link(settings, transactional_db, worker):
    settings.PODIUM_SENDS_MAIL = True
    Client().post(reverse("account_reset_password"), {"email": "nobody@example.org"})
    worker.wait_for("Task podium.send_password_reset")
    worker.wait_for("succeeded")


def test_asking_for_links_has_limits(settings, ida):
    settings.PODIUM_SENDS_MAIL = True
    address = reverse("account_reset_password")
    for number in range(3):
        assert Client().post(address, {"email": "ida@example.org"}, REMOTE_ADDR=f"192.0.2.{number}").status_code == 302
    assert Client().post(address, {"email": "Ida@Example.org"}, REMOTE_ADDR="203.0.113.1").status_code == 429
    for number in range(10):
        assert Client().post(address, {"email": f"{number}@example.org"}).status_code == 302
    refused = Client().post(address, {"email": "other@example.org"})
    assert refused.status_code == 429
    assert 0 < int(refused["Retry-After"]) <= 3600


def test_a_site_without_mail_explains_whom_to_ask(ida, without_mail):
    page = Client().get(reverse("account_reset_password"))
    text = Page(page).text
    assert "Ask the site administrators" in text
    assert "admin pages" not in text
    assert 'name="email"' not in page.content.decode()
    Client().post(reverse("account_reset_password"), {"email": "ida@example.org"})
    assert mail.outbox == []


@pytest.mark.parametrize("old", ["/account/password/", "/accounts/reset/", "/accounts/reset/MQ/abc-123/"])
def test_addresses_of_earlier_versions_redirect(own, old):
    answer = own.get(old, follow=True)
    assert answer.status_code == 200
    assert answer.redirect_chain


def test_the_admin_changes_passwords_on_our_own_page(client):
    client.force_login(make_user("boss", is_staff=True))
    answer = client.get(reverse("admin:password_change"))
    assert urlsplit(answer["Location"]).path == reverse("account_change_password")


def test_an_invitation_asks_for_an_address_that_may_be_left_out(ida):
    series = make_series("cup", organizer=ida)
    for name, said in (("bo", {"email": "bo@example.org"}), ("cy", {})):
        link = invite(series.pk, actor=ida)[1]
        accept(Client(), link, {"username": name, "password1": NEW, "password2": NEW, **said})
    found = dict(get_user_model().objects.filter(username__in=["bo", "cy"]).values_list("username", "email"))
    assert found == {"bo": "bo@example.org", "cy": ""}


def test_pages_of_accounts_are_not_stored(own):
    for name in ("account_email", "mfa_index", "usersessions_list", "login"):
        assert "no-store" in own.get(reverse(name))["Cache-Control"], name
