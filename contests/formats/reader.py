"""The contract that the reader of every format fulfils, and the remarks of an annotated file."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, BinaryIO, ClassVar, Literal, NamedTuple

from django.utils.translation import gettext, ngettext

from contests.formats.base import UnreadableError
from contests.formats.table.columns import MAX_COLUMNS, REMARKS
from contests.formats.table.escape import csv_safe
from contests.formats.table.options import ReadingOptions
from contests.wording import grouped

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from contests.formats.base import ParsedContest, Problem, Reading, Report
    from contests.formats.table.corrections import Correction


class Example(NamedTuple):
    """An example file: the text of its link, and its name below `static/examples/`."""

    label: str
    filename: str


@dataclass(frozen=True, slots=True)
class SketchColumn:
    """
    One column of a sketch.

    name
        Name in the file, printable; "" if it has none.
    field
        Probable field, "" if unknown; then the column is ignored.
    samples
        Its first non-empty cells, at most 3, short and printable.
    near
        Field with a similar name, "" if none or if the field is known.
    """

    position: int
    name: str
    field: str
    samples: list[str]
    near: str


@dataclass(frozen=True, slots=True)
class Sketch:
    """
    A first look at a file, before it is read.

    kind
        A table, whose columns can be chosen, or a document, which names its fields.
    header_row
        1-based line of the column names, 0 if there seem to be none.
    options
        The detected options, as a starting point.
    """

    kind: Literal["table", "document"]
    sheets: list[str] = field(default_factory=list)
    sheet: str | None = None
    header_row: int = 0
    columns: list[SketchColumn] = field(default_factory=list)
    options: ReadingOptions = field(default_factory=ReadingOptions)


@dataclass(frozen=True, slots=True)
class FileRow:
    """
    A row of a table, as it is in the file.

    is_whole
        Whether the row has too many or too few cells, or is unreadable, so that a correction concerns all of its cells.
    """

    number: int
    cells: list[str]
    is_whole: bool


@dataclass(frozen=True, slots=True)
class FileRows:
    """
    Some rows of a table, with its columns.

    header_row
        1-based line of the column names, 0 if there are none.
    names
        Printable names of the columns, "column 1", … without column names.
    fields
        0-based position of each column that is read -> its field.
    """

    header_row: int
    names: list[str]
    fields: dict[int, str]
    rows: list[FileRow]


class Reader(ABC):
    """
    One format. To add a format, write one file with a subclass and pass it to `contests.formats.register`.

    name
        Its name in docs/formats.md.
    label
        Its name in lists of formats, inside a sentence.
    extensions
        Extensions of its files, the usual one first.
    examples
        Example files that the upload page offers.
    is_known_by_content
        Whether the content alone identifies the format, regardless of the file name.

    The methods get the file unpacked, bounded in size and open at its beginning. They raise nothing but
    UnreadableError, even for damaged files.
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
        Yield the contests that have no errors, and report every problem to `reading`, with its place.

        Keep one contest in memory at a time if the format allows it.
        """

    def sketch(self, stream: BinaryIO, reading: Reading) -> Sketch:
        """Return a sketch from the first rows; formats without columns inherit this one."""
        return Sketch("document")

    def rows(self, stream: BinaryIO, reading: Reading, numbers: Collection[int]) -> FileRows | None:
        """Return the rows with these numbers as they are in the file; None for formats without rows and columns."""
        return None

    @abstractmethod
    def annotate(self, stream: BinaryIO, report: Report, options: ReadingOptions) -> bytes:
        """
        Return the file with its problems beside each row.

        `options` are those that the file was read with. Reading the result ignores the remarks, so that the organizer
        can fix the file and upload it again.
        """

    def annotated_extension(self, extension: str) -> str:
        """Return the extension of the annotated file for a file with this extension."""
        return self.extensions[0]


# Cells of a workbook are limited to 32,767 characters.
_MAX_LENGTH = 30_000
_UNSAFE_IN_NAMES = re.compile(r"[^\w .,()+&@-]+")
_MAX_NAME_LENGTH = 100


@dataclass(slots=True)
class Remarks:
    """
    The problems of one report as sentences.

    of_file
        Remarks about no particular row, or about a row that the file does not have.
    of_row
        1-based line or row -> its remarks.
    """

    of_file: list[str] = field(default_factory=list)
    of_row: dict[int, list[str]] = field(default_factory=dict)

    def on_row(self, row: int) -> str:
        """Return the remarks on a row, "" if there are none."""
        return _joined(self.of_row.get(row, ()))

    def header(self, row: int) -> str:
        """Return the header of the column of remarks: its name, the remarks on the file and those on this row."""
        text = _joined([*self.of_file, *self.of_row.get(row, ())])
        return f"{REMARKS}: {text}" if text else REMARKS


def remarks_of(
    report: Report, rows: Iterable[int], corrections: Mapping[int, Correction] | None = None, names: Sequence[str] = ()
) -> Remarks:
    """Group the problems of a report and the organizer's corrections by row, for these rows of the file."""
    remarks = Remarks()
    known = set(rows)
    for row, correction in sorted((corrections or {}).items()):
        if correction.is_left_out:
            remarks.of_file.append(f"{gettext('row %(number)s') % {'number': row}} {correction.words()}")
        elif row in known:
            remarks.of_row.setdefault(row, []).append(correction.words(names))
    for problem in (*report.errors, *report.warnings):
        if problem.row in known and problem.row is not None:
            remarks.of_row.setdefault(problem.row, []).append(_sentence(problem, problem.column or ""))
        else:
            remarks.of_file.append(_sentence(problem, problem.place))
    if count := report.errors_left_out:
        text = ngettext(
            "%(number)s more error is not listed; correct the first ones and try again.",
            "%(number)s more errors are not listed; correct the first ones and try again.",
            count,
        )
        remarks.of_file.append(text % {"number": grouped(count)})
    if count := report.warnings_left_out:
        text = ngettext(
            "%(number)s more warning is not listed; correct the first ones and try again.",
            "%(number)s more warnings are not listed; correct the first ones and try again.",
            count,
        )
        remarks.of_file.append(text % {"number": grouped(count)})
    return remarks


