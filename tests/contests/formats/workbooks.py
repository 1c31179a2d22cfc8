"""Workbooks written part by part, so that tests can create what no spreadsheet program would."""

from __future__ import annotations

import struct
import zlib
from typing import TYPE_CHECKING, NamedTuple, TypeAlias
from xml.sax.saxutils import escape, quoteattr

from contests.formats.table.grid import column_letter

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_KIND = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
# The numbers of cell styles: 0 plain, 1 date, 2 duration, 3 at least three digits.
STYLES = (
    f'{_HEAD}<styleSheet xmlns="{MAIN}"><numFmts count="3"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/>'
    '<numFmt numFmtId="165" formatCode="[h]:mm:ss"/><numFmt numFmtId="166" formatCode="000"/></numFmts>'
    "<fonts><font/></fonts><fills><fill/></fills><borders><border/></borders>"
    '<cellStyleXfs><xf numFmtId="0"/></cellStyleXfs><cellXfs><xf numFmtId="0"/>'
    '<xf numFmtId="164"/><xf numFmtId="165"/><xf numFmtId="166"/></cellXfs></styleSheet>'
)


class Repeated(NamedTuple):
    """A piece repeated many times, with something before and after: large unpacked, quick to pack."""

    before: bytes
    piece: bytes
    times: int
    behind: bytes


Content: TypeAlias = str | bytes | Repeated


def cell(value: object, place: str = "") -> str:
    """Return the XML of a cell: a text or number, or finished XML."""
    at = f' r="{place}"' if place else ""
    if value is None:
        return ""
    if isinstance(value, str) and value.startswith("<c"):
        return value.replace("<c", f"<c{at}", 1)
    if isinstance(value, str):
        return f'<c{at} t="inlineStr"><is><t xml:space="preserve">{escape(value)}</t></is></c>'
    return f"<c{at}><v>{value}</v></c>"


def sheet_xml(rows: Iterable[Sequence[object]], *, before: str = "", after: str = "", row: str = "") -> str:
    """Return the XML of a sheet; `before` and `after` go around its rows; `row` has further attributes of each row."""
    lines = []
    for number, values in enumerate(rows, 1):
        cells = "".join(cell(value, f"{column_letter(i)}{number}") for i, value in enumerate(values))
        lines.append(f'<row r="{number}"{row}>{cells}</row>')
    return f'{_HEAD}<worksheet xmlns="{MAIN}">{before}<sheetData>{"".join(lines)}</sheetData>{after}</worksheet>'


def merged(*ranges: str) -> str:
    """Return the XML that merges cells."""
    return f"<mergeCells>{''.join(f'<mergeCell ref={quoteattr(part)}/>' for part in ranges)}</mergeCells>"


def parts(
    sheets: Mapping[str, Content], *, strings: Content = "", styles: str = STYLES, hidden: Sequence[str] = ()
) -> dict[str, Content]:
    """Return the parts of a workbook with these sheets, by their paths."""
    numbered = list(enumerate(sheets.items(), 1))
    states = ["hidden" if name in hidden else "visible" for name in sheets]
    listed = "".join(
        f'<sheet name={quoteattr(name)} sheetId="{i}" r:id="rId{i}" state="{states[i - 1]}"/>'
        for i, (name, _) in numbered
    )
    relations = "".join(
        f'<Relationship Id="rId{i}" Type="{_OFFICE}/worksheet" Target="worksheets/sheet{i}.xml"/>' for i, _ in numbered
    )
    kinds = "".join(
        f'<Override PartName="/xl/worksheets/sheet{i}.xml" ContentType="{_KIND}.worksheet+xml"/>' for i, _ in numbered
    )
    made = {
        "[Content_Types].xml": f'{_HEAD}<Types xmlns="{_PACKAGE}/content-types">'
        '<Default Extension="xml" ContentType="application/xml"/>'
        f'<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{_KIND}.sheet.main+xml"/>{kinds}'
        f'<Override PartName="/xl/styles.xml" ContentType="{_KIND}.styles+xml"/>'
        f'<Override PartName="/xl/sharedStrings.xml" ContentType="{_KIND}.sharedStrings+xml"/></Types>',
        "_rels/.rels": f'{_HEAD}<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="rId1" '
        f'Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'{_HEAD}<workbook xmlns="{MAIN}" xmlns:r="{_OFFICE}"><sheets>{listed}</sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'{_HEAD}<Relationships xmlns="{_PACKAGE}/relationships">{relations}'
        "</Relationships>",
        "xl/styles.xml": styles,
        "xl/sharedStrings.xml": strings or f'{_HEAD}<sst xmlns="{MAIN}"/>',
    }
    return made | {f"xl/worksheets/sheet{i}.xml": xml for i, (_, xml) in numbered}


def shared(*texts: str) -> str:
    """Return the XML of a table of texts; a text may be XML already."""
    items = (text if text.startswith("<") else f"<t>{escape(text)}</t>" for text in texts)
    return f'{_HEAD}<sst xmlns="{MAIN}">{"".join(f"<si>{item}</si>" for item in items)}</sst>'


def deflated(content: Content) -> tuple[bytes, int, int]:
    """Return the compressed content, its checksum and its length."""
    if isinstance(content, str):
        content = content.encode()
    if isinstance(content, bytes):
        content = Repeated(content, b"", 0, b"")
    # Blocks that end in a full flush do not depend on anything before them, so one of them can be used many times.
    before, piece = (_flushed(part) for part in (content.before, content.piece))
    packer = zlib.compressobj(6, zlib.DEFLATED, -15)
    behind = packer.compress(content.behind) + packer.flush()
    checksum = zlib.crc32(content.before)
    for _ in range(content.times):
        checksum = zlib.crc32(content.piece, checksum)
    length = len(content.before) + len(content.piece) * content.times + len(content.behind)
    return before + piece * content.times + behind, zlib.crc32(content.behind, checksum), length


def _flushed(content: bytes) -> bytes:
    packer = zlib.compressobj(6, zlib.DEFLATED, -15)
    return packer.compress(content) + packer.flush(zlib.Z_FULL_FLUSH) if content else b""


def gzipped(content: bytes | Repeated) -> bytes:
    """Return content as a gzip file, with the same bytes each time."""
    compressed, checksum, length = deflated(content)
    return b"\x1f\x8b\x08\0\0\0\0\0\0\x03" + compressed + struct.pack("<II", checksum, length & 0xFFFFFFFF)


def packed(members: Mapping[str, Content]) -> bytes:
    """Return the zip archive of these members: the same bytes each time."""
    archive, directory = bytearray(), bytearray()
    for name, content in members.items():
        compressed, checksum, length = deflated(content)
        path = name.encode()
        # Version 2.0, no flags, deflate, midnight of 1980-01-01.
        said = struct.pack("<HHHHHIIIHH", 20, 0, 8, 0, 0x21, checksum, len(compressed), length, len(path), 0)
        at = len(archive)
        archive += b"PK\x03\x04" + said + path + compressed
        directory += b"PK\x01\x02" + struct.pack("<H", 20) + said + struct.pack("<HHHII", 0, 0, 0, 0, at) + path
    count = len(members)
    end = struct.pack("<HHHHIIH", 0, 0, count, count, len(directory), len(archive), 0)
    return bytes(archive + directory) + b"PK\x05\x06" + end


def workbook(rows: Iterable[Sequence[object]], **around: str) -> bytes:
    """Return a workbook of one sheet with these rows."""
    return packed(parts({"Standings": sheet_xml(rows, **around)}))
