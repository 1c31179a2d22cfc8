"""Numbers and lists in sentences, as the reader's language writes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils.formats import number_format
from django.utils.translation import gettext, override

if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import AbstractContextManager


def grouped(number: int) -> str:
    """Return a whole number with separators: 12,345 in English and 12.345 in German."""
    return str(number_format(number, force_grouping=True))


def in_a_row(words: Sequence[str]) -> str:
    """Return "a", "a and b", or "a, b and c"."""
    if len(words) < 2:
        return "".join(words)
    return gettext("%(first)s and %(last)s") % {"first": ", ".join(words[:-1]), "last": words[-1]}


def stored_language() -> AbstractContextManager[object]:
    """Make texts in one language for everyone, because they are stored, whatever the language of the current user."""
    return override("en")


def quoted(name: str) -> str:
    """Return a name in quotation marks."""
    return gettext("“%(name)s”") % {"name": name}
