"""
Recovery of forms whose session has expired: the fields are kept for a while and shown again after the login. The same
holds for forms that need a fresh confirmation of who sends them.

A form that arrives without a session is never processed later. Its fields are cached for half an hour under a random
key that only the browser knows, up to a size limit, for the account that used the form in this browser. After that
account has logged in again, the page shows the form filled in, ready to check and submit. Passwords and files are never
kept.
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
from django.utils.translation import gettext
from django_ratelimit.core import get_usage

from accounts.confirming import ask_to_confirm, is_confirmed
from contests.whole_numbers import whole_number_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from django.http import HttpRequest, HttpResponse

#: Limits: lifetime, size of the fields in bytes, and forms for each IP address.
KEPT_SECONDS = 1800
LARGEST = 200_000
RATE = "20/h"
#: Paths of the cookies: the forms of organizers, and those of players.
PATHS = ("/organize/", "/games/")
#: Cookies with the account that uses this browser, and with the key of its unsent form.
ACCOUNT_COOKIE, UNSENT_COOKIE = "podium_organizer", "podium_unsent"
_ACCOUNT_SECONDS = 30 * 86_400
#: Fields that are never kept: the form's token, and buttons that only change the view.
_DROPPED = ("csrfmiddlewaretoken", "show")


@dataclass(frozen=True, slots=True)
class Unsent:
    """
    A form that was not processed.

    page
        The path of the page that shows the form.
    action
        The path that it was submitted to.
    fields
        The fields as a query string.
    owner
        Id of the account that may see it.
    has_file, is_cut
        Whether it included a file, and whether it was too large to be kept.
    was_signed_in
        Whether the visitor only had to confirm who they are. Visitors may come back to the page without confirming.
    """

    page: str
    action: str
    fields: str
    owner: int
    has_file: bool = False
    is_cut: bool = False
    was_signed_in: bool = False

    def typed(self) -> QueryDict:
        """Return the fields as form data."""
        return QueryDict(self.fields)


def sign_in_again(request: HttpRequest) -> HttpResponse:
    """Redirect to the login and back to the page of the form; keep the fields if that is safe."""
    if request.method != "POST":
        return redirect_to_login(request.get_full_path())
    return _kept(request, redirect_to_login(page_of(request)))


def confirm_first(request: HttpRequest) -> HttpResponse:
    """Redirect to the page where visitors confirm who they are, and back to the page of the form; keep the fields."""
    return _kept(request, ask_to_confirm(request, page_of(request)), signed_in=request.user.pk)


def send_again(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """Keep the fields of a form with the token of another session; the response leads to the form's page."""
    return _kept(request, response) if is_from_here(request) else response


def show_unsent(request: HttpRequest) -> None:
    """
    Fill the forms of a page with the visitor's unsent fields, and explain that nothing was saved.

    The request remains a GET, so no view saves anything. Views whose form posts to another address call `unsent_of`.
    """
    unsent = _read(request)
    if unsent is None or request.method != "GET" or unsent.page != request.path:
        return
    if not unsent.was_signed_in:
        words = gettext("You were logged out, and nothing has been saved yet.")
    elif is_confirmed(request):
        words = gettext("Thank you for confirming. Nothing has been saved yet.")
    else:
        words = gettext("Nothing was saved.")
    if unsent.is_cut:
        words += " " + gettext("Your entries were too long to keep. Go back in your browser to copy them.")
    elif unsent.fields:
        words += " " + gettext("Your entries are below: check them and submit the form again.")
    if unsent.has_file:
        words += " " + gettext("Choose the file again.")
    messages.warning(request, words)
    if unsent.action == request.path and unsent.fields:
        request.POST = unsent.typed()  # type: ignore[assignment]  # forms are filled from it, whatever the method


def unsent_of(request: HttpRequest, action: str) -> QueryDict | None:
    """Return the unsent fields of a form on this page that posts to another address; None without any."""
    found = unsent_among(request, [action])
    return found[1] if found is not None else None


def unsent_among(request: HttpRequest, actions: Iterable[str]) -> tuple[str, QueryDict] | None:
    """Return the address and the unsent fields of one of several forms on this page; None without any."""
    unsent = _read(request)
    if unsent is None or request.method != "GET" or unsent.page != request.path or unsent.action not in actions:
        return None
    return unsent.action, unsent.typed()


def remember_account(request: HttpRequest, response: HttpResponse) -> None:
    """Store the account in a cookie, and delete the unsent fields once their form has been submitted again."""
    unsent = _read(request) if request.method == "POST" else None
    if unsent is not None and unsent.action == request.path:
        cache.delete(_key(request))
        # Without a confirmation, the form has just been kept once more.
        if UNSENT_COOKIE not in response.cookies:
            response.delete_cookie(UNSENT_COOKIE, path=_cookie_path(request), samesite="Lax")
    if _account(request) != request.user.pk:
        _set_cookie(request, response, ACCOUNT_COOKIE, str(request.user.pk), _ACCOUNT_SECONDS)


def is_from_here(request: HttpRequest) -> bool:
    """Return whether a page of this site sent the form, by headers that other sites cannot forge."""
    said = request.headers.get("Origin") or request.headers.get("Referer", "")
    try:
        address = urlsplit(said)
    except ValueError:
        return False
    return (address.scheme, address.netloc) == (request.scheme, request.get_host())


def page_of(request: HttpRequest) -> str:
    """Return the address of the page with the form: the referring page, or else the form's own address."""
    if is_from_here(request) and request.headers.get("Referer"):
        address = urlsplit(request.headers["Referer"])
        if address.netloc == request.get_host() and address.path.startswith(_cookie_path(request)):
            return address.path + (f"?{address.query}" if address.query else "")
    return request.get_full_path()


def _kept(request: HttpRequest, response: HttpResponse, signed_in: int | None = None) -> HttpResponse:
    """Keep the fields for the account that is signed in, or else for the one that used this browser."""
    owner = signed_in or _account(request)
    is_exempt = getattr(request.resolver_match.func, "csrf_exempt", False) if request.resolver_match else True
    if owner is None or (is_exempt and not is_from_here(request)):
        return response
    usage = get_usage(request, group="unsent", key="ip", rate=RATE, increment=True)
    if usage is not None and usage["should_limit"]:
        return response
    fields, has_file, is_cut = _fields(request)
    page = urlsplit(page_of(request)).path
    token = secrets.token_urlsafe(24)
    unsent = Unsent(page, request.path, fields, owner, has_file, is_cut, was_signed_in=signed_in is not None)
    cache.set(_key_of(token), asdict(unsent), KEPT_SECONDS)
    _set_cookie(request, response, UNSENT_COOKIE, token, KEPT_SECONDS)
    return response


def _fields(request: HttpRequest) -> tuple[str, bool, bool]:
    """Return the fields as a query string, whether there is a file, and whether they are too large to keep."""
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
    """Return the unsent form of this browser if it belongs to the account that is logged in."""
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


def _cookie_path(request: HttpRequest) -> str:
    """Return the path under which the pages of this form are."""
    return next((path for path in PATHS if request.path.startswith(path)), PATHS[0])


def _set_cookie(request: HttpRequest, response: HttpResponse, name: str, value: str, seconds: int) -> None:
    response.set_signed_cookie(
        name, value, salt=name, max_age=seconds, path=_cookie_path(request),
        secure=settings.SESSION_COOKIE_SECURE, httponly=True, samesite="Lax",
    )  # fmt: skip
