"""Countries by any of their codes or names, to ISO 3166 alpha-2."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from pathlib import Path

from django.conf import settings
from django.utils.translation import override
from django_countries import countries

#: Languages whose names of countries are known, besides those of the site.
_LANGUAGES = ("fr", "es", "it", "pt", "nl", "pl")
_TABLE = Path(__file__).with_name("countries.tsv")


def country_code(text: str) -> str | None:
    """
    Return the alpha-2 code, None if the country is unknown.

    Understands ISO 3166 alpha-2 and alpha-3, IOC codes such as GER, English names with their usual variants, names in
    the other languages of the site and some more, and flag emoji. Where an alpha-3 and an IOC code differ in meaning,
    alpha-3 wins.
    """
    return _codes().get(_simple(_flag_letters(text)))


def _flag_letters(text: str) -> str:
    return "".join(chr(ord(c) - 0x1F1E6 + ord("A")) if "\U0001f1e6" <= c <= "\U0001f1ff" else c for c in text)


def _simple(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text[:80]).casefold().replace("&", "and")
    words = re.sub(r"[^\w ]+", "", "".join(c for c in plain if not unicodedata.combining(c))).split()
    return "".join(word for word in words if word != "the")


@cache
def _codes() -> dict[str, str]:
    """Return a mapping of all names and codes to alpha-2; an ambiguous one belongs to the more official use."""
    rows = [line.split("\t") for line in _TABLE.read_text(encoding="utf-8").splitlines()[1:]]
    found: dict[str, str] = {}
    for alpha_2, _, _ in rows:
        found[_simple(alpha_2)] = alpha_2
    for alpha_2, codes, _ in rows:
        found.setdefault(_simple(codes.split()[0]), alpha_2)
    for alpha_2, codes, names in rows:
        for name in (*codes.split()[1:], *names.split("|")):
            found.setdefault(_simple(name), alpha_2)
    for language in (*dict(settings.LANGUAGES), *_LANGUAGES):
        with override(language):
            for alpha_2, _, _ in rows:
                if name := countries.name(alpha_2):
                    found.setdefault(_simple(name), alpha_2)
    return found
