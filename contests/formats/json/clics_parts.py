"""The parts of a CLICS file (a document, a scoreboard alone, or an event feed), and its teams."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from django.utils.translation import gettext, gettext_lazy, ngettext

from contests.formats.base import UnreadableError
from contests.formats.countries import country_code
from contests.formats.json.answers import Objects, repeated_keys
from contests.formats.json.decoding import too_many
from contests.handles import handle_key, printable
from contests.wording import grouped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from contests.formats.base import Reading
    from contests.formats.json.answers import Answer, Participant


@dataclass(frozen=True, slots=True)
class Team:
    """A team; `members` are the names of its contestants, if the file has them."""

    name: str
    label: str
    organization: str
    country: str
    is_hidden: bool
    members: tuple[str, ...]


def identifier(value: object) -> str:
    """Return an id as text, empty if it is invalid; some systems write numbers."""
    is_number = isinstance(value, int) and not isinstance(value, bool) and value.bit_length() < 64
    return value if isinstance(value, str) else str(value) if is_number else ""


class Teams:
    """Teams by id, made from several parts, with every problem reported."""

    def __init__(self, parts: Parts, contest: str, reading: Reading) -> None:
        self._parts, self._contest, self._reading = parts, contest, reading
        self.are_sound = True
        self._organizations = dict(self._read_organizations())
        self._hidden_groups = {
            identifier(group.get("id")) for _, _, group in self._each("groups", "group") if group.get("hidden") is True
        }
        self._members: defaultdict[str, list[str]] = defaultdict(list)
        for part, kind in (("persons", "person"), ("team-members", "team member")):
            self._read_members(part, kind)
        self._teams = dict(self._read_teams())

    def get(self, team_id: str) -> Team | None:
        return self._teams.get(team_id)

    def distinguish(self, participants: Sequence[Participant], team_of: dict[int, Team]) -> str:
        """
        Add the team to repeated names of members, and the organization to repeated names of teams.

        team_of
            The team of each participant, by the number of the participant.

        Return a remark, empty if all names are different.
        """
        counts = Counter(handle_key(member.handle) for one in participants for member in one.members)
        changed: list[str] = []
        for participant in participants:
            team = team_of[participant.number]
            addition = team.label if team.members else team.organization
            for i, member in enumerate(participant.members):
                if addition and counts[handle_key(member.handle)] > 1:
                    changed.append(f"{member.handle.strip()} ({addition})")
                    participant.members[i] = member._replace(handle=changed[-1])
        if not changed:
            return ""
        text = ngettext(
            "some names occur more than once, so Podium added the team or organization in %(number)s row, as in "
            "“%(example)s”.",
            "some names occur more than once, so Podium added the team or organization in %(number)s rows, as in "
            "“%(example)s”.",
            len(changed),
        )
        return text % {"number": grouped(len(changed)), "example": printable(changed[0])}

    def _each(self, part: str, kind: str) -> Iterator[tuple[Objects, int, dict[str, object]]]:
        """Yield the objects of a list, each with the reporter of its problems and its number."""
        listed = self._parts.listed(part)
        objects = Objects(kind, self._contest, listed.line, listed.lines, self._reading)
        if len(listed.entries) > self._reading.max_rows:
            message = too_many(len(listed.entries), part, self._reading)
            raise UnreadableError(message, row=listed.line, column=part)
        for number, entry in enumerate(listed.entries, 1):
            self._reading.give_up_on_many_errors()
            found = objects.fields(number, "", entry)
            if found is not None:
                yield objects, number, found
            self.are_sound &= objects.are_sound

    def _read_organizations(self) -> Iterator[tuple[str, tuple[str, str]]]:
        """Yield id -> name and country of the organizations."""
        for objects, number, organization in self._each("organizations", "organization"):
            country = objects.text(number, "country", organization.get("country"))
            code = country_code(country) if country else ""
            if code is None:
                message = gettext("unknown country, left empty; use an ISO 3166 code such as DEU.")
                objects.warn(number, "country", message, country)
            name = objects.text(number, "name", organization.get("name") or organization.get("formal_name"))
            yield identifier(organization.get("id")), (name, code or "")

    def _read_members(self, part: str, kind: str) -> None:
        """Collect the names of contestants; ignore coaches and staff."""
        for objects, number, person in self._each(part, kind):
            name = person.get("name")
            if name is None:
                names = (person.get("first_name"), person.get("last_name"))
                name = " ".join(text for text in names if isinstance(text, str)).strip() or None
            teams = list(_teams_of(person))
            text = objects.handle(number, "name", name) if teams else None
            for team_id in teams if text is not None else ():
                self._members[team_id].append(text or "")

    def _read_teams(self) -> Iterator[tuple[str, Team]]:
        seen: dict[str, int] = {}
        for objects, number, team in self._each("teams", "team"):
            team_id = identifier(team.get("id"))
            if not team_id:
                objects.error(number, "id", gettext("the id of a team is text; put it in quotes."), team.get("id"))
                continue
            if seen.setdefault(team_id, number) != number:
                message = gettext("team %(number)s has the same id; delete one of the two.")
                objects.error(number, "id", message % {"number": grouped(seen[team_id])}, team_id)
            field = "display_name" if team.get("display_name") else "name"
            name = objects.handle(number, field, team.get(field))
            organization, country = self._organization(objects, number, team)
            groups = team.get("group_ids")
            of_team = map(identifier, groups if isinstance(groups, list) else ())
            members = [*self._members[team_id], *self._own_members(objects, number, team)]
            is_hidden = team.get("hidden") is True or not self._hidden_groups.isdisjoint(of_team)
            label = objects.text(number, field, name)
            yield team_id, Team(name or "", label, organization, country, is_hidden, tuple(members))

    def _organization(self, objects: Objects, number: int, team: dict[str, object]) -> tuple[str, str]:
        """Return name and country of a team's organization, empty if it has none."""
        organization_id = identifier(team.get("organization_id"))
        if not organization_id:
            return "", ""
        found = self._organizations.get(organization_id)
        if found is None and self._organizations:
            message = gettext("no organization in the file has this id; the team’s country is left empty.")
            objects.warn(number, "organization_id", message, organization_id)
        return found or ("", "")

    def _own_members(self, objects: Objects, number: int, team: dict[str, object]) -> Iterator[str]:
        """Yield member names from the team itself, where some systems write them."""
        members = team.get("members")
        for member in members if isinstance(members, list) else ():
            name = objects.handle(number, "members", member.get("name") if isinstance(member, dict) else member)
            if name is not None:
                yield name


