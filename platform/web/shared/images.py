"""Responses with images that someone uploaded and `contests.images` has redrawn."""

from __future__ import annotations

from django.http import HttpResponse

from web.shared.caching import cache_shared

#: The addresses of these images contain the hash of their content.
_BROWSER_SECONDS = 86_400


def image_response(content: bytes, content_type: str, *, is_open: bool) -> HttpResponse:
    """
    Return an image whose address contains its hash.

    is_open
        Whether anyone may see it, so that shared caches may store it. API clients show open images on other sites.
    """
    response = HttpResponse(content, content_type=content_type)
    if is_open:
        cache_shared(response, browser_seconds=_BROWSER_SECONDS, is_immutable=True)
        response["Cross-Origin-Resource-Policy"] = "cross-origin"
    else:
        response["Cache-Control"] = f"private, max-age={_BROWSER_SECONDS}, immutable"
    response["Content-Disposition"] = "inline"
    return response
