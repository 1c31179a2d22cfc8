"""Whether a column of teams names teams that compete, or only clubs, car makes or schools."""

from __future__ import annotations

from collections import Counter
from itertools import repeat
from typing import TYPE_CHECKING

from django.utils.translation import gettext

from contests.formats.places import has_times_alone
from contests.ranking import close_up

if TYPE_CHECKING:
    from collections.abc import Sequence

    from contests.formats.base import Reading, Rows


def ignore_false_teams(rows: Rows, reading: Reading) -> None:
    """Ignore a team column if members of a team have different results: it then names clubs, car makes or schools."""
    if rows.teams is None:
        return
    by_score = all(place is None for place in rows.places)
    if not _share(rows, _results(rows) if by_score else rows.places):
        rows.warn(
            reading, 0, "team",
            gettext(
                "rows of the same team have different results, so they don’t seem to compete as a team; Podium ignored "
                "the column."
            ),
        )  # fmt: skip
        rows.teams = None
    elif by_score and _has_few_of_several(rows):
        rows.warn(
            reading, 0, "team",
            gettext(
                "most teams have only one row, so the rows don’t seem to compete as teams; Podium ignored the column."
            ),
        )  # fmt: skip
        rows.teams = None
    elif not by_score and _ranks_count_rows(rows):
        rows.warn(
            reading, 0, "team",
            gettext(
                "most teams have only one row, and in the other teams every row counts separately in the ranks, so the "
                "rows don’t seem to compete as teams; Podium ignored the column."
            ),
        )  # fmt: skip
        rows.teams = None


def _results(rows: Rows) -> list[tuple[float, float] | None]:
    """Return what decides the places of rows without ranks: score and penalty; None for a row without a result."""
    penalties = [penalty or 0.0 for penalty in rows.penalties or repeat(None, len(rows.scores))]
    if has_times_alone(rows):
        return [None if time is None else (0.0, time) for time in rows.penalties or ()]
    pairs = zip(rows.scores, penalties, strict=True)
    return [None if score is None else (score, penalty) for score, penalty in pairs]


def _share(rows: Rows, values: Sequence[object | None]) -> bool:
    """Whether the members of each team have the same value, so the column names teams, not clubs or employers."""
    value_of: dict[str, object] = {}
    pairs = zip(rows.teams or (), values, strict=False)
    return all(value_of.setdefault(team, value) == value for team, value in pairs if team and value is not None)


def _ranks_count_rows(rows: Rows) -> bool:
    """
    Whether the ranks show that rows of one team only tied, as club mates in a race do: 1, 2, 2, 4 and not 1, 2, 2, 3.

    Most teams must have one row, because contests of teams count rows in some files too.
    """
    placed = [(place, rows.teams[i]) for i, place in enumerate(rows.places) if rows.teams and place is not None]
    places, teams = [place for place, _ in placed], [team for _, team in placed]
    return _few_have_several(teams) and places == close_up(places) != close_up(places, teams)


def _has_few_of_several(rows: Rows) -> bool:
    """Whether some teams have several rows with a result, but most have one, as the clubs in a race do."""
    found = zip(rows.teams or (), _results(rows), strict=False)
    return _few_have_several([team for team, result in found if result is not None])


def _few_have_several(teams: Sequence[str]) -> bool:
    sizes = Counter(team for team in teams if team)
    several = sum(size > 1 for size in sizes.values())
    return 0 < 2 * several < len(sizes)
