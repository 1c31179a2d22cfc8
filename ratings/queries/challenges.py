"""The rules of a ladder for one player: whom the player can challenge, and when an idle player falls."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

import numpy as np

from contests.models import Contest
from ratings.queries.rows import leaders
from ratings.systems import get_system

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from ratings.models import Rating
    from ratings.queries.rows import Leader
    from ratings.queries.snapshot import SeriesSnapshot
    from ratings.systems import RatingSystem


@dataclass(frozen=True, slots=True)
class Challenges:
    """
    The rules of a ladder for one player.

    reach
        How many places above their own players can challenge; None for no limit.
    inserts
        Whether a winner takes the loser's position and those between move down; otherwise the two exchange positions.
    opponents, count
        The nearest players whom the player can challenge, nearest first, and the number of all of them.
    falls_after, falls_by
        Without another contest of the player, the first contest of the ladder after this moment costs this many places;
        None and 0 if idle players do not fall.
    """

    reach: int | None
    inserts: bool
    opponents: Sequence[Leader]
    count: int
    falls_after: datetime | None
    falls_by: int


def challenges_of(snapshot: SeriesSnapshot, rating: Rating | None, most: int) -> Challenges | None:
    """
    Return the rules of a ladder for a player; None if the series is not rated as a ladder.

    rating
        The player's rating, with its last contest; None for someone who has not entered the ladder.
    most
        The largest number of opponents to name.
    """
    if snapshot.run is None or not snapshot.has_positions:
        return None
    system = get_system(snapshot.run.scheme.system, **snapshot.run.scheme.parameters)
    # Scores are positions with their signs changed, and the order is all that counts.
    possible = system.can_challenge(None if rating is None else -rating.score, -snapshot.index.scores)
    rules = system.parameters()
    nearest_first = snapshot.index.player_ids[np.flatnonzero(possible)[::-1]]
    falls_after = _falls_after(snapshot, rating, system) if rating is not None else None
    return Challenges(
        reach=int(rules["reach"]) or None,
        inserts=rules["on_win"] == "insert",
        opponents=leaders(snapshot, nearest_first[:most].tolist()),
        count=len(nearest_first),
        falls_after=falls_after,
        falls_by=int(rules["idle_penalty"]) if falls_after else 0,
    )


def _falls_after(snapshot: SeriesSnapshot, rating: Rating, system: RatingSystem) -> datetime | None:
    """Return when the player's current idle period ends."""
    days = system.parameters()["idle_days"]
    if not days:
        return None
    rated = Contest.objects.rated().filter(series=snapshot.series)
    newest = rated.newest_first().values_list("ends_at", flat=True).first()
    # A period of less than a microsecond would be rounded to none.
    last, period = rating.last_contest.ends_at, max(timedelta(days=days), timedelta.resolution)
    # The published ratings may count contests that have been deleted, and not be rated again yet.
    return last + ((max(newest or last, last) - last) // period + 1) * period
