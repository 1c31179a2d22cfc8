"""The contract that the reader of every format fulfils, and the remarks of an annotated file."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, BinaryIO, ClassVar, Literal, NamedTuple

from contests.formats.base import UnreadableError
from contests.formats.table.columns import MOST_COLUMNS, REMARKS, ReadingOptions
from contests.formats.table.escape import csv_safe

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from contests.formats.base import ParsedContest, Problem, Reading, Report


class Example(NamedTuple):
    """A file to start from: what its link says, and its name below `static/examples/`."""

    label: str
    filename: str


@dataclass(frozen=True, slots=True)
class SketchColumn:
    """
    One column as it was found.

    name
        As the file has it, printable; "" if it has none.
    field
        What it probably holds, "" if unknown: then it is left out.
    samples
        Its first cells that are not empty, at most 3, short and printable.
    near
        The field that its name resembles, "" if none or if the field is known.
    """

    position: int
    name: str
    field: str
    samples: list[str]
    near: str


@dataclass(frozen=True, slots=True)
class Sketch:
    """
    What a file seems to be before it is read.

    kind
        A table, whose columns can be chosen, or a document, which says itself what it holds.
    header_row
        1-based line of the names of the columns, 0 if there seems to be none.
    options
        How it would be read: to begin with, and to be changed.
    """

    kind: Literal["table", "document"]
    sheets: list[str] = field(default_factory=list)
    sheet: str | None = None
    header_row: int = 0
    columns: list[SketchColumn] = field(default_factory=list)
    options: ReadingOptions = field(default_factory=ReadingOptions)


class Reader(ABC):
    """
    One format. A new one is one file with a subclass, which `contests.formats.register` adds to the others.

    name
        What docs/formats.md calls it.
    label
        What lists of formats call it, inside a sentence.
    extensions
        How names of its files end, the usual one first.
    examples
        Files that the upload page offers to start from.
    is_known_by_content
        Whether the content alone tells that a file is of this format, whatever the file is called.

    The methods get the file unpacked, bounded in size and open at its beginning. They may raise UnreadableError,
    nothing else, whatever the file holds.
    """

    name: ClassVar[str]
    label: ClassVar[str]
    extensions: ClassVar[tuple[str, ...]]
    examples: ClassVar[tuple[Example, ...]] = ()
    is_known_by_content: ClassVar[bool] = False

    @abstractmethod
    def recognizes(self, head: bytes) -> bool:
        """Return whether a file that begins with these bytes (up to 4,096) is probably of this format."""

    @abstractmethod
    def read(self, stream: BinaryIO, reading: Reading) -> Iterator[ParsedContest]:
        """
        Yield the contests that are sound, and report every problem to `reading`, with its place.

        Keeps one contest in memory at a time if the format allows that.
        """

    def sketch(self, stream: BinaryIO, reading: Reading) -> Sketch:
        """Return what the file seems to be, from its first rows; a format without columns keeps this answer."""
        return Sketch("document")

    @abstractmethod
    def annotate(self, stream: BinaryIO, report: Report, options: ReadingOptions) -> bytes:
        """
        Return the file with its problems written beside each row.

        `options` are those that the file was read with. Reading the result leaves the remarks out, so that the
        organizer can fix it and upload it again.
        """

    def annotated_extension(self, extension: str) -> str:
        """Return the extension of an annotated file, from the one that the file has now."""
        return self.extensions[0]


# A cell of a workbook holds 32,767 characters.
_LONGEST = 30_000
_UNSAFE_IN_NAMES = re.compile(r"[^\w .,()+&@-]+")
_LONGEST_NAME = 100


@dataclass(slots=True)
class Remarks:
    """
    The problems of one report.

    of_file
        What is about no row, or about a row that the file does not have.
    of_row
        1-based line or row -> remarks on it.
    """

    of_file: list[str] = field(default_factory=list)
    of_row: dict[int, list[str]] = field(default_factory=dict)

    def beside(self, row: int) -> str:
        """Return the remark beside a row, "" if there is nothing to say."""
        return _joined(self.of_row.get(row, ()))

    def above(self, row: int) -> str:
        """Return the header of the column of remarks: its name, and the remarks on the file and on this row."""
        said = _joined([*self.of_file, *self.of_row.get(row, ())])
        return f"{REMARKS}: {said}" if said else REMARKS


def remarks_of(report: Report, rows: Iterable[int]) -> Remarks:
    """Sort the problems of a report by the rows that the file has."""
    remarks = Remarks()
    known = set(rows)
    for problem in (*report.errors, *report.warnings):
        if problem.row in known and problem.row is not None:
            remarks.of_row.setdefault(problem.row, []).append(_said(problem, problem.column or ""))
        else:
            remarks.of_file.append(_said(problem, problem.place))
    for count, what in ((report.errors_left_out, "errors"), (report.warnings_left_out, "warnings")):
        if count:
            remarks.of_file.append(f"{count:,} more {what} are not listed; correct the first ones and try again.")
    return remarks


def remark_for(row: int, header_row: int, first_row: int, remarks: Remarks) -> str:
    """Return the cell of the column of remarks in a row; remarks on the file go into the header, else the first row."""
    if row == (header_row or first_row):
        said = remarks.above(row)
        return said if header_row else said.partition(": ")[2]
    return remarks.beside(row) if row > header_row else ""


def no_room() -> UnreadableError:
    return UnreadableError(f"There is no room for a column of remarks: the table has {MOST_COLUMNS} columns already.")


def annotated_name(filename: str, extension: str) -> str:
    """Return what the annotated file is called: the same name with "-remarks", safe in headers and file systems."""
    name = re.split(r"[/\\]", filename)[-1]
    name = name[:-3] if name.lower().endswith(".gz") else name
    stem, dot, own = name.rpartition(".")
    stem = _UNSAFE_IN_NAMES.sub("_", stem if dot and stem and len(own) <= 6 else name).strip(" .")[:_LONGEST_NAME]
    return f"{stem or 'standings'}-remarks{extension}"


def sentences_of(report: Report) -> list[tuple[int | None, str]]:
    """Return all problems as sentences with their places, each with its row."""
    problems = (*report.errors, *report.warnings)
    return [(problem.row, _said(problem, problem.place)) for problem in problems]


def _said(problem: Problem, where: str) -> str:
    text = f"{where}: {problem.message}" if where else problem.message
    found = "" if problem.value is None else f" (found: {problem.value})"
    return f"{problem.severity}: {text}{found}"


def _joined(sentences: Iterable[str]) -> str:
    text = csv_safe(" ".join("; ".join(sentences).split()))
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
