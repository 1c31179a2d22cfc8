"""Contests of teams and systems that rate single players do not go together: said in words, before anything is done."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contests.errors import ContestError
from contests.models import Contest

if TYPE_CHECKING:
    from ratings.systems import RatingSystem


def refuse_teams(system: RatingSystem, contest: Contest) -> None:
    """Raise ContestError if the contest, which has teams, is nothing that the system can rate."""
    if not system.rates_teams:
        raise ContestError(
            f"“{contest.name}” is a contest of teams, and {system.name} rates single players. "
            "Give one row per player without a team, mark the contest as unrated, or choose a system that rates teams "
            "(trueskill, elo or kreimeier)."
        )


def refuse_rated_teams(system: RatingSystem, series_id: int) -> None:
    """Raise ContestError if a rated contest of the series has teams that the system cannot rate."""
    if not system.rates_teams:
        contest = Contest.objects.rated().filter(series_id=series_id, has_teams=True).in_order().first()
        if contest is not None:
            refuse_teams(system, contest)
