"""Limits on attempts, by client and by account, counted before a password is hashed or a message is sent."""

from __future__ import annotations

import hashlib
import secrets
import unicodedata
from datetime import timedelta
from functools import wraps
from typing import TYPE_CHECKING

from allauth.account.internal.stagekit import unstash_login
from django.conf import settings
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django_ratelimit.core import get_usage

from accounts.backends import find_account
from accounts.client_address import client_network

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.http import HttpRequest, HttpResponse

#: Attempts that django-ratelimit allows in a fixed window, by group.
RATES = {
    "login-address": "30/15m",
    "login-account": "10/15m",
    "passkey-address": "60/15m",
    "code-address": "60/15m",
    "password-account": "10/15m",
    "email-account": "10/h",
    "new-account-address": "20/h",
    "reset-address": "10/h",
    "reset-email": "3/h",
    "token-address": "60/15m",
    "report-account": "60/h",
    "picture-account": "200/h",
}
#: Marks a browser from which the owner of an account has logged in before; only the login page reads it.
DEVICE_COOKIE = "podium_device"
_DEVICE_SALT = "podium.device"
_DEVICE_SECONDS = 31_536_000


def seconds_to_wait(request: HttpRequest, group: str, value: str) -> int:
    """Count an attempt, and return the seconds until the next is allowed; 0 if this one is allowed."""
    usage = get_usage(request, group=group, key=lambda *_: value, rate=RATES[group], increment=True)
    return max(1, usage["time_left"]) if usage is not None and usage["should_limit"] else 0


def wait_of(request: HttpRequest, name: str) -> int:
    """Count a request to the page of this URL name, and return the seconds to wait; 0 if it is allowed."""
    count = _COUNTS.get(name)
    if count is None or (request.method != "POST" and name not in _COUNTED_ALWAYS):
        return 0
    return count(request)


def _login(request: HttpRequest) -> int:
    """
    Count an attempt to log in.

    Attempts from a browser that the owner has used before are counted separately, so that strangers who try passwords
    do not lock the owner out.
    """
    wait = seconds_to_wait(request, "login-address", client_network(request))
    account = account_key(_account_name(request.POST.get("login", "")))
    return wait or seconds_to_wait(request, "login-account", f"{account} {_device(request, account)}")


def _second_factor(request: HttpRequest) -> int:
    """Count a code of a second factor. allauth counts them too, by account, but forgets its count after a success."""
    login = unstash_login(request, peek=True)
    wait = seconds_to_wait(request, "code-address", client_network(request))
    return wait or (seconds_to_wait(request, "password-account", f"code {login.user.pk}") if login else 0)


def _reset(request: HttpRequest) -> int:
    wait = seconds_to_wait(request, "reset-address", client_network(request))
    return wait or seconds_to_wait(request, "reset-email", account_key(request.POST.get("email", "")))


def _by_address(group: str) -> Callable[[HttpRequest], int]:
    return lambda request: seconds_to_wait(request, group, client_network(request))


def _by_account(group: str) -> Callable[[HttpRequest], int]:
    """Count by the account that is logged in, because someone at an open browser could try many passwords."""

    def count(request: HttpRequest) -> int:
        return seconds_to_wait(request, group, str(request.user.pk)) if request.user.is_authenticated else 0

    return count


#: How requests are counted, by URL name.
_COUNTS: dict[str, Callable[[HttpRequest], int]] = {
    "login": _login,
    "account_signup": _by_address("new-account-address"),
    "socialaccount_signup": _by_address("new-account-address"),
    "mfa_authenticate": _second_factor,
    "mfa_login_webauthn": _by_address("passkey-address"),
    "openid_connect_callback": _by_address("passkey-address"),
    "github_callback": _by_address("passkey-address"),
    "google_callback": _by_address("passkey-address"),
    "google_login_by_token": _by_address("passkey-address"),
    "account_confirm_email": _by_address("code-address"),
    "account_reset_password": _reset,
    "account_reset_password_from_key": _by_address("code-address"),
    "account_change_password": _by_account("password-account"),
    "account_set_password": _by_account("password-account"),
    "account_reauthenticate": _by_account("password-account"),
    "mfa_reauthenticate": _by_account("password-account"),
    "account_email": _by_account("email-account"),
}
#: Pages that store a session for anyone or ask another site, so that every request counts.
_COUNTED_ALWAYS = {"mfa_login_webauthn", "openid_connect_callback", "github_callback", "google_callback"}


def remember_device(request: HttpRequest, response: HttpResponse, username: str) -> None:
    """Set a cookie that proves that the owner of the account has used this browser."""
    account = account_key(username)
    device = _device(request, account) or secrets.token_urlsafe(16)
    response.set_signed_cookie(
        DEVICE_COOKIE, f"{account} {device}", salt=_DEVICE_SALT, max_age=_DEVICE_SECONDS, path=reverse("login"),
        secure=settings.SESSION_COOKIE_SECURE, httponly=True, samesite="Lax",
    )  # fmt: skip


def account_key(name: str) -> str:
    """Return the key for an account's limits, the same for all spellings of its name or email address."""
    return hashlib.sha256(_plain(name).encode(errors="surrogatepass")).hexdigest()


def too_many_attempts(request: HttpRequest, wait: int) -> HttpResponse:
    """Return the 429 page for an attempt over the limit, with the time of the next attempt."""
    context = {"minutes": -(-wait // 60), "again_at": timezone.now() + timedelta(seconds=wait)}
    answer = render(request, "429.html", context, status=429)
    answer["Retry-After"] = str(wait)
    answer["Cache-Control"] = "no-store"
    return answer


def limited_accounts(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Limit the accounts that a view creates per client, before a password is hashed."""

    @wraps(view)
    def counted(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        if request.method == "POST" and not request.user.is_authenticated:
            wait = seconds_to_wait(request, "new-account-address", client_network(request))
            if wait:
                return too_many_attempts(request, wait)
        return view(request, *args, **kwargs)

    return counted


def _account_name(name: str) -> str:
    """Return the username that the name or email address belongs to, so that both count together; else the name."""
    account = find_account(_plain(name)) if "@" in name else None
    return account.get_username() if account is not None else name


def _plain(name: str) -> str:
    return unicodedata.normalize("NFKC", name[:1000]).strip().casefold()


def _device(request: HttpRequest, account: str) -> str:
    """Return the device in the browser's cookie if it belongs to the account, else an empty string."""
    kept = request.get_signed_cookie(DEVICE_COOKIE, "", salt=_DEVICE_SALT, max_age=_DEVICE_SECONDS) or ""
    owner, _, device = kept.partition(" ")
    return device if secrets.compare_digest(owner, account) else ""
