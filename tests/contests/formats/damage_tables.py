"""Damaged CSV and TSV files, and files of other kinds."""

from __future__ import annotations

import gzip
import random
from typing import TYPE_CHECKING

from tests.contests.formats.workbooks import Repeated, gzipped

if TYPE_CHECKING:
    from collections.abc import Iterator

Damaged = tuple[str, str, bytes]

NAMES = (
    "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "{{7*7}}", "{% debug %}", "=cmd()",
    "=HYPERLINK(\"http://x\")", "+1+1", "-1+1", "@SUM(1)", "\u202eevil", "a\u2066b\u2069", "\u200b", "\u3164",
    "\u0378",
    "x" * 129, "y" * 100_000, "é" * 5_000, "e" + "\u0301" * 300, "\x07bell", "\x1b[31mred", "\x7f",
    "../../etc/passwd",
    "a/b?c#d%00", "'; DROP TABLE players;--", "NULL", "\u00a0", "👩‍👩‍👧‍👦" * 30, "\ufeff", "\u2028line",
    "\U000e0001tag",
)  # fmt: skip
DATES = (
    "2025-05-01", "2025-05-01T18:00:00Z", "2025-05-01 18:00", "01.05.2025", "1.5.25", "5/1/2025", "05/01/25",
    "1-May-25",
    "1-May", "May-25", "1. Mai 2025", "May 1, 2025", "1st May 2025", "2025/05/01", "01-05-2025", "18:00", "18:00:00",
    "1 day, 2:00:00", "20250501", "令和7年5月1日", "Thu, 01 May 2025 18:00:00 GMT", "2025-W18-4", "1/2", "30.02.2025",
    "0000-00-00",
)  # fmt: skip
NUMBERS = (
    "1.234,5", "1,234.5", "1 234", "1\u00a0234,5", "1'234", "1,234", "1.234", "12,34,567", "1.2.3", "1,2,3", "--5",
    "5-",
    "1e400", "-1e999", "nan", "inf", "0x1F", "1_000", "①", "٣", "12abc", "$5", "50%", "1/2", "=1+1", "#REF!",
    "9" * 400,
    "1e-400", ".", ",",
)  # fmt: skip
RANKS = ("0", "-1", "1.5", "99999999999999999999", "1e2", "IV", "first", "1-", "3-1", "²", "#", "=", "T", "1st2", "1;2")


def damaged_tables() -> Iterator[Damaged]:
    yield from _cut_off()
    yield from _delimiters()
    yield from _encodings()
    yield from _quotes()
    yield from _columns()
    yield from _cells()
    yield from _other_kinds()
    yield from _packed()


def table(delimiter: str = ",", rows: int = 30) -> str:
    """Return a sound table."""
    lines = ["rank,handle,name,country,score,status".replace(",", delimiter)]
    for i in range(1, rows + 1):
        cells = (str(i), f"player{i}", f'"Zoë ""{i}"" 日本"', "DE", f"{1000 - i}", "")
        lines.append(delimiter.join(cells))
    return "\r\n".join(lines) + "\r\n"


def _cut_off() -> Iterator[Damaged]:
    for encoding, suffix in (("utf-8", "csv"), ("utf-16", "csv"), ("utf-32", "txt")):
        content = table().encode(encoding)
        for i in range(12):
            at = 1 + i * len(content) // 12
            yield f"{suffix} {encoding} cut at {at}", f"cut.{suffix}", content[:at]
    content = table("\t").encode()
    for at in (3, 37, 45, 61, 700, 1001):
        yield f"tsv cut at {at}", "cut.tsv", content[:at]


def _delimiters() -> Iterator[Damaged]:
    lines = table().splitlines()
    for delimiter in (";", "\t", "|", ":", " ", "\x1f", "¦", ""):
        mixed = [line.replace(",", delimiter) if i % 3 else line for i, line in enumerate(lines)]
        yield f"delimiter {delimiter!r} in two rows of three", "mixed.csv", "\n".join(mixed).encode()
        yield f"delimiter {delimiter!r} throughout", "other.csv", table(delimiter).encode()
    for hint in ("sep=", "sep=;", 'sep="', "sep=a", "sep=,,", "sep=\t"):
        yield f"hint {hint!r} that lies", "hint.csv", f"{hint}\n{table()}".encode()


