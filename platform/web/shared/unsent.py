"""
What was typed into a form whose session had expired: kept for a while, and shown again after signing in.

A form that arrives without a session is never carried out later. Its fields are kept in the cache, under a random key
that only the browser has, for half an hour, up to a size, and for the account that has used the form in this browser.
When that account has signed in again, the page of the form shows what was typed, and its owner checks and sends it.
Passwords and files are never kept.
"""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.core.cache import cache
from django.core.exceptions import RequestDataTooBig, TooManyFieldsSent
from django.http import QueryDict
from django_ratelimit.core import get_usage

from contests.whole_numbers import whole_number_of

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

#: For so long, and of so many bytes of fields, it is kept; and so often for one address.
KEPT_SECONDS = 1800
LARGEST = 200_000
RATE = "20/h"
#: Where the cookies are sent: all forms of organizers, and nothing else.
PATH = "/organize/"
#: Name the account that uses this browser, and what it has typed.
ACCOUNT_COOKIE, UNSENT_COOKIE = "podium_organizer", "podium_unsent"
_ACCOUNT_SECONDS = 30 * 86_400
#: Fields that are never kept: the token of the form, and buttons that only show something.
_DROPPED = ("csrfmiddlewaretoken", "show")


@dataclass(frozen=True, slots=True)
class Unsent:
    """
    A form that was not carried out.

    page
        The path of the page that shows the form.
    action
        The path that it was sent to.
    fields
        What was typed, as a query.
    owner
        Id of the account that may see it.
    has_file, is_cut
        Whether a file came with it, and whether it was too large to be kept.
    """

    page: str
    action: str
    fields: str
    owner: int
    has_file: bool = False
    is_cut: bool = False

    def typed(self) -> QueryDict:
        """Return the fields as a form takes them."""
        return QueryDict(self.fields)


def sign_in_again(request: HttpRequest) -> HttpResponse:
    """Lead to the login and back to the page of the form, keeping what was typed where that is safe."""
    if request.method != "POST":
        return redirect_to_login(request.get_full_path())
    return _kept(request, redirect_to_login(page_of(request)))


def send_again(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """Keep what was typed into a form whose token was of another session; the response leads to the form's page."""
    return _kept(request, response) if is_from_here(request) else response


def show_unsent(request: HttpRequest) -> None:
    """
    Fill the forms of a page with what its visitor typed before, and say that nothing was saved.

    The request stays a GET, so that no view saves anything. Views whose form is sent to another address read
    `unsent_of`.
    """
    unsent = _read(request)
    if unsent is None or request.method != "GET" or unsent.page != request.path:
        return
    words = "You were signed out, and nothing has been saved yet."
    if unsent.is_cut:
        words += " What you sent was too large to be kept: go back in your browser to copy it."
    elif unsent.fields:
        words += " What you typed is below: check it and send it again."
    if unsent.has_file:
        words += " Choose the file again."
    messages.warning(request, words)
    if unsent.action == request.path and unsent.fields:
        request.POST = unsent.typed()  # type: ignore[assignment]  # a form is filled from it whatever the method is


def unsent_of(request: HttpRequest, action: str) -> QueryDict | None:
    """Return what the visitor typed into a form of this page that is sent to another address, None if nothing."""
    unsent = _read(request)
    if unsent is None or request.method != "GET" or (unsent.page, unsent.action) != (request.path, action):
        return None
    return unsent.typed()


def remember_account(request: HttpRequest, response: HttpResponse) -> None:
    """Let the browser tell whose forms these are; forget what was not sent once its form is sent anew."""
    unsent = _read(request) if request.method == "POST" else None
    if unsent is not None and unsent.action == request.path:
        cache.delete(_key(request))
        response.delete_cookie(UNSENT_COOKIE, path=PATH, samesite="Lax")
    if _account(request) != request.user.pk:
        _set_cookie(response, ACCOUNT_COOKIE, str(request.user.pk), _ACCOUNT_SECONDS)


def is_from_here(request: HttpRequest) -> bool:
    """Whether the browser says that a page of this site sent the form, which a page of another site cannot say."""
    said = request.headers.get("Origin") or request.headers.get("Referer", "")
    try:
        address = urlsplit(said)
    except ValueError:
        return False
    return (address.scheme, address.netloc) == (request.scheme, request.get_host())


def page_of(request: HttpRequest) -> str:
    """Return the address of the page that shows the form: where the browser came from, or where the form goes."""
    if is_from_here(request) and request.headers.get("Referer"):
        address = urlsplit(request.headers["Referer"])
        if address.netloc == request.get_host() and address.path.startswith(PATH):
            return address.path + (f"?{address.query}" if address.query else "")
    return request.get_full_path()


def _kept(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    owner = _account(request)
    is_exempt = getattr(request.resolver_match.func, "csrf_exempt", False) if request.resolver_match else True
    if owner is None or (is_exempt and not is_from_here(request)):
        return response
    usage = get_usage(request, group="unsent", key="ip", rate=RATE, increment=True)
    if usage is not None and usage["should_limit"]:
        return response
    fields, has_file, is_cut = _fields(request)
    page = urlsplit(page_of(request)).path
    token = secrets.token_urlsafe(24)
    unsent = Unsent(page, request.path, fields, owner, has_file, is_cut)
    cache.set(_key_of(token), asdict(unsent), KEPT_SECONDS)
    _set_cookie(response, UNSENT_COOKIE, token, KEPT_SECONDS)
    return response


def _fields(request: HttpRequest) -> tuple[str, bool, bool]:
    """Return the fields as a query, whether a file came with them, and whether they are too large to be kept."""
    is_multipart = request.content_type == "multipart/form-data"
    length = request.META.get("CONTENT_LENGTH") or "0"
    if whole_number_of(length, most=LARGEST) is None:
        return "", is_multipart, not is_multipart  # not even read
    try:
        typed, files = request.POST.copy(), request.FILES
    except (RequestDataTooBig, TooManyFieldsSent):
        return "", False, True
    for name in [name for name in typed if name in _DROPPED or "password" in name]:
        del typed[name]
    fields = typed.urlencode()
    return (fields, bool(files), False) if len(fields) <= LARGEST else ("", bool(files), True)


def _read(request: HttpRequest) -> Unsent | None:
    """Return what is kept of this browser for the account that is signed in."""
    if UNSENT_COOKIE not in request.COOKIES:
        return None
    kept = cache.get(_key(request))
    unsent = Unsent(**kept) if kept is not None else None
    return unsent if unsent is not None and unsent.owner == request.user.pk else None


def _account(request: HttpRequest) -> int | None:
    said = request.get_signed_cookie(ACCOUNT_COOKIE, "", salt=ACCOUNT_COOKIE, max_age=_ACCOUNT_SECONDS) or ""
    return whole_number_of(said)


def _key(request: HttpRequest) -> str:
    token = request.get_signed_cookie(UNSENT_COOKIE, "", salt=UNSENT_COOKIE, max_age=KEPT_SECONDS)
    return _key_of(token or "")


def _key_of(token: str) -> str:
    return f"unsent-{hashlib.sha256(token.encode()).hexdigest()}"


def _set_cookie(response: HttpResponse, name: str, value: str, seconds: int) -> None:
    response.set_signed_cookie(
        name, value, salt=name, max_age=seconds, path=PATH, secure=settings.SESSION_COOKIE_SECURE, httponly=True,
        samesite="Lax",
    )  # fmt: skip
