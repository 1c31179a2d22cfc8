"""Received files: bounded in size, unpacked, decoded to text, and refused with a reason if they are not text."""

from __future__ import annotations

import codecs
import gzip
import io
import zlib
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, TypeAlias

from django.utils.translation import gettext, gettext_lazy

from contests.formats.base import UnreadableError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from contests.formats.base import Reading

    PeekableStream: TypeAlias = io.BufferedReader[Any]

_GZIP = b"\x1f\x8b"
_FOREIGN = (
    (b"PK\x05\x06", gettext_lazy("an empty zip archive; upload the file that contains the table")),
    (b"%PDF", gettext_lazy("a PDF document; export the table as CSV")),
    (b"\x89PNG", gettext_lazy("a picture (PNG); export the table as CSV")),
    (b"\xff\xd8\xff", gettext_lazy("a picture (JPEG); export the table as CSV")),
    (b"GIF8", gettext_lazy("a picture (GIF); export the table as CSV")),
    (b"BZh", gettext_lazy("a bzip2 archive; unpack it, or use gzip")),
    (b"\xfd7zXZ", gettext_lazy("an xz archive; unpack it, or use gzip")),
    (b"7z\xbc\xaf", gettext_lazy("a 7-Zip archive; unpack it, or use gzip")),
    (b"Rar!", gettext_lazy("a RAR archive; unpack it, or use gzip")),
    (b"\x28\xb5\x2f\xfd", gettext_lazy("a Zstandard archive; unpack it, or use gzip")),
    (b"SQLite format 3", gettext_lazy("a database file; export the table as CSV")),
    (b"\x7fELF", gettext_lazy("a program; upload the file that contains the table")),
)
_OLE = b"\xd0\xcf\x11\xe0"
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
_MARKUP = (
    (b"<!doctype html", gettext_lazy("an HTML page")),
    (b"<html", gettext_lazy("an HTML page")),
    (b"<table", gettext_lazy("an HTML table")),
    (b"<?xml", gettext_lazy("an XML document")),
    (b"{\\rtf", gettext_lazy("an RTF document")),
)


class BoundedStream(io.RawIOBase):
    """Reads a limited number of bytes from another stream; errors of that stream become messages."""

    def __init__(self, below: BinaryIO | gzip.GzipFile, max_bytes: int) -> None:
        self._below, self._left, self._max_bytes = below, max_bytes, max_bytes

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        try:
            content = self._below.read(min(len(buffer), self._left + 1))
        except (OSError, EOFError, zlib.error) as error:
            reason = str(error).partition("data: ")[2] or str(error)
            raise UnreadableError(
                gettext("The file is damaged or cut off (%(reason)s); save or compress it again.") % {"reason": reason}
            ) from error
        if len(content) > self._left:
            raise too_large(self._max_bytes)
        self._left -= len(content)
        buffer[: len(content)] = content
        return len(content)


@contextmanager
def opened(source: Path | BinaryIO | bytes, max_bytes: int) -> Iterator[PeekableStream]:
    """Open the unpacked content as a stream that raises UnreadableError after `max_bytes`."""
    with _raw(source, max_bytes) as raw:
        buffered = io.BufferedReader(BoundedStream(raw, max_bytes), 2**18)
        if head_of(buffered)[:2] == _GZIP:
            unpacked = gzip.GzipFile(fileobj=buffered)
            buffered = io.BufferedReader(BoundedStream(unpacked, max_bytes), 2**18)
        _refuse_foreign(buffered)
        yield buffered


def too_large(max_bytes: int) -> UnreadableError:
    size = f"{max_bytes / 2**20:,.0f} MB" if max_bytes >= 2**20 else f"{max_bytes:,} bytes"
    return UnreadableError(
        gettext("The file is larger than the %(size)s allowed (unpacked); split it into several files.")
        % {"size": size}
    )


@contextmanager
def _raw(source: Path | BinaryIO | bytes, max_bytes: int) -> Iterator[BinaryIO]:
    if isinstance(source, bytes):
        yield io.BytesIO(source)
    elif isinstance(source, Path):
        try:
            if source.stat().st_size > max_bytes:
                raise too_large(max_bytes)
            stream = source.open("rb")
        except OSError as error:
            raise UnreadableError(
                gettext("%(name)s cannot be opened: %(strerror)s.") % {"name": source.name, "strerror": error.strerror}
            ) from error
        with stream:
            yield stream
    else:
        yield source


