"""Comma-separated and other delimited tables: delimiter, encoding and notation of numbers are found out."""

from __future__ import annotations

import csv
import re
from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING, BinaryIO

from contests.formats.base import UnreadableError
from contests.formats.grid import MOST_COLUMNS, Grid, Record, known_columns, likely_header, names_a_table
from contests.formats.table import read_table
from contests.formats.text import decoded_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from contests.formats.base import ParsedContest, Reading

_DELIMITERS = ",;\t|"
_PEEKED_LINES = 20
_MOST_CHARACTERS_A_LINE = 1_000_000
_MOST_LINES = 1_000_000
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z")


class DelimitedText:
    """CSV, TSV and the like: one contest, one player a line, one line names the columns."""

    name = "CSV"
    extensions = (".csv", ".tsv", ".tab", ".txt")

    def recognizes(self, head: bytes) -> bool:
        return True

    def grid(self, stream: BinaryIO, reading: Reading) -> Grid:
        text = decoded_text(stream.read(), reading, guess=True)
        first_line, delimiter = delimiter_of(text)
        records = (record for record in records_of(text, delimiter) if record.number >= first_line)
        return Grid(records, comma_is_decimal=True if delimiter == ";" else None)

    def read(self, stream: BinaryIO, reading: Reading) -> Iterator[ParsedContest]:
        yield from read_table(self.grid(stream, reading), reading)


def delimiter_of(text: str) -> tuple[int, str]:
    """
    Return the first line of the table, and the delimiter: the one that makes most known columns of the header.

    Excel writes "sep=;" into a line before the table.
    """
    lines: list[tuple[int, str]] = []
    for number, line in islice(_lines(text), _MOST_LINES):
        bare = line.strip()
        if not lines and len(bare) == 5 and bare.lower().startswith("sep="):
            return number + 1, bare[4]
        if bare:
            lines.append((number, bare[:10_000]))
            if len(lines) == _PEEKED_LINES:
                break
    if not lines:
        return 1, ","
    return lines[0][0], max(_DELIMITERS, key=lambda delimiter: _fitness([line for _, line in lines], delimiter))


def _fitness(lines: Sequence[str], delimiter: str) -> tuple[bool, int, int, int]:
    """Say how well a delimiter fits: a usable header, its known columns, lines of equal length, columns."""
    rows = [next(csv.reader([line], delimiter=delimiter), [])[:MOST_COLUMNS] for line in lines]
    header = rows[likely_header(rows)]
    width, alike = (
        Counter(len(row) for row in rows if len(row) > 1).most_common(1)[0]
        if any(len(row) > 1 for row in rows)
        else (1, 0)
    )
    return names_a_table(header), known_columns(header), alike, width


def records_of(text: str, delimiter: str) -> Iterator[Record]:
    """Yield the records that are not empty; one that is malformed has the lines it is made of for its cells."""
    consumed: list[str] = []

    def lines() -> Iterator[str]:
        for _, line in _lines(text):
            consumed.append(line)
            yield line

    records = csv.reader(lines(), delimiter=delimiter, strict=True)
    while True:
        start = records.line_num + 1
        consumed.clear()
        try:
            cells = next(records)
        except StopIteration:
            return
        except csv.Error as error:
            yield Record(start, list(consumed), _explained(str(error)))
            continue
        if len(cells) > MOST_COLUMNS:
            raise UnreadableError(f"The line has {len(cells):,} cells; at most {MOST_COLUMNS} are read.", row=start)
        if any(cell and not cell.isspace() for cell in cells):
            yield Record(start, cells)


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines with their numbers, whichever of CR, LF and CRLF ends them."""
    for number, match in enumerate(_LINE.finditer(text), 1):
        if number > _MOST_LINES:
            raise UnreadableError(f"The file has more than {_MOST_LINES:,} lines; split it.", row=number)
        if match.end() - match.start() > _MOST_CHARACTERS_A_LINE:
            raise UnreadableError(f"The line is longer than {_MOST_CHARACTERS_A_LINE:,} characters.", row=number)
        yield number, match[0]


def _explained(fault: str) -> str:
    if "expected after" in fault:
        return 'text follows after the closing quote of a cell; write a quote that belongs to the text twice ("").'
    if "field larger" in fault:
        return f'a cell is longer than {csv.field_size_limit():,} characters; is a quote (") that opens it not closed?'
    if "end of data" in fault:
        return 'a cell that begins with a quote (") is not closed; close it, or write it twice.'
    return f"the row cannot be read ({fault})."
