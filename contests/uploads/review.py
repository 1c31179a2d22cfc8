"""What a review of a staged file found, as its row keeps it: plain values, first rows, all counts."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from contests.formats import Problem, Report

if TYPE_CHECKING:
    from typing import Self

#: Longer tables are cut here; counts and ratings are always of all rows.
ROWS_KEPT = 200
#: So many rows whose player is in question are kept to be decided one by one.
PEOPLE_KEPT = 2_000


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table; `field` is "" for one that is left out."""

    position: int
    name: str
    field: str
    samples: list[str]


@dataclass(frozen=True, slots=True)
class Columns:
    """How a table was read; without columns it is a document that says itself what it holds, or could not be read."""

    sheets: list[str] = field(default_factory=list)
    sheet: str | None = None
    header_row: int = 0
    decimal_comma: bool | None = None
    columns: list[Column] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Known:
    """A known player who may be meant, and why; `similarity` is from 0 to 100."""

    player_id: int
    handle: str
    name: str = ""
    country: str = ""
    similarity: int = 100
    why: str = ""


@dataclass(frozen=True, slots=True)
class Person:
    """
    A row whose player is in question: no player has its handle, or its organizer has decided who is meant.

    meant
        The known player who was decided on.
    is_decided
        Whether it was decided at all; otherwise a new player is meant.
    is_alias
        Whether the handle is going to be another name of the known player.
    """

    handle: str
    key: str
    row: int
    name: str
    country: str
    suggestions: list[Known]
    meant: Known | None = None
    is_decided: bool = False
    is_alias: bool = False

    @property
    def is_looked_up(self) -> bool:
        """Whether who is meant is none of the suggestions."""
        return self.meant is not None and self.meant.player_id not in {each.player_id for each in self.suggestions}


@dataclass(frozen=True, slots=True)
class ReviewedRow:
    """A row of the table as it would be saved; `player_id` is None for a new player."""

    handle: str
    name: str
    country: str
    team: str
    status: str
    rank: int | None
    score: float | None
    penalty: float | None
    player_id: int | None
    known_as: str = ""


@dataclass(frozen=True, slots=True)
class Counts:
    """How many rows there are of what kind; `other_name` of them were known by another name than their handle."""

    total: int = 0
    ranked: int = 0
    unofficial: int = 0
    disqualified: int = 0
    new_players: int = 0
    other_name: int = 0


@dataclass(slots=True)
class Review:
    """
    What is known of a staged file.

    stamp
        Of the choices that it was reviewed by.
    people
        The first of those in question; `people_count` is of all.
    said
        What the file says of the contest: field -> JSON value.
    effects
        What it would do to ratings, in the form of the provider; None if there are errors.
    """

    stamp: str
    columns: Columns = field(default_factory=Columns)
    errors: list[Problem] = field(default_factory=list)
    error_count: int = 0
    warnings: list[Problem] = field(default_factory=list)
    warning_count: int = 0
    counts: Counts = field(default_factory=Counts)
    rows: list[ReviewedRow] = field(default_factory=list)
    people: list[Person] = field(default_factory=list)
    people_count: int = 0
    said: dict[str, Any] = field(default_factory=dict)
    effects: dict[str, Any] | None = None
    seconds: float = 0.0

    @property
    def effects_left_out(self) -> bool:
        """Whether ratings are still to be computed, because that takes long."""
        return self.effects is not None and bool(self.effects.get("is_left_out"))

    @property
    def close_names(self) -> int:
        """How many of the people kept might be known players, and are not decided."""
        return sum(1 for person in self.people if person.suggestions and not person.is_decided)

    def take(self, report: Report) -> None:
        """Take over the problems of a report, in the order of the file, in which organizers fix them."""
        self.errors = sorted(report.errors, key=lambda problem: problem.row or 0)
        self.warnings = sorted(report.warnings, key=lambda problem: problem.row or 0)
        self.error_count, self.warning_count = report.error_count, report.warning_count

    def report(self) -> Report:
        """Return the problems as the report that they came from."""
        return Report(
            list(self.errors),
            list(self.warnings),
            self.error_count - len(self.errors),
            self.warning_count - len(self.warnings),
        )

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> Self:
        """Make the review that `to_json` wrote; TypeError or KeyError if another version of the site wrote it."""
        columns = value["columns"]
        return cls(
            **{
                **value,
                "columns": Columns(**{**columns, "columns": [Column(**each) for each in columns["columns"]]}),
                "errors": [Problem(**each) for each in value["errors"]],
                "warnings": [Problem(**each) for each in value["warnings"]],
                "counts": Counts(**value["counts"]),
                "rows": [ReviewedRow(**each) for each in value["rows"]],
                "people": [_person(each) for each in value["people"]],
            }
        )


def _person(value: dict[str, Any]) -> Person:
    meant = value["meant"]
    suggestions = [Known(**each) for each in value["suggestions"]]
    return Person(**{**value, "suggestions": suggestions, "meant": None if meant is None else Known(**meant)})
