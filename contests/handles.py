"""
Handles, the names of players: which characters they can contain, how they are compared, and how search finds them.

People choose their handles, in any script, so nearly everything printable is allowed and kept as it is: markup, quotes,
formulas, emoji, mixed scripts, private-use characters. Code that displays a handle makes it safe (escapes it, isolates
it in <bdi>). Characters that no one can see or type, or that would change the text around the handle, are not allowed:

=================================================  ====================  ================================
characters                                         in an upload          in repair mode (archives)
=================================================  ====================  ================================
white space around the handle                      removed               removed
tab, line break, other white-space controls        one space, warning    one space, warning
bidi marks, embeddings, overrides, isolates,       removed, warning      removed, warning
zero-width and other invisible format characters
joiners (U+200C, U+200D) in emoji, Persian, Hindi  kept                  kept
other control characters                           error                 a visible symbol, warning
lone surrogates, unassigned code points            error                 U+FFFD, warning
no visible character                               error                 "unnamed (U+00A0)", warning
more than 128 characters after NFC                 error                 cut to 128, warning
=================================================  ====================  ================================

A lone no-break space is repaired to a name made of its code points, so that the player is the same in all contests.

Search compares words without case, accents and punctuation. Latin letters become ASCII letters ("Pogačar" and
"pogacar", "Łukasz" and "lukasz", "Groß" and "gross"); other scripts keep their letters and lose case, accents and vowel
marks. Hyphens, underscores, dots, spaces and all other signs separate words.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

from anyascii import anyascii
from django.utils.translation import gettext

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MAX_LENGTH = 128
#: Longer texts always have more than 128 characters after normalization.
_MAX_READ = 600

_WHITE_SPACE_CONTROLS = re.compile("[ ]*[\t\n\x0b\x0c\r\x85\u2028\u2029]+[ \t\n\x0b\x0c\r\x85\u2028\u2029]*")
_WIDE_SPACE = re.compile(r"\s{2,}|\xa0")
# Visible format characters: signs before digits, such as the Arabic number sign, and controls of hieroglyphs.
_VISIBLE_FORMAT = frozenset(
    "\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd"
) | {chr(code) for code in range(0x13430, 0x13440)}
_JOINERS = frozenset("\u200c\u200d")
# Characters in the categories of letters, marks and symbols that are nevertheless invisible.
_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0\ufffc")
_ASCII_SPACE = " \t\n\x0b\x0c\r"
_BLACK_FLAG = "\U0001f3f4"


@dataclass(frozen=True, slots=True)
class Cleaned:
    """A handle as it is stored: remarks list the repairs, faults the reasons why it cannot be stored."""

    handle: str
    remarks: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Finding:
    """Something wrong with a handle: `done` describes the repair, `repaired` is the handle after it."""

    what: str
    remedy: str
    done: str
    repaired: str
    is_fault: bool = True


def normalize_handle(text: str) -> str:
    """Return the text in Unicode normal form C without surrounding white space; texts that are far too long are cut."""
    # Normalization sorts the accents of a letter, which takes quadratic time for thousands of them.
    return unicodedata.normalize("NFC", text.strip()[:_MAX_READ]).strip()


def single_spaced(text: str) -> str:
    """Return the text with one plain space for each run of white space and for each no-break space."""
    return _WIDE_SPACE.sub(" ", text)


def handle_key(text: str) -> str:
    """Return the key of a handle, equal for handles of the same player: NFC, case-folded, without outer white space."""
    if text.isascii():
        return text.strip()[:_MAX_READ].lower()
    folded = unicodedata.normalize("NFC", normalize_handle(text).casefold())
    # Case folding can give a text that folds further (a few Greek letters with iota subscript).
    return unicodedata.normalize("NFC", folded.casefold()).strip()


def lookup_key(text: str) -> str:
    """Return the key with which to look up a typed handle; empty if the text cannot be a handle."""
    return "" if "\x00" in text or len(text) > 400 else handle_key(text)


def check_handle(text: str) -> str | None:
    """Return the problems of a handle with their remedies, or None if it is valid (see the module)."""
    if is_plain(text):
        return None
    return "; ".join(f"{finding.what}; {finding.remedy}" for finding in _findings(text, "")) or None


def clean_handle(text: str, *, repair: bool = False, origin: str = "") -> Cleaned:
    """
    Return the handle as it is stored, with a remark for each repair.

    repair
        Repair faults too.
    origin
        A contest and a place in it. Repaired empty names contain it, so that nameless players of two contests differ.
    """
    if is_plain(text):
        return Cleaned(text)
    handle = normalize_handle(text)
    remarks: list[str] = []
    faults: list[str] = []
    for finding in _findings(text, origin):
        if finding.is_fault and not repair:
            faults.append(f"{finding.what}; {finding.remedy}")
        else:
            handle = finding.repaired
            remarks.append(f"{finding.what}; {finding.done}")
    return Cleaned(handle, tuple(remarks), tuple(faults))


def is_plain(text: str) -> bool:
    """Whether the text is clearly a valid handle: printable ASCII, not too long, without outer white space."""
    return text.isascii() and text.isprintable() and 0 < len(text) <= MAX_LENGTH and text.strip() == text


def with_number(handle: str, number: int) -> str:
    """Return the handle with a number that makes it unique, within the allowed length."""
    suffix = f" ({number})"
    return handle[: MAX_LENGTH - len(suffix)].rstrip() + suffix


def printable(text: str, length: int = 60) -> str:
    """Return the text for quoting in a message: cut to a length, unprintable characters escaped."""
    shown = "".join(c if c.isprintable() else f"\\u{{{ord(c):x}}}" for c in text[:length])
    return f"{shown}…" if len(text) > length else shown


def _findings(text: str, origin: str) -> Iterator[_Finding]:
    """Yield the problems of a handle; `repaired` includes the repairs of earlier findings."""
    handle = normalize_handle(text)
    if _WHITE_SPACE_CONTROLS.search(handle):
        handle = _WHITE_SPACE_CONTROLS.sub(" ", handle)
        what, remedy = gettext("the handle contains a tab or line break"), gettext("replace it with a space")
        yield _Finding(what, remedy, gettext("it was replaced with a space"), handle, is_fault=False)
    invisible = _invisible_in(handle)
    if invisible:
        codes = _code_points([handle[i] for i in sorted(invisible)])
        what = gettext("the handle contains invisible characters (%(codes)s)") % {"codes": codes}
        handle = normalize_handle("".join(c for i, c in enumerate(handle) if i not in invisible))
        yield _Finding(what, gettext("remove them"), gettext("they were removed"), handle, is_fault=False)
    bad = [character for character in handle if _is_forbidden(character)]
    if bad:
        handle = "".join(_visible_symbol(character) if _is_forbidden(character) else character for character in handle)
        what = gettext("the handle contains %(kind)s (%(codes)s)") % {"kind": _kind_of(bad), "codes": _code_points(bad)}
        remedy = gettext("remove it, or save the file again in UTF-8 if the handle looks garbled")
        yield _Finding(what, remedy, gettext("it was replaced with a visible symbol"), handle)
    if not any(_is_visible(character) for character in handle):
        # The handle is stored, so it is the same in all languages.
        handle = f"unnamed ({_code_points(text) if text.strip(_ASCII_SPACE) else origin or 'nobody'})"
        what = gettext("the handle is empty or has no visible characters")
        done = gettext("the player is now called “%(handle)s”") % {"handle": handle}
        yield _Finding(what, gettext("give the player a handle"), done, handle)
    if len(handle) > MAX_LENGTH:
        length = len(text.strip()) if len(text) > _MAX_READ else len(handle)
        what, handle = (
            gettext("the handle has %(length)s characters") % {"length": length},
            handle[:MAX_LENGTH].rstrip(),
        )
        remedy = gettext("shorten it to at most %(most)s") % {"most": MAX_LENGTH}
        yield _Finding(what, remedy, gettext("it was cut to %(most)s") % {"most": MAX_LENGTH}, handle)


def _invisible_in(handle: str) -> set[int]:
    """Return the positions of invisible format characters that the name doesn't need."""
    found = set()
    for i, character in enumerate(handle):
        if unicodedata.category(character) != "Cf" or character in _VISIBLE_FORMAT:
            continue
        if character in _JOINERS and _joins(handle, i):
            continue
        if "\U000e0020" <= character <= "\U000e007f" and _BLACK_FLAG in handle[:i]:
            continue
        found.add(i)
    return found


