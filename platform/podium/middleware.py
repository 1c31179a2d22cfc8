"""What the site adds to every answer: language, entity tags, headers of pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings
from django.middleware.http import ConditionalGetMiddleware
from django.middleware.locale import LocaleMiddleware
from django.utils import translation
from django.utils.cache import get_conditional_response, patch_vary_headers, set_response_etag
from django.utils.http import parse_http_date_safe

from podium import env
from web.shared.page_tags import import_map_source

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.http import HttpRequest, HttpResponse


class Conditional(ConditionalGetMiddleware):
    """
    Give each answer an entity tag, and answer 304 to a client that has it already: pages and the REST interface alike.

    Django's own class leaves out HEAD; here views answer HEAD as they answer GET, so both have the same tag. Tags are
    weak because a compressed answer and a plain one share theirs.
    """

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:  # type: ignore[override]
        if request.method not in ("GET", "HEAD"):
            return response
        if "ETag" not in response and self.needs_etag(response):
            set_response_etag(response)
            if "ETag" in response:
                response["ETag"] = f"W/{response['ETag']}"
        modified = parse_http_date_safe(response.get("Last-Modified", ""))
        return get_conditional_response(  # type: ignore[return-value]  # the response that it got, or a 304
            request, etag=response.get("ETag"), last_modified=modified, response=response
        )


class PageLanguage(LocaleMiddleware):
    """The language that somebody chose, else the browser's; English where there is no other."""

    def process_request(self, request: HttpRequest) -> None:
        if request.path_info.startswith(env.ENGLISH_ONLY):
            # A thread keeps the language of the request before.
            translation.activate(settings.LANGUAGE_CODE)
        else:
            super().process_request(request)

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:  # type: ignore[override]
        if request.path_info.startswith(env.ENGLISH_ONLY):
            return response
        return super().process_response(request, response)  # type: ignore[return-value]  # it gives back what it got


class Pages:
    """
    Pages are asked for again each time and answered with 304 where nothing has changed; they may run the import map.

    Nothing on a page for visitors differs from one answer to the next (no token, no nonce), so its hash is its version.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        # Whether an answer is packed is decided outside; a 304 must say the same as the answer that it stands for.
        patch_vary_headers(response, ["Accept-Encoding"])
        if not response.headers.get("Content-Type", "").startswith("text/html"):
            return response
        response._csp_update = {  # type: ignore[attr-defined]  # django-csp reads it
            **(getattr(response, "_csp_update", None) or {}), "script-src": [import_map_source()],
        }  # fmt: skip
        if "Cache-Control" not in response:
            response["Cache-Control"] = "private, no-cache"
        patch_vary_headers(response, ["Cookie"])
        return response
