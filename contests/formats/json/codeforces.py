"""
Responses of Codeforces' API: `contest.standings` and `contest.ratingChanges`.

The objects and their fields are described at https://codeforces.com/apiHelp/objects.
"""

from __future__ import annotations

import re
from collections import Counter
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
    repeated_keys,
)
from contests.formats.json.base import JsonReader
from contests.formats.json.contest import HeadingFields
from contests.formats.json.decoding import too_many
from contests.formats.reader import Example
from contests.formats.values import from_epoch
from contests.team_labels import label_of_unnamed
from contests.wording import grouped

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from contests.formats.base import ParsedContest, Reading, Status
    from contests.formats.json.answers import Answer

_HEAD = re.compile(
    rb'\{\s*"status"\s*:\s*"(OK|FAILED)"|\{\s*"comment"\s*:\s*"|\{\s*"result"\s*:\s*[\[{]|\[\s*\{\s*"contestId"\s*:'
    rb'|\{\s*"contest"\s*:\s*\{[^{}]*"(phase|durationSeconds|relativeTimeSeconds)"'
)
_STATUSES: dict[str, Status] = {"CONTESTANT": "ranked", "OUT_OF_COMPETITION": "unofficial"}
_LEFT_OUT = {
    "VIRTUAL": gettext_noop("virtual"),
    "PRACTICE": gettext_noop("practice"),
    "MANAGER": gettext_noop("manager"),
}
_FIELDS = {"score": "points", "team": "teamName"}
_FIRST_GYM = 100_000
_WHOLE = gettext_lazy("If you want all rows, request the standings again without from, count, handles and room.")


class Codeforces(JsonReader):
    """Contests and gyms of Codeforces; members of a team are players, virtual participants are ignored."""

    name = "Codeforces"
    label = gettext_noop("a Codeforces API response")
    extensions = (".json", ".jsonl", ".ndjson", ".txt")
    examples = (
        Example(gettext_noop("Codeforces standings"), "codeforces-standings.json"),
        Example(gettext_noop("Codeforces rating changes"), "codeforces-rating-changes.json"),
    )

    def recognizes(self, head: bytes) -> bool:
        return begins_like(_HEAD, head)

    def read(self, stream: BinaryIO, reading: Reading) -> Iterator[ParsedContest]:
        keys = HandleKeys()
        line_of_key: dict[str, int] = {}
        for answer in answers(stream, reading):
            errors_before = reading.report.error_count
            contest = _contest(answer, keys, reading)
            if contest is not None and contest.key in line_of_key:
                earlier = line_of_key[contest.key]
                message = gettext("the response on line %(line)s is for the same contest; delete one of the two.")
                message %= {"line": grouped(earlier)}
                reading.error(message, row=answer.line, column="contest", value=contest.key)
            elif contest is not None and reading.report.error_count == errors_before:
                line_of_key[contest.key] = answer.line
                yield contest


def _contest(answer: Answer, keys: HandleKeys, reading: Reading) -> ParsedContest | None:
    result, path = _result(answer)
    if isinstance(result, dict) and isinstance(result.get("rows"), list) and isinstance(result.get("contest"), dict):
        return _Standings(answer, result, (*path, "rows"), reading).contest(keys)
    if isinstance(result, list) and (not result or (isinstance(result[0], dict) and "contestId" in result[0])):
        return _RatingChanges(answer, result, path, reading).contest(keys)
    raise UnreadableError(
        gettext(
            "This Codeforces API response has neither standings nor rating changes; save the response of "
            "contest.standings or contest.ratingChanges."
        ),
        row=answer.line,
    )


def _result(answer: Answer) -> tuple[object, tuple[str, ...]]:
    """Return the result of a response, and the path to it; UnreadableError if Codeforces reports a failure."""
    value = answer.value
    if not isinstance(value, dict) or not ("status" in value or "result" in value or "comment" in value):
        return value, ()
    if value.get("status", "OK") != "OK":
        comment = value.get("comment")
        text = gettext("Codeforces returned an error instead of standings; correct the request and save its response.")
        if isinstance(comment, str) and comment.strip():
            text = gettext(
                "Codeforces returned an error instead of standings: “%(comment)s”; correct the request and save its "
                "response."
            ) % {"comment": comment[:200]}
        raise UnreadableError(text, row=answer.line)
    return value.get("result"), ("result",)


def _label(contest_id: object) -> str:
    """Return the label of a contest in messages, "1" if it has no id."""
    return str(contest_id)[:80] if type(contest_id) in (int, str) else "1"


