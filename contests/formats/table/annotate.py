"""A table or document again, with what is wrong in it written beside each row: to be mended and sent again."""

from __future__ import annotations

import csv
import io
import re
from typing import TYPE_CHECKING

from contests.formats.base import Reading, Report, UnreadableError
from contests.formats.remarks import remarks_of
from contests.formats.table.columns import is_remarks
from contests.formats.table.escape import cell_safe
from contests.formats.table.grid import MOST_COLUMNS, Grid, Record, TableStart, table_start
from contests.formats.table.reader import delimiter_of, records_of
from contests.formats.text import decoded_text

if TYPE_CHECKING:
    from typing import BinaryIO

    from contests.formats.remarks import Remarks
    from contests.formats.table.options import ReadingOptions

_LINE_END = re.compile(r"\r\n|\r|\n")
_UNSAFE_IN_NAMES = re.compile(r"[^\w .,()+&@-]+")
_LONGEST_NAME = 100


def annotated_text(stream: BinaryIO, report: Report, options: ReadingOptions) -> bytes:
    """
    Return a delimited table with a column of remarks: UTF-8, the same delimiter, each row in its line.

    The column is the first, so that a row with a cell too few or too many, or with a quote gone wrong, keeps just that
    fault until it is fixed. Cells that a spreadsheet would run as formulas get an apostrophe.
    """
    text = decoded_text(stream.read(), Reading("", Report()), guess=True)
    first_line, delimiter = delimiter_of(text)
    records = [record for record in records_of(text, delimiter) if record.number >= first_line]
    start = _start(records, options)
    earlier = next((i for i, name in enumerate(start.cells) if is_remarks(name)), None)
    if earlier is None and max((len(record.cells) for record in records), default=0) >= MOST_COLUMNS:
        raise no_room()
    remarks = remarks_of(report, (record.number for record in records if record.number >= start.number))
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, lineterminator="\r\n")
    line = 1
    for record in records:
        out.write("\r\n" * (record.number - line))
        said = remark_for(record.number, start.number, records[0].number, remarks)
        if record.fault:
            out.write(_cell_alone(said, delimiter) + _raw_without(record.cells[0], earlier, delimiter) + "\r\n")
        else:
            writer.writerow([said, *(cell_safe(cell) for i, cell in enumerate(record.cells) if i != earlier)])
        line = record.number + 1 + sum(len(_LINE_END.findall(cell)) for cell in record.cells)
    return out.getvalue().encode("utf-8-sig")


def remark_for(row: int, header_row: int, first_row: int, remarks: Remarks) -> str:
    """Return what the column of remarks has in a row; of the file it speaks in the header, or else in the first row."""
    if row == (header_row or first_row):
        said = remarks.above(row)
        return said if header_row else said.partition(": ")[2]
    return remarks.beside(row) if row > header_row else ""


def no_room() -> UnreadableError:
    return UnreadableError(f"There is no room for a column of remarks: the table has {MOST_COLUMNS} columns already.")


def _cell_alone(text: str, delimiter: str) -> str:
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter, lineterminator="").writerow([text, ""])
    return out.getvalue()


def _raw_without(line: str, earlier: int | None, delimiter: str) -> str:
    """
    Return a line that cannot be told apart into cells, without the remark that it begins with since last time.

    Whatever a spreadsheet takes for the beginning of a cell is made safe there.
    """
    mark = re.escape(delimiter)
    line = line if earlier != 0 else re.sub(rf'^(?:"(?:[^"]|"")*"|[^"{mark}]*){mark}', "", line)
    return re.sub(rf'((?:^|{mark})[\s"]*)([^{mark}"]+)', lambda match: match[1] + cell_safe(match[2]), line)


def _start(records: list[Record], options: ReadingOptions) -> TableStart:
    """Return where the table begins; in one that cannot be read at all, its first line."""
    try:
        return table_start(Grid(iter(records)), options)
    except UnreadableError:
        if not records:
            raise
        return TableStart(records[0].number, [], iter(()), [])


def annotated_name(filename: str, extension: str) -> str:
    """Return what the annotated file is called: the same name with "-remarks", safe in headers and file systems."""
    name = re.split(r"[/\\]", filename)[-1]
    name = name[:-3] if name.lower().endswith(".gz") else name
    stem, dot, own = name.rpartition(".")
    stem = _UNSAFE_IN_NAMES.sub("_", stem if dot and stem and len(own) <= 6 else name).strip(" .")[:_LONGEST_NAME]
    return f"{stem or 'standings'}-remarks{extension}"
