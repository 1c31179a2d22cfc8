"""The page on how ratings work in a series: parameters, display and accuracy."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
from django.shortcuts import render
from django.utils.translation import gettext as _

from ratings.backtests.candidates import scores_from
from ratings.database import consistent_read
from ratings.derived import accuracy, newest_derived
from ratings.derived.draws import RARE
from ratings.descriptions import description_of, label_of, unit_of, value_in_words, words_of
from ratings.queries.rows import newcomer_belief
from ratings.queries.snapshot import snapshot_of, wait_state
from ratings.systems import SYSTEMS
from web.shared.params import series_at
from web.shared.tiers import tier_counts

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

    from ratings.derived import Content
    from ratings.display import Tier
    from ratings.queries.snapshot import SeriesSnapshot
    from web.shared.params import SeriesPath


#: The number of points of the curve.
CURVE_POINTS = 61
#: The size of the drawings, which scale with the page.
WIDTH, HEIGHT = 600.0, 300.0
#: The height of a label in the drawing on a phone.
LABEL = 20.0
#: The minimum number of pairs in a bin of the calibration graph; fewer say little.
LEAST_PAIRS = 10
_SQUARE = 300.0


@dataclass(frozen=True, slots=True)
class ParameterRow:
    """A parameter in words; `is_own` is true if its value differs from the default."""

    label: str
    value: str
    default: str
    unit: str
    description: str
    is_own: bool


@dataclass(frozen=True, slots=True)
class Threshold:
    """A tier's lower limit in the drawing of the curve, and the height of its label, which no other label covers."""

    tier: Tier
    number: int
    y: float
    label_y: float

    @property
    def is_low(self) -> bool:
        """Whether the rising curve leaves more room for the label at its right end."""
        return self.y > 0.5 * HEIGHT


@dataclass(frozen=True, slots=True)
class Curve:
    """
    The curve from internal to displayed ratings, in units of the drawing; `low` and `high` are in rating points.

    newcomer
        The displayed rating with which everyone starts; None on a ladder, where newcomers enter at the bottom.
    """

    line: str
    thresholds: list[Threshold]
    low: float
    high: float
    shown_low: int
    shown_high: int
    newcomer_x: float
    newcomer_y: float
    newcomer: int | None


@dataclass(frozen=True, slots=True)
class SystemAccuracy:
    """The accuracy of one system, with the measures of `ratings.systems.Scores`."""

    name: str
    title: str
    is_own: bool
    pair_inversion: float
    rank_deviation: float
    log_loss: float


@dataclass(frozen=True, slots=True)
class EvaluatedCount:
    """The number of evaluated contests and of all; `are_few` if they say little about which system is better."""

    contests: int
    all_contests: int
    are_few: bool


@dataclass(frozen=True, slots=True)
class CalibrationPoint:
    """
    A group of pairs whose favourites had about the same probability.

    predicted, observed
        The mean probability and the share of favourites who won, in percent.
    x, y
        The same in the drawing, whose sides go from 50 to 100 %; y is at the lower side for points below it.
    """

    predicted: float
    observed: float
    pairs: int
    x: float
    y: float

    @property
    def is_below(self) -> bool:
        """Whether fewer than half of the favourites won, so that the point is below the drawing."""
        return self.observed < 50


@dataclass(frozen=True, slots=True)
class DrawRow:
    """
    A group of pairs whose favourites had about the same expected score.

    low, high
        The range of these scores, in percent; a tie counts as half a win.
    predicted, observed
        The mean predicted probability of a tie, and the share of ties, in percent.
    """

    low: float
    high: float
    predicted: float
    observed: float
    pairs: int


def parameter_rows(snapshot: SeriesSnapshot) -> list[ParameterRow]:
    """Return all parameters of the series' system, with the values that its ratings were computed with."""
    if snapshot.scheme is None or snapshot.system not in SYSTEMS:
        return []
    rows = []
    for parameter in SYSTEMS[snapshot.system].PARAMETERS:
        value = value_in_words(snapshot.scheme.parameters.get(parameter.name, parameter.default))
        default, unit = value_in_words(parameter.default), unit_of(parameter)
        rows.append(ParameterRow(label_of(parameter), value, default, unit, words_of(parameter), value != default))
    return rows


def mapping_curve(snapshot: SeriesSnapshot) -> Curve | None:
    """Return the curve over the range of scores, with a margin; None if the series has no scheme."""
    if snapshot.scheme is None:
        return None
    newcomer = float(snapshot.score(*newcomer_belief(snapshot.scheme))) if not snapshot.has_positions else -1.0
    scores = snapshot.index.scores
    low = min(newcomer, float(scores.min())) if len(scores) else newcomer - 1000
    high = max(newcomer, float(scores.max())) if len(scores) else newcomer + 1000
    margin = 0.05 * (high - low) or 1.0
    low, high = low - margin, high + margin
    x = np.linspace(low, high, CURVE_POINTS)
    y = snapshot.mapping.position(x)
    bottom, top = float(y[0]), float(y[-1]) if y[-1] > y[0] else float(y[0]) + 1.0

    def height(value: float) -> float:
        return round(HEIGHT * (1 - (value - bottom) / (top - bottom)), 1)

    points = " ".join(
        f"{round(WIDTH * k / (CURVE_POINTS - 1), 1)},{height(value)}" for k, value in enumerate(y.tolist())
    )
    limits = [
        (height(tier.minimum), number, tier)
        for number, tier in enumerate(snapshot.tiers)
        if tier.minimum is not None and bottom < tier.minimum < top
    ]
    return Curve(
        line=points,
        thresholds=_with_labels(limits),
        low=low,
        high=high,
        shown_low=snapshot.rating(low),
        shown_high=snapshot.rating(high),
        newcomer_x=round(WIDTH * (newcomer - low) / (high - low), 1),
        newcomer_y=height(float(snapshot.mapping.position(newcomer))),
        newcomer=snapshot.rating(newcomer) if not snapshot.has_positions else None,
    )


