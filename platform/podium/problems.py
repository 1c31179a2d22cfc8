"""Answers to programs: errors as problem documents (RFC 9457), and the media types that clients accept."""

from __future__ import annotations

from functools import wraps
from http import HTTPStatus
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from django.core.exceptions import DisallowedHost
from django.http import JsonResponse
from rest_framework.negotiation import DefaultContentNegotiation

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.http import HttpRequest, HttpResponse
    from rest_framework.request import Request

JSON = "application/json"
PROBLEM = "application/problem+json"


class Negotiation(DefaultContentNegotiation):
    """Clients that can read problems can read JSON: whatever is no error is plain JSON for them."""

    def get_accept_list(self, request: Request) -> list[str]:
        accepted = super().get_accept_list(request)
        return [*accepted, JSON] if any(_media_type(one) == PROBLEM for one in accepted) else accepted


def _media_type(accepted: str) -> str:
    return accepted.partition(";")[0].strip().lower()


BROKEN = "The error has been written down. Please try again in a minute."
NOTHING_HERE = "There is nothing at this address; /api/v1/docs/ lists all there is."

_DETAILS = {
    400: "The request cannot be read.",
    403: "This may not be done.",
    404: NOTHING_HERE,
    500: BROKEN,
}


def problem_document(request: HttpRequest, status: int, detail: str) -> dict[str, Any]:
    """Return the members that all problems have."""
    return {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
        "instance": quote(request.path),
    }


def or_problem(page: Callable[..., HttpResponse], status: int) -> Callable[..., HttpResponse]:
    """Return a handler of errors that answers programs, below /api/, with a problem and everyone else with the page."""

    @wraps(page)
    def handler(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
        if not request.path.startswith("/api/"):
            return page(request) if exception is None else page(request, exception)
        detail = _DETAILS[status]
        if isinstance(exception, DisallowedHost):
            detail = (
                "This site does not answer to that host. Use the address that the site gives, or let its administrator "
                "add the host to PODIUM_ALLOWED_HOSTS."
            )
        document = problem_document(request, status, detail)
        headers = {"Cache-Control": "no-store"}
        return JsonResponse(document, status=status, content_type=PROBLEM, headers=headers)

    return handler
