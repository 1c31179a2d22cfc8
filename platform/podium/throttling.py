"""Request limits of the REST API."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rest_framework.settings import api_settings
from rest_framework.throttling import AnonRateThrottle

from accounts.client_address import client_network

if TYPE_CHECKING:
    from rest_framework.request import Request


class AddressThrottle(AnonRateThrottle):
    """
    Counts requests by client address; an IPv6 network of 64 bits counts as one, because one household has as many.

    X-Forwarded-For may contain text of any length, so only a valid address becomes a cache key.
    """

    def get_ident(self, request: Request) -> str:
        return client_network(request._request, api_settings.NUM_PROXIES)