def head_of(stream: PeekableStream) -> bytes:
    return stream.peek(4096)[:4096]


def _refuse_foreign(stream: PeekableStream) -> None:
    head = head_of(stream)
    if not head:
        raise UnreadableError(
            gettext("The file is empty; it needs a line with column names and one line for each player.")
        )
    for magic, what in _FOREIGN:
        if head.startswith(magic):
            raise UnreadableError(gettext("This is not a table but %(what)s.") % {"what": what})
    if head.startswith(_GZIP):
        raise UnreadableError(gettext("The file is compressed twice; unpack it once."))
    if head.startswith(_OLE):
        raise _old_office(stream.read())
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n")[:20].lower()
    for beginning, what in _MARKUP:
        if start.startswith(beginning):
            raise UnreadableError(
                gettext("This is %(what)s; open it in a spreadsheet program and save it as .xlsx or CSV.")
                % {"what": what}
            )


def _old_office(content: bytes) -> UnreadableError:
    """Return the error for a file in Office's old container, which workbooks with a password also use."""
    if _ENCRYPTED in content:
        return UnreadableError(gettext("The workbook has a password; remove the password and save the file again."))
    return UnreadableError(gettext("This is an old Excel or Word file (.xls, .doc); save the sheet as .xlsx or CSV."))


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
    """Whether the first bytes are text in UTF-16 or UTF-32."""
    return _marked(head) not in (None, "utf-8") or b"\0" in head


def decoded_line(line: bytes, number: int, reading: Reading) -> str:
    """Return a line of UTF-8 as text; byte order marks of the first line are removed."""
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

    With `guess`, other text is read as Windows-1252, with a warning. UnreadableError if the content is not text.
    """
    encoding = _marked(content) or _unmarked_wide(content[:_PEEKED]) or "utf-8"
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        if encoding != "utf-8":
            raise UnreadableError(
                gettext("the file is not valid %(encoding)s; save it as UTF-8.") % {"encoding": encoding.upper()},
                row=line,
            ) from error
        if not guess or _is_mostly_utf8(content):
            raise _not_utf8(error, line) from error
        text = _as_windows_1252(content, reading)
    if "\0" in text:
        raise _binary(text.count("\n", 0, text.index("\0")) + 1)
    return _without_marks(text, reading)


def _marked(content: bytes) -> str | None:
    return next((encoding for mark, encoding in _MARKS if content.startswith(mark)), None)


def _unmarked_wide(head: bytes) -> str | None:
    """Return the kind of UTF-16 if every other byte is mostly zero, as in ASCII column names."""
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
        message = gettext("the byte 0x%(byte)s is not valid in UTF-8 or Windows-1252; save the file as UTF-8.") % {
            "byte": f"{content[error.start]:02X}"
        }
        raise UnreadableError(message, row=line) from error
    reading.warn(
        gettext(
            "The file is not in UTF-8, so Podium read it as Windows-1252; check names with accents, or "
            "save it as UTF-8."
        )
    )
    return text


def _is_mostly_utf8(content: bytes) -> bool:
    """Whether most non-ASCII characters are valid UTF-8, so only single lines are damaged."""
    text = content.decode("utf-8", "replace")
    bad = text.count("\ufffd")
    valid = sum(1 for character in text[:1_000_000] if character > "\x7f") - text[:1_000_000].count("\ufffd")
    return valid > bad


def _without_marks(text: str, reading: Reading) -> str:
    bare = text.lstrip(_BOM)
    if len(text) - len(bare) > 1:
        reading.warn(
            gettext("The file begins with %(number)s byte order marks; they were ignored.")
            % {"number": len(text) - len(bare)},
            row=1,
        )
    return bare


def _not_utf8(error: UnicodeDecodeError, line: int) -> UnreadableError:
    byte = error.object[error.start]
    return UnreadableError(
        gettext("the byte 0x%(byte)s is not valid UTF-8; save the file as UTF-8.") % {"byte": f"{byte:02X}"}, row=line
    )


def _binary(line: int) -> UnreadableError:
    return UnreadableError(
        gettext("the file contains null bytes, so it is not a text file; export the table as CSV."), row=line
    )
