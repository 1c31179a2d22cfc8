"""The contract of a format: all that the rest of Podium knows of one is its reader."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, BinaryIO, ClassVar, Literal, NamedTuple

from contests.formats.table.columns import ReadingOptions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from contests.formats.base import ParsedContest, Reading, Report


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
