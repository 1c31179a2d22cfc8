"""Numbers as pages write them, in the reader's language: scores, penalties and times, shares, and points."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from django.utils.formats import get_format
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from contests.formats.values import COMMAS_IN_THREES
from contests.wording import clock

MINUS = "\u2212"


def localized(number: str) -> str:
    """Convert a number from English notation (1,234.5) to the page's language, with a true minus sign."""
    thousands, decimal = _separators(get_language())
    if (thousands, decimal) != (",", "."):
        number = number.translate({ord(","): thousands, ord("."): decimal})
    return number.replace("-", MINUS)


@lru_cache(maxsize=64)
def _separators(language: str | None) -> tuple[str, str]:
    """Return the separators of thousands and of decimals; cached, because a page has a thousand numbers."""
    return get_format("THOUSAND_SEPARATOR", language), get_format("DECIMAL_SEPARATOR", language)


def points(value: int | None) -> str:
    """Write a whole number with thousands separated; a dash for none."""
    return "–" if value is None else localized(f"{value:,}")


def score(value: float | None) -> str:
    """Write a contest's score with its own digits, up to six decimals; a dash for none."""
    return "–" if value is None else exact(value)


def penalty(value: float | None, table: Any) -> str:
    """Write a penalty like a score; as a time if those of this contest or table are times."""
    return localized(clock(value)) if value is not None and table.has_times else score(value)


def score_words(row: Any, table: Any) -> str:
    """
    Write the score and the penalty or time of a row, as far as it has them; a line can break only between the two.

    table
        The contest, or another object with `has_times`.
    """
    words = []
    if row.score is not None:
        words.append(_("Score %(score)s") % {"score": score(row.score)})
    if row.penalty is not None:
        if table.has_times:
            text = _("time %(time)s") if words else _("Time %(time)s")
        else:
            text = _("penalty %(penalty)s") if words else _("Penalty %(penalty)s")
        shown = penalty(row.penalty, table)
        words.append(text % {"penalty": shown, "time": shown})
    return ", ".join(part.replace(" ", "\u00a0") for part in words)


def terms(row: Any) -> str:
    """Write the share that a player took part in and the handicap; empty for a row without either."""
    words = []
    if row.share is not None:
        words.append(_("played %(share)s") % {"share": share_words(row.share)})
    if row.handicap is not None:
        words.append(_("handicap %(points)s") % {"points": signed(row.handicap)})
    return ", ".join(words)


def share_words(share: float) -> str:
    """Write a share from 0 to 1 in percent, with four significant digits."""
    return localized(f"{100.0 * share:.4g}\u00a0%")


def signed(value: float) -> str:
    """Write a number with its sign."""
    return localized(f"{value:+,.6g}")


def exact(value: float) -> str:
    """Write a number with its own digits, up to six decimals; very large and small ones as powers of ten."""
    if value and not 1e-6 <= abs(value) < 1e15:
        return localized(f"{value:.6g}")
    return localized(f"{value + 0.0:,.6f}".rstrip("0").rstrip("."))  # adding 0 turns -0.0 into 0.0


def decimal_text(value: float) -> str:
    """Write a number with all of its digits and without thousands separators, for a form that reads it again."""
    text = str(int(value)) if float(value).is_integer() and abs(value) < 1e15 else repr(float(value))
    text = text.replace(".", get_format("DECIMAL_SEPARATOR"))
    # With another digit, the comma can't separate thousands.
    return f"{text}0" if COMMAS_IN_THREES.fullmatch(text) else text
