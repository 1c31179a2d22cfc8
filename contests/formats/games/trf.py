"""
Tournament reports of FIDE in the fixed columns of TRF16.

The columns and codes follow "FIDE Handbook, C.04 Annex 2: Agreement for the use of the report file" (TRF16, 2016).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from django.utils.translation import gettext, gettext_noop, ngettext

from contests.formats.base import Reading, Report, UnreadableError
from contests.formats.countries import country_code
from contests.formats.games.building import Place, Side
from contests.formats.games.dates import DateColumn
from contests.formats.games.results import Result
from contests.formats.games.text import GameTextReader, lines_of
from contests.formats.reader import Example, remarks_of
from contests.formats.sources import decoded_text
from contests.wording import grouped

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from contests.formats.base import ParsedContest
    from contests.formats.games.building import GameBuilder
    from contests.formats.table.options import ReadingOptions

#: Lines may end with a carriage return alone, as the specification says.
_PLAYER = re.compile(rb"(?:\A|[\r\n])001 [ \d]{4} ")
_BEGINS = re.compile(rb"(?:\xef\xbb\xbf)?(?:\d{3}|XX[A-Z]|BB[A-Z]|###)(?: |\r|\n)")
_MARK = "### remarks: "
#: First column of the results, counted from 0, and the columns of each round.
_FIRST_ROUND, _ROUND_WIDTH = 91, 10
_MOST_ROUNDS = 500
# Points of a code, whether the game was played for rating, and the codes that the opponent's row can have.
_PLAYED = {"1": 1.0, "=": 0.5, "0": 0.0}
_UNRATED = {"W": 1.0, "D": 0.5, "L": 0.0}
_FORFEIT = {"+": 1.0, "-": 0.0}
_BYES = {"F": 1.0, "U": 1.0, "H": 0.5, "Z": 0.0}
_ANSWERS = {"1": "0", "0": "1", "=": "=", "W": "L", "L": "W", "D": "D"}
_COLORS = {"w": "white", "b": "black"}


class _Entry(NamedTuple):
    """A player's entry for one round: the opponent's number (0 for none), the colour and the code of the result."""

    opponent: int
    color: str
    code: str
    column: str


@dataclass(slots=True)
class _PlayerRow:
    """A line 001: a player with number, name, federation, points and the entries by round."""

    number: int
    name: str
    country: str
    fide_id: str
    points: str
    line: int
    handle: str = ""
    rounds: list[_Entry | None] = field(default_factory=list)


@dataclass(slots=True)
class _Tournament:
    """The contents of a report's lines."""

    name: str = ""
    starts: tuple[str, int] = ("", 0)
    ends: tuple[str, int] = ("", 0)
    round_dates: list[tuple[str, int]] = field(default_factory=list)
    players: dict[int, _PlayerRow] = field(default_factory=dict)


class Trf(GameTextReader):
    """A tournament report of FIDE (TRF16)."""

    name = "TRF16"
    label = gettext_noop("FIDE tournament reports (TRF16)")
    extensions = (".trf", ".trfx", ".tunx")
    examples = (Example(gettext_noop("TRF16"), "tournament.trf"),)

    def recognizes(self, head: bytes) -> bool:
        return _BEGINS.match(head) is not None and _PLAYER.search(head) is not None

    def games(self, lines: list[str], builder: GameBuilder, reading: Reading) -> Iterator[ParsedContest | None]:
        report = _read_lines(lines, reading)
        if not report.players:
            raise UnreadableError(gettext("The report has no players; lines of players begin with 001."))
        _name_players(report, builder)
        moments = _Moments(report, reading)
        rounds = max(len(player.rounds) for player in report.players.values())
        for number in range(rounds):
            ends_at = moments.of_round(number)
            for player in report.players.values():
                entry = player.rounds[number] if number < len(player.rounds) else None
                if entry is not None:
                    reading.advance()
                    yield from _round_of(player, entry, number, report, ends_at, builder, reading)
        _check_points(report, reading)

    def annotate(self, stream: BinaryIO, report: Report, options: ReadingOptions) -> bytes:
        text = self.without_remarks(decoded_text(stream.read(), Reading("", Report(), options), guess=True))
        lines = lines_of(text)
        remarks = remarks_of(report, range(1, len(lines) + 1))
        annotated: list[str] = []
        for number, line in enumerate(lines, 1):
            annotated.append(line)
            words = [*remarks.of_row.get(number, ()), *(remarks.of_file if number == 1 else ())]
            annotated += [f"{_MARK}{' '.join(one.split())}" for one in words]
        return "\n".join([*annotated, ""]).encode()

    def without_remarks(self, text: str) -> str:
        return re.sub(rf"^{re.escape(_MARK)}[^\n]*(?:\n|\Z)", "", text, flags=re.MULTILINE)


