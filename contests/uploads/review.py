"""
The review of a staged file, and the organizer's decisions about its players.

The row of the file keeps the review as JSON: plain values, the first rows, and the counts of all rows.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

from contests.bulk import values_by_key
from contests.formats import Problem, Report
from contests.handles import handle_key, printable
from contests.models import ContestState, Player, PlayerAlias, Series, Standing
from contests.uploads.staging import Column, Columns, Decision, read_review

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from collections.abc import Set as AbstractSet
    from typing import Self

    from django.contrib.auth.models import User

    from contests.uploads.staging import Choices, Staged


#: Longer tables are cut here; counts and ratings are always of all rows.
ROWS_KEPT = 200
#: So many rows whose player is in question are kept to be decided one by one.
PEOPLE_KEPT = 2_000
#: No organizer decides more handles than this one by one.
MOST_DECISIONS = 5_000
NAMED_BY_OTHERS = "the player has results in series that you do not organize, and a name would count there, too."


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


def review_of(staged: Staged, choices: Choices) -> Review | None:
    """Return what was found by these choices, None if there is no review yet."""
    kept = read_review(staged)
    if kept is None or kept.get("stamp") != choices.stamp:
        return None
    try:
        return Review.from_json(kept)
    except (TypeError, KeyError):
        return None


def offered_players(staged: Staged) -> dict[str, set[int]]:
    """Return key of a handle -> the players that the newest review of the file suggests for it."""
    kept = read_review(staged)
    try:
        people = Review.from_json(kept).people if kept is not None else []
    except (TypeError, KeyError):
        return {}
    return {person.key: {known.player_id for known in person.suggestions} for person in people}


@dataclass(frozen=True, slots=True)
class Choice:
    """
    What an organizer said of one handle of a file.

    who
        "new", "player" with the id of a suggestion, or "typed" with the handle of a known player.
    """

    handle: str
    who: str
    player_id: int = 0
    typed: str = ""
    is_alias: bool = False


def decide(
    choices: Choices, said: Sequence[Choice], *, offered: Mapping[str, AbstractSet[int]], actor: User
) -> tuple[Choices, list[str]]:
    """
    Return the choices with the decisions on some handles, and messages about those that were not accepted.

    offered
        Key of a handle -> the players that its review suggests. Another player is chosen by typing a handle: ids could
        be tried one after the other, and would give away the handles of all players.
    """
    problems = []
    by_name = players_called(choice.typed for choice in said if choice.who == "typed")
    ids = {choice.player_id for choice in said if choice.who == "player"} & set().union(*offered.values())
    there = set(Player.objects.filter(pk__in=ids).values_list("pk", flat=True)) if ids else set()
    foreign = named_by_others([*by_name.values(), *ids], actor)
    decisions = dict(choices.decisions)
    for choice in said:
        key, name = handle_key(choice.handle), printable(choice.handle)
        if choice.who == "new":
            decisions[key] = Decision(choice.handle, None)
            continue
        player_id = by_name.get(handle_key(choice.typed)) if choice.who == "typed" else choice.player_id
        if choice.who == "typed" and not choice.typed:
            problems.append(f"“{name}”: write the handle of the known player who is meant.")
        elif choice.who == "typed" and player_id is None:
            problems.append(f"“{name}”: there is no player “{printable(choice.typed)}”; look them up under Players.")
        elif choice.who == "player" and player_id not in offered.get(key, ()):
            problems.append(f"“{name}”: choose one of the players suggested for this handle, or type the handle.")
        elif choice.who == "player" and player_id not in there:
            problems.append(f"“{name}”: the player who was suggested no longer exists; choose again.")
        else:
            if choice.is_alias and player_id in foreign:
                problems.append(f"“{name}” is that player in this file, and is not remembered: {NAMED_BY_OTHERS}")
            decisions[key] = Decision(choice.handle, player_id, choice.is_alias and player_id not in foreign)
    if len(decisions) > MOST_DECISIONS:
        problems.append(f"At most {MOST_DECISIONS:,} handles can be decided; nothing was changed.")
        return choices, problems
    return replace(choices, decisions=decisions), problems


def all_new(choices: Choices, people: Iterable[Person]) -> Choices:
    """Return the choices with a new player for each undecided person."""
    new = {each.key: Decision(each.handle, None) for each in people if not each.is_decided}
    room = MOST_DECISIONS - len(choices.decisions)
    return replace(choices, decisions={**choices.decisions, **dict(list(new.items())[: max(room, 0)])})


def named_by_others(player_ids: Iterable[int | None], actor: User) -> set[int]:
    """Return which of the players have results that count in series of others, who have a say in their names."""
    if actor.is_staff:
        return set()
    rows = Standing.objects.filter(player__in={pk for pk in player_ids if pk is not None})
    foreign = rows.filter(contest__state=ContestState.FINALIZED).exclude(
        contest__series__in=Series.objects.organized_by(actor)
    )
    return set(foreign.values_list("player_id", flat=True).distinct())


def players_called(handles: Iterable[str]) -> dict[str, int]:
    """Return key of the handle -> player, by handle or alias; who was merged is whom they are now."""
    keys = list({handle_key(handle) for handle in handles if handle})
    found = values_by_key(PlayerAlias, "handle_key", "player_id", keys)
    return {**found, **values_by_key(Player, "handle_key", "id", keys, first="merged_into_id")}
