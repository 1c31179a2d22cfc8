"""Signing in with a second step and with passkeys in a real browser, and each account page in both themes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session
from django.urls import reverse
from playwright.sync_api import expect

from contests.models import Series
from tests.accounts.codes import code_of
from tests.browser.community import PASSWORD
from tests.browser.test_every_page import faults_of, looks
from tests.browser.watching import Screen
from tests.factories import make_series, make_user

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import Browser, Page

DEVICE = {
    "protocol": "ctap2",
    "transport": "internal",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": True,
    "automaticPresenceSimulation": True,
}


@pytest.fixture
def olga(transactional_db: None):
    user = make_user("olga", password=PASSWORD, email="olga@example.org")
    EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
    make_series("harbour-cup", organizer=user)
    return user


@pytest.fixture
def device(browser: Browser, site: str) -> Iterator[Screen]:
    """A window with an authenticator, on a host name that passkeys can belong to."""
    screen = Screen(browser, site.replace("127.0.0.1", "localhost"))
    session = screen.context.new_cdp_session(screen.page)
    session.send("WebAuthn.enable")
    session.send("WebAuthn.addVirtualAuthenticator", {"options": DEVICE})
    yield screen
    screen.close()


def confirm(page: Page) -> None:
    expect(page.get_by_role("heading", level=1)).to_have_text("Confirm that it’s you")
    page.get_by_label("Your password").fill(PASSWORD)
    page.get_by_role("button", name="Confirm").click()


def add_app(screen: Screen) -> str:
    """Set up an authenticator app, and return its secret."""
    page = screen.go(reverse("mfa_activate_totp"))
    confirm(page)
    secret = page.locator("code.secret").inner_text()
    expect(page.get_by_role("img", name="QR code")).to_be_visible()
    page.get_by_label("Code that your app shows").fill(code_of(secret))
    page.get_by_role("button", name="Set up").click()
    page.wait_for_url("**/recovery-codes/")
    return secret


def add_passkey(page: Page, *, alone: bool) -> None:
    page.get_by_label("Name of the passkey").fill("Laptop")
    page.get_by_label("Log in with this passkey alone").set_checked(alone)
    page.get_by_role("button", name="Add a passkey").click()
    page.wait_for_url(re.compile("/2fa/(recovery-codes/)?$"))


def enter_password(page: Page) -> None:
    page.get_by_label("Username").fill("olga")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()


def log_out(screen: Screen) -> None:
    screen.go("/account/").get_by_role("button", name="Log out").click()
    screen.page.wait_for_url(f"{screen.address}/")


def test_an_app_and_its_recovery_codes(open_screen: Callable[..., Screen], olga):
    screen = open_screen()
    screen.log_in("olga", PASSWORD)
    add_app(screen)
    codes = screen.page.locator(".codes code").all_inner_texts()
    assert len(codes) == 10
    with screen.page.expect_download() as download:
        screen.page.get_by_role("link", name="Download").click()
    assert download.value.suggested_filename == "recovery-codes.txt"
    log_out(screen)
    page = screen.go(f"{reverse('login')}?next=/account/")
    enter_password(page)
    expect(page.get_by_role("heading", level=1)).to_have_text("Two-step verification")
    page.get_by_label("Code").fill(codes[0])
    page.get_by_role("button", name="Log in").click()
    page.wait_for_url("**/account/")
    expect(page.locator("main")).to_contain_text("Authenticator app")


@pytest.mark.chromium_only
def test_a_passkey_replaces_name_password_and_code(device: Screen, olga):
    device.log_in("olga", PASSWORD)
    page = device.go(reverse("mfa_add_webauthn"))
    confirm(page)
    add_passkey(page, alone=True)
    assert Authenticator.objects.filter(user=olga, type="webauthn").count() == 1
    log_out(device)
    page = device.go(f"{reverse('login')}?next=/account/")
    page.get_by_role("button", name="Use a passkey instead").click()
    page.wait_for_url("**/account/")
    expect(page.locator("main")).to_contain_text("Your username is olga.")


@pytest.mark.chromium_only
def test_a_passkey_as_second_step_and_as_confirmation(device: Screen, olga):
    device.log_in("olga", PASSWORD)
    page = device.go(reverse("mfa_add_webauthn"))
    confirm(page)
    add_passkey(page, alone=False)
    log_out(device)
    page = device.go(reverse("login"))
    enter_password(page)
    expect(page.get_by_role("heading", level=1)).to_have_text("Two-step verification")
    page.get_by_role("button", name="Use your passkey").click()
    page.wait_for_url("**/organize/")
    page = device.go(reverse("mfa_activate_totp"))
    page.get_by_role("link", name="Use a passkey").click()
    page.get_by_role("button", name="Use your passkey").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Set up an authenticator app")


@pytest.mark.chromium_only
def test_a_passkey_that_fails_is_explained(browser: Browser, site: str, olga):
    screen = Screen(browser, site.replace("127.0.0.1", "localhost"))
    session = screen.context.new_cdp_session(screen.page)
    session.send("WebAuthn.enable")
    session.send("WebAuthn.addVirtualAuthenticator", {"options": DEVICE | {"isUserVerified": False}})
    page = screen.go(reverse("login"))
    page.get_by_role("button", name="Use a passkey instead").click()
    expect(page.get_by_role("alert")).to_contain_text("Your browser could not use a passkey.")
    screen.close()


def test_another_browser_is_signed_out(open_screen: Callable[..., Screen], olga):
    first, second = open_screen(), open_screen(width=360)
    for screen in (first, second):
        screen.log_in("olga", PASSWORD)
    page = first.go(reverse("usersessions_list"))
    assert page.locator("tbody tr").count() == 2
    page.locator("tbody").get_by_role("button", name="Log out").click()
    expect(page.locator("tbody tr")).to_have_count(1)
    expect(second.go("/account/").get_by_role("heading", level=1)).to_have_text("Log in")


@pytest.mark.chromium_only
def test_an_invitation_waits_for_a_confirmation_and_keeps_what_was_typed(open_screen: Callable[..., Screen], olga):
    screen = open_screen(java_script_enabled=False)
    screen.log_in("olga", PASSWORD)
    page = screen.go(reverse("organize:organizers", args=[Series.objects.get()]))
    grow_old()
    page.get_by_label("Recipient").fill("Bo, timekeeper")
    page.get_by_role("button", name="Create link").click()
    confirm(page)
    expect(page.locator(".messages")).to_contain_text("Nothing has been saved yet")
    assert page.get_by_label("Recipient").input_value() == "Bo, timekeeper"


def grow_old() -> None:
    """Make the last confirmation of each session too old to count."""
    for key in Session.objects.values_list("session_key", flat=True):
        session = SessionStore(key)
        session["podium_confirmed_at"] = 0
        session.save()


OPEN_PAGES = (
    "login", "account_signup", "account_reset_password", "account_reset_password_done", "account_inactive",
    "account_email_verification_sent", "account_reset_password_from_key_done", "socialaccount_login_cancelled",
)  # fmt: skip
OWN_PAGES = (
    "account", "account_email", "account_change_password", "account_reauthenticate", "account_logout", "mfa_index",
    "mfa_view_recovery_codes", "mfa_generate_recovery_codes", "mfa_deactivate_totp", "mfa_list_webauthn",
    "mfa_add_webauthn", "mfa_reauthenticate", "mfa_reauthenticate_webauthn", "usersessions_list",
    "socialaccount_connections",
)  # fmt: skip


@pytest.mark.chromium_only
@looks
def test_pages_of_accounts(browser: Browser, site: str, olga, theme, width):
    screen = Screen(browser, site.replace("127.0.0.1", "localhost"), theme=theme, width=width)
    session = screen.context.new_cdp_session(screen.page)
    session.send("WebAuthn.enable")
    session.send("WebAuthn.addVirtualAuthenticator", {"options": DEVICE})
    faults = []

    def look(name: str, path: str) -> None:
        screen.go(path)
        faults.extend(f"{name}: {fault}" for fault in faults_of(screen))

    for name in OPEN_PAGES:
        look(name, reverse(name))
    look("expired link", reverse("account_reset_password_from_key", args=["1", "unknown"]))
    screen.log_in("olga", PASSWORD)
    add_app(screen)
    faults += [f"app: {fault}" for fault in faults_of(screen)]
    add_passkey(screen.go(reverse("mfa_add_webauthn")), alone=True)
    for name in OWN_PAGES:
        look(name, reverse(name))
    passkey = Authenticator.objects.get(type="webauthn")
    for name in ("mfa_edit_webauthn", "mfa_remove_webauthn"):
        look(name, reverse(name, args=[passkey.pk]))
    log_out(screen)
    enter_password(screen.go(reverse("login")))
    screen.page.wait_for_url("**/authenticate/")
    faults += [f"second step: {fault}" for fault in faults_of(screen)]
    screen.close()
    assert not faults, "\n".join(faults)
