"""Request limits of the REST API."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rest_framework.settings import api_settings
from rest_framework.throttling import AnonRateThrottle, SimpleRateThrottle

from accounts.client_address import client_network
from accounts.models import ApiToken

if TYPE_CHECKING:
    from rest_framework.request import Request
    from rest_framework.views import APIView


class AddressThrottle(AnonRateThrottle):
    """
    Counts requests without a token by client address.

    An IPv6 /64 network counts as one address, because one household can use all of its addresses. X-Forwarded-For may
    contain text of any length, so only a valid address becomes a cache key.
    """

    def get_ident(self, request: Request) -> str:
        return client_network(request._request, api_settings.NUM_PROXIES)


class TokenThrottle(SimpleRateThrottle):
    """Counts requests with a token by token, wherever they come from."""

    scope = "token"

    def get_cache_key(self, request: Request, view: APIView) -> str | None:
        if not isinstance(request.auth, ApiToken):
            return None
        return self.cache_format % {"scope": self.scope, "ident": request.auth.pk}
