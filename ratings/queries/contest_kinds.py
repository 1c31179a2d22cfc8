"""The kinds of rated contests in a series (contests, games or both), so that pages can name what they count."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from django.db.models import Exists

from contests.caching import cached
from contests.models import Contest, Series

if TYPE_CHECKING:
    from ratings.models import Run
    from ratings.queries.snapshot import SeriesSnapshot


class Kinds(StrEnum):
    """The kinds of rated contests in a series; a run counts each game of an event as a contest."""

    CONTESTS = "contests"
    GAMES = "games"
    BOTH = "both"


def kinds_in(series_id: int) -> Kinds:
    """
    Return the kinds of rated contests that a series has now, in one query.

    Two-player contests outside events are games if nothing else is rated, and contests otherwise.
    """
    rated = Contest.objects.rated().filter(series=series_id)
    exist = Exists(rated), Exists(rated.listed_alone().exclude(standing_count=2)), Exists(rated.exclude(event=None))
    has_any, has_contests, has_games = Series.objects.filter(pk=series_id).values_list(*exist).get()
    if has_any and not has_contests:
        return Kinds.GAMES
    return Kinds.BOTH if has_games else Kinds.CONTESTS


def kinds_of(run: Run | None) -> Kinds:
    """Return the kinds of contests that a run rated, cached."""
    if run is None or not run.contest_count:
        return Kinds.CONTESTS
    return Kinds(cached(f"contest-kinds:{run.uid}", lambda: kinds_in(run.series_id), 86_400))


def is_of_games(snapshot: SeriesSnapshot) -> bool:
    """
    Return whether all rated contests of a series are games.

    In other series, pages call all of them contests, even those that are games.
    """
    return kinds_of(snapshot.run) is Kinds.GAMES
