"""How many requests an address may make to the REST interface."""

from __future__ import annotations

from ipaddress import IPv6Address, ip_address, ip_network
from typing import TYPE_CHECKING

from rest_framework.throttling import AnonRateThrottle

if TYPE_CHECKING:
    from rest_framework.request import Request


class AddressThrottle(AnonRateThrottle):
    """
    Counts requests by address; all addresses of one IPv6 network of 64 bits are one, as a household has so many.

    What a client puts into X-Forwarded-For may be of any length, so only what is an address becomes a key of the cache.
    """

    def get_ident(self, request: Request) -> str:
        try:
            address = ip_address(super().get_ident(request) or "")
        except ValueError:
            return str(request.META.get("REMOTE_ADDR", ""))
        return str(ip_network((address, 64), strict=False)) if isinstance(address, IPv6Address) else str(address)
