"""Flags of countries, as small pictures from static/vendor/flags."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from django.contrib.staticfiles import finders
from django.core.signals import setting_changed
from django.templatetags.static import static
from django.utils.html import format_html
from django.utils.translation import get_language

from ratings.queries.filters import country_name

if TYPE_CHECKING:
    from django.utils.safestring import SafeString

#: Width and height of a flag beside text, in CSS pixels.
FLAG_SIZE = (21, 14)


def flag_address(code: str) -> str:
    """Return the address of the flag of a country, given by its code of two letters; empty if there is none."""
    return static(f"vendor/flags/{code.lower()}.svg") if _has_flag(code.lower()) else ""


@lru_cache(maxsize=1024)
def _has_flag(code: str) -> bool:
    return re.fullmatch("[a-z]{2}", code) is not None and finders.find(f"vendor/flags/{code}.svg") is not None


def flag(code: str, decorative: bool = False) -> SafeString | str:
    """
    Draw the flag of a country, with its name as alternative text; the code itself for countries without a flag.

    decorative
        Whether the page has the country's name beside the flag. Then the flag has no text.
    """
    return _drawn(code, decorative, get_language()) if code else ""


@lru_cache(maxsize=4096)
def _drawn(code: str, decorative: bool, language: str | None) -> SafeString | str:
    """Draw a flag in the active language; cached, because a page has hundreds of flags of few countries."""
    name, address = country_name(code), flag_address(code)
    if not address:
        return "" if decorative else format_html('<span class="country" title="{}">{}</span>', name, code)
    width, height = FLAG_SIZE
    return format_html(
        '<img class="flag" src="{}" width="{}" height="{}" alt="{}" title="{}" loading="lazy" decoding="async">',
        address, width, height, "" if decorative else name, name,
    )  # fmt: skip


def _forget(*, setting: str, **_: object) -> None:
    """Forget the addresses when a test changes where static files are."""
    if setting.startswith(("STATIC", "STORAGES")):
        _drawn.cache_clear()


setting_changed.connect(_forget)
