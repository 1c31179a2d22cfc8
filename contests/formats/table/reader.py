"""Comma-separated and other delimited tables, with detection of delimiter and encoding."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter, deque
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, BinaryIO

from django.utils.translation import gettext, gettext_noop

from contests.formats.base import Reading, Report, UnreadableError
from contests.formats.reader import Example, no_room, remark_for, remarks_of
from contests.formats.sources import decoded_text
from contests.formats.table.base import TableReader
from contests.formats.table.columns import MAX_COLUMNS, is_remarks
from contests.formats.table.escape import cell_safe
from contests.formats.table.grid import (
    Grid,
    Record,
    TableStart,
    corrected,
    known_columns,
    likely_header,
    names_a_table,
    table_start,
)
from contests.wording import grouped

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from contests.formats.table.options import ReadingOptions

_DELIMITERS = ",;\t|"
_PEEKED_LINES = 20
_MAX_LINE_CHARACTERS = 1_000_000
_MAX_LINES = 1_000_000
_MAX_RETURNS = 1_000
_LINE_END = re.compile(r"\r\n|\r|\n")
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z")


class DelimitedText(TableReader):
    """CSV, TSV and the like: one player or one game on each line, below a line of column names."""

    name = "CSV"
    label = gettext_noop("CSV or TSV")
    extensions = (".csv", ".tsv", ".tab", ".txt")
    examples = (
        Example(gettext_noop("CSV"), "standings.csv"),
        Example(gettext_noop("TSV"), "standings.tsv"),
        Example(gettext_noop("Table of games"), "games.csv"),
    )

    def recognizes(self, head: bytes) -> bool:
        return True

    def grid(self, stream: BinaryIO, reading: Reading) -> Grid:
        text = decoded_text(stream.read(), reading, guess=True)
        first_line, delimiter = delimiter_of(text)
        records = (record for record in records_of(text, delimiter) if record.number >= first_line)
        return Grid(records, comma_is_decimal=True if delimiter == ";" else None, split=partial(_split, delimiter))

    def annotate(self, stream: BinaryIO, report: Report, options: ReadingOptions) -> bytes:
        return _annotated(decoded_text(stream.read(), Reading("", Report(), options), guess=True), report, options)

    def annotated_extension(self, extension: str) -> str:
        return extension if extension in self.extensions else self.extensions[0]


def delimiter_of(text: str) -> tuple[int, str]:
    """
    Return the first line of the table, and the delimiter that gives the header the most known columns.

    Excel can write a line "sep=;" above the table.
    """
    lines: list[tuple[int, str]] = []
    for number, line in islice(_lines(text), _MAX_LINES):
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
    """Return how well a delimiter fits: a usable header, its known columns, lines of equal length, columns."""
    rows = [next(csv.reader([line], delimiter=delimiter), [])[:MAX_COLUMNS] for line in lines]
    header = rows[likely_header(rows)]
    width, alike = (
        Counter(len(row) for row in rows if len(row) > 1).most_common(1)[0]
        if any(len(row) > 1 for row in rows)
        else (1, 0)
    )
    return names_a_table(header), known_columns(header), alike, width


def records_of(text: str, delimiter: str) -> Iterator[Record]:
    """Yield the records that are not empty; a malformed record has one cell with its unchanged first line."""
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
        if len(cells) > MAX_COLUMNS:
            raise UnreadableError(
                gettext("The line has %(cells)s cells, but at most %(most)s are allowed; delete columns.")
                % {"cells": grouped(len(cells)), "most": MAX_COLUMNS},
                row=lines.first,
            )
        if any(cell and not cell.isspace() for cell in cells):
            yield Record(lines.first, cells)


class _Resumable:
    """
    The lines of a table for the csv module, able to return to the line after a malformed one.

    An unclosed quote turns all following lines into one cell; going back lets the rows below it be read.
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
        """Return the first line of the record, and repeat the others unless that was done too often."""
        self._times += 1
        if self._times <= _MAX_RETURNS:
            self._again.extendleft(reversed(self._record[1:]))
        return self._record[0]


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines with their numbers; lines end with CR, LF or CRLF."""
    for number, match in enumerate(_LINE.finditer(text), 1):
        if number > _MAX_LINES:
            raise UnreadableError(
                gettext("The file has more than %(most)s lines; split it.") % {"most": grouped(_MAX_LINES)},
                row=number,
            )
        if match.end() - match.start() > _MAX_LINE_CHARACTERS:
            raise UnreadableError(
                gettext("The line has more than %(most)s characters; look for a missing line break.")
                % {"most": grouped(_MAX_LINE_CHARACTERS)},
                row=number,
            )
        yield number, match[0]


def _explained(fault: str) -> str:
    if "expected after" in fault:
        return gettext(
            'there is text after the closing quote of a cell; double every quote that belongs to the text ("").'
        )
    if "field larger" in fault:
        text = gettext('a cell has more than %(most)s characters; close the quote (") that it begins with.')
        return text % {"most": grouped(csv.field_size_limit())}
    if "end of data" in fault:
        return gettext(
            'a cell begins with a quote (") that is not closed; close it, or double it if it belongs to the text.'
        )
    return gettext("the row is unreadable (%(fault)s); enter it again.") % {"fault": fault}


def _split(delimiter: str, line: str) -> list[str]:
    """Return the probable cells of a malformed line: without quotes around them."""
    return [cell.strip().removeprefix('"').removesuffix('"') for cell in line.split(delimiter)][:MAX_COLUMNS]


def _annotated(text: str, report: Report, options: ReadingOptions) -> bytes:
    """
    Return a table with a column of remarks, in UTF-8, with the same delimiter and each row on the same line.

    The column comes first, so that a row with a missing or extra cell, or with a wrong quote, keeps exactly that fault
    until someone fixes it. Cells that a spreadsheet would run as formulas get an apostrophe.
    """
    first_line, delimiter = delimiter_of(text)
    found = (record for record in records_of(text, delimiter) if record.number >= first_line)
    records = list(corrected(found, options.corrections, {}))
    start = _start(records, options)
    earlier = next((i for i, name in enumerate(start.cells) if is_remarks(name)), None)
    if earlier is None and max((len(record.cells) for record in records), default=0) >= MAX_COLUMNS:
        raise no_room()
    rows = (record.number for record in records if record.number >= start.number)
    remarks = remarks_of(report, rows, options.corrections, start.cells)
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, lineterminator="\r\n")
    line = 1
    for record in records:
        out.write("\r\n" * (record.number - line))
        remark = remark_for(record.number, start.number, records[0].number, remarks)
        if record.fault:
            out.write(_cell_alone(remark, delimiter) + _raw_without(record.cells[0], earlier, delimiter) + "\r\n")
        else:
            writer.writerow([remark, *(cell_safe(cell) for i, cell in enumerate(record.cells) if i != earlier)])
        line = record.number + 1 + sum(len(_LINE_END.findall(cell)) for cell in record.cells)
    return out.getvalue().encode("utf-8-sig")


def _cell_alone(text: str, delimiter: str) -> str:
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter, lineterminator="").writerow([text, ""])
    return out.getvalue()


def _raw_without(line: str, earlier: int | None, delimiter: str) -> str:
    """
    Return a malformed line without the remark of an earlier annotation.

    Every place that a spreadsheet could take for the beginning of a cell is made safe.
    """
    mark = re.escape(delimiter)
    line = line if earlier != 0 else re.sub(rf'^(?:"(?:[^"]|"")*"|[^"{mark}]*){mark}', "", line)
    return re.sub(rf'((?:^|{mark})[\s"]*)([^{mark}"]+)', lambda match: match[1] + cell_safe(match[2]), line)


def _start(records: list[Record], options: ReadingOptions) -> TableStart:
    """Return the start of the table, the first line if the table is unreadable."""
    try:
        return table_start(Grid(iter(records)), options)
    except UnreadableError:
        if not records:
            raise
        return TableStart(records[0].number, [], iter(()), [])
