"""Players that a search found, as rows with their ratings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from contests.queries.communities import names_if_several
from ratings.models import Rating
from ratings.queries.filters import country_name
from ratings.queries.snapshot import snapshots_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from contests.models import Player
    from contests.models.contest import SeriesQuerySet
    from ratings.queries.snapshot import SeriesSnapshot


@dataclass(frozen=True, slots=True)
class FoundPlayer:
    """
    A player with the displayed rating in each series, most contests first.

    `alias` is the name that matched, and `community` the name of the community if the site has several.
    """

    player: Player
    country: str
    ratings: list[tuple[Rating, SeriesSnapshot, int]]
    alias: str = ""
    community: str = ""


def found_players(
    players: Sequence[Player], series: SeriesQuerySet, aliases: dict[int, str] | None = None
) -> tuple[list[FoundPlayer], list[SeriesSnapshot]]:
    """Return the rows of players in the same order with their ratings in these series, in three or four queries."""
    ratings: dict[int, list[Rating]] = {}
    rated = Rating.objects.filter(player__in=players, series__in=series)
    for rating in rated.select_related("series").defer("belief").order_by("-contest_count", "series"):
        ratings.setdefault(rating.player_id, []).append(rating)
    communities = names_if_several({player.community_id for player in players})
    snapshots = snapshots_of({rating.series for listed in ratings.values() for rating in listed})
    rows = [
        FoundPlayer(
            player,
            country_name(player.country),
            [
                (rating, snapshots[rating.series_id], snapshots[rating.series_id].rating(rating.score))
                for rating in ratings.get(player.pk, [])
            ],
            (aliases or {}).get(player.pk, ""),
            communities.get(player.community_id, ""),
        )
        for player in players
    ]
    return rows, list(snapshots.values())
