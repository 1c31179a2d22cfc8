"""
The package of a workbook: a zip archive of XML parts, none of which is trusted.

openpyxl (in its read-only mode) reads the structure of the workbook: sheets, relationships, number formats. It gets
every part through an archive that rejects parts that are too large, and never opens anything outside the file. Sheets
and the table of shared strings are parsed in pieces here.
"""

from __future__ import annotations

import io
import re
import warnings
import zipfile
import zlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from xml.parsers import expat

from django.utils.translation import gettext, gettext_lazy
from openpyxl.reader.excel import ExcelReader
from openpyxl.styles.numbers import BUILTIN_FORMATS, is_date_format, is_timedelta_format
from openpyxl.xml.constants import ARC_STYLE, SHARED_STRINGS, SHEET_MAIN_NS
from openpyxl.xml.functions import fromstring

from contests.formats.base import UnreadableError
from contests.handles import printable
from contests.wording import grouped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from datetime import datetime


_MAX_MEMBERS = 10_000
_MAX_SHEETS = 200
# Parts that openpyxl turns into objects: relationships, number formats, the list of sheets.
_MAX_PART_BYTES = 16 * 2**20
_MAX_PART_ELEMENTS = 60_000
# Parts that are read in pieces: sheets and the table of their texts.
_MAX_BYTES = 192 * 2**20
_MAX_ELEMENTS = 4_000_000
_MAX_RATIO = 400
_RATIO_MATTERS_FROM = 4 * 2**20
_PIECE = 2**20
_TECHNICAL = re.compile(r"^Error -?\d+ while \w+ data: ")
_DAMAGED = gettext_lazy("open it in the program that made it and save it again, or save the sheet as CSV")
_KINDS = (
    ("xl/workbook.bin", gettext_lazy("a binary Excel workbook (.xlsb); save it as .xlsx")),
    ("word/", gettext_lazy("a Word document; put the table into a sheet and save it as .xlsx or CSV")),
    ("ppt/", gettext_lazy("a PowerPoint presentation; put the table into a sheet and save it as .xlsx or CSV")),
    ("Index/Document.iwa", gettext_lazy("an Apple Numbers or Pages document; export it as .xlsx or CSV")),
)


@dataclass(frozen=True, slots=True)
class SheetPart:
    """One sheet of the workbook: its name, its path in the package, and whether it is visible."""

    name: str
    path: str
    is_visible: bool


@dataclass(slots=True)
class CellFormats:
    """
    The number formats of cell styles.

    dates, durations
        Styles whose numbers are dates or times of day, and the subset for durations.
    digits
        Style -> minimum number of digits, for formats such as "000".
    """

    dates: set[int] = field(default_factory=set)
    durations: set[int] = field(default_factory=set)
    digits: dict[int, int] = field(default_factory=dict)

    @classmethod
    def read(cls, content: bytes) -> CellFormats:
        """Read only the number formats of a workbook's styles, since the rest is often invalid."""
        root = fromstring(content)
        codes = dict(BUILTIN_FORMATS)
        for item in root.iter(f"{{{SHEET_MAIN_NS}}}numFmt"):
            codes[int(item.get("numFmtId"))] = item.get("formatCode") or ""
        formats = cls()
        cells = root.find(f"{{{SHEET_MAIN_NS}}}cellXfs")
        dates = {number for number, code in codes.items() if is_date_format(code)}
        durations = {number for number in dates if is_timedelta_format(codes[number])}
        for style, item in enumerate(() if cells is None else cells):
            number = int(item.get("numFmtId", 0))
            if number in dates:
                formats.dates.add(style)
            elif set(codes.get(number, "")) == {"0"}:
                formats.digits[style] = len(codes[number])
            if number in durations:
                formats.durations.add(style)
        return formats


class _GuardedArchive(zipfile.ZipFile):
    """An archive that reads only small parts as a whole."""

    def read(self, name: Any, pwd: bytes | None = None) -> bytes:
        if self.getinfo(name).file_size > _MAX_PART_BYTES:
            raise _too_much(name)
        content = super().read(name, pwd)
        if content.count(b"<") > 2 * _MAX_PART_ELEMENTS:
            raise _too_much(name)
        if b"<!DOCTYPE" in content or b"<!ENTITY" in content:
            raise _forbidden_declarations()
        return content


