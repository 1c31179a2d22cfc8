"""Middleware of the whole site: unread requests, HEAD, health checks, language, entity tags, and headers of pages."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING

from django.conf import settings
from django.http import UnreadablePostError
from django.middleware.http import ConditionalGetMiddleware
from django.middleware.locale import LocaleMiddleware
from django.utils import translation
from django.utils.cache import get_conditional_response, patch_vary_headers, set_response_etag
from django.utils.http import parse_http_date_safe

from podium import env, health
from web.shared.page_tags import import_map_source

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.http import HttpRequest, HttpResponse


class ReadToTheEnd:
    """
    Reads what a view left unread of a request, for example of a large file that was refused because of its headers.

    The web server would otherwise close the connection while the client is still sending. Browsers then report a broken
    connection, and nginx shows the page of a site that is down, instead of the response.
    """

    #: Bytes read at most. If there are more, the connection is closed.
    limit = 2**30
    _at_once = 2**16

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        left = self.limit
        try:
            while left > 0 and request.read(self._at_once):
                left -= self._at_once
        except UnreadablePostError:
            # The client has gone.
            pass
        return response


class HeadWithoutBody:
    """
    Leaves out the body of each response to HEAD, and keeps its headers, with the length that GET would have.

    Views answer HEAD as they answer GET. The web server doesn't send such a body, but logs a warning for each.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if request.method != "HEAD":
            return response
        if response.streaming:
            response.streaming_content = ()  # type: ignore[attr-defined]  # as a StreamingHttpResponse has it
        else:
            response.content = b""
        return response


class Health:
    """
    Answers `/healthz` and `/readyz` before any other middleware sees the request.

    Probes use an IP address and plain HTTP, so neither the allowed hosts nor the redirect to HTTPS apply to them.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response
        self.answers = {"/healthz": health.healthz, "/readyz": health.readyz}
        # Read at the start: later, the disk may have migrations of a version that this process doesn't run.
        health.needed_migrations()

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.answers.get(request.path_info, self.get_response)(request)


class Conditional(ConditionalGetMiddleware):
    """
    Gives each response an entity tag, and answers 304 to clients that already have it, for pages and the REST API.

    Django's own class ignores HEAD; here, views answer HEAD as they answer GET, so both have the same tag. Tags are
    weak because a compressed response and a plain one share theirs.
    """

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:  # type: ignore[override]
        if request.method not in ("GET", "HEAD"):
            return response
        if "ETag" not in response and self.needs_etag(response):
            set_response_etag(response)
            if "ETag" in response:
                response["ETag"] = f"W/{response['ETag']}"
        modified = parse_http_date_safe(response.get("Last-Modified", ""))
        found = get_conditional_response(request, etag=response.get("ETag"), last_modified=modified, response=response)
        # Other conditions than those for a 304 protect against overwriting; here, nothing is written.
        return response if found is None or found.status_code == HTTPStatus.PRECONDITION_FAILED else found


class PageLanguage(LocaleMiddleware):
    """Sets the chosen language, or else the browser's; English for pages that exist only in English."""

    def process_request(self, request: HttpRequest) -> None:
        if request.path_info.startswith(env.ENGLISH_ONLY):
            # A thread keeps the language of its previous request.
            translation.activate(settings.LANGUAGE_CODE)
        else:
            super().process_request(request)

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:  # type: ignore[override]
        if request.path_info.startswith(env.ENGLISH_ONLY):
            return response
        return super().process_response(request, response)  # type: ignore[return-value]  # returns the given response


class Pages:
    """
    Lets browsers store pages if they ask each time whether these have changed, and allows the import map.

    Other sites can't embed responses, except those that say so: cards, badges and widgets.

    Public pages contain nothing that differs between responses (no token, no nonce), so the hash of a page is its
    version.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        # Another middleware compresses responses; a 304 must have the same header as the full response.
        patch_vary_headers(response, ["Accept-Encoding"])
        response.headers.setdefault("Cross-Origin-Resource-Policy", "same-origin")
        if not response.headers.get("Content-Type", "").startswith("text/html"):
            return response
        response._csp_update = {  # type: ignore[attr-defined]  # django-csp reads it
            **(getattr(response, "_csp_update", None) or {}), "script-src": [import_map_source()],
        }  # fmt: skip
        if "Cache-Control" not in response:
            response["Cache-Control"] = "private, no-cache"
        patch_vary_headers(response, ["Cookie"])
        return response