def _read_lines(lines: list[str], reading: Reading) -> _Tournament:
    report = _Tournament()
    for number, line in enumerate(lines, 1):
        kind, value = line[:3], line[4:].strip()
        if kind == "001":
            player = _player(line, number, reading)
            if player is not None and player.number in report.players:
                earlier = report.players[player.number].line
                reading.error(
                    gettext("line %(line)s has the same starting number; give each player a different one.")
                    % {"line": grouped(earlier)},
                    row=number, column="starting number", value=str(player.number),
                )  # fmt: skip
            elif player is not None:
                report.players[player.number] = player
        elif kind == "012":
            report.name = value
        elif kind == "042":
            report.starts = (value, number)
        elif kind == "052":
            report.ends = (value, number)
        elif kind == "132":
            texts = (line[i : i + 8].strip() for i in range(_FIRST_ROUND, len(line), _ROUND_WIDTH))
            report.round_dates = [(text, number) for text in texts]
    return report


def _player(line: str, number: int, reading: Reading) -> _PlayerRow | None:
    start = line[4:8].strip()
    name = line[14:47].strip()
    if not (start.isascii() and start.isdigit() and int(start) > 0):
        reading.error(
            gettext("columns 5 to 8 have no starting number; enter a whole number of 1 or more."),
            row=number, column="starting number", value=start or None,
        )  # fmt: skip
        return None
    row = _PlayerRow(
        int(start), name, country_code(line[52:56].strip()) or "", line[57:68].strip(), line[80:84].strip(), number
    )
    for i in range(_FIRST_ROUND, min(len(line), _FIRST_ROUND + _MOST_ROUNDS * _ROUND_WIDTH), _ROUND_WIDTH):
        row.rounds.append(_entry(line[i : i + _ROUND_WIDTH], len(row.rounds) + 1, number, reading))
    return row


def _entry(text: str, round_: int, line: int, reading: Reading) -> _Entry | None:
    """Read ten columns of a round: the opponent's number, the colour and the result; None if there is none."""
    if not text.strip():
        return None
    column = f"round {round_}"
    opponent, color, code = text[:4].strip(), text[5:6].strip().lower(), text[7:8].strip().upper()
    known = code in _PLAYED or code in _UNRATED or code in _FORFEIT or code in _BYES or not code
    if opponent and not (opponent.isascii() and opponent.isdigit()):
        reading.error(
            gettext("the opponent’s starting number is not a number; each round takes ten columns, from column 92 on."),
            row=line, column=column, value=text,
        )  # fmt: skip
        return None
    if not known or color not in ("w", "b", "-", ""):
        message = (
            gettext("the colour must be w, b or -; correct it.")
            if known
            else gettext("the result must be one of 1 = 0 + - W D L H F U Z; correct it.")
        )
        reading.error(message, row=line, column=column, value=text)
        return None
    number = int(opponent or 0)
    return _Entry(number, color, code, column) if code and (number or code != "-") else None


def _name_players(report: _Tournament, builder: GameBuilder) -> None:
    """Set the handles: the names, with FIDE's number or the starting number if two players have the same name."""
    names = [player.name.casefold() for player in report.players.values()]
    for player in report.players.values():
        is_shared = names.count(player.name.casefold()) > 1 and player.name
        player.handle = f"{player.name} ({player.fide_id or player.number})" if is_shared else player.name
        builder.describe(player.handle, country=player.country)


def _round_of(
    player: _PlayerRow, entry: _Entry, number: int, report: _Tournament, ends_at: datetime | None,
    builder: GameBuilder, reading: Reading,
) -> Iterator[ParsedContest | None]:  # fmt: skip
    """Yield the game of a player in a round, once for both of its players; nothing for an absence."""
    place = Place(player.line, entry.column)
    own = Side(player.handle, "name", _COLORS.get(entry.color, ""))
    details = {"ends_at": ends_at, "event": report.name, "round": str(number + 1)}
    if entry.opponent == 0 or entry.code in _BYES:
        given = {**_BYES, **_FORFEIT, **_UNRATED, **_PLAYED}[entry.code]
        if entry.code != "Z":
            yield builder.game(own, None, Result(1, given, None, is_walkover=True), place, **details)  # type: ignore[arg-type]
        return
    other = report.players.get(entry.opponent)
    answer = other.rounds[number] if other is not None and number < len(other.rounds) else None
    if other is None or answer is None or not _agree(player, entry, answer):
        _report_disagreement(player, entry, other, answer, reading)
        return
    if not _comes_first(player, entry, other, answer):
        return  # the row of the other player yields the game
    second = Side(other.handle, "name", _COLORS.get(answer.color, ""))
    yield builder.game(own, second, _result(entry, answer), place, **details)  # type: ignore[arg-type]


