"""Responses to API clients: errors as problem documents (RFC 9457), and content negotiation."""

from __future__ import annotations

import re
from functools import wraps
from http import HTTPStatus
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from django.core.exceptions import DisallowedHost
from django.http import JsonResponse
from rest_framework.exceptions import NotAcceptable
from rest_framework.negotiation import DefaultContentNegotiation

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.http import HttpRequest, HttpResponse
    from rest_framework.request import Request

JSON = "application/json"
PROBLEM = "application/problem+json"
_ZERO = re.compile(r"q\s*=\s*0(\.0{0,3})?", re.IGNORECASE)


class Negotiation(DefaultContentNegotiation):
    """
    Accepts clients that ask for problem documents only, and sends them JSON unless there is an error.

    An empty header Accept counts as none. A media type with q=0 is not acceptable, whatever wildcards the header has
    (RFC 9110, section 12.5.1); the framework ignores q.
    """

    def get_accept_list(self, request: Request) -> list[str]:
        listed = super().get_accept_list(request)
        if not listed and not request.headers.get("Accept", "").strip(", \t"):
            return ["*/*"]
        accepted = [one for one in listed if not _is_refused(one)]
        return [*accepted, JSON] if any(_media_type(one) == PROBLEM for one in accepted) else accepted

    def select_renderer(self, request: Request, renderers: Any, format_suffix: str | None = None) -> Any:
        refused = {_media_type(one) for one in super().get_accept_list(request) if _is_refused(one)}
        left = [renderer for renderer in renderers if renderer.media_type not in refused]
        if not left:
            raise NotAcceptable(available_renderers=renderers)
        return super().select_renderer(request, left, format_suffix)


def _media_type(accepted: str) -> str:
    return accepted.partition(";")[0].strip().lower()


def _is_refused(accepted: str) -> bool:
    """Return whether this part of a header Accept has a weight of zero."""
    return any(_ZERO.fullmatch(parameter.strip()) for parameter in accepted.split(";")[1:])


BROKEN = "A server error occurred and has been logged. Try again in a minute."
NOTHING_HERE = "There is nothing at this address. See /api/v1/docs/ for all addresses."

_DETAILS = {
    400: "The request is invalid.",
    403: "You do not have permission to do this.",
    404: NOTHING_HERE,
    500: BROKEN,
}


def problem_document(request: HttpRequest, status: int, detail: str) -> dict[str, Any]:
    """Return the members that all problem documents have."""
    return {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
        "instance": quote(request.path),
    }


def or_problem(page: Callable[..., HttpResponse], status: int) -> Callable[..., HttpResponse]:
    """Return an error handler that responds with a problem document below /api/ and with the page elsewhere."""

    @wraps(page)
    def handler(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
        if not request.path.startswith("/api/"):
            return page(request) if exception is None else page(request, exception)
        detail = _DETAILS[status]
        if isinstance(exception, DisallowedHost):
            detail = (
                "The site does not accept requests for this host name. Use another address of the site, or ask its "
                "administrator to add the host name to PODIUM_ALLOWED_HOSTS."
            )
        document = problem_document(request, status, detail)
        headers = {"Cache-Control": "no-store"}
        return JsonResponse(document, status=status, content_type=PROBLEM, headers=headers)

    return handler
