"""What belongs to no application: the choice of a language, and the pages for errors."""

from __future__ import annotations

import logging
import sys
from typing import TYPE_CHECKING

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.db import InterfaceError, OperationalError
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.template.loader import render_to_string
from django.templatetags.static import static
from django.utils.encoding import iri_to_uri
from django.utils.http import url_has_allowed_host_and_scheme
from django.views import csrf

from contests.uploads.files import is_full
from web.shared import unsent

if TYPE_CHECKING:
    from django.http import HttpRequest

logger = logging.getLogger(__name__)

#: What a page for errors needs to look like the site; print styles, charts and forms are left out.
STYLES = ("shared/fonts.css", "shared/tokens.css", "shared/base.css", "shared/components.css")
#: After a failure of the database: when it is worth asking again.
RETRY_SECONDS = 30


def language(request: HttpRequest, code: str) -> HttpResponse:
    """
    Remember a language in a cookie and go back to the page; by a plain link, as it harms nobody.

    So no page needs a form with a token for it, and pages stay the same for everybody who may see them.
    """
    if code not in dict(settings.LANGUAGES):
        raise Http404
    back = request.GET.get("next", "/")
    if not url_has_allowed_host_and_scheme(back, allowed_hosts=None):
        back = "/"
    answer = HttpResponseRedirect(iri_to_uri(back))
    answer.set_cookie(
        settings.LANGUAGE_COOKIE_NAME, code, max_age=31_536_000, samesite="Lax", secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
    )  # fmt: skip
    answer["Cache-Control"] = "no-store"
    return answer


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """
    Answer a form whose token is of another session.

    A form of organizers that a page of this site sent leads back to that page, where it is shown as it was typed.
    """
    view = request.resolver_match.func if request.resolver_match is not None else None
    if getattr(view, "keeps_typed", False):
        answer = unsent.send_again(request, HttpResponseRedirect(unsent.page_of(request)))
        if unsent.UNSENT_COOKIE in answer.cookies:
            return answer
    return csrf.csrf_failure(request, reason)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer what cannot be read; a form that is too large gets a page that says so."""
    if isinstance(exception, RequestDataTooBig):
        return render(request, "413.html", status=413)
    return render(request, "400.html", status=400)


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer a request for what belongs to another account."""
    return render(request, "403.html", status=403)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer a request for what does not exist."""
    return render(request, "404.html", status=404)


def server_error(request: HttpRequest) -> HttpResponse:
    """
    Answer an error of our own with a page that needs no database, no session and no manifest of static files.

    A database that is away or overloaded is no error in the code: the answer is a 503 that says when to come back. Nor
    is a full disk: the answer is a 507.
    """
    error = sys.exc_info()[1]
    no_room = is_full(error)
    is_away = isinstance(error, OperationalError | InterfaceError) and not no_room
    status = 507 if no_room else 503 if is_away else 500
    context = {"styles": [_address(name) for name in STYLES], "theme": _address("shared/theme.js"),
               "icon": _address("icon.svg")}  # fmt: skip
    try:
        content: str = render_to_string(f"{status}.html", context)
    except Exception:  # whatever broke may break again; this text needs nothing
        logger.exception("the page for errors is broken too")
        content = _LAST_RESORT
    response = HttpResponse(content, status=status)
    response["Cache-Control"] = "no-store"
    if is_away:
        response["Retry-After"] = str(RETRY_SECONDS)
    return response


_LAST_RESORT = (
    '<!doctype html><html lang="en"><title>Something broke</title><h1>Something broke</h1>'
    "<p>The error has been logged. Nothing was stored. Please try again in a minute.</p></html>"
)


def _address(name: str) -> str:
    """Return the address of a static file, without its hash if the manifest cannot be read."""
    try:
        return static(name)
    except Exception:  # the manifest is missing, damaged, or older than the code
        return f"{settings.STATIC_URL}{name}"
