"""
Handles that look like others because they contain letters of other scripts: Cyrillic “аlice” beside Latin “alice”.

Unicode lists letters that look alike (UTS 39, confusables.txt; the library confusable_homoglyphs contains the list).
Its rule for whole names is too broad for handles, in which "I" and "l" or "rn" and "m" are common. So ASCII letters
stay what they are, and every other letter counts as the ASCII letter that it resembles, if there is one.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache
from string import ascii_letters, digits
from typing import TYPE_CHECKING

from django.utils.translation import gettext

from contests.handles import handle_key, printable
from contests.wording import quoted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_WORD = re.compile(r"[^\W\d_]+")
#: Words that are clearly of one script: Latin, Cyrillic, Greek, or Chinese, Japanese and Korean.
_OF_ONE_SCRIPT = re.compile(
    "[A-Za-z\u00c0-\u024f]+|[\u0400-\u052f]+|[\u0370-\u03e1\u1f00-\u1fff]+|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+"
)
#: Letters of no script of their own, such as modifier letters.
_NO_SCRIPT = frozenset({"COMMON", "INHERITED", "UNKNOWN"})


def in_ascii_letters(handle: str) -> str:
    """Return the handle with each letter that resembles an ASCII letter or digit replaced by it."""
    return handle if handle.isascii() else handle.translate(_ascii_letters())


def lookalikes_in(handles: Sequence[str], is_new: Sequence[bool]) -> Iterator[tuple[int, int]]:
    """
    Yield a new handle and another handle that it can be mistaken for, as indexes.

    Pairs of ASCII handles don't count, and neither do pairs of known players, which someone has decided before.
    """
    strange = [i for i, handle in enumerate(handles) if not handle.isascii()]
    if not strange:
        return
    shapes = {_shape(handles[i]) for i in strange}
    first: dict[str, int] = {}
    for i, handle in enumerate(handles):
        shape = handle.lower() if handle.isascii() else _shape(handle)
        if shape not in shapes:
            continue
        other = first.setdefault(shape, i)
        both_ascii = handle.isascii() and handles[other].isascii()
        if other == i or both_ascii or handle_key(handle) == handle_key(handles[other]):
            continue
        # Prefer the one whose letters are unusual.
        for one, another in sorted([(i, other), (other, i)], key=lambda pair: handles[pair[0]].isascii()):
            if is_new[one]:
                yield one, another
                break


def posing_letters(handle: str) -> str:
    """
    Return the letters of one script that pose as letters of another, of the first such word; "" if there is none.

    A word that mixes scripts openly, such as “Яedford” or “Tシャツ”, is fine: only one whose letters can all be read in
    one script deceives.
    """
    if handle.isascii():
        return ""
    words = (word for word in _WORD.findall(handle) if not _OF_ONE_SCRIPT.fullmatch(word))
    return next(filter(None, map(_posing_in, words)), "")


def lookalike_warning(handle: str, other: str, other_row: int) -> str:
    """Return a warning about a handle that looks like the one in another row."""
    strange = other if handle.isascii() else handle
    letters = "".join(letter for letter in dict.fromkeys(strange) if ord(letter) in _ascii_letters())
    return gettext(
        "“%(handle)s” looks like “%(other)s” in row %(row)s, but counts as a different player: “%(strange)s” contains "
        "%(letters)s. If they are the same person, correct the handle and keep only one of the two rows."
    ) % {
        "handle": printable(handle),
        "other": printable(other),
        "row": other_row,
        "strange": printable(strange),
        "letters": _named(letters),
    }


def posing_warning(handle: str, letters: str) -> str:
    """Return a warning about a new handle with a deceptive word."""
    return gettext(
        "“%(handle)s” is new and mixes look-alike letters from different scripts: it contains %(letters)s. If this "
        "is a typo, correct the handle in the file."
    ) % {"handle": printable(handle), "letters": _named(letters)}


def _named(letters: str) -> str:
    """Return letters with their names: “а” (U+0430 CYRILLIC SMALL LETTER A)."""
    named = [
        f"{quoted(letter)} (U+{ord(letter):04X} {unicodedata.name(letter, 'without a name')})" for letter in letters[:3]
    ]
    return gettext("%(letters)s and more") % {"letters": ", ".join(named)} if len(letters) > 3 else ", ".join(named)


@cache
def _ascii_letters() -> dict[int, str]:
    """Return the ASCII letter or digit that each other letter resembles."""
    # The list takes a megabyte and 20 ms to load; most files need none of it.
    from confusable_homoglyphs.confusables import confusables_data

    found: dict[int, str] = {}
    for ascii_one in digits + ascii_letters:
        for entry in confusables_data.get(ascii_one, ()):
            other = entry["c"]
            if len(other) == 1 and not other.isascii() and unicodedata.category(other)[0] == "L":
                # Unicode lists the capital I of other scripts with the letter l.
                is_capital_i = ascii_one == "l" and unicodedata.category(other) == "Lu"
                found[ord(other)] = "I" if is_capital_i else ascii_one
    return found


@cache
def _scripts_of_shapes() -> dict[str, frozenset[str]]:
    """Return the scripts that have a letter shaped like each ASCII letter."""
    found: dict[str, set[str]] = {}
    for code, ascii_one in _ascii_letters().items():
        found.setdefault(ascii_one, set()).add(_script(chr(code)))
    return {shape: frozenset(scripts | ({"LATIN"} if shape.isalpha() else set())) for shape, scripts in found.items()}


@lru_cache(maxsize=8192)
def _script(letter: str) -> str:
    from confusable_homoglyphs.categories import alias

    return str(alias(letter))


def _shape(handle: str) -> str:
    return handle_key(in_ascii_letters(handle))


@lru_cache(maxsize=8192)
def _posing_in(word: str) -> str:
    """
    Return the letters of the word that are not of the script in which all its letters can be read.

    Return "" if there is no such script.
    """
    letters = list(dict.fromkeys(word))
    scripts = {_script(letter) for letter in letters} - _NO_SCRIPT
    if len(scripts) < 2:
        return ""
    foreign = [
        "".join(letter for letter in letters if _script(letter) != script)
        for script in sorted(scripts)
        if all(script in _readable_as(letter) for letter in letters)
    ]
    return min(foreign, key=len, default="")


def _readable_as(letter: str) -> frozenset[str]:
    """Return the scripts to which a reader may take the letter to belong."""
    own = _script(letter)
    shape = letter if letter.isascii() else _ascii_letters().get(ord(letter), "")
    return _scripts_of_shapes().get(shape, frozenset()) | {own}