def _comes_first(player: _PlayerRow, entry: _Entry, other: _PlayerRow, answer: _Entry) -> bool:
    """Whether this row yields the game: that of White or, without colours, that of the lower starting number."""
    order = ("w", "", "-", "b")
    return (order.index(entry.color), player.number) < (order.index(answer.color), other.number)


def _agree(player: _PlayerRow, entry: _Entry, answer: _Entry) -> bool:
    """Whether the entries of both players are about the same game."""
    if answer.opponent != player.number or (entry.color in _COLORS and entry.color == answer.color):
        return False
    if entry.code in _FORFEIT:
        return answer.code in _FORFEIT and not entry.code == answer.code == "+"
    return _ANSWERS.get(entry.code) == answer.code


def _report_disagreement(
    player: _PlayerRow, entry: _Entry, other: _PlayerRow | None, answer: _Entry | None, reading: Reading
) -> None:
    if other is None:
        message = gettext("no player has the starting number %(number)s; correct it.") % {"number": entry.opponent}
    elif answer is None or answer.opponent != player.number:
        message = gettext("line %(line)s names a different opponent in this round; correct one of the two lines.") % {
            "line": grouped(other.line)
        }
    else:
        message = gettext(
            "line %(line)s has %(entry)s for this game, which contradicts this line; correct one of the two lines."
        ) % {
            "line": grouped(other.line),
            "entry": f"{answer.color or '-'} {answer.code}",
        }
    reading.error(
        message, row=player.line, column=entry.column,
        value=f"{entry.opponent} {entry.color or '-'} {entry.code}",
    )  # fmt: skip


def _result(entry: _Entry, answer: _Entry) -> Result:
    points = {**_PLAYED, **_UNRATED, **_FORFEIT}
    one, other = points[entry.code], points[answer.code]
    return Result((one > other) - (one < other), one, other, is_walkover=entry.code not in _PLAYED)


class _Moments:
    """The dates of the rounds: those of line 132, else the end of the tournament, else its start."""

    def __init__(self, report: _Tournament, reading: Reading) -> None:
        self._report, self._reading = report, reading
        # The specification says 2025/05/01; programs that write other dates with slashes put the day first.
        self._dates = DateColumn([report.starts[0], report.ends[0]], is_day_first=True)
        self._default = self._read(*report.ends) or self._read(*report.starts)

    def of_round(self, number: int) -> datetime | None:
        """Return the date of a round, counted from 0; None if the report has no dates."""
        dates = self._report.round_dates
        return (self._read(*dates[number]) if number < len(dates) else None) or self._default

    def _read(self, text: str, line: int) -> datetime | None:
        if not text:
            return None
        if re.fullmatch(r"\d\d[/.]\d\d[/.]\d\d", text):
            # TRF16 writes the dates of rounds with two-digit years. FIDE ratings began about 1970, so 70 means 1970.
            text = ("19" if text >= "70" else "20") + text
        try:
            return self._dates.parse(text)
        except ValueError as error:
            column = "date"
            known = {(problem.row, problem.column) for problem in self._reading.report.errors}
            if (line, column) not in known:
                self._reading.error(f"{error}.", row=line, column=column, value=text)
            return None


def _check_points(report: _Tournament, reading: Reading) -> None:
    """Warn if the points in the file are not those of the games, because a round may be missing."""
    given = {**_PLAYED, **_UNRATED, **_FORFEIT, **_BYES}
    differing = []
    for player in report.players.values():
        scored = sum(given[entry.code] for entry in player.rounds if entry is not None)
        try:
            differs = bool(player.points) and abs(float(player.points.replace(",", ".")) - scored) > 1e-9
        except ValueError:
            differs = True
        if differs:
            differing.append((player, scored))
    if differing:
        player, scored = differing[0]
        others = len(differing) - 1
        text = (
            ngettext(
                "the games add up to %(points)s points, not to the total on this line, and the total on %(others)s "
                "other line doesn’t match its games either; check whether a round is missing. Podium uses the "
                "games, not these totals.",
                "the games add up to %(points)s points, not to the total on this line, and the totals on %(others)s"
                " other lines don’t match their games either; check whether a round is missing. Podium uses the "
                "games, not these totals.",
                others,
            )
            if others
            else gettext(
                "the games add up to %(points)s points, not to the total on this line; check whether a round is "
                "missing. Podium uses the games, not this total."
            )
        )
        reading.warn(
            text % {"points": f"{scored:g}", "others": grouped(others)},
            row=player.line, column="points", value=player.points,
        )  # fmt: skip