def _joins(handle: str, i: int) -> bool:
    """Whether a joiner is between two non-ASCII characters, where emoji, Persian or Hindi need one."""
    return 0 < i < len(handle) - 1 and not handle[i - 1].isascii() and not handle[i + 1].isascii()


def _is_forbidden(character: str) -> bool:
    category = unicodedata.category(character)
    if category == "Cn":
        # Emoji newer than this Python. The block is reserved for pictographs, which have neither case nor normal forms.
        return not "\U0001f000" <= character <= "\U0001faff"
    return category in ("Cc", "Cs", "Zl", "Zp")


def _is_visible(character: str) -> bool:
    if character in _BLANK:
        return False
    category = unicodedata.category(character)
    return category[0] in "LNPS" or category in ("Co", "Cn")


def _visible_symbol(character: str) -> str:
    """Return the control picture of an ASCII control character, the replacement character for anything else."""
    code = ord(character)
    if code < 0x20:
        return chr(0x2400 + code)
    return "\u2421" if code == 0x7F else "\ufffd"


def _kind_of(characters: Sequence[str]) -> str:
    kinds = {
        "Cs": gettext("half of a character (a lone surrogate)"),
        "Cn": gettext("an unassigned character"),
    }
    return kinds.get(unicodedata.category(characters[0])) or gettext("a control character")


