"""
The headers of Go games in SGF (Smart Game Format, FF[4], red-bean.com/sgf); the moves are ignored.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, BinaryIO

from django.utils.translation import gettext, gettext_noop, ngettext

from contests.formats.base import Reading, Report, UnreadableError
from contests.formats.games.building import Place, Side
from contests.formats.games.dates import DateColumn
from contests.formats.games.results import Result, of_colours
from contests.formats.games.text import GameTextReader
from contests.formats.reader import Example, sentences_of
from contests.formats.sources import decoded_text
from contests.wording import grouped

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from contests.formats.base import ParsedContest
    from contests.formats.games.building import GameBuilder
    from contests.formats.table.options import ReadingOptions

_BEGINS = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:\(\s*;\s*[A-Za-z]{1,8}\s*\[|SGF remarks: )")
# Text before the first game is ignored by all programs; there is no place for a comment inside a game.
_REMARK = "SGF remarks: "
_PROPERTY = re.compile(r"\s*([A-Za-z]{1,40})((?:\s*\[(?:[^\]\\]|\\.)*\])+)", re.DOTALL)
_VALUE = re.compile(r"\[((?:[^\]\\]|\\.)*)\]", re.DOTALL)
_TEXT = re.compile(r"\[(?:[^\]\\]|\\.)*\]", re.DOTALL)
_NEXT = re.compile(r"[\[()]")
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_FIRST_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


class Sgf(GameTextReader):
    """Go games in SGF."""

    name = "SGF"
    label = gettext_noop("Go games (SGF)")
    extensions = (".sgf",)
    examples = (Example(gettext_noop("SGF"), "games.sgf"),)

    def recognizes(self, head: bytes) -> bool:
        return _BEGINS.match(head) is not None

    def games(self, lines: list[str], builder: GameBuilder, reading: Reading) -> Iterator[ParsedContest | None]:
        text = "\n".join(lines)
        open_games, line, counted = 0, 1, 0
        dates = DateColumn(())
        for start, properties in _roots(text):
            line += text.count("\n", counted, start)
            counted = start
            reading.advance()
            result = of_colours(properties.get("RE", ""), first="b")
            if result is None and properties.get("RE", "").casefold() in ("", "?", "void"):
                open_games += 1
                continue
            yield _game(properties, result, line, dates, builder, reading)
        if open_games:
            text = ngettext(
                "%(number)s game was left out, because the result is unknown or void.",
                "%(number)s games were left out, because the result is unknown or void.",
                open_games,
            )
            reading.warn(text % {"number": grouped(open_games)})

    def annotate(self, stream: BinaryIO, report: Report, options: ReadingOptions) -> bytes:
        text = self.without_remarks(decoded_text(stream.read(), Reading("", Report(), options), guess=True))
        remarks = [f"{_REMARK}{re.sub(r'[()]', ' ', ' '.join(words.split()))}" for _, words in sentences_of(report)]
        return "\n".join([*remarks, text]).encode()

    def without_remarks(self, text: str) -> str:
        return re.sub(rf"\A\s*(?:{_REMARK}[^\n]*\n)+", "", text)


def _roots(text: str) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield start and properties of the first node of each game tree."""
    position = text.find("(")
    while position != -1:
        start = position
        match = re.compile(r"\(\s*;").match(text, position)
        properties: dict[str, str] = {}
        if match:
            end = match.end()
            while found := _PROPERTY.match(text, end):
                value = _VALUE.search(found[2])
                name = "".join(letter for letter in found[1] if letter.isupper())
                properties.setdefault(name, _ESCAPED.sub(r"\1", value[1]).strip() if value else "")
                end = found.end()
            yield start, properties
        position = text.find("(", _end_of_tree(text, position))


def _end_of_tree(text: str, start: int) -> int:
    """Return the position after the closing parenthesis of a tree; UnreadableError if it is missing."""
    depth, position = 0, start
    while found := _NEXT.search(text, position):
        if found[0] == "[":
            value = _TEXT.match(text, found.start())
            if value is None:
                break
            position = value.end()
            continue
        depth += 1 if found[0] == "(" else -1
        position = found.end()
        if depth == 0:
            return position
    row = 1 + text.count("\n", 0, start)
    text = gettext("a game that begins here has no end; close its parentheses and brackets.")
    raise UnreadableError(text, row=row)


def _game(
    properties: dict[str, str], result: Result | None, line: int, dates: DateColumn, builder: GameBuilder,
    reading: Reading,
) -> ParsedContest | None:  # fmt: skip
    if result is None:
        reading.error(
            gettext("the value of RE is not a result; write B+ or W+ with points, R or T, or Draw."),
            row=line, column="RE", value=properties["RE"],
        )  # fmt: skip
    missing = [name for name in ("PB", "PW") if not properties.get(name)]
    for name in missing:
        message = (
            gettext("the game has no PB; give the name of Black.")
            if name == "PB"
            else gettext("the game has no PW; give the name of White.")
        )
        reading.error(message, row=line, column=name)
    if result is None or missing:
        return None
    return builder.game(
        Side(properties["PB"], "PB", "black"), Side(properties["PW"], "PW", "white"), result, Place(line, "RE"),
        ends_at=_day(properties.get("DT", ""), dates, line, reading), event=properties.get("EV", ""),
        round=properties.get("RO", ""),
    )  # fmt: skip


def _day(text: str, dates: DateColumn, line: int, reading: Reading) -> datetime | None:
    """Return the first complete date of a game, None if there is none."""
    found = _FIRST_DATE.search(text)
    if found is None:
        return None
    try:
        return dates.parse(found[0])
    except ValueError as error:
        reading.error(f"{error}.", row=line, column="DT", value=text)
        return None
