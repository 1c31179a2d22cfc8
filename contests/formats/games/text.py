"""The base of text formats of games: decoding, and remarks at the ends of lines."""

from __future__ import annotations

import re
from abc import abstractmethod
from typing import TYPE_CHECKING, BinaryIO

from django.utils.translation import gettext

from contests.formats.base import Reading, Report, UnreadableError
from contests.formats.games.building import GameBuilder
from contests.formats.reader import Reader, remarks_of
from contests.formats.sources import decoded_text
from contests.formats.table.columns import REMARKS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from contests.formats.base import ParsedContest
    from contests.formats.table.options import ReadingOptions

_LINE_END = re.compile(r"\r\n|\r|\n")


class GameTextReader(Reader):
    """
    A text format with any number of games.

    before_remark, after_remark
        The text around a remark that makes it a comment of the format.
    """

    is_known_by_content = True
    before_remark = " ; "
    after_remark = ""

    @abstractmethod
    def games(self, lines: list[str], builder: GameBuilder, reading: Reading) -> Iterator[ParsedContest | None]:
        """Yield the games of a file; None for each one with an error, or without a result."""

    def read(self, stream: BinaryIO, reading: Reading) -> Iterator[ParsedContest]:
        lines = lines_of(self.without_remarks(decoded_text(stream.read(), reading, guess=True)))
        builder = GameBuilder(reading)
        for game in self.games(lines, builder, reading):
            reading.give_up_on_many_errors()
            if game is not None:
                yield game
        if not builder.count and not reading.report.errors:
            raise UnreadableError(gettext("The file has no finished games."))

    def annotate(self, stream: BinaryIO, report: Report, options: ReadingOptions) -> bytes:
        text = self.without_remarks(decoded_text(stream.read(), Reading("", Report(), options), guess=True))
        lines = lines_of(text)
        remarks = remarks_of(report, range(1, len(lines) + 1))
        annotated = []
        for number, line in enumerate(lines, 1):
            words = [*(remarks.of_file if number == 1 else ()), *remarks.of_row.get(number, ())]
            annotated.append(line + (self._remark("; ".join(words)) if words else ""))
        return "\n".join([*annotated, ""]).encode()

    def without_remarks(self, text: str) -> str:
        """Return the text without the remarks of an earlier annotation."""
        after = re.escape(self.after_remark)
        return re.sub(rf"{re.escape(self.before_remark)}{REMARKS}: [^\n]*{after}$", "", text, flags=re.MULTILINE)

    def _remark(self, words: str) -> str:
        plain = re.sub(r"[{}\[\]\\\x00-\x1f]", " ", words)
        return f"{self.before_remark}{REMARKS}: {plain}{self.after_remark}"


def lines_of(text: str) -> list[str]:
    """Return the lines of a text without their ends."""
    lines = _LINE_END.split(text)
    if lines and not lines[-1]:
        lines.pop()
    return lines
