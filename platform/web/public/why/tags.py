"""Template tags of explanations: signed points and percentages."""

from __future__ import annotations

import math

from django import template

from ratings.display.percentages import percentage
from web.shared.numbers import MINUS, localized

register = template.Library()

#: Points below this have two decimals in tables of opponents.
SMALL = 0.95


@register.filter
def signed(value: float) -> str:
    """Write a part of a change with its sign and one decimal, or two if it is small."""
    size = abs(value)
    text = f"{size:,.1f}" if size >= SMALL or not size else f"{size:,.2f}"
    if not float(text.replace(",", "")):
        return localized("0.0") if not value else f"{MINUS if value < 0 else '+'}{localized('0.00')}"
    return f"{MINUS if value < 0 else '+'}{localized(text)}"


@register.filter
def signed_tenth(value: float) -> str:
    """Write a line of a sum with its sign and exactly one decimal."""
    sign = "" if not round(value, 1) else MINUS if value < 0 else "+"
    return f"{sign}{localized(f'{abs(value):,.1f}')}"


@register.filter
def signed_points(value: int) -> str:
    """Write a whole number of points with its sign."""
    sign = "" if not value else MINUS if value < 0 else "+"
    return f"{sign}{localized(f'{abs(value):,}')}"


@register.filter
def percent(value: float) -> str:
    """Write a percentage with useful digits only: 34, 0.4, < 0.1 or > 99.9."""
    least, most = 0.1 if value > 0.0 else -math.inf, 99.9 if value < 100.0 else math.inf
    decimals = 1 if value < 10 or value > 90 else 0
    return localized(percentage(value, decimals, least=least, most=most))


@register.filter
def magnitude(value: float) -> float:
    """Return the absolute value."""
    return abs(value)


@register.filter
def whole(value: float | None) -> int:
    """Return the nearest whole number, or 0 for None."""
    return round(value or 0.0)


@register.filter
def machine(value: int) -> str:
    """Write a number without localization, for URLs."""
    return str(value)
