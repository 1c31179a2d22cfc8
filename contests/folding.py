"""
Texts as search compares them: words without case, accents and punctuation.

Latin letters become those of ASCII ("Pogačar" and "pogacar", "Łukasz" and "lukasz", "Groß" and "gross"); other scripts
keep their letters and lose case, accents and vowel marks. Hyphens, underscores, dots, spaces and all other signs
separate words.
"""

from __future__ import annotations

import re
import unicodedata

from anyascii import anyascii

from contests.handles import handle_key

#: Letters of a word that are stored; a longer word is found by these.
LONGEST_WORD = 64
#: Words of a query that count.
MOST_WORDS = 8

_ASCII_WORD = re.compile("[a-z0-9]+")
#: Accents, and the marks that Hebrew and Arabic are written with or without.
_ACCENTS = re.compile("[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c7\u0640\u064b-\u065f\u0670]")
#: Latin letters that no normal form takes apart.
_LATIN = re.compile("[\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02af\u1d00-\u1d7f\u2c60-\u2c7f\ua722-\ua7ff\uab30-\uab64]")


def words_of(text: str) -> list[str]:
    """Return the words of a text, folded, in their order."""
    key = handle_key(text)
    if key.isascii():
        return _ASCII_WORD.findall(key)
    plain = _ACCENTS.sub("", unicodedata.normalize("NFKD", key)).casefold()
    plain = _LATIN.sub(lambda letter: anyascii(letter[0]).lower(), plain)
    spaced = "".join(c if unicodedata.category(c)[0] in "LNM" else " " for c in plain)
    # Together again what is no accent: the syllables of Korean, the vowels of Hindi.
    return unicodedata.normalize("NFC", spaced).split()


def query_words(text: str) -> list[str]:
    """Return the words of what someone typed, each once, as they are compared with stored words."""
    return list(dict.fromkeys(word[:LONGEST_WORD] for word in words_of(text)))[:MOST_WORDS]


def search_words(handle: str, name: str = "") -> list[str]:
    """Return the words by which a handle and a name are found, each once: those of both, and the handle in one word."""
    parts = words_of(handle)
    words = [*parts, "".join(parts), *(words_of(name) if name else ())]
    return list(dict.fromkeys(word[:LONGEST_WORD] for word in words if word))
