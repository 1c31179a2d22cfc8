"""Limits on how long caches outside this site keep public responses, because these may become private."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils.cache import patch_cache_control

if TYPE_CHECKING:
    from django.http import HttpResponse

#: The longest time in seconds for which a shared cache shows something after it has become private.
SHARED_SECONDS = 120


def cache_shared(response: HttpResponse, *, browser_seconds: int = SHARED_SECONDS, is_immutable: bool = False) -> None:
    """
    Let browsers keep a response, and proxies and content delivery networks for at most SHARED_SECONDS.

    `s-maxage` also forbids them from serving a stale response without asking this site (RFC 9111, section 5.2.2.10).

    browser_seconds
        How long a browser may show it again without asking this site: that person has already seen it.
    is_immutable
        Whether the content at this address never changes.
    """
    patch_cache_control(response, public=True, max_age=browser_seconds, s_maxage=SHARED_SECONDS)
    if is_immutable:
        patch_cache_control(response, immutable=True)
