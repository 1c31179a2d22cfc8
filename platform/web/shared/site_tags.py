"""Tags that every page may use without loading them."""

from __future__ import annotations

import base64
import hashlib
import json
from functools import lru_cache
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from django import template
from django.conf import settings
from django.templatetags.static import static
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import mark_safe
from django.utils.translation import get_language

if TYPE_CHECKING:
    from django.utils.safestring import SafeString

register = template.Library()

STATIC = settings.BASE_DIR / "static"


def import_map_text() -> str:
    """Return the map from names to addresses of all our modules: the same text on every page."""
    paths = sorted(path for path in STATIC.rglob("*.js") if "vendor" not in path.parts)
    addresses = {path.stem: static(path.relative_to(STATIC).as_posix()) for path in paths}
    return json.dumps({"imports": addresses}, separators=(",", ":"))


@lru_cache(maxsize=1)
def _kept() -> str:
    return import_map_text()


def import_map_source() -> str:
    """Return how the pages' policy names the import map: by its hash, so that a page is the same each time."""
    text = import_map_text() if settings.DEBUG else _kept()
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


@register.simple_tag
def import_map() -> SafeString:
    """Write the import map; modules import each other by their names alone."""
    text = import_map_text() if settings.DEBUG else _kept()
    # Made of names of our own files; escaping would change what the hash is of.
    return mark_safe(f'<script type="importmap">{text}</script>')


@register.simple_tag(takes_context=True)
def language_links(context: template.Context) -> list[dict[str, Any]]:
    """Return the languages that a page can be read in, each with the address that chooses it and comes back here."""
    request = context.get("request")
    here = request.get_full_path() if request is not None else "/"
    if here.startswith(settings.PODIUM_ENGLISH_ONLY):
        return []
    current = get_language()
    return [
        {
            "code": code,
            "name": name,
            "address": format_html("{}?next={}", reverse("language", args=[code]), quoted(here)),
            "is_current": code == current,
        }
        for code, name in settings.LANGUAGES
    ]


def quoted(path: str) -> str:
    """Return a path as the value of a query parameter."""
    return quote(path[:2000], safe="/")
