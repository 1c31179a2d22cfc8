"""
The headers of chess games in PGN (Portable Game Notation); the moves are ignored.

The tags and their values follow the "Standard: Portable Game Notation Specification and Implementation Guide"
(S. J. Edwards, 1994), section 8.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from django.utils.translation import gettext, gettext_noop, ngettext

from contests.formats.games.building import Place, Side
from contests.formats.games.dates import DateColumn
from contests.formats.games.results import Result, is_bye
from contests.formats.games.text import GameTextReader
from contests.formats.reader import Example
from contests.formats.values import parse_moment
from contests.handles import printable
from contests.wording import grouped

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from contests.formats.base import ParsedContest, Reading
    from contests.formats.games.building import GameBuilder

_TAG = re.compile(r'\s*\[\s*(\w{1,60})\s+"((?:[^"\\]|\\.)*)"\s*\]')
_BEGINS = re.compile(rb'(?:\xef\xbb\xbf)?(?:\s|[%;][^\n]*\n)*\[\s*\w+\s+"')
_ESCAPED = re.compile(r"\\(.)")
_RESULTS = {
    "1-0": Result(1, 1.0, 0.0),
    "0-1": Result(-1, 0.0, 1.0),
    "1/2-1/2": Result(0, 0.5, 0.5),
    "½-½": Result(0, 0.5, 0.5),
}
#: Values of the tag Termination for results without play; “time forfeit” is a loss on time.
_NOT_PLAYED = frozenset(("forfeit", "forfeited", "unplayed", "not played", "walkover", "no show", "no-show", "default"))
_UNKNOWN = frozenset(("", "?", "-", "*"))
_CLOCK = re.compile(r"\d{2}:\d{2}:\d{2}")


@dataclass(slots=True)
class _Headers:
    """The tags of one game: name -> (value, line)."""

    line: int
    tags: dict[str, tuple[str, int]] = field(default_factory=dict)

    def value(self, name: str) -> str:
        return self.tags.get(name, ("", 0))[0].strip()

    def known(self, name: str) -> str:
        value = self.value(name)
        return "" if value in _UNKNOWN else value

    def line_of(self, name: str) -> int:
        return self.tags.get(name, ("", self.line))[1]


class Pgn(GameTextReader):
    """Chess games in PGN."""

    name = "PGN"
    label = gettext_noop("chess games (PGN)")
    extensions = (".pgn",)
    examples = (Example(gettext_noop("PGN"), "games.pgn"),)

    def recognizes(self, head: bytes) -> bool:
        return _BEGINS.match(head) is not None

    def games(self, lines: list[str], builder: GameBuilder, reading: Reading) -> Iterator[ParsedContest | None]:
        unfinished = undated = 0
        dates = DateColumn(())
        for headers in _headers(lines):
            reading.advance()
            if headers.value("Result") == "*":
                unfinished += 1
                continue
            ends_at = _moment(headers, dates, reading)
            undated += ends_at is None
            yield _game(headers, ends_at, builder, reading)
        if unfinished:
            text = ngettext(
                "%(number)s game was left out, because the result is * (not finished).",
                "%(number)s games were left out, because their results are * (not finished).",
                unfinished,
            )
            reading.warn(text % {"number": grouped(unfinished)})
        if undated:
            text = ngettext(
                "%(number)s game has no complete date; Podium uses the end of the contest instead.",
                "%(number)s games have no complete date; Podium uses the end of the contest instead.",
                undated,
            )
            reading.warn(text % {"number": grouped(undated)})


def _headers(lines: list[str]) -> Iterator[_Headers]:
    """Yield the headers of each game. Comments in braces can contain lines that look like tags."""
    current: _Headers | None = None
    has_moves, is_comment = False, False
    for number, line in enumerate(lines, 1):
        if is_comment:
            is_comment = "}" not in line
            continue
        match = _TAG.match(line)
        if match is None:
            has_moves |= bool(line.strip()) and not line.startswith(("%", ";"))
            is_comment = line.rfind("{") > line.rfind("}")
            continue
        while match is not None:
            name, value = match[1], _ESCAPED.sub(r"\1", match[2])
            if current is None or has_moves or (name == "Event" and "Event" in current.tags):
                if current is not None:
                    yield current
                current, has_moves = _Headers(number), False
            current.tags.setdefault(name, (value, number))
            match = _TAG.match(line, match.end())
    if current is not None:
        yield current


def _game(headers: _Headers, ends_at: datetime | None, builder: GameBuilder, reading: Reading) -> ParsedContest | None:
    white, black = (_names(headers, color, reading) for color in ("White", "Black"))
    result = _RESULTS.get(headers.value("Result").replace(" ", ""))
    if result is None:
        message = (
            gettext("the value of Result is unknown; write 1-0, 0-1, 1/2-1/2, or * for a game that is not finished.")
            if headers.value("Result")
            else gettext("the tag Result is missing; write 1-0, 0-1, 1/2-1/2, or * for a game that is not finished.")
        )
        reading.error(
            message,
            row=headers.line_of("Result"), column="Result", value=headers.value("Result") or None,
        )  # fmt: skip
    if result is None or not white or not black:
        return None
    sides = [Side(white, "White", "white"), Side(black, "Black", "black")]
    if is_bye(black) or is_bye(white):
        present = sides[0] if is_bye(black) else sides[1]
        given = result.score_a if present is sides[0] else result.score_b
        bye = Result(1, given, None, is_walkover=True)
        return builder.game(
            present, None, bye, Place(headers.line, "Result"), ends_at=ends_at, event=headers.known("Event"),
            round=headers.known("Round"),
        )  # fmt: skip
    result = result._replace(is_walkover=headers.value("Termination").casefold() in _NOT_PLAYED)
    return builder.game(
        sides[0], sides[1], result, Place(headers.line_of("White"), "Result"), ends_at=ends_at,
        event=headers.known("Event"), round=headers.known("Round"), url=_address(headers),
    )  # fmt: skip


def _names(headers: _Headers, color: str, reading: Reading) -> str:
    """Return the player of a colour, or the team if PGN lists several players with colons; report a missing player."""
    value = headers.known(color)
    if not value:
        message = (
            gettext("the value of %(tag)s is unknown; give the name of the player.")
            if headers.value(color)
            else gettext("the tag %(tag)s is missing; give the name of the player.")
        )
        reading.error(
            message % {"tag": color},
            row=headers.line_of(color), column=color, value=headers.value(color) or None,
        )  # fmt: skip
    return " + ".join(part.strip() for part in value.split(":")) if ":" in value else value


def _moment(headers: _Headers, dates: DateColumn, reading: Reading) -> datetime | None:
    """Return when a game was played: the UTC time, if the file has one, or the date; None if it is incomplete."""
    for name in ("UTCDate", "Date", "EventDate"):
        value = headers.known(name)
        if not value or "?" in value:
            continue
        clock = headers.value("UTCTime")
        try:
            if name == "UTCDate" and _CLOCK.fullmatch(clock):
                return parse_moment(f"{value.replace('.', '-')}T{clock}Z")
            return dates.parse(value)
        except ValueError as error:
            reading.error(f"{error}.", row=headers.line_of(name), column=name, value=value)
            return None
    return None


def _address(headers: _Headers) -> str:
    """Return the web address of a game, which servers write as its site or link."""
    for name in ("Link", "Site", "GameURL"):
        value = headers.value(name)
        if value.startswith(("https://", "http://")) and len(value) <= 500 and printable(value, 500) == value:
            return value
    return ""
