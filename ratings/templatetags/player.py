"""Small graphs on the page of a player."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django import template
from django.utils.html import format_html
from django.utils.translation import gettext as _

from ratings.player_series import HEIGHT, WIDTH
from ratings.templatetags.show import points as written
from ratings.templatetags.show import tier_class

if TYPE_CHECKING:
    from django.utils.safestring import SafeString

    from ratings.player_series import Sparkline
    from ratings.shown import Shown

register = template.Library()


@register.simple_tag
def sparkline(view: Shown, line: Sparkline | None, rating: int) -> SafeString | str:
    """Draw a rating over time in the colour of the tier of the rating now, with its two ends in words."""
    if line is None:
        return "–"
    words = _("From %(first)s to %(last)s") % {"first": written(line.first), "last": written(line.last)}
    return format_html(
        '<svg class="sparkline {}" viewBox="0 0 {} {}" width="{}" height="{}" role="img" aria-label="{}">'
        '<path d="{}"/><circle cx="{}" cy="{}" r="2.5"/></svg>',
        tier_class(view, rating), WIDTH, HEIGHT, WIDTH, HEIGHT, words, line.path, line.x, line.y,
    )  # fmt: skip
