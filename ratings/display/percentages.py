"""Percentages: a share in percent, and the text for it that every page, chart and command uses."""

from __future__ import annotations

import math


def percent_of(part: float, whole: float) -> float:
    """Return a part of a whole in percent; 0 if the whole is 0."""
    return 100 * part / whole if whole else 0.0


def percentage(
    value: float, decimals: int | None = 1, *, least: float = -math.inf, most: float = math.inf, space: str = " "
) -> str:  # fmt: skip
    """
    Return a number of percent as text in English notation, such as "12.3 %".

    decimals
        Digits after the point; None for two significant digits.
    least, most
        A smaller value is written as "< {least} %", a larger one as "> {most} %".
    space
        The separator between the number and the signs.
    """
    if value < least:
        return f"<{space}{least:g}{space}%"
    if value > most:
        return f">{space}{most:g}{space}%"
    number = f"{float(f'{value:.2g}'):g}" if decimals is None else f"{value:,.{decimals}f}"
    return f"{number}{space}%"
