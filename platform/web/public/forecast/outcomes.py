"""The outcomes of a two-player game: a win, a draw or a loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from django.utils.translation import gettext as _

from ratings.queries.head_to_head import chances_of_sides

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ratings.queries.snapshot import SeriesSnapshot
    from web.public.forecast.queries import ContestForecast


@dataclass(frozen=True, slots=True)
class OutcomeRow:
    """
    A result of a game, with its rating change in displayed points.

    needed
        The text to show if a goal needs this result or a better one.
    chance
        The probability of the result, in percent; None for a draw in a series without any, or with none counted yet.
    """

    label: str
    needed: str
    change: int
    rating: int
    chance: float | None


def outcome_rows(
    snapshot: SeriesSnapshot, contest_forecast: ContestForecast, before: int, draw_rate: float
) -> list[OutcomeRow]:
    """
    Return a win, a draw and a loss, whose chances add up to 100.

    draw_rate
        The probability that equal players draw; 0 in a series without draws, or if it is not yet computed.
    """
    trial, model = contest_forecast.trial, contest_forecast.model
    ends, draw = trial.changes([1, 2]), trial.tied([1])
    mu, sigma = (np.insert(getattr(ends, name), 1, getattr(draw, name)) for name in ("mu", "sigma"))
    ratings = snapshot.mapping.show(snapshot.score(mu, sigma)).tolist()
    own, other = np.array([contest_forecast.own]), np.array([1 - contest_forecast.own])
    chances = chances_of_sides(trial.system, model, np.ones(2, dtype=np.int64), own, other, draw_rate)
    words = [(_("Win"), _("a win")), (_("Draw"), _("a draw or a win")), (_("Loss"), _("any result"))]
    shown = [100.0 * float(chance[0]) for chance in chances]
    percentages = [shown[0], shown[1] if draw_rate else None, shown[2]]
    return [
        OutcomeRow(label, needed, rating - before, rating, chance)
        for (label, needed), rating, chance in zip(words, ratings, percentages, strict=True)
    ]


def result_needed(outcomes: Sequence[OutcomeRow], points: int) -> tuple[str, float] | None:
    """Return the worst result that brings at least these points, and the chance of it or a better one, in percent."""
    enough = [row for row in outcomes if row.rating >= points]
    return (enough[-1].needed, sum(row.chance or 0.0 for row in enough)) if enough else None
