"""Contests as JSON objects, heading and standings: our own form and that of the Elo-MMR reference implementation."""

from __future__ import annotations

import difflib
from collections import Counter
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext

from contests.formats.assembly import HandleKeys, assembled
from contests.formats.base import Heading, Rows
from contests.formats.json.decoding import MAX_NAME_CHARACTERS, REPEATED, is_far_too_long, too_long, too_many
from contests.formats.json.rows import refuse_rows
from contests.formats.json.terms import Terms
from contests.formats.table.columns import REMARKS
from contests.formats.values import MAX_PLACE, Codes, code_in, from_epoch, is_dash, parse_moment
from contests.handles import check_handle, normalize_handle
from contests.team_labels import label_of_unnamed
from contests.wording import grouped

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from contests.formats.base import ParsedContest, Reading
    from contests.formats.values import Code


KEYS = ("id", "name", "url", "start_time", "end_time", "time_seconds", "weight", "perf_ceiling", "standings")
_MAX_ID, _MAX_NAME, _MAX_URL = 120, 300, 500
_MAX_WEIGHT = 1000.0
_MAX_POINTS = 1e6


class HeadingFields:
    """Reads the fields of one contest object, and reports every problem with line and field."""

    def __init__(self, value: dict[str, object], line: int, label: str, reading: Reading) -> None:
        self._value, self._line, self._reading = value, line, reading
        identifier = value.get("id")
        self.label = identifier[:80] if isinstance(identifier, str) and identifier else label
        # Files of the reference implementation count ranks from 0 and have times in seconds.
        self.is_reference = "time_seconds" in value and "end_time" not in value

    def error(self, field: str, message: str, value: object = None) -> None:
        self._reading.error(message, row=self._line, column=field, value=value, contest=self.label)

    def check_keys(self, known_already: set[str]) -> None:
        """Report repeated keys, and unknown keys once per file."""
        repeated = self._value.pop(REPEATED, ())
        for key in repeated if isinstance(repeated, list) else ():
            self.error(key, gettext("this key occurs twice in the object; delete one of the two."))
        for key in self._value:
            if key in KEYS or key == REMARKS or key in known_already or len(known_already) > 100:
                continue
            known_already.add(key)
            near = difflib.get_close_matches(key[:40], KEYS, n=1)
            text = (
                gettext("unknown key, ignored; did you mean “%(near)s”?") % {"near": near[0]}
                if near
                else gettext("unknown key, ignored; known keys are %(known)s.") % {"known": ", ".join(KEYS)}
            )
            self._reading.warn(text, row=self._line, value=key, contest=self.label)

    def heading(self, key: str) -> Heading:
        """Return the heading; `key` is the default id."""
        ends_at = (
            self._moment("time_seconds", from_epoch) if self.is_reference else self._moment("end_time", parse_moment)
        )
        starts_at = self._moment("start_time", parse_moment)
        if starts_at is not None and ends_at is not None and ends_at < starts_at:
            self.error(
                "end_time",
                gettext("the contest ends before it starts (%(start)s UTC); correct one of the times.")
                % {"start": f"{starts_at:%Y-%m-%d %H:%M}"},
            )
        return Heading(
            key=self._identifier() or key,
            name=self._text("name", _MAX_NAME),
            url=self._url(),
            ends_at=ends_at,
            starts_at=starts_at,
            weight=self._number("weight", 0.0, _MAX_WEIGHT) or 1.0,
            perf_ceiling=self._number("perf_ceiling", -_MAX_POINTS, _MAX_POINTS),
        )

    def _moment(self, field: str, parse: Callable[[object], datetime]) -> datetime | None:
        value = self._value.get(field)
        if value is None:
            return None
        try:
            return parse(value)
        except ValueError as error:
            self.error(field, f"{error}.", value)
            return None

    def _identifier(self) -> str:
        value = self._value.get("id")
        if isinstance(value, int) and not isinstance(value, bool) and value.bit_length() < 64:
            return str(value)
        text = self._text("id", _MAX_ID)
        if isinstance(value, str) and not value.strip():
            self.error("id", gettext("the id is empty; give the contest an id, or delete the key."), value)
        return text

    def _text(self, field: str, most: int) -> str:
        value = self._value.get(field)
        if value is None:
            return ""
        if not isinstance(value, str):
            self.error(field, gettext("text is expected here."), value)
            return ""
        text = value if is_far_too_long(value) else normalize_handle(value)
        if len(text) > most:
            message = gettext("the text has %(number)s characters; at most %(most)s are allowed.")
            self.error(field, message % {"number": grouped(len(text)), "most": most}, value)
            return ""
        # The rules for names are the same as for handles, except for the length.
        faults = check_handle(text[:100]) or check_handle(text[-100:]) if text else None
        if faults:
            self.error(field, f"{faults}.", value)
        return text

    def _url(self) -> str:
        url = self._text("url", _MAX_URL)
        if url and not url.lower().startswith(("http://", "https://")):
            self.error("url", gettext("an address that begins with https:// or http:// is expected."), url)
            return ""
        return url

    def _number(self, field: str, above: float, most: float) -> float | None:
        value = self._value.get(field)
        if value is None:
            return None
        # NaN fails every comparison, and integers too large for a float are compared exactly.
        if isinstance(value, int | float) and not isinstance(value, bool) and above < value <= most:
            return float(value)
        message = gettext("a number above %(above)s, at most %(most)s, is expected.")
        self.error(field, message % {"above": f"{above:g}", "most": f"{most:g}"}, value)
        return None


