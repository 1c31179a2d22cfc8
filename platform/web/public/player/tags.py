"""Small graphs on the page of a player."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django import template
from django.utils.html import format_html
from django.utils.translation import gettext as _

from web.shared.drawings import LINE_HEIGHT, LINE_WIDTH, sparkline
from web.shared.tags import points as written
from web.shared.tags import tier_class

if TYPE_CHECKING:
    from collections.abc import Sequence

    from django.utils.safestring import SafeString

    from ratings.queries.snapshot import SeriesSnapshot

register = template.Library()


@register.simple_tag
def small_graph(snapshot: SeriesSnapshot, ratings: Sequence[int]) -> SafeString | str:
    """Draw shown ratings, oldest first, in the colour of the last one's tier, with both ends in words."""
    line = sparkline(ratings)
    if not line:
        return "–"
    words = _("From %(first)s to %(last)s") % {"first": written(ratings[0]), "last": written(ratings[-1])}
    return format_html(
        '<svg class="small-graph {}" viewBox="0 0 {} {}" preserveAspectRatio="none" role="img" aria-label="{}">'
        '<polyline points="{}" vector-effect="non-scaling-stroke"/></svg>',
        tier_class(snapshot, ratings[-1]), LINE_WIDTH, LINE_HEIGHT, words, line,
    )  # fmt: skip