class _Standings:
    """The result of contest.standings: {"contest": {…}, "problems": […], "rows": […]}."""

    def __init__(self, answer: Answer, result: dict[str, object], path: tuple[str, ...], reading: Reading) -> None:
        fields, rows = result["contest"], result["rows"]
        assert isinstance(fields, dict)
        assert isinstance(rows, list)
        self._fields, self._entries, self._line, self._reading = fields, rows, answer.line, reading
        self._heading_fields = HeadingFields(
            {"id": fields.get("id"), "name": fields.get("name")}, answer.line, _label(fields.get("id")), reading
        )
        label = self._heading_fields.label
        self._rows = Objects("standing", label, answer.line, partial(answer.lines_of, path), reading)
        self._left_out: Counter[str] = Counter()
        self._places_left_out: list[int] = []
        self._unranked = 0
        for key in (*repeated_keys(result), *repeated_keys(fields)):
            self._heading_fields.error(key, gettext("this key occurs twice in the object; delete one of the two."))

    def contest(self, keys: HandleKeys) -> ParsedContest | None:
        heading = self._heading()
        if len(self._entries) > self._reading.max_rows:
            self._heading_fields.error("rows", too_many(len(self._entries), "standings", self._reading))
            return None
        read = (self._participant(number, entry) for number, entry in enumerate(self._entries, 1))
        participants = [participant for participant in read if participant is not None]
        self._report_left_out()
        if not any(participant.status == "ranked" for participant in participants):
            if self._rows.are_sound:
                self._heading_fields.error(
                    "rows", gettext("no official contestant has a rank; save the standings after the contest.")
                )
            return None
        players = sum(len(participant.members) for participant in participants)
        if players > self._reading.max_rows:
            self._heading_fields.error("rows", too_many(players, "players", self._reading))
            return None
        label_teams(participants)
        if self._rows.are_sound:
            close_up_places(participants, self._places_left_out, self._rows, remedy=str(_WHOLE))
        return assembled(heading, self._rows.rows(participants, _FIELDS), keys, self._reading)

    def _heading(self) -> Heading:
        heading = self._heading_fields.heading("")
        heading.starts_at = self._moment("startTimeSeconds", self._fields.get("startTimeSeconds"))
        start, duration = self._fields.get("startTimeSeconds"), self._fields.get("durationSeconds")
        if duration is not None and (type(duration) is not int or duration < 0):
            self._heading_fields.error("durationSeconds", gettext("a whole number of seconds is expected."), duration)
        elif type(start) is int and type(duration) is int and heading.starts_at is not None:
            heading.ends_at = self._moment("durationSeconds", start + duration)
        if heading.key.isdecimal():
            kind = "contest" if int(heading.key) < _FIRST_GYM else "gym"
            heading.url = f"https://codeforces.com/{kind}/{heading.key}"
        phase = self._fields.get("phase")
        if phase not in (None, "FINISHED"):
            self._rows.remark(
                gettext(
                    "the contest is not finished (its phase is %(phase)s), so the standings can still change; save "
                    "them again afterwards."
                )
                % {"phase": str(phase)[:40]}
            )
        return heading

    def _moment(self, name: str, value: object) -> datetime | None:
        return None if value is None else read_or_report(from_epoch, value, partial(self._heading_fields.error, name))

    def _participant(self, number: int, entry: object) -> Participant | None:
        """Return a row of a participant, None for ignored rows (counted) and errors (reported)."""
        rows = self._rows
        row = rows.fields(number, "", entry)
        party = rows.fields(number, "party", row.get("party")) if row is not None else None
        if row is None or party is None:
            return None
        place = rows.place(number, row.get("rank"))
        kind = party.get("participantType")
        left_out = "ghost" if party.get("ghost") is True else _LEFT_OUT.get(kind) if isinstance(kind, str) else None
        if left_out is not None:
            self._left_out[left_out] += 1
            self._places_left_out.append(place or 0)
            return None
        status = _STATUSES.get(kind) if isinstance(kind, str) else None
        if status is None:
            known = ", ".join((*_STATUSES, *_LEFT_OUT))
            message = gettext("unknown type; known types are %(known)s.") % {"known": known}
            rows.error(number, "participantType", message, kind)
            return None
        if place == 0 and status == "ranked":
            self._unranked += 1
            status = "unofficial"
        members = self._members(number, party)
        score, penalty = (rows.amount(number, name, row.get(name)) for name in ("points", "penalty"))
        return Participant(number, place or None, score, penalty, members, self._team(number, party), status)

    def _members(self, number: int, party: dict[str, object]) -> list[Member]:
        members = []
        for value in self._rows.members(number, "members", party.get("members")):
            member = self._rows.fields(number, "members", value)
            handle = self._rows.handle(number, "handle", member.get("handle")) if member is not None else None
            if member is not None and handle is not None:
                members.append(Member(handle, self._rows.text(number, "name", member.get("name"))))
        return members

    def _team(self, number: int, party: dict[str, object]) -> str:
        """Return the label of a team, empty for a single player."""
        members = party.get("members")
        label = self._rows.text(number, "teamName", party.get("teamName"))
        is_team = party.get("teamId") is not None or (isinstance(members, list) and len(members) > 1)
        return label or (label_of_unnamed(number) if is_team else "")

    def _report_left_out(self) -> None:
        ghosts = self._left_out.pop("ghost", 0)
        if self._left_out:
            counts = ", ".join(f"{grouped(count)} {gettext(kind)}" for kind, count in self._left_out.items())
            text = ngettext(
                "Podium ignored %(number)s row (%(counts)s); it kept contestants and participants out of competition.",
                "Podium ignored %(number)s rows (%(counts)s); it kept contestants and participants out of competition.",
                self._left_out.total(),
            )
            self._rows.remark(text % {"number": grouped(self._left_out.total()), "counts": counts})
        if ghosts:
            text = ngettext(
                "Podium ignored %(number)s ghost, who took part elsewhere and has no handle here.",
                "Podium ignored %(number)s ghosts, who took part elsewhere and have no handle here.",
                ghosts,
            )
            self._rows.remark(text % {"number": grouped(ghosts)})
        if self._unranked:
            text = ngettext(
                "contestants with rank 0 are unofficial, because rank 0 means no rank (%(number)s contestant).",
                "contestants with rank 0 are unofficial, because rank 0 means no rank (%(number)s contestants).",
                self._unranked,
            )
            self._rows.remark(text % {"number": grouped(self._unranked)})