class Package:
    """
    An opened workbook.

    formats
        The number formats of cell styles.
    epoch
        Day 0 of date numbers.
    """

    def __init__(self, content: bytes) -> None:
        self._elements_left = _MAX_ELEMENTS
        self._bytes_left = _MAX_BYTES
        self._archive = _opened_archive(content)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                self._read_workbook(content)
        except UnreadableError:
            raise
        except Exception as error:  # damaged packages raise nearly any exception in openpyxl
            raise damaged(error) from error

    def _read_workbook(self, content: bytes) -> None:
        # openpyxl accepts only its own archive, so ours replaces it before anything is read.
        reader = ExcelReader(io.BytesIO(content), read_only=True, data_only=True, keep_links=False)
        reader.archive = self._archive
        reader.read_manifest()
        strings = reader.package.find(SHARED_STRINGS)
        self.strings_path: str | None = None if strings is None else strings.PartName.lstrip("/")
        reader.read_workbook()
        self.sheets = [
            SheetPart(str(sheet.name), relation.target, sheet.state == "visible")
            for sheet, relation in reader.parser.find_sheets()
            if "chartsheet" not in relation.Type and relation.target in self._archive.namelist()
        ][:_MAX_SHEETS]
        self.epoch: datetime = reader.wb.epoch
        self.formats = CellFormats()
        self.formats_are_known = True
        try:
            self.formats = CellFormats.read(self._archive.read(ARC_STYLE))
        except UnreadableError:
            raise
        except Exception:  # as above; without number formats, everything except dates is still readable
            self.formats_are_known = False

    def start_again(self) -> None:
        """Allow all parts to be read once more."""
        self._elements_left, self._bytes_left = _MAX_ELEMENTS, _MAX_BYTES

    def pieces(self, path: str) -> Iterator[bytes]:
        """Yield a part in pieces of a megabyte; UnreadableError if the part or the total is too large."""
        size = 0
        try:
            info = self._archive.getinfo(path)
            with self._archive.open(info) as part:
                while piece := part.read(_PIECE):
                    size += len(piece)
                    self._check(piece, size, info)
                    yield piece
        except (zipfile.BadZipFile, zlib.error, OSError, EOFError, KeyError, RuntimeError) as error:
            # zipfile raises a RuntimeError for unknown compression methods, too.
            raise damaged(error) from error

    def _check(self, piece: bytes, size: int, info: zipfile.ZipInfo) -> None:
        self._bytes_left -= len(piece)
        self._elements_left -= piece.count(b"<") - piece.count(b"</")
        if size > _RATIO_MATTERS_FROM and size > _MAX_RATIO * max(info.compress_size, 1):
            raise UnreadableError(
                gettext(
                    "The workbook unpacks to more than %(most)s times its size, which is not normal for "
                    "standings; delete empty rows and columns, or save the sheet as CSV."
                )
                % {"most": _MAX_RATIO}
            )
        if self._bytes_left < 0 or self._elements_left < 0:
            raise _too_much(info.filename)
        if len(piece) == _PIECE and b"<" not in piece:
            raise UnreadableError(gettext("The workbook has a cell of more than a million characters; delete it."))


def damaged(error: Exception) -> UnreadableError:
    """Return the error for an unreadable workbook."""
    reason = printable(_TECHNICAL.sub("", " ".join(str(error).split())), 80)
    if isinstance(error, LookupError | TypeError | AttributeError) or not reason:
        reason = "a part of it is missing or invalid"
    if isinstance(error, RuntimeError) and "password" in reason:
        return UnreadableError(gettext("The workbook has a password; remove the password and save the file again."))
    return UnreadableError(
        gettext("The Excel workbook is damaged or cut off (%(reason)s); %(damaged)s.")
        % {"reason": reason, "damaged": _DAMAGED}
    )


def _forbidden_declarations() -> UnreadableError:
    return UnreadableError(
        gettext("The workbook declares XML entities, which standings never need; %(damaged)s.") % {"damaged": _DAMAGED}
    )


