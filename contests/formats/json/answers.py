"""
The common parts of the readers for judging systems: objects with known keys, and participants with one or more members.

Their readers turn each row of a response into a Participant, and report every problem with its place ("line 12,
standing 3, rank").
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import count
from typing import TYPE_CHECKING, BinaryIO, NamedTuple, TypeVar

from django.utils.translation import gettext

from contests.formats.base import Rows
from contests.formats.json.decoding import (
    MAX_NAME_CHARACTERS,
    REPEATED,
    decode_first,
    is_far_too_long,
    refuse_bombs,
    row_lines,
    skip_space,
    too_long,
)
from contests.formats.sources import decoded_text
from contests.formats.values import MAX_PLACE
from contests.handles import clean_handle, is_plain, with_number
from contests.ranking import close_up
from contests.wording import grouped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from contests.formats.base import Reading, Status

_Read = TypeVar("_Read")
_OUR_OWN = re.compile(rb'"standings"\s*:\s*\[')
_MARKS_AND_SPACE = b"\xef\xbb\xbf\xff\xfe \t\r\n"
_MAX_SCORE = 1e300
_MAX_MEMBERS = 1_000


class Answer(NamedTuple):
    """A value of a file, its first line, and a function that returns the lines of the list at a path within it."""

    value: object
    line: int
    lines_of: Callable[[tuple[str, ...]], Sequence[int]]


class Member(NamedTuple):
    """A player of a participant; `country` is ISO 3166 alpha-2 or empty."""

    handle: str
    name: str = ""
    country: str = ""


@dataclass(slots=True)
class Participant:
    """One row of a response: `number` counts from 1, `team` is the common label of members of a team."""

    number: int
    place: int | None
    score: float | None
    penalty: float | None
    members: list[Member] = field(default_factory=list)
    team: str = ""
    status: Status = "ranked"


def begins_like(pattern: re.Pattern[bytes], head: bytes) -> bool:
    """Whether a file in any encoding begins like a response, and not like a contest in our own form."""
    text = head.replace(b"\0", b"").lstrip(_MARKS_AND_SPACE)
    return pattern.match(text) is not None and _OUR_OWN.search(text) is None


def answers(stream: BinaryIO, reading: Reading) -> Iterator[Answer]:
    """Yield the values of one JSON document, or of several in a row, without contest problems and their results."""
    text = decoded_text(stream.read(), reading)
    refuse_bombs(text, 1)
    line, counted, position = 1, 0, skip_space(text, 0)
    while position < len(text):
        reading.give_up_on_many_errors()
        line += text.count("\n", counted, position)
        counted = start = position
        value, position = decode_first(text, start, lean=True)
        yield Answer(value, line, cache(partial(row_lines, text, start, line)))


class Objects:
    """
    Reads the objects of one list, such as the rows of a contest, and reports every problem with its place.

    kind
        Name of an object in messages, before its number: "standing", "team".
    lines
        Returns the line of each object; None if all are on `line`.
    """

    def __init__(
        self, kind: str, contest: str, line: int, lines: Callable[[], Sequence[int]] | None, reading: Reading
    ) -> None:
        self._kind, self._contest, self._line, self._lines, self._reading = kind, contest, line, lines, reading
        self.are_sound = True

    def locate(self, number: int, name: str = "") -> tuple[int, str]:
        """Return the line of an object's value and its place in words; numbers count from 1."""
        lines = self._lines() if self._lines is not None else ()
        line = lines[number - 1] if number <= len(lines) else self._line
        return line, f"{self._kind} {number}, {name}" if name else f"{self._kind} {number}"

    def error(self, number: int, name: str, message: str, value: object = None) -> None:
        line, column = self.locate(number, name)
        self._reading.error(message, row=line, column=column, value=value, contest=self._contest)
        self.are_sound = False

    def warn(self, number: int, name: str, message: str, value: object = None) -> None:
        line, column = self.locate(number, name)
        self._reading.warn(message, row=line, column=column, value=value, contest=self._contest)

    def remark(self, message: str) -> None:
        """Warn about all objects together."""
        self._reading.warn(message, row=self._line, contest=self._contest)

    def fields(self, number: int, name: str, value: object) -> dict[str, object] | None:
        """Return the value if it is an object; report repeated keys."""
        if not isinstance(value, dict):
            self.error(number, name, gettext("an object {…} is expected here."), value)
            return None
        for key in repeated_keys(value):
            self.error(number, key, gettext("this key occurs twice in the object; delete one of the two."))
        return value

    def place(self, number: int, value: object) -> int | None:
        """Return a rank, where 0 means no rank; None after reporting an invalid one."""
        if type(value) is int and 0 <= value <= MAX_PLACE:
            return value
        self.error(
            number,
            "rank",
            gettext("a rank is a whole number from 1 to %(most)s.") % {"most": grouped(MAX_PLACE)},
            value,
        )
        return None

    def amount(self, number: int, name: str, value: object) -> float | None:
        """Return a finite number, None for null or after reporting an invalid one."""
        if value is None:
            return None
        if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < _MAX_SCORE:
            return float(value)
        self.error(number, name, gettext("a finite number or null is expected."), value)
        return None

    def handle(self, number: int, name: str, value: object) -> str | None:
        """Return an unchecked handle; all handles of a contest are checked together."""
        if not isinstance(value, str):
            self.error(number, name, gettext("a name is text; put it in quotes."), value)
        elif is_far_too_long(value) and self._reading.repair:
            return value[:MAX_NAME_CHARACTERS]
        elif is_far_too_long(value):
            message = too_long(value)
            self.error(number, name, message, value)
        else:
            return value
        return None

    def text(self, number: int, name: str, value: object) -> str:
        """Return optional text, cleaned like a handle."""
        if value is None or value == "":
            return ""
        text = self.handle(number, name, value)
        if text is None or is_plain(text) or not text.strip():
            return (text or "").strip()
        cleaned = clean_handle(text, repair=self._reading.repair)
        for fault in cleaned.faults:
            self.error(number, name, f"{fault}.", text)
        for remark in cleaned.remarks:
            self.warn(number, name, f"{remark}.", text)
        return cleaned.handle

    def members(self, number: int, name: str, value: object) -> list[object]:
        """Return a non-empty list; an empty one after reporting an invalid value."""
        if isinstance(value, list) and 0 < len(value) <= _MAX_MEMBERS:
            return value
        message = gettext("a list of 1 to %(most)s members is expected.")
        self.error(number, name, message % {"most": grouped(_MAX_MEMBERS)}, value)
        return []

    def rows(self, participants: Sequence[Participant], names: Mapping[str, str]) -> Rows:
        """
        Return the participants' members as rows.

        names
            Names of fields in these responses: {"score": "points"}.
        """
        pairs = [(participant, member) for participant in participants for member in participant.members]
        numbers = [participant.number for participant, _ in pairs]

        def locate(i: int, field: str) -> tuple[int, str]:
            return self.locate(numbers[i], names.get(field, field))

        rows = Rows(
            [member.handle for _, member in pairs],
            [participant.place for participant, _ in pairs],
            [participant.score for participant, _ in pairs],
            numbers,
            locate,
            contest=self._contest,
            places_are_sound=self.are_sound,
            scores_are_sound=self.are_sound,
        )
        if any(participant.status != "ranked" for participant in participants):
            rows.statuses = [participant.status for participant, _ in pairs]
        if any(participant.team for participant in participants):
            rows.teams = [participant.team for participant, _ in pairs]
        if any(participant.penalty for participant in participants):
            rows.penalties = [participant.penalty for participant, _ in pairs]
        rows.names = [member.name for _, member in pairs]
        rows.countries = [member.country for _, member in pairs]
        return rows


