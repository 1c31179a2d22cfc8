"""
Handles: what a player is called, how it is compared, and which characters it may hold.

A handle is a name people chose, in any script, so nearly everything printable is allowed and kept as it is: markup,
quotes, formulas, emoji, mixed scripts, private-use characters. Showing it safely is the task of whoever shows it
(escape it, isolate it in <bdi>). What a handle may not hold is what nobody can see or type, and what would change the
text around it:

=================================================  ====================  ================================
characters                                         in an upload          in repair mode (archives)
=================================================  ====================  ================================
white space around the handle                      removed, silently     removed, silently
tab, line break, other white-space controls        one space, warning    one space, warning
bidi marks, embeddings, overrides, isolates,       removed, warning      removed, warning
zero-width and other invisible format characters
joiners (U+200C, U+200D) in emoji, Persian, Hindi  kept                  kept
other control characters                           error                 a visible stand-in, warning
lone surrogates, unassigned code points            error                 U+FFFD, warning
nothing visible at all                             error                 "unnamed (U+00A0)", warning
more than 128 characters after NFC                 error                 cut to 128, warning
=================================================  ====================  ================================

A lone no-break space is repaired to a name made of its code points, so that its player stays one player throughout.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MAX_LENGTH = 128
#: No normal form makes fewer than 129 characters of more than these.
_MOST_READ = 600

_WHITE_SPACE_CONTROLS = re.compile("[ ]*[\t\n\x0b\x0c\r\x85\u2028\u2029]+[ \t\n\x0b\x0c\r\x85\u2028\u2029]*")
# Format characters that are seen: number signs and the like before digits, and hieroglyphs set in a block.
_VISIBLE_FORMAT = frozenset(
    "\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd"
) | {chr(code) for code in range(0x13430, 0x13440)}
_JOINERS = frozenset("\u200c\u200d")
# Letters, marks and symbols by category that nevertheless show nothing.
_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0\ufffc")
_ASCII_SPACE = " \t\n\x0b\x0c\r"
_BLACK_FLAG = "\U0001f3f4"


@dataclass(frozen=True, slots=True)
class Cleaned:
    """A handle as it is kept: remarks say what was mended, faults why it cannot be kept."""

    handle: str
    remarks: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Finding:
    what: str
    remedy: str
    done: str
    mended: str
    is_fault: bool = True


def normalize_handle(text: str) -> str:
    """Return the text (of what is far too long its beginning) in Unicode normal form C, without white space around."""
    # Putting thousands of accents on one letter in order takes time by the square of their number.
    return unicodedata.normalize("NFC", text.strip()[:_MOST_READ]).strip()


def handle_key(text: str) -> str:
    """Return what decides whether two handles are the same: NFC and case folding, without white space around it."""
    if text.isascii():
        return text.strip()[:_MOST_READ].lower()
    folded = unicodedata.normalize("NFC", normalize_handle(text).casefold())
    # Folding can make a text that folds further (a few Greek letters with a iota below).
    return unicodedata.normalize("NFC", folded.casefold()).strip()


def check_handle(text: str) -> str | None:
    """Return what is wrong with a handle and the remedy, or None: 1 to 128 visible characters (see the module)."""
    if is_plain(text):
        return None
    return "; ".join(f"{finding.what}: {finding.remedy}" for finding in _findings(text, "")) or None


def clean_handle(text: str, *, repair: bool = False, origin: str = "") -> Cleaned:
    """
    Return the handle as it is kept, with a remark for everything mended.

    `repair` mends also what is otherwise a fault; `origin` (a contest and a place in it) then names whoever has an
    empty name, so that the nameless of two contests are not taken for one player.
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
            handle = finding.mended
            remarks.append(f"{finding.what}; {finding.done}")
    return Cleaned(handle, tuple(remarks), tuple(faults))


def is_plain(text: str) -> bool:
    """Whether the text is a handle that needs no closer look: printable ASCII of a fair length, nothing around it."""
    return text.isascii() and text.isprintable() and 0 < len(text) <= MAX_LENGTH and text.strip() == text