_MAX_MEMBERS = 1_000
_MAX_SCORE = 1e300
_PLAIN_SCORES = {int, float, type(None)}


class Entries:
    """
    The entries under "standings", and their lines.

    is_reference
        Whether entries are [handle, low, high] with places from 0, as in files of the reference implementation.
    lines
        Returns the line of each entry; None if all are on the line of the contest.
    """

    def __init__(
        self, entries: list[Any], contest: str, line: int, lines: Callable[[], Sequence[int]] | None, reading: Reading
    ) -> None:
        self._entries, self._contest, self._line, self._lines, self._reading = entries, contest, line, lines, reading

    def rows(self, *, is_reference: bool) -> Rows:
        """Return the rows, one for each team member; report and ignore unreadable entries."""
        plain = None if is_reference else self._plain()
        if plain is not None:
            return plain
        rows = self._empty_rows()
        numbers: list[int] = []
        handles: list[str] = []
        teams: list[str] = []
        places: list[int | None] = []
        scores: list[float | None] = []
        codes = Codes([])
        texts: tuple[list[str], list[str]] = ([], [])
        terms = Terms(self._error)
        for number, entry in enumerate(self._entries, 1):
            if not isinstance(entry, list) or not 2 <= len(entry) <= (3 if is_reference else 4):
                self._error(
                    number, "", gettext("an entry must be [handle, rank, score]; the score can be null."), entry
                )
                rows.places_are_sound = False
                continue
            members = self._members(number, entry[0])
            terms.read(number, entry, len(members or ()))
            place, score = self._numbers(number, entry, is_reference=is_reference)
            rows.places_are_sound &= place is not False and members is not None
            rows.scores_are_sound &= score is not False
            for handle in members or ():
                codes.statuses.append("ranked")
                if not is_reference:
                    _take_codes(entry, codes, texts)
                numbers.append(number)
                handles.append(handle)
                teams.append(label_of_unnamed(number) if isinstance(entry[0], list) else "")
                places.append(place or None)
                scores.append(None if score is False else score)
        rows.numbers, rows.handles, rows.places, rows.scores = numbers, handles, places, scores
        rows.teams = teams if any(teams) else None
        terms.put(rows)
        codes.take_dashes(*texts)
        rows.statuses = codes.statuses if codes.found else None
        codes.report(lambda i, field, message, value: rows.warn(self._reading, i, field, message, value))
        if is_reference and rows.places_are_sound:
            self._check_upper_places()
        return rows

    def _plain(self) -> Rows | None:
        """Return the rows if all entries are plain: the common case, without a Python loop."""
        entries = self._entries
        if set(map(type, entries)) != {list} or set(map(len, entries)) != {3}:
            return None
        handles, places, scores = zip(*entries, strict=True)
        kinds = set(map(type, scores))
        if set(map(type, handles)) != {str} or set(map(type, places)) != {int} or not kinds <= _PLAIN_SCORES:
            return None
        if is_far_too_long(max(handles, key=len)):
            return None
        if min(places) < 1 or max(places) > MAX_PLACE:
            return None
        if kinds != {type(None)} and not all(score is None or abs(score) < _MAX_SCORE for score in scores):
            return None
        rows = self._empty_rows()
        rows.handles, rows.places, rows.scores, rows.numbers = handles, places, scores, range(1, len(entries) + 1)
        return rows

    def _empty_rows(self) -> Rows:
        rows = Rows([], [], [], [], self._locate_row, contest=self._contest)
        self._rows = rows
        return rows

    def _members(self, number: int, value: object) -> list[str] | None:
        """Return the handles of an entry, None after reporting invalid ones."""
        members: list[Any] = value if isinstance(value, list) else [value]
        if not members or len(members) > _MAX_MEMBERS:
            message = gettext("a team has 1 to %(most)s members.") % {"most": grouped(_MAX_MEMBERS)}
            self._error(number, "handle", message, value)
            return None
        if not all(isinstance(member, str) for member in members):
            self._error(number, "handle", gettext("a handle is text; put it in quotes."), value)
            return None
        longest = max(members, key=len)
        if is_far_too_long(longest):
            if self._reading.repair:
                return [member[:MAX_NAME_CHARACTERS] for member in members]
            self._error(number, "handle", too_long(longest), longest)
            return None
        return members

    def _numbers(self, number: int, entry: list[Any], *, is_reference: bool) -> tuple[Any, Any]:
        """Return place and score of an entry; report unreadable ones and return False for them."""
        first = 0 if is_reference else 1
        place = entry[1]
        if not is_reference and (_code_of(place) or _is_dash(place)):
            place = None
        if place is not None or is_reference:
            last = MAX_PLACE - 1 + first
            if type(place) is not int or not first <= place <= last:
                message = gettext("a whole number from %(first)s to %(last)s is expected.")
                self._error(number, "rank", message % {"first": first, "last": grouped(last)}, place)
                place = False
            else:
                place += 1 - first
        if is_reference:
            return place, None
        score = entry[2] if len(entry) > 2 else None
        if score is None or _code_of(score) or _is_dash(score):
            return place, None
        if type(score) not in (int, float) or not abs(score) < _MAX_SCORE:
            self._error(number, "score", gettext("a finite number or null is expected."), score)
            return place, False
        return place, float(score)

    def _check_upper_places(self) -> None:
        """Check the last place of each group, which entries of the reference implementation include."""
        sizes = Counter(entry[1] for entry in self._entries)
        for number, entry in enumerate(self._entries, 1):
            expected = entry[1] + sizes[entry[1]] - 1
            if len(entry) == 3 and entry[2] != expected:
                message = gettext("the last rank of the group, %(rank)s (counted from 0), is expected here.") % {
                    "rank": expected
                }
                self._error(number, "third value", message, entry[2])

    def _error(self, number: int, field: str, message: str, value: object) -> None:
        line, column = self._locate(number, field)
        self._reading.error(message, row=line, column=column, value=value, contest=self._contest)

    def _locate_row(self, i: int, field: str) -> tuple[int, str]:
        return self._locate(self._rows.numbers[i], field)

    def _locate(self, number: int, field: str) -> tuple[int, str]:
        line = self._line if self._lines is None else self._lines()[number - 1]
        return line, f"standing {number}, {field}" if field else f"standing {number}"


