"""Bytes to text: detects the encoding, and warns where it is a guess."""

from __future__ import annotations

import codecs
from typing import TYPE_CHECKING

from contests.formats.base import UnreadableError

if TYPE_CHECKING:
    from contests.formats.base import Reading

_BOM = "\ufeff"
# UTF-32 first: its little-endian mark begins with that of UTF-16.
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_PEEKED = 64


def is_wide(head: bytes) -> bool:
    """Whether the first bytes are those of text in UTF-16 or UTF-32."""
    return _marked(head) not in (None, "utf-8") or b"\0" in head


def decoded_line(line: bytes, number: int, reading: Reading) -> str:
    """Return a line of UTF-8 as text, without the byte order marks that the first line may begin with."""
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise _not_utf8(error, number) from error
    if "\0" in text:
        raise _binary(number)
    return _without_marks(text, reading) if number == 1 else text


def decoded_text(content: bytes, reading: Reading, *, guess: bool = False) -> str:
    """
    Return UTF-8, UTF-16 or UTF-32 as text.

    With `guess`, what is none of them is read as Windows-1252, with a warning; UnreadableError if it is no text at all.
    """
    encoding = _marked(content) or _unmarked_wide(content[:_PEEKED]) or "utf-8"
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        if encoding != "utf-8":
            raise UnreadableError(f"the file is not valid {encoding.upper()}; save it in UTF-8.", row=line) from error
        if not guess or _is_mostly_utf8(content):
            raise _not_utf8(error, line) from error
        text = _as_windows_1252(content, reading)
    if "\0" in text:
        raise _binary(text.count("\n", 0, text.index("\0")) + 1)
    return _without_marks(text, reading)


def _marked(content: bytes) -> str | None:
    return next((encoding for mark, encoding in _MARKS if content.startswith(mark)), None)


def _unmarked_wide(head: bytes) -> str | None:
    """Return UTF-16 if every other byte is mostly zero, as in the ASCII letters that column names begin with."""
    even, odd = head[0::2].count(0), head[1::2].count(0)
    half = len(head) // 2
    if odd > 0.6 * half and even < 0.2 * half:
        return "utf-16-le"
    if even > 0.6 * half and odd < 0.2 * half:
        return "utf-16-be"
    return None


def _as_windows_1252(content: bytes, reading: Reading) -> str:
    try:
        text = content.decode("cp1252")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        message = (
            f"the byte 0x{content[error.start]:02X} is text neither in UTF-8 nor in Windows-1252; save it in UTF-8."
        )
        raise UnreadableError(message, row=line) from error
    reading.warn("The file is not UTF-8 and was read as Windows-1252; check names with accents, or save it in UTF-8.")
    return text


def _is_mostly_utf8(content: bytes) -> bool:
    """Whether more characters outside ASCII are valid UTF-8 than are not, so that single lines are at fault."""
    text = content.decode("utf-8", "replace")
    bad = text.count("\ufffd")
    valid = sum(1 for character in text[:1_000_000] if character > "\x7f") - text[:1_000_000].count("\ufffd")
    return valid > bad


def _without_marks(text: str, reading: Reading) -> str:
    bare = text.lstrip(_BOM)
    if len(text) - len(bare) > 1:
        reading.warn(f"The file begins with {len(text) - len(bare)} byte order marks; they were left out.", row=1)
    return bare


def _not_utf8(error: UnicodeDecodeError, line: int) -> UnreadableError:
    byte = error.object[error.start]
    return UnreadableError(f"the byte 0x{byte:02X} is not valid UTF-8; save the file in UTF-8.", row=line)


def _binary(line: int) -> UnreadableError:
    return UnreadableError("the file holds zero bytes, so it is no text file; export the table as CSV.", row=line)
