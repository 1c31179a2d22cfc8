"""Limits on logins: guesses are refused before a password is checked, and the owner is not locked out."""

import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.hashers import MD5PasswordHasher
from django.test import Client
from django.urls import reverse

from contests.services.organizers import invite
from tests.factories import make_series, make_user
from tests.invitations import accept
from tests.pages import Page
from tests.processes import Visitor

pytestmark = pytest.mark.django_db

PASSWORD = "correct-horse-battery"
PER_ACCOUNT, PER_ADDRESS = 10, 30


class CountingHasher(MD5PasswordHasher):
    """Counts how often a password is hashed."""

    algorithm = "counting"
    count = 0

    def encode(self, password, salt):
        CountingHasher.count += 1
        return super().encode(password, salt)


@pytest.fixture(autouse=True)
def hashed(settings):
    settings.PASSWORD_HASHERS = ["tests.accounts.test_login_limits.CountingHasher"]
    CountingHasher.count = 0
    return lambda: CountingHasher.count


@pytest.fixture
def ida():
    return make_user("ida", is_staff=True, is_superuser=True)


def attempt(client, name="ida", password="wrong", address="192.0.2.1", **more):
    return client.post(reverse("login"), {"login": name, "password": password, **more}, REMOTE_ADDR=address)


def used_up(name="ida", *, left=PER_ACCOUNT):
    """Try as often as one account allows, each time from another address."""
    for number in range(left):
        assert attempt(Client(), name, address=f"198.51.100.{number}").status_code == 200


def test_an_account_beyond_its_limit_is_refused_before_any_hashing_even_with_the_right_password(ida, hashed):
    used_up()
    before = hashed()
    for password in ("wrong", PASSWORD):
        refused = attempt(Client(), password=password, address="203.0.113.1")
        assert refused.status_code == 429
        assert 0 < int(refused["Retry-After"]) <= 15 * 60
        assert "_auth_user_id" not in refused.client.session
    page = Page(refused)
    assert page.headings == ["Too many attempts"]
    assert "Try again in" in page.text
    assert hashed() == before
    assert attempt(Client(), "bo", address="203.0.113.1").status_code == 200, "other accounts are not affected"


@pytest.mark.parametrize("name", ["IDA", " ida ", "ｉｄａ"])
def test_another_spelling_of_the_name_is_the_same_account(ida, name):
    used_up()
    assert attempt(Client(), name, address="203.0.113.1").status_code == 429


def test_each_attempt_hashes_one_password_so_that_its_time_reveals_nothing(hashed):
    make_user("ida", email="ida@example.org")
    counts = []
    for name in ("ida", "IDA", "ida@example.org", "nobody", "nobody@example.org"):
        before = hashed()
        attempt(Client(), name)
        counts.append(hashed() - before)
    assert counts == [1] * 5


def test_name_and_email_address_of_an_account_count_together(ida):
    ida.email = "ida@example.org"
    ida.save()
    used_up(left=PER_ACCOUNT - 1)
    assert attempt(Client(), "Ida@Example.org", address="203.0.113.1").status_code == 200
    assert attempt(Client(), address="203.0.113.2").status_code == 429


def test_an_unknown_name_is_limited_in_the_same_way(ida):
    used_up("nobody")
    assert attempt(Client(), "nobody", address="203.0.113.1").status_code == 429


@pytest.mark.parametrize(
    "addresses", [["192.0.2.1"], [f"2001:db8:0:1::{number:x}" for number in range(1, 100)]], ids=["IPv4", "IPv6"]
)
def test_an_address_that_tries_many_accounts_is_refused(ida, hashed, addresses):
    for number in range(PER_ADDRESS):
        address = addresses[number % len(addresses)]
        assert attempt(Client(), f"user{number}", address=address).status_code == 200
    before = hashed()
    assert attempt(Client(), "ida", PASSWORD, address=addresses[-1]).status_code == 429
    assert hashed() == before
    assert attempt(Client(), "ida", PASSWORD, address="2001:db8:0:2::1").status_code == 302


