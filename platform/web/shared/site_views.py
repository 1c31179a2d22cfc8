"""Views that belong to no feature: the choice of a language, and the pages for errors."""

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

from contests.failures import is_full
from web.shared import unsent

if TYPE_CHECKING:
    from django.http import HttpRequest

logger = logging.getLogger(__name__)

#: Style sheets of the error pages, without those for print, charts and forms.
STYLES = ("shared/fonts.css", "shared/tokens.css", "shared/base.css", "shared/components.css")
#: Retry-After of a database failure.
RETRY_SECONDS = 30


def language(request: HttpRequest, code: str) -> HttpResponse:
    """
    Store a language in a cookie and redirect back to the page.

    A plain link is safe here, so no page needs a form with a token for it, and pages stay the same for all readers.
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
    Respond to a form with the token of another session.

    An organizer's form from a page of this site leads back to that page, which shows it as it was filled in.
    """
    view = request.resolver_match.func if request.resolver_match is not None else None
    if getattr(view, "keeps_typed", False):
        answer = unsent.send_again(request, HttpResponseRedirect(unsent.page_of(request)))
        if unsent.UNSENT_COOKIE in answer.cookies:
            return answer
    return csrf.csrf_failure(request, reason)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Respond to a request that cannot be read; a form that is too large gets its own page."""
    if isinstance(exception, RequestDataTooBig):
        return render(request, "413.html", status=413)
    return render(request, "400.html", status=400)


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Respond to a request for something that belongs to another account."""
    return render(request, "403.html", status=403)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Respond to a request for something that does not exist."""
    return render(request, "404.html", status=404)


def server_error(request: HttpRequest) -> HttpResponse:
    """
    Respond to an error of the site with a page that needs no database, session or manifest of static files.

    An unavailable or overloaded database is not an error in the code: the status is 503, with a time to retry. A full
    disk gives 507.
    """
    error = sys.exc_info()[1]
    no_room = is_full(error)
    is_away = isinstance(error, OperationalError | InterfaceError) and not no_room
    status = 507 if no_room else 503 if is_away else 500
    context = {"styles": [_address(name) for name in STYLES], "theme": _address("shared/theme.js"),
               "icon": _address("icon.svg")}  # fmt: skip
    try:
        content: str = render_to_string(f"{status}.html", context)
    except Exception:  # the cause may affect this page too; the last resort needs nothing
        logger.exception("the error page failed too")
        content = _LAST_RESORT
    response = HttpResponse(content, status=status)
    response["Cache-Control"] = "no-store"
    if is_away:
        response["Retry-After"] = str(RETRY_SECONDS)
    return response


_LAST_RESORT = (
    '<!doctype html><html lang="en"><title>Something broke</title><h1>Something broke</h1>'
    "<p>The error has been logged. Nothing was saved. Please try again in a minute.</p></html>"
)


def _address(name: str) -> str:
    """Return the address of a static file, without a hash if the manifest is unreadable."""
    try:
        return static(name)
    except Exception:  # the manifest is missing, damaged, or older than the code
        return f"{settings.STATIC_URL}{name}"