def remark_for(row: int, header_row: int, first_row: int, remarks: Remarks) -> str:
    """Return the remarks cell of a row; remarks on the file are in the header, or else in the first row."""
    if row == (header_row or first_row):
        text = remarks.header(row)
        return text if header_row else text.partition(": ")[2]
    return remarks.on_row(row) if row > header_row else ""


def no_room() -> UnreadableError:
    return UnreadableError(
        gettext("There is no room for a column of remarks, since the table already has %(most)s columns; delete one.")
        % {"most": MAX_COLUMNS}
    )


def annotated_name(filename: str, extension: str) -> str:
    """Return the name of the annotated file: the same name with "-remarks", safe in headers and file systems."""
    name = re.split(r"[/\\]", filename)[-1]
    name = name[:-3] if name.lower().endswith(".gz") else name
    stem, dot, own = name.rpartition(".")
    stem = _UNSAFE_IN_NAMES.sub("_", stem if dot and stem and len(own) <= 6 else name).strip(" .")[:_MAX_NAME_LENGTH]
    return f"{stem or 'standings'}-remarks{extension}"


def sentences_of(report: Report) -> list[tuple[int | None, str]]:
    """Return all problems as sentences with their places, each with its row."""
    problems = (*report.errors, *report.warnings)
    return [(problem.row, _sentence(problem, problem.place)) for problem in problems]


def _sentence(problem: Problem, where: str) -> str:
    said = gettext("error: %(problem)s") if problem.severity == "error" else gettext("warning: %(problem)s")
    return said % {"problem": problem.at(where)}


def _joined(sentences: Iterable[str]) -> str:
    text = csv_safe(" ".join("; ".join(sentences).split()))
    return text if len(text) <= _MAX_LENGTH else f"{text[:_MAX_LENGTH]}…"
