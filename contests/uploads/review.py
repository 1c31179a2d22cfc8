"""
The review of a staged file, and the organizer's decisions about its players.

The row of the file keeps the review as JSON: plain values, the first rows, and the counts of all rows.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from datetime import date
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext, gettext_lazy

from contests.formats.base import Problem, Report
from contests.formats.reader import FileRow, FileRows
from contests.handles import handle_key, printable
from contests.matching.name_index import only_players_with_names
from contests.matching.players import PlayerCandidate
from contests.models import ContestState, Player, Series, Standing
from contests.queries.names import players_by_handle
from contests.queries.visibility import visible_players
from contests.uploads.staging import Column, Columns, Decision, read_review
from contests.wording import day_in_words, grouped

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from collections.abc import Set as AbstractSet
    from typing import Self

    from django.contrib.auth.models import User

    from contests.uploads.staging import Choices, Staged


#: Reviews keep this many rows of a table; counts and ratings always cover all rows.
ROWS_KEPT = 200
#: Reviews keep this many unmatched rows, for which organizers choose players one by one.
UNMATCHED_KEPT = 2_000
#: The most handles to ask about before saving. Others become new players unless the organizer decides in the review.
ASKED = 50
#: Organizers decide at most this many handles of a file one by one.
MOST_DECISIONS = 5_000
OTHER_SERIES = gettext_lazy(
    "the player has results in series that you do not organize, and the name would apply there too."
)
#: Errors of `Review.from_json` if another version of the site wrote the review.
_UNKNOWN_FORM = (TypeError, KeyError, AttributeError, ValueError)


@dataclass(frozen=True, slots=True)
class UnmatchedRow:
    """
    A row whose handle belongs to no player, or for which the organizer has chosen the player.

    meant
        The known player that the organizer chose.
    is_decided
        Whether the organizer has decided; otherwise the row gets a new player.
    is_alias
        Whether the handle becomes another name of the known player.
    likely_id
        The suggested player whose name and country agree, None if there is none or several. The form proposes that
        player, and the organizer decides.
    """

    handle: str
    key: str
    row: int
    name: str
    country: str
    suggestions: list[PlayerCandidate]
    meant: PlayerCandidate | None = None
    is_decided: bool = False
    is_alias: bool = False
    likely_id: int | None = None

    @property
    def proposed_id(self) -> int | None:
        """The player that the form selects: the one chosen or, before a decision, the likely one."""
        if self.is_decided:
            return None if self.meant is None else self.meant.player_id
        return self.likely_id

    @property
    def is_looked_up(self) -> bool:
        """Whether the organizer chose a player who was not suggested."""
        return self.meant is not None and self.meant.player_id not in {each.player_id for each in self.suggestions}


@dataclass(frozen=True, slots=True)
class Missing:
    """The name and country of a known player that the file has and Podium lacks; either can be empty."""

    player_id: int
    name: str
    country: str


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
    share: float | None = None
    handicap: float | None = None


@dataclass(frozen=True, slots=True)
class Counts:
    """Numbers of rows by kind; `other_name` counts rows that name a player by an alias or an earlier handle."""

    total: int = 0
    ranked: int = 0
    unofficial: int = 0
    disqualified: int = 0
    new_players: int = 0
    other_name: int = 0


@dataclass(frozen=True, slots=True)
class GameCounts:
    """
    Numbers of the games of an event.

    known
        Games that the series already has, which saving leaves out.
    walkovers
        Results without play, which are not rated.
    first, last
        The days of the first and the last game, such as "2026-11-23"; "" if the file has no dates for a new event.
    has_dates
        Whether the file has dates. Games without a date take the end of the event.
    """

    total: int = 0
    known: int = 0
    walkovers: int = 0
    draws: int = 0
    first: str = ""
    last: str = ""
    has_dates: bool = True

    @property
    def new(self) -> int:
        """The number of games that saving stores."""
        return self.total - self.known

    @property
    def days(self) -> list[str]:
        """The days of the first and the last game in words: none, one day, or two."""
        return [day_in_words(date.fromisoformat(day)) for day in dict.fromkeys((self.first, self.last)) if day]


@dataclass(slots=True)
class Review:
    """
    The findings about a staged file.

    stamp
        The stamp of the choices with which the file was reviewed.
    language
        The language of the problems and suggestions.
    newest_player
        The id of the community's newest player when the handles were matched.
    unmatched
        The first `UNMATCHED_KEPT` of the unmatched rows; `unmatched_count` counts all.
    offered
        The rows of a table that the organizer can correct, as they are in the file; None for other files.
    description
        What the file says about the contest: field -> JSON value.
    games
        The numbers of games, if the file has games; `rows` are then the score table.
    has_times
        Whether the penalties are times.
    missing
        Names and countries that the file adds to known players; empty in a private series, because they would be seen
        wherever the players are.
    preview
        The projected effect of the file on ratings, as the provider returns it; None if there are errors.
    """

    stamp: str
    columns: Columns = field(default_factory=Columns)
    errors: list[Problem] = field(default_factory=list)
    error_count: int = 0
    warnings: list[Problem] = field(default_factory=list)
    warning_count: int = 0
    counts: Counts = field(default_factory=Counts)
    games: GameCounts | None = None
    rows: list[ReviewedRow] = field(default_factory=list)
    unmatched: list[UnmatchedRow] = field(default_factory=list)
    unmatched_count: int = 0
    offered: FileRows | None = None
    description: dict[str, Any] = field(default_factory=dict)
    missing: list[Missing] = field(default_factory=list)
    preview: dict[str, Any] | None = None
    has_times: bool = False
    seconds: float = 0.0
    language: str = ""
    newest_player: int = 0

    @property
    def lacks_preview(self) -> bool:
        """Whether the preview is still to be computed, because that takes a long time."""
        return self.preview is not None and bool(self.preview.get("is_left_out"))

    @property
    def close_names(self) -> int:
        """The number of undecided rows with suggestions, among the unmatched rows kept."""
        return sum(1 for row in self.unmatched if row.suggestions and not row.is_decided)

    def take(self, report: Report) -> None:
        """Copy the problems of a report, sorted by row, the order in which organizers fix them."""
        self.errors = sorted(report.errors, key=lambda problem: problem.row or 0)
        self.warnings = sorted(report.warnings, key=lambda problem: problem.row or 0)
        self.error_count, self.warning_count = report.error_count, report.warning_count

    def report(self) -> Report:
        """Return the problems as a report."""
        return Report(
            list(self.errors),
            list(self.warnings),
            self.error_count - len(self.errors),
            self.warning_count - len(self.warnings),
        )

    def to_json(self) -> dict[str, Any]:
        """Return plain values, as the row of the file stores them."""
        return asdict(self)

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> Self:
        """Return the review that `to_json` wrote; one of `_UNKNOWN_FORM` if another version of the site wrote it."""
        columns = value["columns"]
        return cls(
            **{
                **value,
                "columns": Columns(**{**columns, "columns": [Column(**each) for each in columns["columns"]]}),
                "errors": [Problem(**each) for each in value["errors"]],
                "warnings": [Problem(**each) for each in value["warnings"]],
                "counts": Counts(**value["counts"]),
                "games": GameCounts(**value["games"]) if value["games"] else None,
                "rows": [ReviewedRow(**each) for each in value["rows"]],
                "unmatched": [_unmatched_row(each) for each in value["unmatched"]],
                "offered": _file_rows(value["offered"]),
                "missing": [Missing(**each) for each in value["missing"]],
            }
        )


def _unmatched_row(value: dict[str, Any]) -> UnmatchedRow:
    meant = None if value["meant"] is None else PlayerCandidate(**value["meant"])
    suggestions = [PlayerCandidate(**each) for each in value["suggestions"]]
    return UnmatchedRow(**{**value, "suggestions": suggestions, "meant": meant})


def _file_rows(value: dict[str, Any] | None) -> FileRows | None:
    if value is None:
        return None
    fields = {int(position): field for position, field in value["fields"].items()}
    return FileRows(value["header_row"], value["names"], fields, [FileRow(**row) for row in value["rows"]])


def review_of(staged: Staged, choices: Choices) -> Review | None:
    """Return the review made with these choices; None if there is none yet, or if another version wrote it."""
    kept = read_review(staged)
    if kept is None or kept.get("stamp") != choices.stamp:
        return None
    try:
        return Review.from_json(kept)
    except _UNKNOWN_FORM:
        return None


def newest_player_of(series_id: int) -> int:
    """Return the id of the newest player in the community of a series, 0 if there is none."""
    community = Series.objects.filter(pk=series_id).values("community")
    players = Player.objects.filter(community__in=community).order_by("-pk")
    return players.values_list("pk", flat=True).first() or 0


def offered_players(staged: Staged) -> dict[str, set[int]]:
    """Return the players that the newest review suggests: key of a handle -> ids."""
    kept = read_review(staged)
    try:
        unmatched = Review.from_json(kept).unmatched if kept is not None else []
    except _UNKNOWN_FORM:
        return {}
    return {row.key: {each.player_id for each in row.suggestions} for row in unmatched}


@dataclass(frozen=True, slots=True)
class DecisionInput:
    """
    The organizer's input about one handle of a file.

    who
        "new", "player" with the id of a suggestion, or "typed" with the handle of a known player.
    """

    handle: str
    who: str
    player_id: int = 0
    typed: str = ""
    is_alias: bool = False


def decide(
    choices: Choices,
    inputs: Sequence[DecisionInput],
    *,
    community: str,
    offered: Mapping[str, AbstractSet[int]],
    actor: User,
) -> tuple[Choices, dict[str, str]]:
    """
    Return the choices with the new decisions, and messages about rejected inputs by handle ("" if it is about all).

    offered
        The players that the review suggests: key of a handle -> ids. Organizers choose any other player by typing a
        handle. If ids were accepted, someone could try them one by one and learn the handles of all players.
    """
    problems: dict[str, str] = {}
    by_name = _players_meant(community, [choice.typed for choice in inputs if choice.who == "typed"], actor)
    ids = {choice.player_id for choice in inputs if choice.who == "player"} & set().union(*offered.values())
    existing = (
        set(Player.objects.filter(pk__in=ids, community=community).values_list("pk", flat=True)) if ids else set()
    )
    foreign = players_in_other_series([*by_name.values(), *ids], actor)
    decisions = dict(choices.decisions)
    for choice in inputs:
        key = handle_key(choice.handle)
        if choice.who == "new":
            decisions[key] = Decision(choice.handle, None)
            continue
        if choice.who == "typed":
            player_id = by_name.get(handle_key(choice.typed))
            problem = _problem_typed(choice, player_id)
        else:
            player_id = choice.player_id
            problem = _problem_suggested(choice, offered.get(key, frozenset()), existing)
        if not problem:
            keeps_name = choice.is_alias and player_id not in foreign
            decisions[key] = Decision(choice.handle, player_id, keeps_name)
            problem = _cannot_keep_name(choice) if choice.is_alias and not keeps_name else ""
        if problem:
            problems[choice.handle] = problem
    if len(decisions) > MOST_DECISIONS:
        text = gettext("You can choose players for at most %(most)s handles of a file. Nothing was changed.")
        return choices, {"": text % {"most": grouped(MOST_DECISIONS)}}
    return replace(choices, decisions=decisions), problems


def _problem_typed(choice: DecisionInput, player_id: int | None) -> str:
    """Return what is wrong with a handle that the organizer typed, "" if nothing is."""
    name = printable(choice.handle)
    if not choice.typed:
        return gettext("“%(name)s”: enter the handle of a known player.") % {"name": name}
    if player_id is None:
        text = gettext("“%(name)s”: no player has the handle “%(typed)s”. Look up the handle under Players.")
        return text % {"name": name, "typed": printable(choice.typed)}
    return ""


def _problem_suggested(choice: DecisionInput, offered: AbstractSet[int], existing: AbstractSet[int]) -> str:
    """Return what is wrong with the choice of a suggested player, "" if nothing is."""
    name = printable(choice.handle)
    if choice.player_id not in offered:
        text = gettext("“%(name)s”: choose one of the suggested players, or enter the handle of another.")
        return text % {"name": name}
    if choice.player_id not in existing:
        return gettext("“%(name)s”: the suggested player no longer exists. Choose again.") % {"name": name}
    return ""


def _cannot_keep_name(choice: DecisionInput) -> str:
    text = gettext(
        "In this file, “%(name)s” stands for the player you chose, but Podium cannot save it as another name: %(why)s"
    )
    return text % {"name": printable(choice.handle), "why": OTHER_SERIES}


def all_new(choices: Choices, unmatched: Iterable[UnmatchedRow]) -> Choices:
    """Return the choices with a new player for each undecided row."""
    new = {each.key: Decision(each.handle, None) for each in unmatched if not each.is_decided}
    room = MOST_DECISIONS - len(choices.decisions)
    return replace(choices, decisions={**choices.decisions, **dict(list(new.items())[: max(room, 0)])})


def players_in_other_series(player_ids: Iterable[int | None], actor: User) -> set[int]:
    """
    Return the players with finalized results in series that the user does not organize.

    The organizers of those series have a say in the players' names too.
    """
    if actor.is_staff:
        return set()
    rows = Standing.objects.filter(player__in={pk for pk in player_ids if pk is not None})
    foreign = rows.filter(contest__state=ContestState.FINALIZED).exclude(
        contest__series__in=Series.objects.organized_by(actor)
    )
    return set(foreign.values_list("player_id", flat=True).distinct())


def _players_meant(community: str, texts: Sequence[str], actor: User) -> dict[str, int]:
    """Return the players with these handles or aliases, or whose real name no one else has: key of a text -> id."""
    found = players_by_handle(community, texts)
    unknown = {text for text in texts if text and handle_key(text) not in found}
    called = only_players_with_names(unknown, visible_players(actor), community) if unknown else {}
    return {**{handle_key(text): player.pk for text, player in called.items()}, **found}