class _RatingChanges:
    """The result of contest.ratingChanges: a list of [{"contestId", "contestName", "handle", "rank", …}]."""

    def __init__(self, answer: Answer, result: list[object], path: tuple[str, ...], reading: Reading) -> None:
        self._entries, self._reading = result, reading
        first = result[0] if result and isinstance(result[0], dict) else {}
        self._id = first.get("contestId")
        named = {"id": self._id, "name": first.get("contestName")}
        self._heading_fields = HeadingFields(named, answer.line, _label(self._id), reading)
        label = self._heading_fields.label
        self._rows = Objects("standing", label, answer.line, partial(answer.lines_of, path), reading)
        self._ends_at: datetime | None = None

    def contest(self, keys: HandleKeys) -> ParsedContest | None:
        if not self._entries:
            self._heading_fields.error(
                "result", gettext("there are no rating changes; Codeforces did not rate this contest.")
            )
            return None
        if len(self._entries) > self._reading.max_rows:
            self._heading_fields.error("result", too_many(len(self._entries), "standings", self._reading))
            return None
        read = [self._participant(number, entry) for number, entry in enumerate(self._entries, 1)]
        participants = [participant for participant in read if participant is not None]
        if self._rows.are_sound:
            remedy = gettext("This is normal if Codeforces disqualified players after it had rated the contest.")
            close_up_places(participants, (), self._rows, remedy=remedy)
        heading = self._heading_fields.heading("")
        heading.ends_at = self._ends_at
        if heading.key.isdecimal():
            heading.url = f"https://codeforces.com/contest/{heading.key}"
        return assembled(heading, self._rows.rows(participants, {}), keys, self._reading)

    def _participant(self, number: int, entry: object) -> Participant | None:
        rows = self._rows
        row = rows.fields(number, "", entry)
        if row is None:
            return None
        if row.get("contestId") != self._id:
            rows.error(
                number, "contestId",
                gettext(
                    "the entries above are from contest %(id)s, but this one is not; save the response of "
                    "contest.ratingChanges for each contest, not that of user.rating."
                )
                % {"id": str(self._id)[:40]},
                row.get("contestId"),
            )  # fmt: skip
            return None
        self._read_moment(number, row.get("ratingUpdateTimeSeconds"))
        place = rows.place(number, row.get("rank"))
        if place == 0:
            rows.error(number, "rank", gettext("a rank is a whole number of 1 or more."), place)
        handle = rows.handle(number, "handle", row.get("handle"))
        return Participant(number, place, None, None, [Member(handle)]) if place and handle is not None else None

    def _read_moment(self, number: int, value: object) -> None:
        moment = read_or_report(from_epoch, value, partial(self._rows.error, number, "ratingUpdateTimeSeconds"))
        if moment is not None:
            self._ends_at = moment if self._ends_at is None else max(moment, self._ends_at)
