"""How shares of players are written."""

from __future__ import annotations

from django import template

from web.shared.tags import tenth

register = template.Library()


@register.filter
def share(percent: float) -> str:
    """Write a share in per cent with one decimal; what is there at all is never written as nothing."""
    return "< " + tenth(0.1) + " %" if 0 < percent < 0.05 else tenth(percent) + " %"