def _code_points(characters: Sequence[str], most: int = 8) -> str:
    codes = list(dict.fromkeys(f"U+{ord(character):04X}" for character in characters))
    return " ".join(codes[:most]) + (" …" if len(codes) > most else "")


#: The number of letters of a word that are stored; longer words are found by these.
LONGEST_WORD = 64
#: The number of words of a query that the search uses.
MAX_WORDS = 8

_ASCII_WORD = re.compile("[a-z0-9]+")
#: Accents, and the optional marks of Hebrew and Arabic.
_ACCENTS = re.compile("[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c7\u0640\u064b-\u065f\u0670]")
#: Latin letters that no normal form decomposes.
_LATIN = re.compile("[\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02af\u1d00-\u1d7f\u2c60-\u2c7f\ua722-\ua7ff\uab30-\uab64]")


def words_of(text: str) -> list[str]:
    """Return the folded words of a text in their order."""
    key = handle_key(text)
    if key.isascii():
        return _ASCII_WORD.findall(key)
    plain = _ACCENTS.sub("", unicodedata.normalize("NFKD", key)).casefold()
    plain = _LATIN.sub(lambda letter: anyascii(letter[0]).lower(), plain)
    spaced = "".join(c if unicodedata.category(c)[0] in "LNM" else " " for c in plain)
    # Compose again, since Korean syllables and Hindi vowels are not accents.
    return unicodedata.normalize("NFC", spaced).split()


def query_words(text: str) -> list[str]:
    """Return the unique words of a query, in the form that is compared with stored words."""
    return list(dict.fromkeys(word[:LONGEST_WORD] for word in words_of(text)))[:MAX_WORDS]


def search_words(handle: str, name: str = "") -> list[str]:
    """Return the unique words that find a player: those of the handle and the name, and the handle as one word."""
    parts = words_of(handle)
    words = [*parts, "".join(parts), *(words_of(name) if name else ())]
    return list(dict.fromkeys(word[:LONGEST_WORD] for word in words if word))
