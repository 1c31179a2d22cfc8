"""Players that a search has found, with their ratings: for the pages that list them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from contests.queries.visibility import visible_series
from ratings.models import Rating
from ratings.queries.filters import country_name
from ratings.queries.snapshot import snapshots_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from django.contrib.auth.models import AnonymousUser, User

    from contests.models import Player
    from ratings.queries.snapshot import SeriesSnapshot


@dataclass(frozen=True, slots=True)
class FoundPlayer:
    """A player with the rating shown in each series, most contests first; `alias` is what led here, if that."""

    player: Player
    country: str
    ratings: list[tuple[Rating, SeriesSnapshot, int]]
    alias: str = ""


def found_players(
    players: Sequence[Player], user: User | AnonymousUser, aliases: dict[int, str] | None = None
) -> tuple[list[FoundPlayer], list[SeriesSnapshot]]:
    """Return the rows of these players, in their order, and the series that they are rated in: three queries."""
    ratings: dict[int, list[Rating]] = {}
    rated = Rating.objects.filter(player__in=players, series__in=visible_series(user))
    for rating in rated.select_related("series").defer("belief").order_by("-contest_count", "series"):
        ratings.setdefault(rating.player_id, []).append(rating)
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
        )
        for player in players
    ]
    return rows, list(snapshots.values())
