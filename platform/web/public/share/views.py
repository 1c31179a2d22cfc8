"""
A player's rating elsewhere: a picture for links, a badge, and a small page for a frame.

Made for caches of others: they depend on the address alone (never on who asks, so public series only; the language is
a parameter), carry the tag of what they were made of, and may be kept for some minutes.
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
from django.utils.cache import get_conditional_response, patch_cache_control
from django.views.decorators.clickjacking import xframe_options_exempt

from ratings.database import consistent_read
from web.public.share import pictures
from web.public.share.figures import history_of, subject_of
from web.shared.drawings import sparkline
from web.shared.params import text_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.http import HttpRequest

    from web.public.share.figures import Subject

#: What was asked for a moment ago is not asked for again, and an old one does for a day while a new one is fetched.
KEPT_SECONDS = 600
STALE_SECONDS = 86_400
#: Cards are kept in so many places (about 30 kB each), so that asking for everyone's card does not fill the cache.
CARDS_KEPT = 1024
THEMES = ("light", "dark")


def card(request: HttpRequest, handle: str) -> HttpResponse:
    """Answer with the picture that other sites show beside a link to the player."""

    def make(subject: Subject, etag: str) -> HttpResponse:
        key = f"card:{zlib.crc32(etag.encode()) % CARDS_KEPT}"
        known, picture = cache.get(key) or ("", b"")
        if known != etag:
            picture = pictures.card(subject, *history_of(subject))
            cache.set(key, (etag, picture), KEPT_SECONDS)
        return HttpResponse(picture, content_type="image/png")

    return _answer(request, handle, "card", make)


def badge(request: HttpRequest, handle: str) -> HttpResponse:
    """Answer with the player's badge."""
    style = pictures.style_of(text_of(request, "style"))

    def make(subject: Subject, _: str) -> HttpResponse:
        return HttpResponse(pictures.badge(subject, style), content_type="image/svg+xml; charset=utf-8")

    return _answer(request, handle, f"badge {style}", make)


@xframe_options_exempt
@csp_replace({"frame-ancestors": ["*"]})  # type: ignore[arg-type]  # views may take more than the request
def widget(request: HttpRequest, handle: str) -> HttpResponse:
    """Answer with the small page that others put into a frame."""
    theme = text_of(request, "theme")
    theme = theme if theme in THEMES else ""

    def make(subject: Subject, _: str) -> HttpResponse:
        context = {
            "subject": subject, "theme": theme, "handle": handle[:200], "title": pictures.title_of(subject),
            "line": sparkline(history_of(subject)[1]),
        }  # fmt: skip
        return render(request, "share/widget.html", context)

    return _answer(request, handle, f"widget {theme}", make)


def _answer(request: HttpRequest, handle: str, what: str, make: Callable[[Subject, str], HttpResponse]) -> HttpResponse:
    """Make the answer, unless whoever asks has it already."""
    asked = text_of(request, "lang")
    language = asked if asked in dict(settings.LANGUAGES) else settings.LANGUAGE_CODE
    with translation.override(language), consistent_read():
        subject = subject_of(handle, text_of(request, "series"))
        etag = subject.etag(what, language, request.get_host() if what.startswith("widget") else "")
        answer = get_conditional_response(request, etag=etag) if subject.status == 200 else None
        if answer is None:
            answer = make(subject, etag)
            answer.status_code = subject.status
    answer["ETag"] = etag
    patch_cache_control(answer, public=True, max_age=KEPT_SECONDS, stale_while_revalidate=STALE_SECONDS)
    answer["Cross-Origin-Resource-Policy"] = "cross-origin"
    answer["Content-Language"] = language
    return answer
