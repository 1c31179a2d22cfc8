"""All series of one player side by side: a row of numbers and a small graph of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ratings.models import RatingChange
from ratings.queries.snapshot import snapshots_of
from web.public.player.profile import figures

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ratings.models import Rating
    from ratings.queries.snapshot import SeriesSnapshot
    from web.public.player.profile import Figures


@dataclass(frozen=True, slots=True)
class SeriesRow:
    """
    A player in one series.

    ratings
        After each contest, oldest first, in shown points.
    """

    snapshot: SeriesSnapshot
    figures: Figures
    ratings: list[int]


def series_rows(ratings: Sequence[Rating]) -> list[SeriesRow]:
    """Return the rows of a player's ratings, each with its series, in the order given; three queries."""
    snapshots = snapshots_of(rating.series for rating in ratings)
    histories = _histories(ratings)
    return [
        SeriesRow(snapshot, figures(snapshot, rating), _shown(snapshot, histories.get(rating.series_id, [])))
        for rating in ratings
        for snapshot in [snapshots[rating.series_id]]
    ]


def _histories(ratings: Sequence[Rating]) -> dict[int, list[Any]]:
    """Return (mean, deviation) after each rated contest of one player by series, oldest first."""
    found: dict[int, list[Any]] = {}
    changes = RatingChange.objects.current().filter(
        player__in={rating.player_id for rating in ratings}, series__in=[rating.series_id for rating in ratings]
    )
    ordered = changes.order_by("contest__ends_at", "contest__sequence", "contest_id")
    for series_id, *belief in ordered.values_list("series_id", "mu", "sigma"):
        found.setdefault(series_id, []).append(belief)
    return found


def _shown(snapshot: SeriesSnapshot, beliefs: Sequence[Any]) -> list[int]:
    if not beliefs:
        return []
    mu, sigma = np.array(beliefs).T
    return list(snapshot.mapping.show(snapshot.score(mu, sigma)).tolist())
