"""Players that a search found, as rows with their ratings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from contests.queries.communities import names_if_several
from ratings.models import Rating
from ratings.queries.snapshot import snapshots_of
from ratings.queries.sparklines import newest_ratings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from contests.models import Player
    from contests.models.contest import SeriesQuerySet
    from ratings.queries.snapshot import SeriesSnapshot


#: Ratings of a player that a list shows, those with the most contests.
MOST_RATINGS = 3


@dataclass(frozen=True, slots=True)
class FoundPlayer:
    """
    A player with the displayed rating in the series with the most contests, and those after it.

    alias
        The other name that matched.
    community
        The name of the community if the site has several.
    line
        The newest displayed ratings in the first series, oldest first.
    more
        The number of further series.
    """

    player: Player
    ratings: list[tuple[Rating, SeriesSnapshot, int]]
    alias: str = ""
    community: str = ""
    line: Sequence[int] = ()
    more: int = 0


def found_players(
    players: Sequence[Player], series: SeriesQuerySet, aliases: dict[int, str] | None = None
) -> tuple[list[FoundPlayer], list[SeriesSnapshot]]:
    """Return the rows of players in the same order with their ratings in these series, in four or five queries."""
    ratings: dict[int, list[Rating]] = {}
    rated = Rating.objects.filter(player__in=players, series__in=series)
    for rating in rated.select_related("series").defer("belief").order_by("-contest_count", "series"):
        ratings.setdefault(rating.player_id, []).append(rating)
    communities = names_if_several({player.community_id for player in players})
    snapshots = snapshots_of({rating.series for listed in ratings.values() for rating in listed[:MOST_RATINGS]})
    lines = newest_ratings((snapshots[listed[0].series_id], listed[0]) for listed in ratings.values())
    rows = []
    for player in players:
        listed = ratings.get(player.pk, [])
        shown = [(one, snapshots[one.series_id]) for one in listed[:MOST_RATINGS]]
        row = FoundPlayer(
            player,
            [(one, snapshot, snapshot.rating(one.score)) for one, snapshot in shown],
            (aliases or {}).get(player.pk, ""),
            communities.get(player.community_id, ""),
            lines.get(listed[0].pk, ()) if listed else (),
            len(listed) - len(shown),
        )
        rows.append(row)
    return rows, list(snapshots.values())
