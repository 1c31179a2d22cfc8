"""Signing in with other sites: an OpenID Connect provider on this machine, and where GitHub and Google lead."""

import os
import subprocess
import sys
from urllib.parse import parse_qs, urlsplit

import pytest
from allauth.account.models import EmailAddress
from allauth.socialaccount.models import SocialAccount
from django.contrib.auth import get_user_model
from django.test import Client
from django.urls import reverse

from contests.services.organizers import invite
from podium import env
from tests.accounts.provider import Provider
from tests.factories import make_series, make_user
from tests.invitations import accept, show_invitation
from tests.pages import Page
from tests.processes import environment

pytestmark = pytest.mark.django_db

LOGIN = "/accounts/oidc/oidc/login/"


@pytest.fixture
def provider(settings, without_mail):
    provider = Provider()
    settings.SOCIALACCOUNT_PROVIDERS = provider.settings()
    settings.PODIUM_SIGN_UP = "open"
    yield provider
    provider.close()


def come_back(client, provider, path=LOGIN):
    """Log in at the provider, and follow the redirects of the site."""
    asked = client.post(path)
    assert asked["Location"].startswith(f"{provider.address}/authorize?"), asked.content
    return client.get(provider.log_in(asked["Location"]), follow=True)


def names():
    return set(get_user_model().objects.values_list("username", flat=True))


def test_the_login_page_offers_the_provider_and_asks_before_it_leads_there(provider):
    page = Client().get(f"{reverse('login')}?next=/account/")
    assert "Club" in Page(page).text
    assert f'action="{LOGIN}?process=login&amp;next=%2Faccount%2F"' in page.content.decode()
    assert Page(Client().get(LOGIN)).text.count("Club") == 1, "a link alone starts nothing"


def test_a_first_login_creates_an_account_and_the_next_ones_find_it(provider):
    client = Client()
    back = come_back(client, provider, f"{LOGIN}?next=/account/")
    assert back.request["PATH_INFO"] == "/account/"
    assert names() == {"kim"}
    again = Client()
    come_back(again, provider)
    assert again.session["_auth_user_id"] == client.session["_auth_user_id"]


def test_the_secret_of_a_login_belongs_to_one_browser(provider):
    victim, attacker = Client(), Client()
    asked = attacker.post(LOGIN)
    answer = victim.get(provider.log_in(asked["Location"]))
    assert Page(answer).headings == ["The other site could not log you in"]
    assert "_auth_user_id" not in victim.session


def test_the_same_address_does_not_take_over_an_account(provider):
    ida = make_user("ida", email="kim@example.org")
    EmailAddress.objects.create(user=ida, email="kim@example.org", verified=True, primary=True)
    client = Client()
    back = come_back(client, provider)
    assert "_auth_user_id" not in client.session
    assert not SocialAccount.objects.exists()
    assert back.request["PATH_INFO"] == reverse("socialaccount_signup")


@pytest.mark.parametrize("mode", ["invitation", "closed"])
def test_strangers_get_no_account_if_the_site_is_not_open(provider, settings, mode):
    settings.PODIUM_SIGN_UP = mode
    assert "Accounts are by invitation only" in Page(come_back(Client(), provider)).text
    assert names() == set()


def test_an_invitation_lets_people_in_with_the_provider(provider, settings):
    settings.PODIUM_SIGN_UP = "invitation"
    series = make_series("cup", organizer=make_user("ida"))
    link = invite(series.pk, actor=series.organizers.get())[1]
    client = Client()
    show_invitation(client, link)
    come_back(client, provider)
    assert names() == {"ida", "kim"}
    assert accept(client, link)["Location"] == reverse("organize:series", args=[series])


def test_an_account_connects_and_disconnects_the_provider(provider):
    ida = make_user("ida")
    client = Client()
    client.force_login(ida)
    client.post(reverse("account_reauthenticate"), {"password": "correct-horse-battery"})
    page = reverse("socialaccount_connections")
    come_back(client, provider, f"{LOGIN}?process=connect")
    assert SocialAccount.objects.get().user == ida
    assert "Club" in Page(client.get(reverse("account"))).text
    other = Client()
    come_back(other, provider)
    assert other.session["_auth_user_id"] == str(ida.pk)
    client.post(page, {"account": SocialAccount.objects.get().pk})
    assert not SocialAccount.objects.exists()


def test_an_account_without_a_password_confirms_by_another_login_with_the_provider(provider):
    client = Client()
    come_back(client, provider)
    series = make_series("cup", organizer=get_user_model().objects.get(username="kim"))
    page, headers = reverse("organize:organizers", args=[series]), {"origin": "http://testserver"}
    make_user("bo")
    client.get(page)
    grow_old(client)
    asked = client.post(page, {"username": "bo"}, headers={**headers, "referer": f"http://testserver{page}"})
    assert asked["Location"].startswith(f"{LOGIN}?")
    assert Page(client.get(asked["Location"])).headings == ["Confirm that it’s you"]
    leads_to = client.post(asked["Location"])["Location"]
    assert parse_qs(urlsplit(leads_to).query)["prompt"] == ["login"]
    back = client.get(provider.log_in(leads_to), follow=True)
    assert back.request["PATH_INFO"] == page
    assert "Nothing has been saved yet" in Page(back).text
    assert 'value="bo"' in back.content.decode()
    assert series.organizers.count() == 1, "nothing is carried out"
    assert client.post(page, {"username": "bo"}).status_code == 302
    assert series.organizers.count() == 2


