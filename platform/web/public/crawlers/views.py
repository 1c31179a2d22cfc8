"""
Two text files with fixed names.

Like all responses here, they are the same for everyone: signing in changes nothing.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from django.conf import settings
from django.http import Http404
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import cache_control

from contests.addresses import whole_address
from web.public.crawlers.sitemaps import index_count

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

_TEXT = "text/plain; charset=utf-8"
#: RFC 9116 recommends less than a year; the date is computed for each response.
_VALID = timedelta(days=180)


@cache_control(public=True, max_age=3600)
def robots(request: HttpRequest) -> HttpResponse:
    """Tell crawlers which pages to read, and where the indexes of site maps are."""
    parts = range(1, index_count() + 1)
    paths = [reverse("sitemap", query={"p": part} if part > 1 else None) for part in parts]
    context = {"sitemaps": [whole_address(request, path) for path in paths]}
    return render(request, "crawlers/robots.txt", context, content_type=_TEXT)


@cache_control(public=True, max_age=3600)
def security_contact(request: HttpRequest) -> HttpResponse:
    """Tell security researchers whom to write to (RFC 9116); 404 if no contact is set."""
    if not settings.PODIUM_SECURITY_CONTACTS:
        raise Http404
    # A whole day, so that the response and its entity tag stay the same during it.
    today = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    context = {
        "contacts": settings.PODIUM_SECURITY_CONTACTS,
        "expires": (today + _VALID).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "languages": ", ".join(code for code, _ in settings.LANGUAGES),
        "address": whole_address(request, reverse("security-contact")),
    }
    return render(request, "crawlers/security.txt", context, content_type=_TEXT)
