"""Links on a player's page with which visitors who are players themselves report a game."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from contests.queries.reports import claims_of, series_with_reports

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser, User

    from contests.models import Player, Series

#: Series with a link of their own; the page “My games” has all.
SERIES_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Reports:
    """
    The series in which the visitor can report games.

    is_own
        Whether the page is that of the visitor's own player; otherwise the links are for games against the player.
    """

    series: list[Series]
    is_own: bool


def reports_of(user: User | AnonymousUser, player: Player) -> Reports | None:
    """Return the links for a visitor whose account is a player of the same community; None for everyone else."""
    if not user.is_authenticated:
        return None
    claim = claims_of(user).filter(community=player.community_id).first()
    if claim is None:
        return None
    series = list(series_with_reports(user, [claim])[:SERIES_SHOWN])
    return Reports(series, claim.player_id == player.pk) if series or claim.player_id == player.pk else None
