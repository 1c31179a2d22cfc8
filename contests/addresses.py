"""Whole addresses of pages, for what leaves the site: feeds, snippets, invitations, links for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings

if TYPE_CHECKING:
    from django.http import HttpRequest


def whole_address(request: HttpRequest, path: str) -> str:
    """
    Return the address of a path of this site: below PODIUM_ORIGIN, or without that setting, below the host asked for.

    The host is chosen by the visitor, within PODIUM_ALLOWED_HOSTS and with any port. So nothing that holds an address
    may go into a shared cache.
    """
    return f"{settings.PODIUM_ORIGIN}{path}" if settings.PODIUM_ORIGIN else request.build_absolute_uri(path)