def _with_labels(limits: list[tuple[float, int, Tier]]) -> list[Threshold]:
    """Return the limits, given with their heights, from the top; labels too close to the one above move down."""
    thresholds, label_y = [], -LABEL
    for y, number, tier in sorted(limits, key=lambda limit: limit[:2]):
        label_y = max(y, label_y + LABEL)
        thresholds.append(Threshold(tier, number, y, label_y))
    return thresholds


def system_accuracies(snapshot: SeriesSnapshot, content: Content) -> list[SystemAccuracy]:
    """Return the accuracy of each evaluated system, in the order of the evaluation; empty without enough contests."""
    return [
        SystemAccuracy(
            row["system"], description_of(row["system"]).title, row["system"] == snapshot.system,
            row["pair_inversion"], row["rank_deviation"], row["log_loss"],
        )
        for row in content["systems"]
        if row["pair_inversion"] is not None and row["log_loss"] is not None
    ]  # fmt: skip


def evaluated_count(content: Content) -> EvaluatedCount | None:
    """Return the number of evaluated contests, the same for all systems; None if an older evaluation lacks it."""
    for row in content["systems"]:
        if row.get("all_contests"):
            scores = scores_from({name: value for name, value in row.items() if name != "system"})
            return EvaluatedCount(scores.contests, scores.all_contests, scores.are_few)
    return None


def calibration(snapshot: SeriesSnapshot, content: Content) -> list[CalibrationPoint]:
    """Return how often favourites won, by the probability that the series' own system gave them."""
    own: list[dict[str, Any]] = next(
        (r["calibration"] for r in content["systems"] if r["system"] == snapshot.system), []
    )
    return [
        CalibrationPoint(
            100 * row["predicted"], 100 * row["observed"], row["pairs"],
            round(_SQUARE * (2 * row["predicted"] - 1), 1), round(_SQUARE * min(1.0, 2 - 2 * row["observed"]), 1),
        )
        for row in own
        if row["pairs"] >= LEAST_PAIRS
    ]  # fmt: skip


def draw_rows(snapshot: SeriesSnapshot, content: Content) -> list[DrawRow]:
    """Return how often pairs tied, and how often the series' own system predicted it; empty if they hardly ever did."""
    own: list[dict[str, Any]] = next(
        (r.get("draws", []) for r in content["systems"] if r["system"] == snapshot.system), []
    )
    filled = [row for row in own if row["pairs"]]
    tied = sum(row["observed"] * row["pairs"] for row in filled)
    if not tied or tied < RARE * sum(row["pairs"] for row in filled):
        return []
    return [
        DrawRow(100 * row["low"], 100 * row["high"], 100 * row["predicted"], 100 * row["observed"], row["pairs"])
        for row in own
        if row["pairs"] >= LEAST_PAIRS
    ]


def calibration_words(points: list[CalibrationPoint]) -> str:
    """Say in a sentence whether the system is overconfident or underconfident."""
    pairs = sum(point.pairs for point in points)
    if not pairs:
        return ""
    gap = sum((point.observed - point.predicted) * point.pairs for point in points) / pairs
    # The variance of the sum if all predictions are right, in percent, and if pairs are independent. Pairs of one large
    # contest are not, so in such series chance may explain more than this.
    variance = sum(point.predicted * (100 - point.predicted) * point.pairs for point in points)
    if 2 < abs(gap) <= 2 * sqrt(variance) / pairs:
        return _("Podium cannot tell yet: with so few pairs, the difference may be due to chance.")
    if gap < -2:
        return _("Yes: favourites win less often than these ratings predict.")
    if gap > 2:
        return _("No, it is underconfident: favourites win more often than these ratings predict.")
    return _("No: favourites win about as often as these ratings predict.")


def how(request: HttpRequest, at: SeriesPath) -> HttpResponse:
    """Show how the ratings of a series are computed and displayed, and how accurate they are."""
    with consistent_read():
        series = series_at(request, at)
        snapshot = snapshot_of(series)
        measured = newest_derived(snapshot, accuracy.DERIVATION)
        context = {
            "series": series,
            "snapshot": snapshot,
            "waiting": wait_state(series.pk)[0],
            "parameters": parameter_rows(snapshot),
            "curve": mapping_curve(snapshot),
            "tiers": tier_counts(snapshot),
            "measured": measured[1] if measured else None,
        }
        if measured:
            content = measured[0]
            points = calibration(snapshot, content)
            context |= {
                "accuracy": content,
                "systems": system_accuracies(snapshot, content),
                "evaluated": evaluated_count(content),
                "calibration": points,
                "calibration_words": calibration_words(points),
                "draws": draw_rows(snapshot, content),
            }
    return render(request, "how/how.html", context)
