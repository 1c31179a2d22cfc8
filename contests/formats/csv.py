"""Comma-separated and other delimited tables: delimiter, encoding and notation of numbers are found out."""

from __future__ import annotations

import csv
import re
from typing import TYPE_CHECKING, BinaryIO

from contests.formats.assembly import Heading, assembled
from contests.formats.base import UnreadableError
from contests.formats.columns import field_of
from contests.formats.players import HandleKeys
from contests.formats.table import Header, read_header, table_rows
from contests.formats.text import decoded_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from contests.formats.base import ParsedContest, Reading

_DELIMITERS = ",;\t|"
_MOST_CHARACTERS_A_LINE = 1_000_000
_MOST_COLUMNS = 200
_MOST_LINES = 1_000_000
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z")


class DelimitedText:
    """CSV, TSV and the like: one contest, one player a line, the first line names the columns."""

    name = "CSV"
    extensions = (".csv", ".tsv", ".tab", ".txt")

    def recognizes(self, head: bytes) -> bool:
        return True

    def read(self, stream: BinaryIO, reading: Reading) -> Iterator[ParsedContest]:
        text = decoded_text(stream.read(), reading, guess=True)
        first_line, delimiter = _delimiter(text)
        records = _records(text, delimiter, reading)
        line, cells = next((record for record in records if record[0] >= first_line), (0, []))
        if not cells:
            raise UnreadableError("The file is empty; it needs a line with column names and one line for each player.")
        header = read_header(cells, line, reading)
        if header is None:
            return
        rows = table_rows(_whole_records(records, header, reading), header, reading, decimal_comma=delimiter == ";")
        contest = assembled(Heading(), rows, HandleKeys(), reading)
        if contest is not None and not reading.report.errors:
            yield contest


def _delimiter(text: str) -> tuple[int, str]:
    """
    Return the first line of the table, and the delimiter that makes most known columns of it.

    Excel writes "sep=;" into a line before the table.
    """
    number = 0
    for number, line in _lines(text):
        bare = line.strip()
        if len(bare) == 5 and bare.lower().startswith("sep="):
            return number + 1, bare[4]
        if bare:
            return number, max(_DELIMITERS, key=lambda delimiter: _known_columns(bare, delimiter))
    return number, ","


def _known_columns(line: str, delimiter: str) -> tuple[int, int]:
    cells = next(csv.reader([line[:10_000]], delimiter=delimiter), [])
    return sum(1 for cell in cells[:_MOST_COLUMNS] if field_of(cell)), len(cells)


def _whole_records(
    records: Iterator[tuple[int, list[str]]], header: Header, reading: Reading
) -> Iterator[tuple[int, list[str]]]:
    """Yield the records that have as many cells as the header; report the others."""
    width = header.width
    count = 0
    for line, cells in records:
        count += 1
        if count > reading.max_rows:
            raise UnreadableError(f"More than {reading.max_rows:,} rows; a contest may have no more.", row=line)
        if len(cells) > width and not any(cell.strip() for cell in cells[width:]):
            cells = cells[:width]
        if len(cells) == width:
            yield line, cells
            continue
        hint = "put cells that hold the delimiter in quotes" if len(cells) > width else "add the missing cells"
        reading.error(f"the row has {len(cells):,} cells, the header {width}; {hint}.", row=line)


def _records(text: str, delimiter: str, reading: Reading) -> Iterator[tuple[int, list[str]]]:
    """Yield the records that are not empty, with the line each begins with; what is malformed is reported."""
    records = csv.reader((line for _, line in _lines(text)), delimiter=delimiter, strict=True)
    while True:
        start = records.line_num + 1
        try:
            cells = next(records)
        except StopIteration:
            return
        except csv.Error as error:
            reading.error(_explained(str(error)), row=start)
            continue
        if len(cells) > _MOST_COLUMNS:
            raise UnreadableError(f"The line has {len(cells):,} cells; at most {_MOST_COLUMNS} are read.", row=start)
        if any(cell and not cell.isspace() for cell in cells):
            yield start, cells


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
