"""Template tag: which side of a match is favoured, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django import template
from django.utils.html import format_html
from django.utils.translation import gettext as _

if TYPE_CHECKING:
    from django.utils.safestring import SafeString

    from ratings.display.favored import Favored

register = template.Library()


@register.simple_tag
def favored_words(favored: Favored, first: str, second: str) -> SafeString:
    """Say which side is favoured, given the names of both."""
    if favored == "even":
        return format_html("{}", _("Even"))
    text = _("{name} is slightly favoured") if favored.startswith("slightly") else _("{name} is favoured")
    before, _name, after = text.partition("{name}")
    return format_html("{}<bdi>{}</bdi>{}", before, first if favored.endswith("a") else second, after)
