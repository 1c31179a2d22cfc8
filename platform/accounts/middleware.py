"""
Rules for all pages of accounts: limits, no caching, confirmations, and an answer if a provider is unavailable.

Also stores when API tokens are used.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from django.shortcuts import render
from django.utils.cache import add_never_cache_headers
from requests import RequestException

from accounts.confirming import ask_to_confirm, is_confirmed
from accounts.limits import too_many_attempts, wait_of
from accounts.tokens import note_use

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.http import HttpRequest, HttpResponse

logger = logging.getLogger(__name__)

#: The pages of accounts; some show secrets, such as recovery codes.
_PREFIX = "accounts/"
_NEW_WAYS_IN = ("account_set_password", "mfa_activate_totp", "mfa_add_webauthn")


class Limits:
    """Answers 429 to an attempt over its limit, before the view looks up an account or hashes a password."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if request.resolver_match is not None and request.resolver_match.route.startswith(_PREFIX):
            add_never_cache_headers(response)
        return response

    def process_view(self, request: HttpRequest, view: object, args: Any, kwargs: Any) -> HttpResponse | None:
        """Count the request."""
        match = request.resolver_match
        wait = wait_of(request, match.url_name or "") if match is not None and not match.namespace else 0
        return too_many_attempts(request, wait) if wait else None

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """Explain that another site, with which someone wants to log in, does not answer."""
        if not isinstance(exception, RequestException):
            return None
        logger.warning("a site to log in with did not answer as expected: %s", exception)
        return render(request, "socialaccount/authentication_error.html", status=502)


class NewWaysIn:
    """
    Asks for a confirmation before an account gets its first password, code or passkey.

    allauth asks only accounts that already have one of these. Accounts that log in with another site have none, so
    anyone at their open browser could add one, and use it for every later confirmation.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(self, request: HttpRequest, view: object, args: Any, kwargs: Any) -> HttpResponse | None:
        """Redirect to the page for a confirmation, and back."""
        match = request.resolver_match
        if match is None or match.view_name not in _NEW_WAYS_IN or not request.user.is_authenticated:
            return None
        return None if is_confirmed(request) else ask_to_confirm(request, request.get_full_path())


class TokenUse:
    """Stores that an API token was used, after the response, because views of the REST API cannot write."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        token = getattr(request, "podium_token", None)
        if token is not None:
            note_use(token)
        return response