def _encodings() -> Iterator[Damaged]:
    half = table()[: len(table()) // 2]
    rest = table()[len(table()) // 2 :]
    for first, second in (
        ("utf-8", "utf-16"), ("utf-8", "latin-1"), ("utf-16", "utf-8"), ("utf-16-le", "utf-16-be"),
        ("cp1252", "utf-8"),
        ("utf-8-sig", "utf-8-sig"), ("utf-32", "utf-8"), ("utf-8", "utf-7"),
    ):  # fmt: skip
        content = half.encode(first, "replace") + rest.encode(second, "replace")
        yield f"first half {first}, second half {second}", "mixed.csv", content
    for encoding in ("shift_jis", "cp1251", "gb18030", "big5", "euc-kr", "koi8-r", "utf-7", "cp037"):
        yield f"all in {encoding}", "encoded.csv", table().encode(encoding, "replace")
    yield "four byte order marks", "marks.csv", b"\xef\xbb\xbf" * 4 + table().encode()
    yield "a mark of UTF-16 before UTF-8", "marks.csv", b"\xff\xfe" + table().encode()
    yield "lone surrogates in UTF-8", "surrogates.csv", b"rank,handle\n1,\xed\xa0\x80\n"
    yield "overlong UTF-8", "overlong.csv", b"rank,handle\n1,\xc0\xaf\n"
    yield "zero bytes between", "zeros.csv", b"rank,handle\n1,a\0b\n"
    yield "nothing but zero bytes", "zeros.csv", bytes(4096)


def _quotes() -> Iterator[Damaged]:
    for i, row in enumerate(
        ('1,"a', '1,"a"b', '1,a"b', '1,""a"', '"1,a', '1,"""', "1,'a", '1,"a\n2,b', '1,"' + "a" * 140_000, '1,"a",')
    ):
        yield f"quotes {i}", "quotes.csv", f"rank,handle\n{row}\n2,b\n3,c\n".encode()
    yield "a quote opened in every row", "quotes.csv", b"rank,handle\n" + b'1,"a\n' * 2_000


def _columns() -> Iterator[Damaged]:
    wide = ",".join(f"c{i}" for i in range(10_000))
    yield "10,000 columns", "wide.csv", f"{wide}\n{wide}\n".encode()
    yield "10,000 columns in one row", "wide.csv", f"rank,handle\n1,a\n{wide}\n".encode()
    yield "10,000 empty columns", "wide.tsv", ("rank\thandle" + "\t" * 10_000 + "\n1\ta\n").encode()
    for i, header in enumerate(
        (
            "rank,rank,handle", "rank,handle,handle", "rank,user,player", "rank,place,pos,handle", "handle", "rank",
            "score",
            "name,country", ",,,", "rank,,handle", "rank,handle,scroe", "1,tourist,7", "rank;handle,score",
            '"rank,handle"',
            "RANK , HANDLE ,", "rank\n,handle", "remarks,remarks", "handle,rank" + ",x" * 150,
            "rank,handle," + "y" * 50_000,
            "<b>rank</b>,handle", "=rank,=handle", "rank,handle,\u202escore", "rank,handle,status,status",
        )
    ):  # fmt: skip
        yield f"header {i}", "header.csv", f"{header}\n1,a,5\n2,b,4\n".encode()
    yield "the header again and again", "header.csv", b"rank,handle\n1,a\nrank,handle\n2,b\nrank,handle\n3,c\n"
    yield (
        "rows of every length",
        "ragged.csv",
        ("rank,handle,score\n" + "".join("1" + ",x" * i + "\n" for i in range(9))).encode(),
    )
    yield "more rows than allowed", "long.csv", b"rank,handle\n" + b"1,a\n" * 200_001
    yield "a million empty lines", "long.csv", b"\n" * 1_000_500
    yield "a line of ten million characters", "long.csv", b"rank,handle\n1," + b"a" * 10_000_000
    yield "two players a thousand times", "twice.csv", b"rank,handle\n" + b"1,a\n1,B\n1,A\n" * 400


def _cells() -> Iterator[Damaged]:
    for kind, column, values in (("number", "score", NUMBERS), ("date", "score", DATES)):
        for i, value in enumerate(values):
            rows = f'handle,{column}\na,7\nb,"{value}"\nc,5\n'
            yield f"{kind} {i} as {column}", "cells.csv", rows.encode()
    for kind, values in (("rank", RANKS), ("date", DATES)):
        for i, value in enumerate(values):
            yield f"{kind} {i} as rank", "cells.tsv", f"rank\thandle\n1\ta\n{value}\tb\n3\tc\n".encode()
    for i, name in enumerate(NAMES):
        quoted = name.replace('"', '""')
        yield (
            f"name {i}",
            "names.csv",
            f'rank,handle,name,team,country\n1,"{quoted}","{quoted}","{quoted}","{quoted}"\n2,b,,,\n'.encode(),
        )
    for places in ("1,1,2", "1,2,2,3", "3,1,4", "1,2,4", "5,5,5", "2,1,1", "1,,", ",,", "9,9,1", "1,2,3,3,4"):
        rows = "".join(f"{place},p{j},{9 - j}\n" for j, place in enumerate(places.split(",")))
        yield f"ranks {places}", "ranks.csv", f"rank,handle,score\n{rows}".encode()


def _other_kinds() -> Iterator[Damaged]:
    for name, content in {
        "empty": b"", "one byte": b"1", "a line break": b"\n", "blanks": b" \t \r\n " * 50,
        "a PDF": b"%PDF-1.7\n%\xe2\xe3",
        "a PNG": b"\x89PNG\r\n\x1a\n" + bytes(60),
        "a page": b"<!DOCTYPE html><html><table><tr><td>rank</td></tr></table>",
        "an XML table": b'<?xml version="1.0"?><Workbook><Worksheet/></Workbook>', "an RTF": b"{\\rtf1 rank handle}",
        "an old workbook": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(2000) + "Workbook".encode("utf-16-le"),
        "a protected one": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(2000) + "EncryptedPackage".encode("utf-16-le"),
        "an SQLite file": b"SQLite format 3\0" + bytes(84), "a program": b"\x7fELF" + bytes(60),
        "an xz": b"\xfd7zXZ\0",
    }.items():  # fmt: skip
        for extension in ("csv", "xlsx"):
            yield f"{name} called .{extension}", f"standings.{extension}", content
    noise = random.Random(4)
    for i, extension in enumerate(("csv", "tsv", "json", "jsonl", "xlsx", "", "csv.gz", "exe")):
        yield f"noise {i} called .{extension}", f"noise.{extension}", noise.randbytes(3_000)
    for extension in ("json", "jsonl", "xlsx", "xls", "ods", "pdf", "gz", "json.gz"):
        yield f"a table called .{extension}", f"standings.{extension}", table().encode()


def _packed() -> Iterator[Damaged]:
    whole = gzip.compress(table(rows=400).encode(), mtime=0)
    for at in (2, 9, 10, 11, 40, len(whole) // 2, len(whole) - 8, len(whole) - 1):
        yield f"gzip cut at {at}", "cut.csv.gz", whole[:at]
    for at in range(10, len(whole), len(whole) // 8):
        yield (
            f"gzip with another byte at {at}",
            "flipped.csv.gz",
            whole[:at] + bytes([whole[at] ^ 0x55]) + whole[at + 1 :],
        )
    yield "gzip twice", "twice.csv.gz", gzip.compress(whole, mtime=0)
    yield "gzip and something behind", "behind.csv.gz", whole + b"something else"
    yield "gzip bomb of blanks", "bomb.csv.gz", gzipped(Repeated(b"", b" " * 2**20, 70, b""))
    yield "gzip bomb of rows", "bomb.tsv.gz", gzipped(Repeated(b"", b"1\ta\n" * 2**18, 70, b""))
    yield "gzip bomb of brackets", "bomb.json.gz", gzipped(Repeated(b"", b"[" * 2**20, 8, b""))
    yield "gzip bomb of objects", "bomb.jsonl.gz", gzipped(Repeated(b"", b"{}\n" * 2**18, 100, b""))