def with_number(handle: str, number: int) -> str:
    """Return the handle told apart from its equals by a number, still within the length allowed."""
    suffix = f" ({number})"
    return handle[: MAX_LENGTH - len(suffix)].rstrip() + suffix


def printable(text: str, length: int = 60) -> str:
    """Return the text cut to a length and with unprintable characters escaped, to be quoted in a message."""
    shown = "".join(c if c.isprintable() else f"\\u{{{ord(c):x}}}" for c in text[:length])
    return f"{shown}…" if len(text) > length else shown


def _findings(text: str, origin: str) -> Iterator[_Finding]:
    """Yield what is to be said of a handle; each finding holds the handle with all findings so far mended."""
    handle = normalize_handle(text)
    if _WHITE_SPACE_CONTROLS.search(handle):
        handle = _WHITE_SPACE_CONTROLS.sub(" ", handle)
        what = "the name holds a tab or line break"
        yield _Finding(what, "write a space", "it was read as a space", handle, is_fault=False)
    invisible = _invisible_in(handle)
    if invisible:
        what = f"the name holds invisible characters ({_code_points([handle[i] for i in sorted(invisible)])})"
        handle = normalize_handle("".join(c for i, c in enumerate(handle) if i not in invisible))
        yield _Finding(what, "remove them", "they were removed", handle, is_fault=False)
    bad = [character for character in handle if _is_forbidden(character)]
    if bad:
        handle = "".join(_stand_in(character) if _is_forbidden(character) else character for character in handle)
        what = f"the name holds {_kind_of(bad)} ({_code_points(bad)})"
        remedy = "remove it, or save the file again in UTF-8 if the name looks garbled"
        yield _Finding(what, remedy, "a visible sign stands for it", handle)
    if not any(_is_visible(character) for character in handle):
        handle = f"unnamed ({_code_points(text) if text.strip(_ASCII_SPACE) else origin or 'nobody'})"
        yield _Finding("the name is empty or shows nothing", "give the player a name", f"called “{handle}”", handle)
    if len(handle) > MAX_LENGTH:
        length = len(text.strip()) if len(text) > _MOST_READ else len(handle)
        what, handle = f"the name has {length} characters", handle[:MAX_LENGTH].rstrip()
        yield _Finding(what, f"shorten it to at most {MAX_LENGTH}", f"cut to {MAX_LENGTH}", handle)


def _invisible_in(handle: str) -> set[int]:
    """Return the positions of format characters that show nothing and are not needed to write the name."""
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
    """Whether a joiner stands where emoji, Persian or Hindi need one: between two characters that are not ASCII."""
    return 0 < i < len(handle) - 1 and not handle[i - 1].isascii() and not handle[i + 1].isascii()


def _is_forbidden(character: str) -> bool:
    category = unicodedata.category(character)
    if category == "Cn":
        # Emoji newer than this Python: the block is reserved for pictographs, which have neither case nor normal forms.
        return not "\U0001f000" <= character <= "\U0001faff"
    return category in ("Cc", "Cs", "Zl", "Zp")


def _is_visible(character: str) -> bool:
    if character in _BLANK:
        return False
    category = unicodedata.category(character)
    return category[0] in "LNPS" or category in ("Co", "Cn")


def _stand_in(character: str) -> str:
    """Return the control picture of an old control character, the replacement character for anything else."""
    code = ord(character)
    if code < 0x20:
        return chr(0x2400 + code)
    return "\u2421" if code == 0x7F else "\ufffd"


def _kind_of(characters: Sequence[str]) -> str:
    kinds = {
        "Cc": "a control character",
        "Cs": "half of a character (a lone surrogate)",
        "Cn": "an unassigned character",
    }
    return kinds.get(unicodedata.category(characters[0]), "a control character")


def _code_points(characters: Sequence[str], most: int = 8) -> str:
    codes = list(dict.fromkeys(f"U+{ord(character):04X}" for character in characters))
    return " ".join(codes[:most]) + (" …" if len(codes) > most else "")
