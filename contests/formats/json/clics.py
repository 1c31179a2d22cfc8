"""
Scoreboards of the ICPC's Contest API (CLICS), alone or with the teams, organizations and persons of the contest.

The objects and their fields are described at https://ccs-specs.icpc.io, versions 2020-03 to 2026-01.
"""

from __future__ import annotations

import re
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, BinaryIO

from django.utils.translation import gettext, gettext_lazy, gettext_noop, ngettext

from contests.formats.assembly import HandleKeys, assembled
from contests.formats.base import Heading, UnreadableError
from contests.formats.json.answers import (
    Member,
    Objects,
    Participant,
    answers,
    begins_like,
    close_up_places,
    label_teams,
    read_or_report,
)
from contests.formats.json.base import JsonReader
from contests.formats.json.clics_parts import LISTS, SINGLE, Parts, Team, Teams, identifier
from contests.formats.json.contest import HeadingFields
from contests.formats.json.decoding import too_many
from contests.formats.reader import Example
from contests.formats.values import parse_moment
from contests.wording import grouped

if TYPE_CHECKING:
    from collections.abc import Iterator

    from contests.formats.base import ParsedContest, Reading

_OTHERS = (
    "problems", "languages", "judgement-types", "accounts", "submissions", "judgements", "runs", "clarifications",
    "awards", "commentary", "access", "event_id", "time", "contest_time", "rows", "type", "op", "token",
)  # fmt: skip
# The first key of a document or an event; an event can also begin with its id, like our own contests.
_HEAD = re.compile(
    rb'\{\s*"(?:' + "|".join((*SINGLE, *LISTS, *_OTHERS)).encode() + rb')"\s*:'
    rb'|\{\s*"id"\s*:\s*(?:"[^"]*"|null)\s*,\s*"(?:type|op)"\s*:[^{}\[\]]*"data"\s*:'
)
_DURATION = re.compile(r"(\d{1,6}):([0-5]\d):([0-5]\d(?:\.\d{1,9})?)", re.ASCII)
_FIELDS = {"handle": "team_id", "team": "team_id", "penalty": "score"}
_WHOLE = gettext_lazy("If you want all rows, save the scoreboard without filters.")


class Clics(JsonReader):
    """Scoreboards of solved problems or of scores. Players are the members of teams, or teams without members."""

    name = "CLICS"
    label = gettext_noop("an ICPC scoreboard (CLICS)")
    extensions = (".json", ".jsonl", ".ndjson", ".txt")
    examples = (Example(gettext_noop("ICPC scoreboard"), "clics-scoreboard.json"),)

    def recognizes(self, head: bytes) -> bool:
        return begins_like(_HEAD, head)

    def read(self, stream: BinaryIO, reading: Reading) -> Iterator[ParsedContest]:
        parts = Parts()
        for answer in answers(stream, reading):
            parts.add(answer)
        contest = _Scoreboard(parts, reading).contest()
        if contest is not None and not reading.report.errors:
            yield contest


def parse_duration(value: object) -> timedelta:
    """Read a time relative to the start of a contest, "5:00:00.000"; ValueError with the problem."""
    match = _DURATION.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        raise ValueError(gettext('a duration is expected, such as "5:00:00".'))
    return timedelta(hours=int(match[1]), minutes=int(match[2]), seconds=float(match[3]))