def read_or_report(
    parse: Callable[[object], _Read], value: object, report: Callable[[str, object], None]
) -> _Read | None:
    """Return the value from `parse`, or None after passing the message of its ValueError to `report`."""
    try:
        return parse(value)
    except ValueError as error:
        report(f"{error}.", value)
        return None


def repeated_keys(value: dict[str, object]) -> list[str]:
    """Return the keys that occur more than once in an object of the file."""
    repeated = value.pop(REPEATED, None)
    return repeated if isinstance(repeated, list) else []


def label_teams(participants: Sequence[Participant]) -> None:
    """Give teams with the same name different labels, since members of a team share a label."""
    counts = Counter(participant.team for participant in participants if participant.team)
    taken = set(counts)
    numbers: dict[str, Iterator[int]] = {}
    seen: set[str] = set()
    for participant in participants:
        label = participant.team
        if label in seen:
            following = numbers.setdefault(label, count(2))
            participant.team = next(free for number in following if (free := with_number(label, number)) not in taken)
            taken.add(participant.team)
        elif label:
            seen.add(label)


def close_up_places(
    participants: Sequence[Participant], left_out: Sequence[int], objects: Objects, *, remedy: str
) -> None:
    """
    Compute the ranks again if rows between them are missing: ignored rows, and rows that the file never had.

    left_out
        Ranks of the ignored rows of the file.
    remedy
        Last sentence of the warning about rows that the file does not have.

    Impossible ranks (1, 1, 2) are left to the checks that all formats share.
    """
    placed = [participant for participant in participants if participant.place]
    places = [participant.place or 0 for participant in placed]
    everywhere = sorted([*places, *(place for place in left_out if place)])
    counted = close_up(everywhere)
    if any(place < rank for place, rank in zip(everywhere, counted, strict=True)):
        return
    gaps = [place for place, rank in zip(everywhere, counted, strict=True) if place > rank]
    if gaps:
        objects.remark(
            gettext(
                "the ranks have gaps (the first is before rank %(rank)s), so rows of the contest are missing; Podium "
                "ranks the others among themselves. %(remedy)s"
            )
            % {"rank": grouped(gaps[0]), "remedy": remedy}
        )
    for participant, rank in zip(placed, close_up(places), strict=True):
        participant.place = rank
