"""Signing in with GitHub and Google up to the creation of the account, with stand-ins for both on this machine."""

from __future__ import annotations

import pytest
from allauth.account.models import EmailAddress
from allauth.socialaccount.models import SocialAccount
from allauth.socialaccount.providers import registry
from allauth.socialaccount.providers.github.provider import GitHubProvider
from allauth.socialaccount.providers.github.views import GitHubOAuth2Adapter
from allauth.socialaccount.providers.google.provider import GoogleProvider
from allauth.socialaccount.providers.google.views import GoogleOAuth2Adapter
from django.contrib.auth import get_user_model
from django.test import Client
from django.urls import reverse

from tests.accounts.provider import CLIENT, OAuthProvider
from tests.factories import make_user
from tests.pages import Page

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.accounts.provider_urls")]


@pytest.fixture(params=["github", "google"])
def provider(request, settings, monkeypatch):
    provider = OAuthProvider(request.param)
    monkeypatch.setattr(registry, "provider_map", dict(registry.provider_map))
    for kind in (GitHubProvider, GoogleProvider):
        registry.register(kind)
    for adapter in (GitHubOAuth2Adapter, GoogleOAuth2Adapter):
        monkeypatch.setattr(adapter, "access_token_url", f"{provider.address}/token")
    monkeypatch.setattr(GitHubOAuth2Adapter, "profile_url", f"{provider.address}/user")
    monkeypatch.setattr(GitHubOAuth2Adapter, "emails_url", f"{provider.address}/user/emails")
    settings.SOCIALACCOUNT_PROVIDERS = {name: {"APPS": [CLIENT]} for name in ("github", "google")}
    settings.PODIUM_SIGN_UP = "open"
    yield provider
    provider.close()


def come_back(client, provider):
    """Log in at the provider, and follow the redirects of the site."""
    asked = client.post(f"/accounts/{provider.name}/login/")
    assert asked.status_code == 302
    return client.get(provider.log_in(asked["Location"]), follow=True)


def names():
    return set(get_user_model().objects.values_list("username", flat=True))


def test_a_verified_address_of_the_provider_is_enough_and_the_next_login_finds_the_account(provider, mailbox):
    client, again = Client(), Client()
    for each in (client, again):
        assert come_back(each, provider).request["PATH_INFO"] == reverse("organize:home")
    assert again.session["_auth_user_id"] == client.session["_auth_user_id"]
    (account,) = SocialAccount.objects.values_list("provider", "uid")
    assert account == (provider.name, "4711")
    assert list(EmailAddress.objects.values_list("email", "verified")) == [("kim@example.org", True)]
    assert mailbox.subjects == []


def test_an_address_that_the_provider_has_not_verified_is_verified_here_first(provider, mailbox):
    provider.is_verified = False
    client = Client()
    assert Page(come_back(client, provider)).headings == ["Check your email"]
    assert "_auth_user_id" not in client.session
    client.post(mailbox.link(0))
    come_back(client, provider)
    assert "_auth_user_id" in client.session


def test_without_an_address_the_site_asks_for_one_if_it_sends_mail(provider, mailbox):
    provider.email = ""
    client = Client()
    back = come_back(client, provider)
    assert back.request["PATH_INFO"] == reverse("socialaccount_signup")
    assert names() == set()
    client.post(reverse("socialaccount_signup"), {"username": "kim", "email": "kim@example.org"})
    assert "_auth_user_id" not in client.session, "a typed address is not verified"
    assert mailbox.subjects == ["Verify your email address"]


def test_without_mail_an_account_needs_no_address(provider, without_mail):
    provider.email = ""
    client = Client()
    come_back(client, provider)
    assert "_auth_user_id" in client.session
    assert not EmailAddress.objects.exists()


@pytest.mark.parametrize("is_verified", [False, True])
def test_the_address_of_an_existing_account_does_not_take_it_over(provider, mailbox, is_verified):
    provider.is_verified = is_verified
    ida = make_user("ida", email="KIM@example.org")
    EmailAddress.objects.create(user=ida, email="kim@example.org", verified=True, primary=True)
    client = Client()
    come_back(client, provider)
    client.post(reverse("socialaccount_signup"), {"username": "kim", "email": "kim@example.org"})
    come_back(client, provider)
    assert "_auth_user_id" not in client.session
    assert not SocialAccount.objects.filter(user=ida).exists()
    assert list(EmailAddress.objects.filter(email__iexact="kim@example.org", verified=True)) == list(
        EmailAddress.objects.filter(user=ida)
    )
    ida.refresh_from_db()
    assert (ida.email, ida.check_password("correct-horse-battery")) == ("KIM@example.org", True)


@pytest.mark.parametrize("mode", ["invitation", "closed"])
def test_strangers_get_no_account_if_the_site_is_not_open(provider, settings, without_mail, mode):
    settings.PODIUM_SIGN_UP = mode
    client = Client()
    assert "Accounts are by invitation only" in Page(come_back(client, provider)).text
    client.post(reverse("socialaccount_signup"), {"username": "kim", "email": "kim@example.org"})
    assert names() == set()


def test_a_provider_that_is_broken_and_an_answer_for_another_browser_log_no_one_in(provider, without_mail):
    victim, attacker = Client(), Client()
    asked = attacker.post(f"/accounts/{provider.name}/login/")
    assert Page(victim.get(provider.log_in(asked["Location"]))).headings == ["The other site could not log you in"]
    provider.is_broken = True
    assert Page(come_back(attacker, provider)).headings == ["The other site could not log you in"]
    assert names() == set()


def test_returns_from_the_provider_are_limited(provider, without_mail):
    client = Client()
    statuses = [client.get(f"/accounts/{provider.name}/login/callback/").status_code for _ in range(61)]
    assert statuses[-1] == 429
    assert 429 not in statuses[:60]
