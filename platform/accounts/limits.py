"""
How often people may try what costs a hash of a password or sends an e-mail, before any of that is done.

Attempts are counted by django-ratelimit in the shared cache, in windows of fixed length, so that all processes count
together and nobody is locked out for longer than a window. An attempt that is over the limit gets a 429 page, even with
the right password.
"""

from __future__ import annotations

import hashlib
import secrets
import unicodedata
from datetime import timedelta
from typing import TYPE_CHECKING

from django.conf import settings
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django_ratelimit.core import get_usage

from accounts.client_address import client_network

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

#: Attempts in so much time, by what they are counted by.
RATES = {
    "login-address": "30/15m",
    "login-account": "10/15m",
    "password-account": "10/15m",
    "new-account-address": "20/h",
    "reset-address": "10/h",
    "reset-email": "3/h",
}
#: Names a browser from which the owner of an account has signed in before; only the login page reads it.
DEVICE_COOKIE = "podium_device"
_DEVICE_SALT = "podium.device"
_DEVICE_SECONDS = 31_536_000


def seconds_to_wait(request: HttpRequest, group: str, value: str) -> int:
    """Count an attempt, and return for how many seconds no more are allowed; 0 if this one is."""
    usage = get_usage(request, group=group, key=lambda *_: value, rate=RATES[group], increment=True)
    return max(1, usage["time_left"]) if usage is not None and usage["should_limit"] else 0


def login_wait(request: HttpRequest, username: str) -> int:
    """
    Count an attempt to log in, and return for how many seconds no more are allowed; 0 if this one is.

    Attempts from a browser that the owner has used before are counted apart, so that strangers who try passwords do not
    keep the owner out.
    """
    wait = seconds_to_wait(request, "login-address", client_network(request))
    account = account_key(username)
    return wait or seconds_to_wait(request, "login-account", f"{account} {_device(request, account)}")


def remember_device(request: HttpRequest, response: HttpResponse, username: str) -> None:
    """Let the browser prove next time that the owner of the account has used it."""
    account = account_key(username)
    device = _device(request, account) or secrets.token_urlsafe(16)
    response.set_signed_cookie(
        DEVICE_COOKIE, f"{account} {device}", salt=_DEVICE_SALT, max_age=_DEVICE_SECONDS, path=reverse("login"),
        secure=settings.SESSION_COOKIE_SECURE, httponly=True, samesite="Lax",
    )  # fmt: skip


def account_key(name: str) -> str:
    """Return by what an account is counted, whatever the case and form of its name or e-mail address."""
    plain = unicodedata.normalize("NFKC", name[:1000]).strip().casefold()
    return hashlib.sha256(plain.encode(errors="surrogatepass")).hexdigest()


def too_many_attempts(request: HttpRequest, wait: int) -> HttpResponse:
    """Answer an attempt over the limit: when to try again, as a page and as a header."""
    context = {"minutes": -(-wait // 60), "again_at": timezone.now() + timedelta(seconds=wait)}
    answer = render(request, "429.html", context, status=429)
    answer["Retry-After"] = str(wait)
    answer["Cache-Control"] = "no-store"
    return answer


def _device(request: HttpRequest, account: str) -> str:
    """Return the device that the browser proves to be, if it is one of the account; else nothing."""
    kept = request.get_signed_cookie(DEVICE_COOKIE, "", salt=_DEVICE_SALT, max_age=_DEVICE_SECONDS) or ""
    owner, _, device = kept.partition(" ")
    return device if secrets.compare_digest(owner, account) else ""
