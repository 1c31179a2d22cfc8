"""
Similarity of two players' names: the rules by which a new name may be a misspelling of a known one.

This module is pure and compares one pair; `contests.matching.close_names` finds the pairs worth comparing. The
strongest of these pieces of evidence counts, where n is the number of letters of the longer handle:

=============================================  ================================================  ==========
evidence                                       when                                              similarity
=============================================  ================================================  ==========
same letters and digits                        apart from case, accents, punctuation, spaces     97, 88 for n < 5
digits for letters, or other scripts' letters  "al3x" and "alex"; n >= 4                         92
the same parts in another order                "ivanov_petr" and "Petr Ivanov"                   90
same name, its parts in any order              two parts or more; countries that do not differ   90, 75 (*)
one's handle is the other's name               likewise                                          85
few letters added, missing, changed, swapped   d of them, equal digits                           100 (n - d) / n
a number added                                 "dmitriy" and "dmitriy2"; n >= 5                  70
=============================================  ================================================  ==========

(*) 90 if both countries are known, 75 otherwise. d may be 1 for n >= 5 and 2 for n >= 8: "ann" and "ana" are two
people, but "alexanderk" and "aleksanderk" may be one. Different numbers mean different people. Adjustments: equal names
+5, names without a common part -20, same country +2, different countries -15, misspelt handles with a different first
letter -8.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from rapidfuzz.distance import OSA

from contests.handles import handle_key, words_of

#: The least similarity of a suggestion.
LEAST_SHOWN = 60
#: The least similarity for a warning about a new player.
LEAST_WARNED = 85

_ASCII_REST = {code: None for code in range(128) if not chr(code).isalnum()}
_ASCII_DIGITS = {code: None for code in range(ord("0"), ord("9") + 1)}
_ASCII_PART = re.compile("[a-z0-9]+")
#: Digits and letters that replace other letters or look like them.
_LOOKS = str.maketrans(
    "01345789lаеорсухікмтвн",
    "oieastbgiaeopcyxikmtbh",
)


class Forms(NamedTuple):
    """
    The forms of a player's names that are compared: folded (no case, no accents), "" if missing.

    plain
        The letters and digits of the handle.
    letters, digits
        The letters and the digits of the handle separately.
    looks
        `plain` with look-alike characters replaced.
    parts, name
        The sorted parts of the handle and of the name, if there are two or more.
    """

    plain: str
    letters: str
    digits: str
    looks: str
    parts: str
    name: str
    country: str


class Likeness(NamedTuple):
    """The similarity of two players, 0 to 99, and the reason in words."""

    similarity: int
    why: str


def forms_of(handle: str, name: str = "", country: str = "") -> Forms:
    """Return the forms of a player's names."""
    plain, parts = _folded(handle_key(handle))
    letters, digits = plain, ""
    if not plain.isalpha():
        letters = _without_digits(plain)
        if len(letters) != len(plain):
            digits = "".join(character for character in plain if character.isdecimal())
    bag = _folded(handle_key(name))[1] if name else ""
    return Forms(plain, letters, digits, plain.translate(_LOOKS), parts, bag, country)


def allowed_distance(letters: int) -> int:
    """Return the number of edits by which two handles may differ, if the longer one has this many letters."""
    return 2 if letters >= 8 else 1 if letters >= 5 else 0


def likeness(one: Forms, other: Forms) -> Likeness | None:
    """Return the similarity of two players, None if there is no evidence."""
    same_name = bool(one.name) and one.name == other.name
    same_country = bool(one.country) and one.country == other.country
    differ = bool(one.country and other.country) and not same_country
    of_handles = _of_handles(one, other)
    of_names = _of_names(one, other, same_name, same_country) if not differ else None
    found = max(filter(None, (of_handles, of_names)), key=lambda likeness: likeness.similarity, default=None)
    if found is None:
        return None
    similarity, reasons = found.similarity, [found.why]
    if found is of_handles:
        if same_name:
            similarity, reasons = similarity + 5, [*reasons, "same name"]
        elif one.name and other.name and not {*one.name.split()} & {*other.name.split()}:
            similarity -= 20
        if same_country:
            similarity, reasons = similarity + 2, [*reasons, "same country"]
        elif differ:
            similarity -= 15
    return Likeness(min(similarity, 99), ", ".join(reasons))


def _of_handles(one: Forms, other: Forms) -> Likeness | None:
    if one.plain and one.plain == other.plain:
        return Likeness(97 if len(one.letters) >= 5 else 88, "the same letters, written differently")
    longer = max(len(one.letters), len(other.letters))
    if longer >= 4 and one.looks == other.looks:
        return Likeness(92, "letters that look alike")
    if one.parts and one.parts == other.parts:
        return Likeness(90, "the same parts in another order")
    if one.digits == other.digits:
        return _misspelt(one.letters, other.letters)
    if one.letters == other.letters and longer >= 5 and not (one.digits and other.digits):
        return Likeness(70, "the same with a number")
    return None


def _misspelt(one: str, other: str) -> Likeness | None:
    longer = max(len(one), len(other))
    allowed = allowed_distance(longer)
    distance = OSA.distance(one, other, score_cutoff=allowed)
    if not 0 < distance <= allowed:
        return None
    similarity = 100 * (longer - distance) // longer - (8 if one[:1] != other[:1] else 0)
    return Likeness(similarity, "one letter different" if distance == 1 else "two letters different")


def _of_names(one: Forms, other: Forms, same_name: bool, same_country: bool) -> Likeness | None:
    if same_name:
        return Likeness(90, "same name and country") if same_country else Likeness(75, "same name")
    if (one.parts and one.parts == other.name) or (one.name and one.name == other.parts):
        return Likeness(85, "the name of one is the handle of the other")
    return None


def _folded(key: str) -> tuple[str, str]:
    """Return the letters and digits of a folded text, and its sorted parts if it has several."""
    if key.isascii():
        plain = key.translate(_ASCII_REST)
        parts = _ASCII_PART.findall(key) if len(plain) != len(key) else ()
    else:
        parts = words_of(key)
        plain = "".join(parts)
    return plain, " ".join(sorted(parts)) if len(parts) > 1 else ""


def _without_digits(plain: str) -> str:
    if plain.isascii():
        return plain.translate(_ASCII_DIGITS)
    return "".join(character for character in plain if not character.isdecimal())
