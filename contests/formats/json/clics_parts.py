"""The parts of a CLICS file: one document, the scoreboard alone, or an event feed that builds them up."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from contests.formats.base import UnreadableError
from contests.formats.json.answers import repeated_keys

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from contests.formats.json.answers import Answer

#: What a contest has one of, and what it has a list of.
SINGLE = ("contest", "state", "scoreboard")
LISTS = ("teams", "organizations", "groups", "persons", "team-members")
_NAMES = {"contests": "contest"}  # version 2020-03
_DOCUMENT = (
    "a CLICS file is a scoreboard, {…, “rows”: […]}, or has one with other parts of the contest: "
    "{“contest”: {…}, “teams”: […], “organizations”: […], “scoreboard”: {…}}."
)


@dataclass(slots=True)
class Single:
    """A part that there is one of; `lines` gives those of the rows of a scoreboard."""

    fields: dict[str, object]
    line: int
    lines: Callable[[], Sequence[int]] | None = None
    repeated: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Listed:
    """A part that is a list of objects; `lines` gives that of each, None if they stand on `line` all."""

    entries: list[object]
    line: int
    lines: Callable[[], Sequence[int]] | None = None


class Parts:
    """The parts of the one contest that a file may hold."""

    def __init__(self) -> None:
        self._single: dict[str, Single] = {}
        self._listed: dict[str, Listed] = {}
        self._from_events: dict[str, dict[str, object]] = {}
        self._first_line = 0

    def add(self, answer: Answer) -> None:
        """Take a document or an event; UnreadableError if it is neither, or a second document."""
        value = answer.value
        if isinstance(value, dict) and isinstance(value.get("type"), str) and ("data" in value or "op" in value):
            self._apply(value, answer.line)
            return
        if not isinstance(value, dict) or ("rows" not in value and value.get("scoreboard") is None):
            raise UnreadableError(_DOCUMENT, row=answer.line)
        if self._first_line:
            raise UnreadableError(
                f"A second scoreboard; the first is in line {self._first_line}. Save each in a file of its own.",
                row=answer.line,
            )
        self._first_line = answer.line
        self._add_document(value, answer)

    def has(self, name: str) -> bool:
        return name in self._listed or name in self._from_events

    def single(self, name: str) -> Single | None:
        return self._single.get(name)

    def scoreboard(self) -> Single:
        """Return the scoreboard, which every file needs."""
        board = self._single.get("scoreboard")
        if board is None:
            raise UnreadableError(
                'There is no scoreboard, which is no event of its own; add a line {"type": "scoreboard", "data": …} '
                "with the answer of /scoreboard."
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
                raise UnreadableError("a list is expected here.", row=answer.line, column=name)
            self._listed[name] = Listed(part, answer.line, partial(answer.lines_of, (name,)))

    def _add_single(
        self, name: str, value: object, line: int, lines: Callable[[], Sequence[int]] | None = None
    ) -> None:
        if not isinstance(value, dict):
            raise UnreadableError("an object {…} is expected here.", row=line, column=name)
        self._single[name] = Single(value, line, lines, repeated_keys(value))

    def _apply(self, event: dict[str, object], line: int) -> None:
        """Let an event change its part: the whole of it, or the one object that it names."""
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