def _take_codes(entry: list[Any], codes: Codes, texts: tuple[list[str], list[str]]) -> None:
    """Apply codes that replace the rank or score of an entry to the last row; keep other values as texts."""
    i = len(codes.statuses) - 1
    for value, field, kept in zip([*entry[1:3], None], ("rank", "score"), texts, strict=False):
        code = _code_of(value)
        if code is not None:
            codes.set(i, field, code)
        kept.append("" if value is None or code is not None else str(value).strip())


def _code_of(value: object) -> Code | None:
    return code_in(value.strip()) if isinstance(value, str) else None


def _is_dash(value: object) -> bool:
    return isinstance(value, str) and is_dash(value.strip())


class ContestObjects:
    """Turns the objects of one file into contests, with checks across contests."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._handle_keys = HandleKeys()
        self._place_of_id: dict[str, str] = {}
        self._unknown_keys: set[str] = set()
        self._incomplete: list[tuple[int, str, str]] = []
        self.count = 0

    def contest(
        self, value: object, line: int, lines_of_rows: Callable[[], Sequence[int]] | None = None, filename: str = ""
    ) -> ParsedContest | None:
        """
        Return the contest on `line`, or None after reporting its errors.

        `lines_of_rows` returns the line of each standing, if they are not all on that of the contest. `filename` is
        the name of one of several files, and its stem the default id of the contest.
        """
        self._reading.give_up_on_many_errors()
        self.count += 1
        refuse_rows(value, line)
        if not isinstance(value, dict):
            self._reading.error(
                gettext("a contest must be an object {…} with id, name, end_time and standings."), row=line, value=value
            )
            return None
        errors_before = self._reading.report.error_count
        fields = HeadingFields(value, line, filename or str(self.count), self._reading)
        fields.check_keys(self._unknown_keys)
        heading = fields.heading(filename.partition(".")[0])
        self._compare_with_others(heading, value, line, filename)
        standings = self._standings(value, fields)
        if standings is None:
            return None
        entries = Entries(standings, fields.label, line, lines_of_rows, self._reading)
        rows = entries.rows(is_reference=fields.is_reference)
        if len(rows.handles) > self._reading.max_rows:
            fields.error("standings", too_many(len(rows.handles), "players", self._reading))
            return None
        contest = assembled(heading, rows, self._handle_keys, self._reading)
        return contest if self._reading.report.error_count == errors_before else None

    def _standings(self, value: dict[str, object], fields: HeadingFields) -> list[object] | None:
        standings = value.get("standings")
        if not isinstance(standings, list) or not standings:
            fields.error("standings", gettext("a list of at least one [handle, rank, score] is needed."), standings)
            return None
        if len(standings) > self._reading.max_rows:
            fields.error("standings", too_many(len(standings), "standings", self._reading))
            return None
        return standings

    def _compare_with_others(self, heading: Heading, value: dict[str, object], line: int, filename: str) -> None:
        """Report repeated ids, and keys that are required if the file has several contests."""
        if heading.key in self._place_of_id:
            message = gettext("the contest in %(place)s has the same id; give each contest its own id.")
            message %= {"place": self._place_of_id[heading.key]}
            self._reading.error(message, row=line, column="id", value=heading.key, contest=filename or None)
        elif heading.key:
            self._place_of_id[heading.key] = filename or self._reading.at_line(line)
        else:
            self._incomplete.append((line, "id", filename))
        if heading.ends_at is None and value.get("end_time") is None and value.get("time_seconds") is None:
            self._incomplete.append((line, "end_time", filename))
        if self.count > 1:
            for row, field, name in self._incomplete:
                message = gettext("“%(field)s” is required if the file has several contests; add it.")
                message %= {"field": field}
                self._reading.error(message, row=row, column=field, contest=name or None)
            self._incomplete.clear()
