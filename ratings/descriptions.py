"""How pages speak of the rating systems, in the language of the page: the systems' own words, translated."""

from __future__ import annotations

from django.utils.translation import gettext as _

from ratings.systems import SYSTEMS
from ratings.systems.declarations import Words


def description_of(system: str) -> Words:
    """Return a system's words in the page's language; for one that this version does not know, its name alone."""
    if system not in SYSTEMS:
        return Words(system, system, "", "", "")
    words = SYSTEMS[system].words
    return Words(words.title, _(words.in_words), _(words.good_for), _(words.how), _(words.adds_up))
