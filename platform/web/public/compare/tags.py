"""Template tags of the comparison: probabilities, and bars of results."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django import template
from django.utils.html import format_html, format_html_join

from ratings.queries.comparisons import chance_text
from web.shared.drawings import percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from django.utils.safestring import SafeString

    from ratings.queries.head_to_head import Score

register = template.Library()

#: Classes of the parts of a bar. On the page of a comparison, the players have the colours of the first two lines.
_PARTS = ("duel-wins compare-line-0", "duel-ties", "duel-losses compare-line-1")


register.filter("chance", chance_text)


@register.simple_tag
def duel_bar(score: Score) -> SafeString:
    """Draw a bar divided into wins, ties and losses; the page shows the same numbers beside it."""
    return _bar([score.wins, score.ties, score.losses])


@register.simple_tag
def chance_bar(win: float, draw: float) -> SafeString:
    """Draw a bar divided by the probabilities of a win and a draw; the page shows the same numbers beside it."""
    return _bar([win, draw, 1 - win - draw])


def _bar(parts: Sequence[float]) -> SafeString:
    total, begin, drawn = sum(parts), 0.0, []
    for name, part in zip(_PARTS, parts, strict=True):
        if part:
            drawn.append((name, percent(begin / total), percent(part / total)))
        begin += part
    bars = format_html_join("", '<rect class="{}" x="{}" width="{}" height="100%"/>', drawn)
    return format_html('<svg class="duel-bar" width="100%" aria-hidden="true">{}</svg>', bars)
