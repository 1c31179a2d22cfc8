"""A validator for text from users."""

from __future__ import annotations

import unicodedata

from django.core.exceptions import ValidationError
from django.utils.translation import gettext

_BIDI_CONTROLS = frozenset("\u200e\u200f\u061c\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def plain_text(text: str) -> None:
    """Reject invisible characters that can change the text around them; allow line breaks and tabs."""
    for character in text:
        if character in "\n\r\t":
            continue
        if character in _BIDI_CONTROLS or unicodedata.category(character) in ("Cc", "Cs"):
            raise ValidationError(
                gettext("This text contains an invisible control character (U+%(character)s); remove it.")
                % {"character": f"{ord(character):04X}"}
            )