def _teams_of(person: dict[str, object]) -> Iterator[str]:
    """Yield the ids of the teams in which a person is a contestant, for all versions of the API."""
    roles = person.get("roles")
    if not isinstance(roles, list):
        roles = [{"type": person.get("role") or "contestant", "team_id": person.get("team_id")}]
        teams = person.get("team_ids")
        roles += [{**roles[0], "team_id": team} for team in (teams if isinstance(teams, list) else ())]
    for role in roles:
        if isinstance(role, dict) and role.get("type") == "contestant" and identifier(role.get("team_id")):
            yield identifier(role.get("team_id"))


#: Parts that occur once in a contest, and parts that are lists.
SINGLE = ("contest", "state", "scoreboard")
LISTS = ("teams", "organizations", "groups", "persons", "team-members")
_NAMES = {"contests": "contest"}  # version 2020-03
_DOCUMENT = gettext_lazy(
    "a CLICS file is a scoreboard, {…, “rows”: […]}, or an object with a scoreboard and other parts of a contest: "
    "{“contest”: {…}, “teams”: […], “organizations”: […], “scoreboard”: {…}}."
)


@dataclass(slots=True)
class Single:
    """A part that occurs once; `lines` returns the lines of a scoreboard's rows."""

    fields: dict[str, object]
    line: int
    lines: Callable[[], Sequence[int]] | None = None
    repeated: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Listed:
    """A part that is a list; `lines` returns the line of each object, None if all are on `line`."""

    entries: list[object]
    line: int
    lines: Callable[[], Sequence[int]] | None = None


