"""Damaged workbooks: cut off, with missing or invalid parts, of absurd sizes, or with meaningless cells."""

from __future__ import annotations

import gzip
import io
import random
import struct
import zipfile
from typing import TYPE_CHECKING, Any

from tests.contests.formats.damage_tables import DATES, NAMES, NUMBERS
from tests.contests.formats.workbooks import MAIN, Repeated, cell, merged, packed, parts, shared, sheet_xml, workbook

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.contests.formats.damage_tables import Damaged

HEADER = ("rank", "handle", "score")
ROWS = (HEADER, (1, "ann", 9), (2, "bob", 7.5), (3, "eve", 7))
_PARTS: dict[str, Any] = parts({"Standings": sheet_xml(ROWS)})
_STRINGS = "xl/sharedStrings.xml"
_SHEET = "xl/worksheets/sheet1.xml"
_ENTITIES = "".join(f'<!ENTITY e{i} "' + f"&e{i - 1};" * 10 + '">' for i in range(1, 10))
_ENTITIES = f'<!DOCTYPE x [<!ENTITY e0 "ten letter">{_ENTITIES}]>'


def damaged_workbooks() -> Iterator[Damaged]:
    for name, content in (*_archives(), *_parts(), *_sizes(), *_kinds(), *_cells(), *_sheets()):
        yield f"workbook: {name}", "standings.xlsx", content
    yield "workbook: packed again and cut off", "standings.xlsx.gz", gzip.compress(workbook(ROWS), mtime=0)[:-40]
    yield "workbook: a bomb packed again", "standings.xlsx.gz", gzip.compress(_bomb(), mtime=0)
    for extension in ("csv", "json", "jsonl", "xls", "txt"):
        yield f"workbook: called .{extension}", f"standings.{extension}", workbook((*ROWS, (5, "dan", "x")))


def _archives() -> Iterator[tuple[str, bytes]]:
    whole = workbook(ROWS)
    for i in range(1, 25):
        at = i * len(whole) // 25
        yield f"cut at {at}", whole[:at]
    changed = random.Random(17)
    for _ in range(30):
        at = changed.randrange(4, len(whole))
        yield f"another byte at {at}", whole[:at] + bytes([whole[at] ^ (1 << changed.randrange(8))]) + whole[at + 1 :]
    yield "something before it", b"rank,handle\n" + whole
    yield "something behind it", whole + b"\0" * 100
    yield "a member that is protected", _with_flag(whole)
    yield "a member of an unknown method", whole.replace(struct.pack("<HH", 0, 8), struct.pack("<HH", 0, 99))


def _with_flag(content: bytes) -> bytes:
    """Mark each member of the directory as encrypted."""
    changed = bytearray(content)
    at = content.find(b"PK\x01\x02")
    while at >= 0:
        changed[at + 8] |= 1
        at = content.find(b"PK\x01\x02", at + 4)
    return bytes(changed)


