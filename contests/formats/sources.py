"""Opening what was handed in, whatever it is: bounded, unpacked if it is gzip, and named if it is no text at all."""

from __future__ import annotations

import gzip
import io
import zlib
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, TypeAlias

from contests.formats.base import UnreadableError

if TYPE_CHECKING:
    from collections.abc import Iterator

    PeekableStream: TypeAlias = io.BufferedReader[Any]

_GZIP = b"\x1f\x8b"
_FOREIGN = (
    (b"PK\x05\x06", "an empty zip archive"),
    (b"%PDF", "a PDF document; export the table as CSV"),
    (b"\x89PNG", "a picture (PNG); export the table as CSV"),
    (b"\xff\xd8\xff", "a picture (JPEG); export the table as CSV"),
    (b"GIF8", "a picture (GIF); export the table as CSV"),
    (b"BZh", "a bzip2 archive; unpack it, or use gzip"),
    (b"\xfd7zXZ", "an xz archive; unpack it, or use gzip"),
    (b"7z\xbc\xaf", "a 7-Zip archive; unpack it, or use gzip"),
    (b"Rar!", "a RAR archive; unpack it, or use gzip"),
    (b"\x28\xb5\x2f\xfd", "a Zstandard archive; unpack it, or use gzip"),
    (b"SQLite format 3", "a database file; export the table as CSV"),
    (b"\x7fELF", "a program"),
)
_OLE = b"\xd0\xcf\x11\xe0"
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
_MARKUP = (
    (b"<!doctype html", "a page in HTML"),
    (b"<html", "a page in HTML"),
    (b"<table", "a table in HTML"),
    (b"<?xml", "an XML document"),
    (b"{\\rtf", "a text in RTF"),
)


class BoundedStream(io.RawIOBase):
    """Reads on from another stream, at most so many bytes; errors of that stream become messages."""

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
                f"The file cannot be read to its end, it is damaged or cut off ({reason}); save or compress it again."
            ) from error
        if len(content) > self._left:
            raise too_large(self._max_bytes)
        self._left -= len(content)
        buffer[: len(content)] = content
        return len(content)


@contextmanager
def opened(source: Path | BinaryIO | bytes, max_bytes: int) -> Iterator[PeekableStream]:
    """Give the content, unpacked, as a stream that ends with UnreadableError after `max_bytes`."""
    with _raw(source, max_bytes) as raw:
        buffered = io.BufferedReader(BoundedStream(raw, max_bytes), 2**18)
        if head_of(buffered)[:2] == _GZIP:
            unpacked = gzip.GzipFile(fileobj=buffered)
            buffered = io.BufferedReader(BoundedStream(unpacked, max_bytes), 2**18)
        _refuse_foreign(buffered)
        yield buffered


def too_large(max_bytes: int) -> UnreadableError:
    size = f"{max_bytes / 2**20:,.0f} MB" if max_bytes >= 2**20 else f"{max_bytes:,} bytes"
    return UnreadableError(f"The file is larger than the {size} allowed (unpacked); split it into several files.")


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
            raise UnreadableError(f"{source.name} cannot be opened: {error.strerror}.") from error
        with stream:
            yield stream
    else:
        yield source


def head_of(stream: PeekableStream) -> bytes:
    return stream.peek(4096)[:4096]


def _refuse_foreign(stream: PeekableStream) -> None:
    head = head_of(stream)
    if not head:
        raise UnreadableError("The file is empty; it needs a line with column names and one line for each player.")
    for magic, what in _FOREIGN:
        if head.startswith(magic):
            raise UnreadableError(f"This is not a table but {what}.")
    if head.startswith(_GZIP):
        raise UnreadableError("The file is compressed twice; unpack it once.")
    if head.startswith(_OLE):
        raise _old_office(stream.read())
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n")[:20].lower()
    for beginning, what in _MARKUP:
        if start.startswith(beginning):
            raise UnreadableError(f"This is {what}; open it in a spreadsheet program and save it as .xlsx or CSV.")


def _old_office(content: bytes) -> UnreadableError:
    """Return the error for a file in Office's old container; a workbook with a password is in one too."""
    if _ENCRYPTED in content:
        return UnreadableError("The workbook is protected by a password; remove it, and save the file again.")
    return UnreadableError("This is an old Excel or Word file (.xls, .doc); save the sheet as .xlsx or CSV.")
