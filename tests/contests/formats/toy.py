"""A format for tests: a list of handles, the winner first."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, BinaryIO

from contests.formats.assembly import HandleKeys, assembled
from contests.formats.base import Heading, Rows, UnreadableError
from contests.formats.reader import Example, Reader, remarks_of
from contests.formats.sources import decoded_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from contests.formats import ParsedContest, Reading, ReadingOptions, Report

MARK = "%SHOUT"


class Shouts(Reader):
    """One player on each line below a first line with the mark; text after "#" is ignored."""

    name = "Shouts"
    label = "a list of shouts"
    extensions = (".shout",)
    examples = (Example("Shouts", "standings.csv"),)

    def recognizes(self, head: bytes) -> bool:
        return head.startswith(MARK.encode())

    def read(self, stream: BinaryIO, reading: Reading) -> Iterator[ParsedContest]:
        lines = [line.partition("#")[0].strip() for line in decoded_text(stream.read(), reading).splitlines()[1:]]
        if not lines:
            raise UnreadableError("The file has no players; write a handle on each line.")
        places = list(range(1, len(lines) + 1))
        rows = Rows(lines, places, [None] * len(lines), places, lambda i, field: (i + 2, field))
        contest = assembled(Heading(), rows, HandleKeys(), reading)
        if contest is not None:
            yield contest

    def annotate(self, stream: BinaryIO, report: Report, options: ReadingOptions) -> bytes:
        lines = re.sub(" +#.*", "", stream.read().decode()).splitlines()
        remarks = remarks_of(report, range(1, len(lines) + 1))
        annotated = (f"{line} # {remarks.on_row(row)}".removesuffix(" # ") for row, line in enumerate(lines, 1))
        return "\n".join([*annotated, ""]).encode()
