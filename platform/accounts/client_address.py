"""The address of a client as this site's own proxies saw it."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import TYPE_CHECKING

from django.conf import settings

if TYPE_CHECKING:
    from django.http import HttpRequest

#: A household or a server has at least one IPv6 network of this length, and can use any address in it.
_IPV6_NETWORK_BITS = 64


def forwarded_address(remote: str, forwarded: str, proxies: int) -> str:
    """
    Return the address of the client.

    remote
        The other end of the connection: the client, or the proxy nearest to this process.
    forwarded
        The header X-Forwarded-For, to which each proxy appends the address that it received the request from. Earlier
        entries come from the client and can be forged.
    proxies
        Number of the site's own proxies in front; without any, the header is ignored.
    """
    hops = [hop.strip() for hop in forwarded.split(",") if hop.strip()]
    return hops[-min(proxies, len(hops))] if proxies and hops else remote


def client_address(request: HttpRequest, proxies: int | None = None) -> str:
    """
    Return the address of the client; empty where the server does not know it.

    proxies
        Number of trusted proxies; None for PODIUM_TRUSTED_PROXIES. If the header's entry is not an address, the
        address of the nearest proxy counts.
    """
    direct, header = request.META.get("REMOTE_ADDR", ""), request.META.get("HTTP_X_FORWARDED_FOR", "")
    trusted = settings.PODIUM_TRUSTED_PROXIES if proxies is None else proxies
    found = _parsed(forwarded_address(direct, header, trusted)) or _parsed(direct)
    return str(found) if found is not None else ""


def counted_address(request: HttpRequest) -> str:
    """Return the address for django-ratelimit, which groups addresses by network itself."""
    return client_address(request) or "0.0.0.0"


def client_network(request: HttpRequest, proxies: int | None = None) -> str:
    """Return the key for a client's limits: its IPv4 address, or its 64-bit IPv6 network."""
    address = _parsed(client_address(request, proxies))
    if isinstance(address, IPv6Address):
        return str(ip_network((address, _IPV6_NETWORK_BITS), strict=False))
    return str(address) if address is not None else "unknown"


def _parsed(text: str) -> IPv4Address | IPv6Address | None:
    """Return the address in a text, which proxies write with a port, in brackets, or as IPv4 in IPv6."""
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
