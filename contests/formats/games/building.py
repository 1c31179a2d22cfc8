"""Build games from their parts: check names, split teams, and derive the id of each game from its content."""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING, NamedTuple

from django.utils.translation import gettext

from contests.formats.assembly import HandleKeys
from contests.formats.base import GameDetails, ParsedContest, ParsedStanding
from contests.handles import MAX_LENGTH, clean_handle, handle_key, printable

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from contests.formats.base import Reading
    from contests.formats.games.results import Result


#: Members of a team: "Ann + Bo".
_PLUS = re.compile(r"\s+\+\s+")
_MOST_MEMBERS = 50
_MAX_NAME = 300
#: The beginning of the ids of games without a date.
UNDATED = "game-"
LONGEST_ROUND = 40


class Side(NamedTuple):
    """
    One side of a game: its text in the file, and the place of that text.

    kind
        "white", "black", "home", "away" or "".
    handicap
        Advantage in rating points; None if there is none.
    """

    text: str
    column: str
    kind: str = ""
    handicap: float | None = None


class Place(NamedTuple):
    """Where a game is in its file: line, the column of the result, and the label of the game in messages."""

    row: int
    column: str
    contest: str | None = None


class GameBuilder:
    """
    Builds the games of one file; it remembers what identifies repeated games.

    reports_undated
        Whether to report repeated games without a date too.
    """

    def __init__(self, reading: Reading, *, reports_undated: bool = False) -> None:
        self._reading, self._reports_undated = reading, reports_undated
        self._keys = HandleKeys()
        self._members: dict[str, list[str]] = {}
        self._seen: dict[tuple[object, ...], tuple[int, int]] = {}
        self._details: dict[str, tuple[str, str]] = {}
        self.count = 0

    def describe(self, handle: str, *, name: str = "", country: str = "") -> None:
        """Set the real name and country of a player of the file."""
        self._details[handle] = (name, country)

    def game(
        self,
        a: Side,
        b: Side | None,
        result: Result,
        place: Place,
        *,
        ends_at: datetime | None,
        event: str = "",
        round: str = "",  # noqa: A002
        url: str = "",
    ) -> ParsedContest | None:
        """Return one game, None after reporting errors; without a second side, it is a bye."""
        sides = [self._side(side, place) for side in (a, b) if side is not None]
        if any(members is None for members in sides):
            return None
        found = [members or [] for members in sides]
        if len(found) == 2 and self._are_mixed(found[0], found[1], b or a, place):
            return None
        handicaps = [side.handicap for side in (a, b) if side is not None]
        standings, ranks = self._standings(found, handicaps, result, place.row)
        labels = [_label(members) for members in found]
        round_ = printable(round.strip(), LONGEST_ROUND)
        self.count += 1
        return ParsedContest(
            key=self._key(ends_at, round_, labels, result, place),
            name=name_of_game(found),
            standings=standings, ranks=ranks, url=url, ends_at=ends_at,
            has_teams=any(len(members) > 1 for members in found),
            has_handicaps=any(handicap is not None for handicap in handicaps),
            game=GameDetails(
                event=printable(event.strip(), 200), round=round_, is_walkover=result.is_walkover or b is None,
                sides=tuple(
                    side.kind for side, members in zip((a, b), found, strict=False) if side for _ in members
                ),
                row=place.row, column=place.column,
            ),
        )  # fmt: skip

    def _side(self, side: Side, place: Place) -> list[str] | None:
        known = self._members.get(side.text)
        if known is not None:
            return known
        members = [part.strip() for part in _PLUS.split(side.text)]
        if len(members) > _MOST_MEMBERS:
            text = gettext("a team has at most %(most)s members, joined by “+”; check the cell.")
            self._error(text % {"most": _MOST_MEMBERS}, side, place)
            return None
        cleaned = [self._cleaned(member, side, place) for member in members]
        if None in cleaned:
            return None
        handles = [handle for handle in cleaned if handle is not None]
        keys = [handle_key(handle) for handle in handles]
        if len(set(keys)) < len(keys):
            self._error(gettext("a player is in this team twice; delete one of the two names."), side, place)
            return None
        self._members[side.text] = handles
        return handles

    def _cleaned(self, name: str, side: Side, place: Place) -> str | None:
        if self._keys[name] is not None:
            return name
        origin = printable(f"{place.contest or self._reading.filename}, line {place.row}", 90)
        cleaned = clean_handle(name, repair=self._reading.repair, origin=origin)
        for fault in cleaned.faults:
            self._error(f"{fault}.", side, place)
        for remark in cleaned.remarks:
            self._reading.warn(f"{remark}.", row=place.row, column=side.column, value=side.text, contest=place.contest)
        return None if cleaned.faults else cleaned.handle

    def _are_mixed(self, first: list[str], second: list[str], side: Side, place: Place) -> bool:
        """Report a player who plays on both sides."""
        if first is not second and len(first) == len(second) == 1 and first[0] != second[0] and first[0].isascii():
            both = first[0].lower() == second[0].lower()
        else:
            both = bool({handle_key(name) for name in first} & {handle_key(name) for name in second})
        if both:
            self._error(gettext("a player cannot play on both sides of a game; correct one of the names."), side, place)
        return both

    def _standings(
        self, sides: list[list[str]], handicaps: list[float | None], result: Result, row: int
    ) -> tuple[list[ParsedStanding], list[int | None]]:
        scores = (result.score_a, result.score_b)
        lost = {1: 1, -1: 0}.get(result.better)
        standings: list[ParsedStanding] = []
        has_teams = any(len(members) > 1 for members in sides)
        for number, members in enumerate(sides):
            # Places count each member of the winning team, ranks count it once, as in any contest of teams.
            place = 1 + len(sides[1 - number]) if number == lost and len(sides) == 2 else 1
            team = _label(members)[:MAX_LENGTH] if has_teams else ""
            for handle in members:
                name, country = self._details.get(handle, ("", ""))
                standings.append(
                    ParsedStanding(
                        place, handle, scores[number], "ranked", name, country, team, None, row, None, handicaps[number]
                    )
                )
        return standings, [2 if each.place != 1 else 1 for each in standings]

    def _key(self, ends_at: datetime | None, round_: str, labels: list[str], result: Result, place: Place) -> str:
        """Return the id of a game; report it if the same day, players, result and round have occurred before."""
        better = result.better
        named = [handle_key(label) for label in labels]
        if len(named) == 2 and named[0] > named[1]:
            named, better = named[::-1], -better
        content = (ends_at, round_.casefold(), tuple(named), better, result.is_walkover)
        first, times = self._seen.get(content, (place.row, 0))
        self._seen[content] = first, times + 1
        if times and (ends_at is not None or self._reports_undated):
            text = _repeated(has_date=ends_at is not None, has_round=bool(round_))
            self._reading.warn(
                text % {"where": self._reading.at_line(first)},
                row=place.row,
                column=place.column,
                contest=place.contest,
            )
        day = f"{ends_at:%Y-%m-%d}-" if ends_at is not None else UNDATED
        digest = hashlib.sha256(repr(content).encode("utf-8", "surrogatepass")).hexdigest()[:12]
        return f"{day}{digest}" + (f"-{times + 1}" if times else "")

    def _error(self, message: str, side: Side, place: Place) -> None:
        self._reading.error(message, row=place.row, column=side.column, value=side.text, contest=place.contest)


def _repeated(*, has_date: bool, has_round: bool) -> str:
    """Return the message about a game whose players and result occurred before."""
    if has_date:
        return gettext(
            "the same players have the same result on the same day in %(where)s; if the game is listed twice, "
            "delete one of the two."
        )
    if has_round:
        return gettext(
            "the same players have the same result in the same round in %(where)s; if the game is listed twice, "
            "delete one of the two."
        )
    return gettext(
        "the same players have the same result in %(where)s; if the game is listed twice, delete one of the two."
    )


def name_of_game(sides: Sequence[Sequence[str]]) -> str:
    """Return the name of a game by the handles of its sides: "ann – bo"; with one side, "ann – bye"."""
    labels = [_label(members) for members in sides]
    return " – ".join(labels if len(labels) > 1 else [*labels, "bye"])[:_MAX_NAME]


def _label(members: Sequence[str]) -> str:
    return " + ".join(members)
