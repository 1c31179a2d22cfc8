"""
What the answers of judging systems have in common: objects with known keys, and participants of one or more members.

A reader of such answers turns each row into a Participant; everything that it cannot use goes to the reading, with its
place ("line 12, standing 3, rank").
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import count
from typing import TYPE_CHECKING, BinaryIO, NamedTuple, TypeVar

from contests.formats.base import MAX_PLACE, Rows
from contests.formats.json.base import (
    MOST_CHARACTERS_OF_A_NAME,
    REPEATED,
    decode_first,
    is_far_too_long,
    refuse_bombs,
    row_lines,
    skip_space,
)
from contests.formats.sources import decoded_text
from contests.handles import MAX_LENGTH, clean_handle, is_plain, with_number
from contests.ranking import close_up

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from contests.formats.base import Reading, Status

_Read = TypeVar("_Read")
_OUR_OWN = re.compile(rb'"standings"\s*:\s*\[')
_MARKS_AND_SPACE = b"\xef\xbb\xbf\xff\xfe \t\r\n"
_MOST_SCORE = 1e300
_MOST_MEMBERS = 1_000


class Answer(NamedTuple):
    """A value of a file, the line where it begins, and what gives the lines of the list at the end of a path in it."""

    value: object
    line: int
    lines_of: Callable[[tuple[str, ...]], Sequence[int]]


class Member(NamedTuple):
    """Who played: the handle, and what is known beside it; `country` is ISO 3166 alpha-2 or empty."""

    handle: str
    name: str = ""
    country: str = ""


@dataclass(slots=True)
class Participant:
    """One row of an answer; `number` counts the rows from 1, `team` labels the members if they competed as a team."""

    number: int
    place: int | None
    score: float | None
    penalty: float | None
    members: list[Member] = field(default_factory=list)
    team: str = ""
    status: Status = "ranked"


def begins_like(pattern: re.Pattern[bytes], head: bytes) -> bool:
    """Whether a file begins like some answer, in whichever encoding, and not like a contest in our own form."""
    text = head.replace(b"\0", b"").lstrip(_MARKS_AND_SPACE)
    return pattern.match(text) is not None and _OUR_OWN.search(text) is None


def answers(stream: BinaryIO, reading: Reading) -> Iterator[Answer]:
    """Yield the values of a JSON document, or of several one after the other, without what they say of problems."""
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
    Reads the objects of one list, such as the rows of a contest; each problem goes to the reading, with its place.

    kind
        What an object is called in messages, before its number: "standing", "team".
    lines
        Gives the line of each object; None if all are on `line`.
    """

    def __init__(
        self, kind: str, contest: str, line: int, lines: Callable[[], Sequence[int]] | None, reading: Reading
    ) -> None:
        self._kind, self._contest, self._line, self._lines, self._reading = kind, contest, line, lines, reading
        self.are_sound = True

    def locate(self, number: int, name: str = "") -> tuple[int, str]:
        """Return line and place in words of an object's value; numbers count from 1."""
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
        """Warn of something that is about all of them."""
        self._reading.warn(message, row=self._line, contest=self._contest)

    def fields(self, number: int, name: str, value: object) -> dict[str, object] | None:
        """Return the value if it is an object in which no key comes twice."""
        if not isinstance(value, dict):
            self.error(number, name, "an object {…} is expected here.", value)
            return None
        for key in repeated_keys(value):
            self.error(number, key, "the key stands twice in one object; delete one of the two.")
        return value

    def place(self, number: int, value: object) -> int | None:
        """Return a rank, 0 for one that was not given; None if it cannot be read."""
        if type(value) is int and 0 <= value <= MAX_PLACE:
            return value
        self.error(number, "rank", f"a rank is a whole number from 1 to {MAX_PLACE:,}.", value)
        return None

    def amount(self, number: int, name: str, value: object) -> float | None:
        """Return a finite number, None for nothing."""
        if value is None:
            return None
        if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < _MOST_SCORE:
            return float(value)
        self.error(number, name, "a finite number or null is expected.", value)
        return None

    def handle(self, number: int, name: str, value: object) -> str | None:
        """Return a handle as it stands; what it may hold is checked with all others."""
        if not isinstance(value, str):
            self.error(number, name, "a name is text; put it in quotes.", value)
        elif is_far_too_long(value) and self._reading.repair:
            return value[:MOST_CHARACTERS_OF_A_NAME]
        elif is_far_too_long(value):
            message = f"the name has {len(value):,} characters; shorten it to at most {MAX_LENGTH}."
            self.error(number, name, message, value)
        else:
            return value
        return None

    def text(self, number: int, name: str, value: object) -> str:
        """Return text that may be missing, cleaned as handles are."""
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
        """Return a list of one or more, empty if it is none (reported)."""
        if isinstance(value, list) and 0 < len(value) <= _MOST_MEMBERS:
            return value
        self.error(number, name, f"a list of 1 to {_MOST_MEMBERS:,} members is expected.", value)
        return []

    def rows(self, participants: Sequence[Participant], names: Mapping[str, str]) -> Rows:
        """
        Return the participants' members as rows.

        names
            What the fields are called in these answers: {"score": "points"}.
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


def counted(number: int, noun: str) -> str:
    """Return "1 row" or "2 rows"."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def read_or_tell(parse: Callable[[object], _Read], value: object, tell: Callable[[str, object], None]) -> _Read | None:
    """Return what `parse` reads, or None, and the words of its ValueError to `tell`."""
    try:
        return parse(value)
    except ValueError as error:
        tell(f"{error}.", value)
        return None


def repeated_keys(value: dict[str, object]) -> list[str]:
    """Return the keys that stand more than once in an object of the file."""
    repeated = value.pop(REPEATED, None)
    return repeated if isinstance(repeated, list) else []


def label_teams(participants: Sequence[Participant]) -> None:
    """Give teams of the same name different labels, since a label is what their members share."""
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
    Count the ranks anew where rows are missing from between them: those left out, and those that the file never had.

    left_out
        The ranks of the rows that are in the file and not among the participants.
    remedy
        What to do if the file was meant to be whole.

    Ranks that can be no part of any standings (1, 1, 2) are left for the checks that every format goes through.
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
            f"the ranks have gaps (the first is before rank {gaps[0]:,}), so these are not all rows of the contest; "
            f"they are ranked among themselves. {remedy}"
        )
    for participant, rank in zip(placed, close_up(places), strict=True):
        participant.place = rank
