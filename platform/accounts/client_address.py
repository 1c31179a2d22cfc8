"""Where a request comes from: the address that the proxies of this site saw, not what a client says of itself."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import TYPE_CHECKING

from django.conf import settings

if TYPE_CHECKING:
    from django.http import HttpRequest

#: A household or a server has at least so much of IPv6, and can take any address of it.
_IPV6_NETWORK_BITS = 64


def forwarded_address(remote: str, forwarded: str, proxies: int) -> str:
    """
    Return the address of who asks.

    remote
        The other end of the connection: the client, or the proxy nearest to this process.
    forwarded
        The header X-Forwarded-For, in which each proxy has added at the end whom it was asked by; what stands before
        that is whatever the client sent.
    proxies
        How many proxies of one's own stand in front; with none the header is not believed.
    """
    hops = [hop.strip() for hop in forwarded.split(",") if hop.strip()]
    return hops[-min(proxies, len(hops))] if proxies and hops else remote


def client_address(request: HttpRequest, proxies: int | None = None) -> str:
    """
    Return the address of the client; empty where the server does not know it.

    proxies
        How many proxies in front are believed; without it, PODIUM_TRUSTED_PROXIES. What is in the header but is not an
        address counts as that of the nearest proxy.
    """
    direct, header = request.META.get("REMOTE_ADDR", ""), request.META.get("HTTP_X_FORWARDED_FOR", "")
    trusted = settings.PODIUM_TRUSTED_PROXIES if proxies is None else proxies
    found = _parsed(forwarded_address(direct, header, trusted)) or _parsed(direct)
    return str(found) if found is not None else ""


def counted_address(request: HttpRequest) -> str:
    """Return the address that django-ratelimit counts by; it makes one of each network itself."""
    return client_address(request) or "0.0.0.0"


def client_network(request: HttpRequest, proxies: int | None = None) -> str:
    """Return by what the requests of a client are counted: its IPv4 address, or its IPv6 network of 64 bits."""
    address = _parsed(client_address(request, proxies))
    if isinstance(address, IPv6Address):
        return str(ip_network((address, _IPV6_NETWORK_BITS), strict=False))
    return str(address) if address is not None else "unknown"


def _parsed(text: str) -> IPv4Address | IPv6Address | None:
    """Return an address; proxies write it with a port, in brackets, or as IPv4 within IPv6."""
    text = text.strip()[:64]
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        address = ip_address(text)
    except ValueError:
        return None
    return (address.ipv4_mapped or address) if isinstance(address, IPv6Address) else address
