"""
A player's rating on other sites: a preview card for links, a badge, and a widget for a frame.

The responses are public and cacheable. They depend on the address alone: they show public series only, even to
organizers, and the language is a parameter. They have entity tags and may be cached for two minutes, because a series
may become private.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

from csp.decorators import csp_replace
from django.conf import settings
from django.core.cache import cache
from django.http import HttpResponse
from django.shortcuts import render
from django.utils import translation
from django.utils.cache import get_conditional_response
from django.views.decorators.clickjacking import xframe_options_exempt

from ratings.database import consistent_read
from web.public.share import pictures
from web.public.share.figures import history_of, picture_of, subject_of
from web.shared.caching import cache_shared
from web.shared.drawings import sparkline
from web.shared.params import text_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.http import HttpRequest

    from web.public.share.figures import Subject

#: How long the picture of a card stays in our own cache, which is only asked once the visitor's rights are known.
CARD_SECONDS = 600
#: The number of cached cards (about 30 kB each): requests for every player's card do not fill the cache.
CARDS_CACHED = 1024
THEMES = ("light", "dark")


def card(request: HttpRequest, community: str, handle: str) -> HttpResponse:
    """Return the preview card that other sites show for links to the player."""

    def make(subject: Subject, etag: str) -> HttpResponse:
        key = f"card:{zlib.crc32(etag.encode()) % CARDS_CACHED}"
        cached_etag, picture = cache.get(key) or ("", b"")
        if cached_etag != etag:
            picture = pictures.card(subject, *history_of(subject), picture_of(subject))
            cache.set(key, (etag, picture), CARD_SECONDS)
        return HttpResponse(picture, content_type="image/png")

    return _respond(request, community, handle, "card", make)


def badge(request: HttpRequest, community: str, handle: str) -> HttpResponse:
    """Return the player's badge."""
    style = pictures.style_of(text_of(request, "style"))

    def make(subject: Subject, _: str) -> HttpResponse:
        return HttpResponse(pictures.badge(subject, style), content_type="image/svg+xml; charset=utf-8")

    return _respond(request, community, handle, f"badge {style}", make)


@xframe_options_exempt
@csp_replace({"frame-ancestors": ["*"]})  # type: ignore[arg-type]  # views may take more than the request
def widget(request: HttpRequest, community: str, handle: str) -> HttpResponse:
    """Return the widget, a small page for a frame on another site."""
    theme = text_of(request, "theme")
    theme = theme if theme in THEMES else ""

    def make(subject: Subject, _: str) -> HttpResponse:
        context = {
            "subject": subject, "theme": theme, "handle": handle[:200], "title": pictures.title_of(subject),
            "line": sparkline(history_of(subject)[1]),
        }  # fmt: skip
        return render(request, "share/widget.html", context)

    return _respond(request, community, handle, f"widget {theme}", make)


def _respond(
    request: HttpRequest, community: str, handle: str, kind: str, make: Callable[[Subject, str], HttpResponse]
) -> HttpResponse:
    """Return the response, or 304 if the client already has it."""
    language = text_of(request, "lang")
    language = language if language in dict(settings.LANGUAGES) else settings.LANGUAGE_CODE
    with translation.override(language), consistent_read():
        subject = subject_of(community, handle, text_of(request, "series"))
        etag = subject.etag(kind, language, request.get_host() if kind.startswith("widget") else "")
        response = get_conditional_response(request, etag=etag) if subject.status == 200 else None
        if response is None:
            response = make(subject, etag)
            response.status_code = subject.status
    response["ETag"] = etag
    cache_shared(response)
    response["Cross-Origin-Resource-Policy"] = "cross-origin"
    response["Content-Language"] = language
    return response
