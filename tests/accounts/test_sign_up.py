"""Sign-up: open to anyone, to people with an invitation, or to no one."""

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth import get_user_model
from django.contrib.auth.hashers import MD5PasswordHasher
from django.test import Client
from django.urls import reverse

from contests.models import Series
from contests.services.organizers import invite
from tests.factories import make_series, make_user
from tests.invitations import accept, show_invitation
from tests.pages import Page

pytestmark = pytest.mark.django_db

PASSWORD = "quay-and-harbour-7"
ACCOUNT = {"username": "bo", "email": "bo@example.org", "password1": PASSWORD, "password2": PASSWORD}


class CountingHasher(MD5PasswordHasher):
    """Counts how often a password is hashed."""

    algorithm = "counting-sign-ups"
    count = 0

    def encode(self, password, salt):
        CountingHasher.count += 1
        return super().encode(password, salt)


def names():
    return set(get_user_model().objects.values_list("username", flat=True))


def home_of_series():
    return reverse("organize:series", args=[Series.objects.get()])


def log_in(name, client=None):
    return (client or Client()).post(reverse("login"), {"login": name, "password": PASSWORD})


@pytest.fixture
def link():
    series = make_series("cup", organizer=make_user("ida"))
    return invite(series.pk, actor=series.organizers.get())[1]


@pytest.mark.parametrize("mode", ["invitation", "closed"])
def test_strangers_create_no_account_unless_the_site_is_open(settings, mode):
    settings.PODIUM_SIGN_UP = mode
    visitor = Client()
    assert "Accounts are by invitation only" in Page(visitor.get(reverse("account_signup"))).text
    visitor.post(reverse("account_signup"), ACCOUNT)
    assert names() == set()
    assert reverse("account_signup") not in visitor.get(reverse("login")).content.decode()


def test_on_an_open_site_an_account_works_after_its_address_is_verified(settings, mailbox):
    settings.PODIUM_SIGN_UP = "open"
    visitor = Client()
    assert Page(visitor.get(reverse("login"))).links["Create an account"] == reverse("account_signup")
    answer = visitor.post(reverse("account_signup"), ACCOUNT, follow=True)
    assert Page(answer).headings == ["Check your email"]
    assert "_auth_user_id" not in visitor.session
    assert log_in("bo")["Location"] == reverse("account_email_verification_sent"), "not yet"
    visitor.post(mailbox.link(0))
    assert log_in("bo")["Location"] == reverse("organize:home")
    assert log_in("BO@example.org")["Location"] == reverse("organize:home")


def test_an_address_that_has_an_account_is_not_revealed(settings, mailbox):
    settings.PODIUM_SIGN_UP = "open"
    settings.PASSWORD_HASHERS = ["tests.accounts.test_sign_up.CountingHasher"]
    ida = make_user("ida", email="ida@example.org")
    EmailAddress.objects.create(user=ida, email="ida@example.org", verified=True, primary=True)
    answers, counts = [], []
    for name, email in (("bo", "bo@example.org"), ("cy", "ida@example.org")):
        before = CountingHasher.count
        answer = Client().post(reverse("account_signup"), ACCOUNT | {"username": name, "email": email})
        answers.append((answer.status_code, answer["Location"], answer.content))
        counts.append(CountingHasher.count - before)
    assert answers[0] == answers[1]
    assert counts == [1, 1], "nor does the time reveal it"
    assert names() == {"ida", "bo"}
    assert mailbox.subjects == ["Verify your email address", "You already have an account"]
    assert mailbox.messages[1].to == ["ida@example.org"]


def test_without_mail_an_open_site_lets_people_in_at_once(settings, without_mail):
    settings.PODIUM_SIGN_UP = "open"
    visitor = Client()
    answer = visitor.post(reverse("account_signup"), ACCOUNT | {"email": ""})
    assert answer["Location"] == reverse("organize:home")
    visitor.post(reverse("logout"))
    assert log_in("bo")["Location"] == reverse("organize:home")


@pytest.mark.parametrize("mail", ["without_mail", "mailbox"])
def test_an_invitation_lets_people_in_at_once(request, link, mail):
    request.getfixturevalue(mail)
    visitor = Client()
    assert accept(visitor, link, ACCOUNT)["Location"] == home_of_series()
    assert visitor.get(home_of_series()).status_code == 200
    assert log_in("bo")["Location"] == reverse("organize:home"), "and next time"


def test_people_who_have_opened_an_invitation_may_use_the_sign_up_page_once(link, without_mail):
    visitor = Client()
    show_invitation(visitor, link)
    accepting = reverse("organize:invitation-accept")
    answer = visitor.post(f"{reverse('account_signup')}?next={accepting}", ACCOUNT | {"next": accepting})
    assert answer["Location"] == accepting
    accept(visitor, link)
    visitor.post(reverse("logout"))
    visitor.post(reverse("account_signup"), ACCOUNT | {"username": "cy", "email": ""})
    assert names() == {"ida", "bo"}


def test_a_closed_site_creates_no_account_by_invitation_but_lets_accounts_accept(link, settings):
    settings.PODIUM_SIGN_UP = "closed"
    visitor = Client()
    page = show_invitation(visitor, link)
    assert "You can’t create an account on this site" in Page(page).text
    assert 'name="password1"' not in page.content.decode()
    accept(visitor, link, ACCOUNT)
    assert names() == {"ida"}
    cy = Client()
    cy.force_login(make_user("cy"))
    assert accept(cy, link)["Location"] == home_of_series()


def test_existing_accounts_without_a_verified_address_are_not_locked_out(mailbox):
    for name, email in (("bo", ""), ("cy", "cy@example.org")):
        make_user(name, email=email, password=PASSWORD)
        assert log_in(name)["Location"] == reverse("organize:home"), name
    assert log_in("cy@example.org")["Location"] == reverse("organize:home")


def test_an_address_that_two_accounts_share_leads_to_the_one_that_verified_it(mailbox):
    bo = make_user("bo", email="x@example.org", password=PASSWORD)
    make_user("cy", email="x@example.org", password=PASSWORD)
    assert log_in("x@example.org").status_code == 200, "ambiguous"
    EmailAddress.objects.create(user=bo, email="x@example.org", verified=True, primary=True)
    client = Client()
    assert log_in("x@example.org", client).status_code == 302
    assert client.session["_auth_user_id"] == str(bo.pk)


def test_names_in_another_letter_case_find_the_account_and_exact_ones_win():
    upper, _lower = make_user("Bo", password=PASSWORD), make_user("cy", password=PASSWORD)
    assert log_in("bo").status_code == log_in("CY").status_code == 302
    lower = make_user("bo", password=PASSWORD)
    for user in (upper, lower):
        client = Client()
        log_in(user.username, client)
        assert client.session["_auth_user_id"] == str(user.pk)
    assert log_in("BO").status_code == 200, "ambiguous"
