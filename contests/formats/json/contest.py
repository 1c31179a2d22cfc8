"""One contest as a JSON object: our own form, and that of the Elo-MMR reference implementation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contests.formats.assembly import Heading, assembled
from contests.formats.json.heading import HeadingFields
from contests.formats.json.rows import Entries
from contests.formats.json.values import too_many
from contests.formats.players import HandleKeys

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from contests.formats.base import ParsedContest, Reading


class ContestObjects:
    """Turns the objects of one file into contests, and sees what only all of them together show."""

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
        Return the contest that stands on `line`, or None if it has errors (told to the reading).

        `lines_of_rows` gives the line of each standing, if they are not all on that of the contest; `filename` says
        which of many files it is, and its stem is the id of a contest that has none.
        """
        self._reading.give_up_on_many_errors()
        self.count += 1
        if not isinstance(value, dict):
            self._reading.error("a contest is an object {…} with id, name, end_time, standings.", row=line, value=value)
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
            fields.error("standings", "a list of at least one [handle, rank, score] is needed.", standings)
            return None
        if len(standings) > self._reading.max_rows:
            fields.error("standings", too_many(len(standings), "standings", self._reading))
            return None
        return standings

    def _compare_with_others(self, heading: Heading, value: dict[str, object], line: int, filename: str) -> None:
        """Report ids that come twice, and what a contest may leave out only if it is alone in its file."""
        if heading.key in self._place_of_id:
            message = f"the contest in {self._place_of_id[heading.key]} has the same id; give each its own."
            self._reading.error(message, row=line, column="id", value=heading.key, contest=filename or None)
        elif heading.key:
            self._place_of_id[heading.key] = filename or f"line {line}"
        else:
            self._incomplete.append((line, "id", filename))
        if heading.ends_at is None and value.get("end_time") is None and value.get("time_seconds") is None:
            self._incomplete.append((line, "end_time", filename))
        if self.count > 1:
            for row, field, name in self._incomplete:
                message = f"“{field}” is needed where there are several contests; add it."
                self._reading.error(message, row=row, column=field, contest=name or None)
            self._incomplete.clear()
