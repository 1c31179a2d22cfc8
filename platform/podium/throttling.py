"""How many requests an address may make to the REST interface."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rest_framework.settings import api_settings
from rest_framework.throttling import AnonRateThrottle

from accounts.client_address import client_network

if TYPE_CHECKING:
    from rest_framework.request import Request


class AddressThrottle(AnonRateThrottle):
    """
    Counts requests by address; all addresses of one IPv6 network of 64 bits are one, as a household has so many.

    What a client puts into X-Forwarded-For may be of any length, so only what is an address becomes a key of the cache.
    """

    def get_ident(self, request: Request) -> str:
        return client_network(request._request, api_settings.NUM_PROXIES)
