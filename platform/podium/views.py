"""What belongs to no application: the choice of a language, and the pages for errors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils.encoding import iri_to_uri
from django.utils.http import url_has_allowed_host_and_scheme

if TYPE_CHECKING:
    from django.http import HttpRequest


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


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    return render(request, "400.html", status=400)


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    return render(request, "403.html", status=403)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    return render(request, "404.html", status=404)


def server_error(request: HttpRequest) -> HttpResponse:
    """Answer without a template context: whatever broke may break again."""
    return HttpResponse(
        "<!doctype html><html lang=en><title>Something broke</title><h1>Something broke</h1>"
        "<p>The error has been written down. Nothing was stored. Please try again in a minute.</p></html>",
        status=500,
    )