def _too_much(name: str) -> UnreadableError:
    return UnreadableError(
        gettext(
            "The workbook is too large (%(name)s): at most %(max_bytes)s MB unpacked and "
            "%(max_elements)s XML elements are allowed; delete all but the standings, or save the sheet "
            "as CSV."
        )
        % {"name": printable(name), "max_bytes": _MAX_BYTES // 2**20, "max_elements": grouped(_MAX_ELEMENTS)}
    )


def _opened_archive(content: bytes) -> _GuardedArchive:
    if content.count(b"PK\x01\x02") > _MAX_MEMBERS:
        raise UnreadableError(
            gettext("The archive has more than %(most)s files, so it is not a workbook; upload the table itself.")
            % {"most": grouped(_MAX_MEMBERS)}
        )
    try:
        archive = _GuardedArchive(io.BytesIO(content))
    except Exception as error:  # damaged archives raise several kinds of exceptions
        raise damaged(error) from error
    _refuse_other_kinds(archive)
    return archive


def _refuse_other_kinds(archive: _GuardedArchive) -> None:
    names = archive.namelist()
    if "xl/workbook.xml" in names:
        return
    for beginning, what in _KINDS:
        if any(name.startswith(beginning) for name in names):
            raise UnreadableError(gettext("This is %(what)s.") % {"what": what})
    if "mimetype" in names and "content.xml" in names:
        raise UnreadableError(gettext("This is an OpenDocument file (.ods); save the sheet as .xlsx or CSV."))
    if "[Content_Types].xml" not in names:
        held = gettext(" (of %(name)s)") % {"name": printable(names[0])} if names else ""
        raise UnreadableError(
            gettext(
                "This is a zip archive%(held)s, not an Excel workbook; unpack it and upload the file with the table."
            )
            % {"held": held}
        )


TEXT, _STRING, PHONETIC = (f"{SHEET_MAIN_NS}}}{name}" for name in ("t", "si", "rPh"))
_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")


def shared_strings(package: Package) -> list[str]:
    """Return the table of shared strings, which cells refer to."""
    if package.strings_path is None:
        return []
    for _ in package.pieces(package.strings_path):
        pass  # reject a table that is too large before parsing it
    package.start_again()
    strings = _Strings()
    parser = xml_parser(strings.start, strings.end, strings.characters)
    for _ in fed(parser, package.pieces(package.strings_path)):
        pass
    return strings.found


class _Strings:
    """Builds the table of shared strings from XML events: joins runs, ignores phonetic hints."""

    def __init__(self) -> None:
        self.found: list[str] = []
        self._parts: list[str] = []
        self._text: list[str] | None = None
        self._is_phonetic = False

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == TEXT:
            self._text = None if self._is_phonetic else []
        elif tag == _STRING:
            self._parts = []
        elif tag == PHONETIC:
            self._is_phonetic = True

    def characters(self, text: str) -> None:
        if self._text is not None:
            self._text.append(text)

    def end(self, tag: str) -> None:
        if tag == TEXT:
            self._parts.append("".join(self._text or ()))
            self._text = None
        elif tag == _STRING:
            self.found.append(unescaped("".join(self._parts)))
        elif tag == PHONETIC:
            self._is_phonetic = False


def unescaped(text: str) -> str:
    """Return the text with characters that XML does not allow, which workbooks escape as _x0007_."""
    return _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text) if "_x" in text else text


def xml_parser(
    start: Callable[[str, dict[str, str]], None], end: Callable[[str], None], characters: Callable[[str], None]
) -> expat.XMLParserType:
    parser = expat.ParserCreate(namespace_separator="}")
    parser.buffer_text = True
    parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = start, end, characters
    parser.StartDoctypeDeclHandler = _refuse_declarations
    return parser


def _refuse_declarations(*_: object) -> None:
    raise _forbidden_declarations()


def fed(parser: expat.XMLParserType, pieces: Iterable[bytes]) -> Iterator[None]:
    """Feed the parser piece by piece; yield after each."""
    try:
        for piece in pieces:
            parser.Parse(piece, False)
            yield
        parser.Parse(b"", True)
    except (expat.ExpatError, ValueError, IndexError, OverflowError, TypeError) as error:
        raise damaged(error) from error