def test_forged_headers_do_not_change_the_address(ida):
    for number in range(PER_ADDRESS):
        attempt(Client(headers={"x-forwarded-for": f"198.51.100.{number}"}), f"user{number}")
    assert attempt(Client(headers={"x-forwarded-for": "203.0.113.5"}), "ida", PASSWORD).status_code == 429


def test_behind_a_trusted_proxy_each_client_is_counted(ida, settings):
    settings.PODIUM_TRUSTED_PROXIES = 1
    for number in range(PER_ADDRESS + 1):
        refused = attempt(Client(headers={"x-forwarded-for": f"{number}.0.0.1, 203.0.113.5"}), f"user{number}")
    assert refused.status_code == 429
    assert attempt(Client(headers={"x-forwarded-for": "203.0.113.6"}), "ida", PASSWORD).status_code == 302


def test_strangers_do_not_keep_the_owner_out_of_a_browser_that_was_used_before(ida):
    owner = Client()
    assert attempt(owner, password=PASSWORD).status_code == 302
    owner.post(reverse("logout"))
    used_up(left=PER_ACCOUNT - 1)
    assert attempt(Client(), password=PASSWORD, address="203.0.113.9").status_code == 429
    assert attempt(owner, password=PASSWORD).status_code == 302


def test_a_known_browser_has_a_limit_of_its_own_and_is_not_known_to_other_accounts(ida):
    owner = Client()
    attempt(owner, password=PASSWORD, address="198.51.100.200")
    owner.post(reverse("logout"))
    for name in ("ida", "bo"):
        statuses = [attempt(owner, name, address=f"198.51.100.{n}").status_code for n in range(PER_ACCOUNT + 1)]
        assert statuses == [200] * PER_ACCOUNT + [429], name
    assert attempt(Client(), "bo", address="203.0.113.9").status_code == 429, "bo's attempts were a stranger's"
    assert attempt(Client(), "ida", PASSWORD, address="203.0.113.9").status_code == 302, "ida's were not"


def test_a_forged_cookie_does_not_make_a_browser_known(ida):
    used_up()
    forger = Client()
    for value in ("x", "ida:1", "a" * 5000, "\u00e9"):
        forger.cookies["podium_device"] = value
        assert attempt(forger, password=PASSWORD, address="203.0.113.9").status_code == 429


def test_the_admin_takes_no_passwords_of_its_own(ida, hashed):
    login, index = reverse("admin:login"), reverse("admin:index")
    visitor = Client()
    for answer in (
        visitor.get(login, {"next": index}),
        visitor.post(login, {"login": "ida", "password": PASSWORD, "next": index}),
    ):
        assert answer["Location"].startswith(f"{reverse('login')}?next=")
    assert "_auth_user_id" not in visitor.session
    page = visitor.get(index, follow=True)
    assert page.request["PATH_INFO"] == reverse("login")
    assert attempt(visitor, password=PASSWORD, next=index)["Location"] == index
    assert visitor.get(index).status_code == 200


def test_an_invitation_allows_a_limited_number_of_tries(ida, hashed):
    link = invite(make_series("cup", organizer=ida).pk, actor=ida)[1]
    for _ in range(20):
        assert accept(Client(), link, {"username": "ida", "password1": "x"}).status_code == 422
    before = hashed()
    answer = accept(Client(), link, {"username": "bo", "password1": "quay-and-7", "password2": "quay-and-7"})
    assert answer.status_code == 429
    assert hashed() == before
    assert not get_user_model().objects.filter(username="bo").exists()


@pytest.mark.parametrize("name", ["", "x" * 10_000, "a\0b", "ü"])
def test_odd_names_cause_no_server_error(name):
    assert attempt(Client(), name).status_code == 200


@pytest.mark.one_database
def test_two_processes_count_together(sites):
    """Each process of a real site has its own memory, so they count attempts in Redis."""
    visitors = [Visitor(sites()), Visitor(sites())]
    for visitor in visitors:
        visitor.get(reverse("login"))
    statuses = [visitors[n % 2].post(reverse("login"), login="eve", password="wrong")[0] for n in range(11)]
    assert statuses == [200] * PER_ACCOUNT + [429]
