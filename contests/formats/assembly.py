"""From the columns of one contest to a checked ParsedContest: the same for every format."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import repeat
from typing import TYPE_CHECKING

from contests.formats.base import ParsedContest, ParsedStanding
from contests.formats.places import check_places, is_in_sequence, places_from_scores, teams_share
from contests.formats.players import checked_handles
from contests.formats.scores import check_scores
from contests.ranking import close_up

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from contests.formats.base import Reading
    from contests.formats.players import HandleKeys
    from contests.formats.rows import Rows


@dataclass(slots=True)
class Heading:
    """What a file says of a contest apart from its rows."""

    key: str = ""
    name: str = ""
    url: str = ""
    ends_at: datetime | None = None
    starts_at: datetime | None = None
    weight: float = 1.0
    perf_ceiling: float | None = None


def assembled(heading: Heading, rows: Rows, keys: HandleKeys, reading: Reading) -> ParsedContest | None:
    """Check the rows and return the contest, or None if anything in them is an error (told to `reading`)."""
    errors_before = reading.report.error_count
    _drop_what_names_no_teams(rows, reading)
    handles = checked_handles(rows, keys, reading)
    if all(place is None for place in rows.places):
        if rows.places_are_sound and rows.scores_are_sound:
            rows.places = places_from_scores(rows, reading)
    elif rows.places_are_sound:
        check_places(rows, reading)
        if rows.scores_are_sound and rows.scores.count(None) < len(rows.scores):
            check_scores(rows, reading)
    if not (rows.places_are_sound and rows.scores_are_sound):
        return None
    if reading.report.error_count > errors_before:
        return None
    has_teams = rows.teams is not None and any(rows.teams)
    return ParsedContest(
        key=heading.key, name=heading.name, url=heading.url, ends_at=heading.ends_at, starts_at=heading.starts_at,
        weight=heading.weight, perf_ceiling=heading.perf_ceiling, has_teams=has_teams,
        standings=_standings(handles, rows), ranks=_ranks(rows),
    )  # fmt: skip


def _standings(handles: Sequence[str], rows: Rows) -> list[ParsedStanding]:
    scores = rows.scores
    if scores.count(None) < len(scores):
        scores = [None if score is None else float(score) for score in scores]
    columns = zip(
        rows.places, handles, scores, rows.statuses or repeat("ranked"), rows.names or repeat(""),
        rows.countries or repeat(""), rows.teams or repeat(""), rows.penalties or repeat(None), rows.numbers,
        strict=False,
    )  # fmt: skip
    # tuple.__new__ makes the named tuple without a Python call for each row; large archives have millions of rows.
    return list(map(tuple.__new__, repeat(ParsedStanding), columns))


def _ranks(rows: Rows) -> list[int | None]:
    if rows.statuses is None and rows.teams is None and is_in_sequence(rows.places):
        return list(rows.places)
    ranked = rows.ranked()
    teams = None if rows.teams is None else [rows.teams[i] for i in ranked]
    ranks: list[int | None] = [None] * len(rows.places)
    for i, rank in zip(ranked, close_up([rows.places[i] or 0 for i in ranked], teams), strict=True):
        ranks[i] = rank
    return ranks


def _drop_what_names_no_teams(rows: Rows, reading: Reading) -> None:
    """Forget a team column whose members do not share their result: clubs, makes, schools."""
    if rows.teams is None:
        return
    by_score = all(place is None for place in rows.places)
    if not teams_share(rows, rows.scores if by_score else rows.places):
        rows.warn(
            reading, 0, "team",
            f"rows of the same team have different {'scores' if by_score else 'ranks'}, so the column does not name "
            "teams that compete together; it was left out.",
        )  # fmt: skip
        rows.teams = None
