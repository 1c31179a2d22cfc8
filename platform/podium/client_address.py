"""Where a request comes from: the address that the proxies of this site saw, not what a client says of itself."""

from __future__ import annotations


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
