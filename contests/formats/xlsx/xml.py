"""The XML of a workbook, parsed in pieces; and its table of texts, which the cells of all sheets point into."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from xml.parsers import expat

from openpyxl.xml.constants import SHEET_MAIN_NS

from contests.formats.xlsx.package import damaged, forbidden_declarations

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from contests.formats.xlsx.package import Package

TEXT, _STRING, PHONETIC = (f"{SHEET_MAIN_NS}}}{name}" for name in ("t", "si", "rPh"))
_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")


def shared_strings(package: Package) -> list[str]:
    """Return the table of texts that cells point into."""
    if package.strings_path is None:
        return []
    for _ in package.pieces(package.strings_path):
        pass  # too many texts are refused before the first is read
    package.start_again()
    strings = _Strings()
    parser = xml_parser(strings.start, strings.end, strings.characters)
    for _ in fed(parser, package.pieces(package.strings_path)):
        pass
    return strings.found


class _Strings:
    """Makes the table of texts of what the XML parser sees: runs are put together, phonetic hints left out."""

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
    """Return the text with the characters that XML cannot hold, which a workbook writes like _x0007_."""
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
    raise forbidden_declarations()


def fed(parser: expat.XMLParserType, pieces: Iterable[bytes]) -> Iterator[None]:
    """Give the parser piece after piece; yield after each."""
    try:
        for piece in pieces:
            parser.Parse(piece, False)
            yield
        parser.Parse(b"", True)
    except (expat.ExpatError, ValueError, IndexError, OverflowError, TypeError) as error:
        raise damaged(error) from error