class _Scoreboard:
    """The rows of a scoreboard, with the details of teams and contest from the other parts of the file."""

    def __init__(self, parts: Parts, reading: Reading) -> None:
        self._parts, self._reading = parts, reading
        self._board = parts.scoreboard()
        contest = parts.single("contest")
        self._contest_fields = contest.fields if contest is not None else {}
        name = self._contest_fields.get("name") or self._contest_fields.get("formal_name")
        line = contest.line if contest is not None else self._board.line
        self._heading_fields = HeadingFields({"id": self._contest_fields.get("id"), "name": name}, line, "1", reading)
        label = self._heading_fields.label
        self._rows = Objects("standing", label, self._board.line, self._board.lines, reading)
        self._teams = Teams(parts, label, reading) if parts.has("teams") else None
        self._hidden: list[int] = []
        self._team_of: dict[int, Team] = {}
        self._number_of: dict[str, int] = {}
        self._players = 0
        for part in (contest, self._board):
            for key in part.repeated if part is not None else ():
                self._heading_fields.error(key, gettext("this key occurs twice in the object; delete one of the two."))

    def contest(self) -> ParsedContest | None:
        heading = self._heading()
        entries = self._board.fields.get("rows")
        if not isinstance(entries, list) or not entries:
            self._heading_fields.error("rows", gettext("a list with at least one scoreboard row is needed."), entries)
            return None
        if len(entries) > self._reading.max_rows:
            self._heading_fields.error("rows", too_many(len(entries), "rows", self._reading))
            return None
        read = [self._participant(number, entry) for number, entry in enumerate(entries, 1)]
        participants = [participant for participant in read if participant is not None]
        if self._hidden:
            text = ngettext(
                "Podium ignored %(number)s team that the scoreboard hides.",
                "Podium ignored %(number)s teams that the scoreboard hides.",
                len(self._hidden),
            )
            self._rows.remark(text % {"number": grouped(len(self._hidden))})
        self._report_names(participants)
        if not participants:
            if self._rows.are_sound:
                self._heading_fields.error("rows", gettext("all teams of the scoreboard are hidden."))
            return None
        if self._teams is not None and not self._teams.are_sound:
            return None
        if self._rows.are_sound:
            close_up_places(participants, self._hidden, self._rows, remedy=str(_WHOLE))
        label_teams(participants)
        rows = self._rows.rows(participants, _FIELDS)
        return assembled(heading, rows, HandleKeys(), self._reading)

    def _report_names(self, participants: list[Participant]) -> None:
        """Warn about players without a name of their own."""
        if self._teams is None:
            self._rows.remark(
                gettext(
                    "the file has no names, so the handles are team ids, which may stand for different teams in "
                    "the next contest; add the responses of /teams and /organizations (and of /persons, to rate "
                    'members) to the file: {"contest": {…}, "teams": […], "organizations": […], "persons": […], '
                    '"scoreboard": {…}}.'
                )
            )
            return
        remark = self._teams.distinguish(participants, self._team_of)
        if remark:
            self._rows.remark(remark)
        alone = sum(1 for participant in participants if not self._team_of[participant.number].members)
        if 0 < alone < len(participants):
            text = ngettext(
                "each team without members in the file counts as one player (%(number)s team).",
                "each team without members in the file counts as one player (%(number)s teams).",
                alone,
            )
            self._rows.remark(text % {"number": grouped(alone)})

    def _heading(self) -> Heading:
        """Return the heading; actual times from the state replace planned ones from the contest."""
        heading = self._heading_fields.heading("")
        state = self._state()
        started, ended = state.get("started") or self._contest_fields.get("start_time"), state.get("ended")
        duration = self._contest_fields.get("duration")
        if started is not None:
            report = partial(self._heading_fields.error, "start_time")
            heading.starts_at = read_or_report(parse_moment, started, report)
        if ended is not None:
            heading.ends_at = read_or_report(parse_moment, ended, partial(self._heading_fields.error, "ended"))
        elif duration is not None and heading.starts_at is not None:
            length = read_or_report(parse_duration, duration, partial(self._heading_fields.error, "duration"))
            heading.ends_at = heading.starts_at + length if length is not None else None
        if heading.starts_at is not None and heading.ends_at is not None and heading.ends_at < heading.starts_at:
            self._heading_fields.error(
                "ended", gettext("the contest ends before it starts; correct one of the two."), ended
            )
        return heading

    def _state(self) -> dict[str, object]:
        """Return the state of the contest, with a warning if the scoreboard is not the final one."""
        part, own = self._parts.single("state"), self._board.fields.get("state")
        state = part.fields if part is not None else own if isinstance(own, dict) else {}
        if "ended" in state and state["ended"] is None:
            self._rows.remark(
                gettext("the contest had not ended when the scoreboard was saved; save it again after the contest.")
            )
        elif state.get("frozen") is not None and state.get("thawed") is None and state.get("finalized") is None:
            self._rows.remark(
                gettext(
                    "the scoreboard is frozen, so the last results are missing; save it again after it is unfrozen."
                )
            )
        return state

    def _participant(self, number: int, entry: object) -> Participant | None:
        """Return a row, None for hidden teams (recorded) and errors (reported)."""
        rows = self._rows
        row = rows.fields(number, "", entry)
        if row is None:
            return None
        rank = row.get("rank")
        place = None if rank is None else rows.place(number, rank)
        if place == 0:
            rows.error(number, "rank", gettext("a rank is a whole number of 1 or more."), rank)
        team_id = identifier(row.get("team_id"))
        if not team_id:
            rows.error(number, "team_id", gettext("the id of a team is text; put it in quotes."), row.get("team_id"))
            return None
        team = self._teams.get(team_id) if self._teams is not None else None
        if self._teams is not None and team is None:
            rows.error(number, "team_id", gettext("no team in the file has this id; add it to “teams”."), team_id)
            return None
        earlier = self._number_of.setdefault(team_id, number)
        if earlier != number:
            message = gettext("the team is already in row %(number)s of the scoreboard; delete one of the two rows.")
            rows.error(number, "team_id", message % {"number": grouped(earlier)}, team_id)
            return None
        if team is not None and team.is_hidden:
            self._hidden.append(place or 0)
            return None
        score, penalty = self._score(number, row.get("score"))
        if team is None:
            name = rows.handle(number, "team_id", team_id)
            return Participant(number, place, score, penalty, [Member(name)]) if name is not None else None
        self._team_of[number] = team
        self._players += len(team.members)
        if self._players > self._reading.max_rows:
            raise UnreadableError(too_many(self._players, "players", self._reading), column="rows")
        members = [Member(name, "", team.country) for name in team.members] or [Member(team.name, "", team.country)]
        return Participant(number, place, score, penalty, members, team.label if team.members else "")

    def _score(self, number: int, value: object) -> tuple[float | None, float | None]:
        """Return score and penalty (minutes): solved problems and total time, or points and their time."""
        if value is None:
            return None, None
        score = self._rows.fields(number, "score", value)
        if score is None:
            return None, None
        names = ("score", "time") if score.get("score") is not None else ("num_solved", "total_time")
        return self._rows.amount(number, names[0], score.get(names[0])), self._minutes(number, names[1], score)

    def _minutes(self, number: int, name: str, score: dict[str, object]) -> float | None:
        """Return a penalty time in minutes; from version 2026-01 on it is a duration."""
        value = score.get(name)
        if not isinstance(value, str):
            return self._rows.amount(number, name, value)
        duration = read_or_report(parse_duration, value, partial(self._rows.error, number, name))
        return None if duration is None else duration / timedelta(minutes=1)