@pytest.mark.parametrize("name", ["account_set_password", "mfa_activate_totp", "mfa_add_webauthn"])
def test_an_open_browser_cannot_add_the_first_password_or_passkey_to_an_account(provider, name):
    """Someone else could confirm everything with it afterwards."""
    client = Client()
    come_back(client, provider)
    page = reverse(name)
    assert client.get(page).status_code == 200
    grow_old(client)
    for answer in (client.get(page), client.post(page, {"password1": "quay-and-7", "password2": "quay-and-7"})):
        assert answer["Location"].startswith(f"{LOGIN}?")
    assert not get_user_model().objects.get().has_usable_password()
    back = client.get(provider.log_in(client.post(answer["Location"])["Location"]), follow=True)
    assert (back.status_code, back.request["PATH_INFO"]) == (200, page)


def test_an_account_without_a_password_is_not_stuck_when_its_provider_is_gone(provider, settings):
    client = Client()
    come_back(client, provider)
    series = make_series("cup", organizer=get_user_model().objects.get(username="kim"))
    make_user("bo")
    grow_old(client)
    settings.SOCIALACCOUNT_PROVIDERS = {}
    assert client.post(reverse("organize:organizers", args=[series]), {"username": "bo"}).status_code == 302
    assert series.organizers.count() == 2


def grow_old(client, seconds=901):
    """Make the last confirmation of a browser older."""
    session = client.session
    session["podium_confirmed_at"] -= seconds
    session.save()


def test_an_unavailable_provider_causes_no_server_error(provider):
    client = Client()
    asked = client.post(LOGIN)
    provider.close()
    for answer in (client.get(provider.log_in(asked["Location"])), client.post(LOGIN)):
        assert answer.status_code == 502
        assert Page(answer).headings == ["The other site could not log you in"]


def test_cancelling_at_the_provider_is_not_an_error(provider):
    client = Client()
    state = parse_qs(urlsplit(client.post(LOGIN)["Location"]).query)["state"][0]
    answer = client.get(f"{LOGIN}callback/", {"error": "access_denied", "state": state}, follow=True)
    assert Page(answer).headings == ["Login cancelled"]


def run(code, tmp_path, **variables):
    """Run code in a new process, with these settings of a site and no others."""
    surroundings = {"PATH": os.environ["PATH"], "PODIUM_VAR": str(tmp_path), "PODIUM_DEBUG": "1", **variables}
    surroundings |= {"PYTHONPATH": f"{env.ROOT / 'platform'}:{env.ROOT}", "DJANGO_SETTINGS_MODULE": "podium.settings"}
    return subprocess.run([sys.executable, "-c", code], env=surroundings, capture_output=True, text=True, check=False)


ASK = """
import django; django.setup()
from django.conf import settings
from django.test import Client
for name in ("github", "google"):
    answer = Client(SERVER_NAME="localhost").post(f"/accounts/{name}/login/")
    print(answer.status_code, answer.get("Location", ""))
print(settings.CONTENT_SECURITY_POLICY["DIRECTIVES"]["form-action"])
"""


def ask(tmp_path, **variables):
    """Return what a site on the test database prints for ASK."""
    done = run(ASK, tmp_path, **environment(**variables))
    assert done.returncode == 0, done.stderr
    return done.stdout.strip().splitlines()[-3:]


@pytest.mark.django_db(transaction=True)
def test_github_and_google_need_only_their_credentials(tmp_path):
    names = ("PODIUM_GITHUB_CLIENT_ID", "PODIUM_GITHUB_CLIENT_SECRET", "PODIUM_GOOGLE_CLIENT_ID")
    variables = dict.fromkeys((*names, "PODIUM_GOOGLE_CLIENT_SECRET"), "x")
    github, google, policy = ask(tmp_path, **variables)
    assert github.startswith("302 https://github.com/login/oauth/authorize?")
    assert google.startswith("302 https://accounts.google.com/o/oauth2/v2/auth?")
    assert policy == "[\"'self'\", 'https://github.com', 'https://accounts.google.com']"


@pytest.mark.django_db(transaction=True)
def test_without_credentials_the_pages_do_not_exist(tmp_path):
    github, google, policy = ask(tmp_path)
    assert (github.strip(), google.strip(), policy) == ("404", "404", "[\"'self'\"]")


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        ({"PODIUM_GITHUB_CLIENT_ID": "x"}, "PODIUM_GITHUB_CLIENT_SECRET='' is missing"),
        ({"PODIUM_OIDC_CLIENT_ID": "x"}, "PODIUM_OIDC_URL='' is not the address of a provider"),
        ({"PODIUM_OIDC_URL": "login.example.org"}, "is not the address of a provider"),
        ({"PODIUM_OIDC_URL": "https://login.example.org"}, "PODIUM_OIDC_CLIENT_ID='' is missing"),
        ({"PODIUM_SIGN_UP": "sometimes"}, "is none of OPEN, INVITATION, CLOSED"),
    ],
)
def test_a_wrong_setting_prevents_startup_with_a_one_sentence_error(tmp_path, variables, message):
    done = run("import podium.settings", tmp_path, **variables)
    assert message in done.stderr.strip().splitlines()[-1]