def _parts() -> Iterator[tuple[str, bytes]]:
    for name, content in _PARTS.items():
        yield f"without {name}", packed({key: value for key, value in _PARTS.items() if key != name})
        yield f"{name} empty", packed(_PARTS | {name: ""})
        yield f"{name} cut", packed(_PARTS | {name: content[: len(content) // 2]})
        yield f"{name} is text", packed(_PARTS | {name: "rank,handle\n1,a\n"})
        yield f"{name} with entities", packed(_PARTS | {name: content.replace("?>\n", f"?>{_ENTITIES}", 1)})
    outside = '<!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/passwd">]>'
    yield "a sheet that asks for a file", packed(_PARTS | {_SHEET: _PARTS[_SHEET].replace("?>\n", f"?>{outside}", 1)})
    yield "a sheet in UTF-16", packed(_PARTS | {_SHEET: _PARTS[_SHEET].replace("UTF-8", "UTF-16").encode("utf-16")})
    yield "a sheet that says UTF-16", packed(_PARTS | {_SHEET: _PARTS[_SHEET].replace("UTF-8", "UTF-16")})
    yield "another namespace", packed({key: value.replace(MAIN, "urn:x") for key, value in _PARTS.items()})
    yield "no sheet", packed(parts({}))
    relations = "xl/_rels/workbook.xml.rels"
    elsewhere = _PARTS[relations].replace("worksheets/sheet1.xml", "../../../etc/passwd")
    yield "a sheet that is elsewhere", packed(_PARTS | {relations: elsewhere})


def _sizes() -> Iterator[tuple[str, bytes]]:
    yield "a bomb", _bomb()
    texts = f'<sst xmlns="{MAIN}"><si>'.encode()
    long = Repeated(texts, b"<t>" + b"a" * 2**20 + b"</t>", 200, b"</si></sst>")
    yield "a text of 200 MB", packed(_PARTS | {_STRINGS: long})
    yield (
        "five million texts",
        packed(_PARTS | {_STRINGS: Repeated(texts, b"</si><si>" * 1_000, 5_000, b"</si></sst>")}),
    )
    noise = random.Random(5)
    for name, element in (("empty cells", b"<c/>"), ("empty rows", b"</row><row>"), ("cells", b"<c><v>1</v></c>")):
        piece = element * 2_500 + noise.randbytes(100).hex().encode() + element * 2_500
        yield f"five million {name}", packed(_PARTS | {_SHEET: _repeated(b"<row>", piece, 1_000, b"</row>")})
    yield "elements without end", packed(_PARTS | {_SHEET: _repeated(b"", b"<a>" * 1_000, 500, b"")})
    yield "elements in each other", packed(_PARTS | {_SHEET: _rows_xml("<a>" * 200_000 + "</a>" * 200_000)})
    styles = _PARTS["xl/styles.xml"].replace("</cellXfs>", '<xf numFmtId="0"/>' * 100_000 + "</cellXfs>")
    yield "100,000 styles", packed(_PARTS | {"xl/styles.xml": styles})
    yield "10,000 columns", workbook([[f"c{i}" for i in range(10_000)], [1] * 10_000])
    for place, row in (
        ("column", '1"><c r="XFD1'),
        ("row", '1048576"><c r="A1048576'),
        ("row of a larger sheet", '9999999"><c r="A9999999'),
    ):
        yield f"a cell in the last {place}", packed(_PARTS | {_SHEET: _rows_xml(f'<row r="{row}"><v>1</v></c></row>')})
    yield "a dimension that lies", workbook([*ROWS, (5, "dan", "x")], before='<dimension ref="A1:XFD1048576"/>')
    yield "20,000 members", packed({f"m{i}": "" for i in range(20_000)} | _PARTS)
    yield "a text of 100,000 characters", workbook([*ROWS, (4, "x" * 100_000, 1)])


def _repeated(before: bytes, piece: bytes, times: int, behind: bytes) -> Repeated:
    return Repeated(
        f'<worksheet xmlns="{MAIN}"><sheetData>'.encode() + before, piece, times, behind + b"</sheetData></worksheet>"
    )


def _rows_xml(rows: str) -> str:
    return f'<worksheet xmlns="{MAIN}"><sheetData>{rows}</sheetData></worksheet>'


def _bomb() -> bytes:
    return packed(_PARTS | {_SHEET: _repeated(b"", b"<row>" + b" " * 2**20 + b"</row>", 250, b"")})


def _kinds() -> Iterator[tuple[str, bytes]]:
    kind = "application/vnd.oasis.opendocument.spreadsheet"
    yield "an .ods", packed({"mimetype": kind, "content.xml": "<x/>", "META-INF/manifest.xml": "<x/>"})
    yield "an .xlsb", packed({"[Content_Types].xml": _PARTS["[Content_Types].xml"], "xl/workbook.bin": b"\x83\x01"})
    yield "a Word document", packed({"[Content_Types].xml": "<Types/>", "word/document.xml": "<x/>"})
    yield "a presentation", packed({"[Content_Types].xml": "<Types/>", "ppt/presentation.xml": "<x/>"})
    yield "an Apple Numbers", packed({"Index/Document.iwa": b"\0", "preview.jpg": b"\xff\xd8"})
    yield "a zip of a table", packed({"standings.csv": "rank,handle\n1,a\n"})
    yield "a zip of a zip", packed({"standings.xlsx": workbook(ROWS)})
    out = io.BytesIO()
    zipfile.ZipFile(out, "w").close()
    yield "an empty zip", out.getvalue()


def _cells() -> Iterator[tuple[str, bytes]]:
    for name, value in {
        "a formula": "<c><f>1+1</f></c>", "a formula without value": "<c><f>1+1</f><v></v></c>",
        "a formula of text": '<c t="str"><f>A1</f><v>=cmd()</v></c>', "an error": '<c t="e"><v>#REF!</v></c>',
        "an unknown error": '<c t="e"><v>#&lt;b&gt;</v></c>', "a text that is not there": '<c t="s"><v>99</v></c>',
        "a text before the first": '<c t="s"><v>-1</v></c>', "a text number that is none": '<c t="s"><v>x</v></c>',
        "a boolean": '<c t="b"><v>1</v></c>', "a boolean that is none": '<c t="b"><v>perhaps</v></c>',
        "a kind of its own": '<c t="zz"><v>1</v></c>',
        "a number that is none": "<c><v>12,5</v></c>", "infinity": "<c><v>1e999</v></c>",
        "not a number": "<c><v>nan</v></c>",
        "a long number": f"<c><v>{'9' * 5_000}</v></c>", "a date": '<c s="1"><v>45778</v></c>',
        "no date": '<c s="1"><v>-45778</v></c>',
        "a date in a far year": '<c s="1"><v>99999999999</v></c>', "a time": '<c s="2"><v>0.75</v></c>',
        "a style that is none": '<c s="x"><v>1</v></c>',
        "an ISO date": '<c t="d"><v>2025-05-01</v></c>', "no ISO date": '<c t="d"><v>yesterday</v></c>',
        "an empty text": '<c t="inlineStr"><is/></c>',
        "a text in runs": '<c t="inlineStr"><is><r><t>1</t></r><r><t>x</t></r></is></c>',
        "an escape": '<c t="inlineStr"><is><t>_xD800_</t></is></c>',
    }.items():  # fmt: skip
        for i, column in enumerate(HEADER):
            row: list[object] = [4, "dan", 1]
            row[i] = value
            yield f"{name} as {column}", workbook([*ROWS, row])
    for i, text in enumerate((*NUMBERS[:12], *DATES[:12])):
        yield f"text {i} as score", workbook([*ROWS, (4, "dan", text)])
    for i, name in enumerate(name for name in NAMES if name.isprintable() or "\u202e" in name):
        yield f"name {i}", workbook([*ROWS, (4, name, 1)])
    yield (
        "cells out of order",
        packed(_PARTS | {_SHEET: _rows_xml(f'<row r="1">{cell("rank", "B1")}{cell("handle", "A1")}</row>')}),
    )
    yield (
        "rows out of order",
        packed(_PARTS | {_SHEET: _rows_xml('<row r="2"><c><v>1</v></c></row><row r="1"><c><v>1</v></c></row>')}),
    )
    yield "cells without places", packed(_PARTS | {_SHEET: _rows_xml("<row><c><v>1</v></c><c><v>2</v></c></row>")})
    yield "a cell of no place", packed(_PARTS | {_SHEET: _rows_xml('<row><c r="??"><v>1</v></c></row>')})


def _sheets() -> Iterator[tuple[str, bytes]]:
    merges = {
        "header over two columns": ([("rank", "player", None, "score"), (1, "a", "A", 5)], "B1:C1"),
        "header over all": ([("rank, handle and score", None, None), (1, "a", 5)], "A1:C1"),
        "header over two rows": ([("rank", "player", None), (None, "handle", "name"), (1, "a", "A")], "A1:A2"),
        "header over ten rows": ([HEADER, *[(i, f"p{i}", 20 - i) for i in range(1, 15)]], "A1:A10"),
        "rows with one rank": ([HEADER, (1, "a", 5), (None, "b", 5)], "A2:A3"),
        "everything": (ROWS, "A1:C4"),
        "a million rows": (ROWS, "A2:A1048576"),
        "what is no range": (ROWS, "A0:ZZZZ99999999"),
    }
    for name, (rows, place) in merges.items():
        yield f"merged, {name}", workbook(rows, after=merged(place))
    yield "50,000 merged ranges", workbook(ROWS, after=merged(*(f"A{i}:A{i + 1}" for i in range(1, 100_000, 2))))
    yield "all rows hidden", workbook(ROWS, row=' hidden="1"')
    yield "only a header", workbook([HEADER])
    yield "an empty sheet", workbook([])
    yield "titles and no table", workbook([["Spring contest"], [], ["see the other file"]])
    yield "a header twice", workbook([("rank", "handle", "rank"), (1, "a", 1)])
    yield "an unknown column", workbook([("rank", "handle", "shoe size"), (1, "a", 42)])
    yield (
        "texts that are formulas",
        packed(parts({"S": sheet_xml([HEADER, ('<c t="s"><v>0</v></c>', "a", 1)])}, strings=shared("=1+1"))),
    )
    yield "hidden sheets only", packed(parts({"S": sheet_xml([HEADER, (1, "a", "x")])}, hidden=["S"]))
    yield (
        "names of sheets that nobody can type",
        packed(parts({"\u202e[/]*?" * 40: sheet_xml([HEADER, (1, "a", "x")])})),
    )
    yield "two hundred empty sheets", packed(parts({f"S{i}": sheet_xml([]) for i in range(200)}))
