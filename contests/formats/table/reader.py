"""Comma-separated and other delimited tables: delimiter, encoding and notation of numbers are found out."""

from __future__ import annotations

import csv
import re
from collections import Counter, deque
from itertools import islice
from typing import TYPE_CHECKING, BinaryIO

from contests.formats.base import UnreadableError
from contests.formats.table.grid import MOST_COLUMNS, Grid, Record, known_columns, likely_header, names_a_table
from contests.formats.table.standings import read_table
from contests.formats.text import decoded_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from contests.formats.base import ParsedContest, Reading

_DELIMITERS = ",;\t|"
_PEEKED_LINES = 20
_MOST_CHARACTERS_A_LINE = 1_000_000
_MOST_LINES = 1_000_000
_MOST_TIMES_BACK = 1_000
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
        if not lines and len(bare) == 5 and bare.lower().startswith("sep=") and _can_delimit(bare[4]):
            return number + 1, bare[4]
        if bare:
            lines.append((number, bare[:10_000]))
            if len(lines) == _PEEKED_LINES:
                break
    if not lines:
        return 1, ","
    return lines[0][0], max(_DELIMITERS, key=lambda delimiter: _fitness([line for _, line in lines], delimiter))


def _can_delimit(character: str) -> bool:
    return not (character.isalnum() or character in "\"'.-+")


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
    """Yield the records that are not empty; a malformed one has its first line, as it is, for its only cell."""
    lines = _Resumable(_lines(text))
    records = csv.reader(lines, delimiter=delimiter, strict=True)
    while True:
        lines.begin()
        try:
            cells = next(records)
        except StopIteration:
            return
        except csv.Error as error:
            number, line = lines.go_back()
            yield Record(number, [line.rstrip("\r\n")], _explained(str(error)))
            continue
        if len(cells) > MOST_COLUMNS:
            raise UnreadableError(
                f"The line has {len(cells):,} cells; at most {MOST_COLUMNS} are read.", row=lines.first
            )
        if any(cell and not cell.isspace() for cell in cells):
            yield Record(lines.first, cells)


class _Resumable:
    """
    The lines of a table for the csv module, which can go back to the line after a malformed one.

    A quote that is not closed makes one cell of all that follows; so the rows below it are read nevertheless.
    """

    def __init__(self, lines: Iterator[tuple[int, str]]) -> None:
        self._lines = lines
        self._again: deque[tuple[int, str]] = deque()
        self._record: list[tuple[int, str]] = []
        self._times = 0

    def __iter__(self) -> _Resumable:
        return self

    def __next__(self) -> str:
        numbered = self._again.popleft() if self._again else next(self._lines)
        self._record.append(numbered)
        return numbered[1]

    @property
    def first(self) -> int:
        """The number of the first line of the record."""
        return self._record[0][0]

    def begin(self) -> None:
        """Begin a record."""
        self._record.clear()

    def go_back(self) -> tuple[int, str]:
        """Return the first line of the record, and give the others once more, unless that was done too often."""
        self._times += 1
        if self._times <= _MOST_TIMES_BACK:
            self._again.extendleft(reversed(self._record[1:]))
        return self._record[0]


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
