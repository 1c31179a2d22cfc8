"""Absolute URLs, for everything that leaves the site: feeds, snippets, invitations, links for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings

if TYPE_CHECKING:
    from django.http import HttpRequest


def whole_address(request: HttpRequest, path: str) -> str:
    """
    Return the absolute URL of a path of this site, below PODIUM_ORIGIN or, without that setting, the requested host.

    Visitors choose the host, within PODIUM_ALLOWED_HOSTS and with any port, so nothing that contains such a URL may be
    stored in a shared cache.
    """
    return f"{settings.PODIUM_ORIGIN}{path}" if settings.PODIUM_ORIGIN else request.build_absolute_uri(path)