class Parts:
    """The parts of the only contest of a file."""

    def __init__(self) -> None:
        self._single: dict[str, Single] = {}
        self._listed: dict[str, Listed] = {}
        self._from_events: dict[str, dict[str, object]] = {}
        self._first_line = 0

    def add(self, answer: Answer) -> None:
        """Add a document or an event; UnreadableError for anything else, and for a second document."""
        value = answer.value
        if isinstance(value, dict) and isinstance(value.get("type"), str) and ("data" in value or "op" in value):
            self._apply(value, answer.line)
            return
        if not isinstance(value, dict) or ("rows" not in value and value.get("scoreboard") is None):
            raise UnreadableError(str(_DOCUMENT), row=answer.line)
        if self._first_line:
            raise UnreadableError(
                gettext("There is a second scoreboard; the first is on line %(line)s. Save each in its own file.")
                % {"line": grouped(self._first_line)},
                row=answer.line,
            )
        self._first_line = answer.line
        self._add_document(value, answer)

    def has(self, name: str) -> bool:
        return name in self._listed or name in self._from_events

    def single(self, name: str) -> Single | None:
        return self._single.get(name)

    def scoreboard(self) -> Single:
        """Return the scoreboard; UnreadableError if there is none."""
        board = self._single.get("scoreboard")
        if board is None:
            raise UnreadableError(
                gettext(
                    "There is no scoreboard, because an event feed does not contain one; add a line "
                    '{"type": "scoreboard", "data": …} with the response of /scoreboard.'
                )
            )
        return board

    def listed(self, name: str) -> Listed:
        """Return a list, empty if the file has none."""
        if name in self._from_events:
            return Listed(list(self._from_events[name].values()), self._first_line or 1)
        return self._listed.get(name, Listed([], self._first_line or 1))

    def _add_document(self, value: dict[str, object], answer: Answer) -> None:
        repeated = repeated_keys(value)
        if "rows" in value:
            self._add_single("scoreboard", value, answer.line, partial(answer.lines_of, ("rows",)))
        for name in SINGLE:
            if name in value and value[name] is not None and not ("rows" in value and name == "state"):
                lines = partial(answer.lines_of, (name, "rows")) if name == "scoreboard" else None
                self._add_single(name, value[name], answer.line, lines)
        self._single["scoreboard"].repeated += repeated
        for name in LISTS:
            part = value.get(name)
            if part is None:
                continue
            if not isinstance(part, list):
                raise UnreadableError(gettext("a list is expected here."), row=answer.line, column=name)
            self._listed[name] = Listed(part, answer.line, partial(answer.lines_of, (name,)))

    def _add_single(
        self, name: str, value: object, line: int, lines: Callable[[], Sequence[int]] | None = None
    ) -> None:
        if not isinstance(value, dict):
            raise UnreadableError(gettext("an object {…} is expected here."), row=line, column=name)
        self._single[name] = Single(value, line, lines, repeated_keys(value))

    def _apply(self, event: dict[str, object], line: int) -> None:
        """Apply an event to its part: the whole of it, or the object with its id."""
        kind = str(event["type"])
        name, content = _NAMES.get(kind, kind), event.get("data")
        if name in SINGLE:
            if content is None or event.get("op") == "delete":
                self._single.pop(name, None)
            else:
                self._add_single(name, content, line)
        elif name in LISTS:
            objects = self._from_events.setdefault(name, {})
            if isinstance(content, list):
                objects.clear()
            for entry in content if isinstance(content, list) else [content]:
                key = entry.get("id") if isinstance(entry, dict) else event.get("id")
                if entry is None or event.get("op") == "delete":
                    objects.pop(str(key), None)
                else:
                    objects[str(key)] = entry
