"""Percentages: a share in percent, and the text for it that every page and command uses."""

from __future__ import annotations

import math

NO_BREAK_SPACE = "\u00a0"


def percent_of(part: float, whole: float) -> float:
    """Return a part of a whole in percent; 0 if the whole is 0."""
    return 100 * part / whole if whole else 0.0


def whole_percent_of(part: float, whole: float) -> float:
    """Return a part of a whole in whole percent, halves rounded up; below half a percent, as it is."""
    percent = percent_of(part, whole)
    return percent if percent < 0.5 else math.floor(percent + 0.5)


def percentage(
    value: float,
    decimals: int | None = 1,
    *,
    least: float = -math.inf,
    most: float = math.inf,
    space: str = NO_BREAK_SPACE,
) -> str:
    """
    Return a number of percent as text in English notation, such as "12.3 %".

    A value above zero that rounds to zero is written as "< 0.1 %", or with 1 at the last of its digits.

    decimals
        Digits after the point; None for two significant digits.
    least, most
        A smaller value is written as "< {least} %", a larger one as "> {most} %".
    space
        The separator between the number and the signs; texts for a terminal have an ordinary space.
    """
    if value < least:
        return f"<{space}{least:g}{space}%"
    if value > most:
        return f">{space}{most:g}{space}%"
    if decimals is not None and 0 < value < 0.5 * 10**-decimals:
        return f"<{space}{10**-decimals:g}{space}%"
    number = f"{float(f'{value:.2g}'):g}" if decimals is None else f"{value:,.{decimals}f}"
    return f"{number}{space}%"
