"""The rows of the forecast page: goals with the places they need, a table of places, and a curve."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from django.utils.translation import gettext as _

from ratings.systems.forecast.prediction import PlaceChances
from web.shared.tags import points as as_points

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from ratings.models import Rating
    from ratings.queries.snapshot import SeriesSnapshot
    from ratings.systems.forecast.by_place import PredictedChanges
    from web.public.forecast.queries import ContestForecast

#: The table lists each place of fields up to this size, and round places of larger fields.
EVERY_PLACE = 24
#: The probability of the range of likely places.
RANGE = 0.8
#: Size of the drawing.
WIDTH, HEIGHT = 600.0, 240.0
#: The height of a line of text in the drawing on a phone.
LINE = 22.0
#: The axis of places is logarithmic if the expected place is in the first of this many equal parts of the field.
LOGARITHMIC = 8
#: For systems that rate a whole contest for each place, the curve has every place of fields up to this size.
EVERY_POINT = 60


@dataclass(frozen=True, slots=True)
class Goal:
    """
    A rating to reach.

    place
        The worst place that reaches it; None if even a win does not.
    chance
        The probability of this place or better, in percent.
    is_any
        Whether the last place reaches it too.
    """

    label: str
    rating: int
    place: int | None
    chance: float
    is_any: bool


@dataclass(frozen=True, slots=True)
class PlaceRow:
    """A place, its rating change in displayed points, and the probability of this place or better in percent."""

    place: int
    change: int
    rating: int
    chance: float
    is_expected: bool


@dataclass(frozen=True, slots=True)
class Forecast:
    """The forecast of one player in one field; places count from 1, ratings are in displayed points."""

    before: int
    entries: int
    expected: float
    low: int
    high: int
    win: int
    last: int
    goals: list[Goal]
    rows: list[PlaceRow]
    curve: Curve


@dataclass(frozen=True, slots=True)
class Tick:
    """A mark on an axis: its coordinate and label."""

    at: str
    label: str


@dataclass(frozen=True, slots=True)
class Curve:
    """The coordinates of the curve, formatted for SVG, in a box of WIDTH by HEIGHT."""

    line: str
    zero: str
    expected_x: str
    expected_y: str
    band_x: str
    band_width: str
    places: list[Tick]
    changes: list[Tick]
    is_logarithmic: bool


def forecast_of(
    snapshot: SeriesSnapshot, contest_forecast: ContestForecast, rating: Rating | None, target: int | None
) -> Forecast:
    """Return the forecast with its goals, table and curve."""
    trial = contest_forecast.trial
    chances = PlaceChances(contest_forecast.model, contest_forecast.own)
    before = _before(snapshot, contest_forecast, rating)
    curve_changes = trial.changes(None if trial.is_fast or trial.size <= EVERY_POINT else _few(trial.size))
    goals = _goals(snapshot, contest_forecast, chances, rating, before, target)
    expected = chances.expected_place
    wanted = _listed(contest_forecast, expected, [goal.place for goal in goals if goal.place is not None])
    rows = _rows(snapshot, contest_forecast, trial.changes(wanted), chances, before, expected)
    low, high = chances.place_within(0.5 - RANGE / 2), chances.place_within(0.5 + RANGE / 2)
    return Forecast(
        before, contest_forecast.entries, expected, low, high, rows[0].rating, rows[-1].rating, goals, rows,
        _curve(snapshot, contest_forecast, curve_changes, before, expected, (low, high)),
    )  # fmt: skip


def _few(size: int) -> NDArray[np.int64]:
    """Return up to 16 places, denser at both ends."""
    from_the_top = np.geomspace(1.0, 0.5 * size, 8)
    return np.unique(np.rint(np.concatenate([from_the_top, size + 1.0 - from_the_top])).astype(np.int64))


def _before(snapshot: SeriesSnapshot, contest_forecast: ContestForecast, rating: Rating | None) -> int:
    if rating is not None:
        return snapshot.rating(rating.score)
    return snapshot.rating_of(contest_forecast.trial.mu_before, contest_forecast.trial.sigma_before)


def _goals(
    snapshot: SeriesSnapshot,
    contest_forecast: ContestForecast,
    chances: PlaceChances,
    rating: Rating | None,
    before: int,
    target: int | None,
) -> list[Goal]:
    wanted = [(_("Keep the rating"), before)]
    above = snapshot.tiers.next_tier(before)
    if above is not None and above.minimum is not None:
        wanted.append((_("Next tier: %(tier)s") % {"tier": above.name}, above.minimum))
    if rating is not None and snapshot.rating(rating.peak) >= before:
        wanted.append((_("A new peak"), snapshot.rating(rating.peak) + 1))
    if target is not None:
        wanted.append((_("The rating you entered"), target))
    return [_goal(contest_forecast, chances, label, points, snapshot.rating_of) for label, points in wanted]


def _goal(
    contest_forecast: ContestForecast,
    chances: PlaceChances,
    label: str,
    points: int,
    rating_of: Callable[[float, float], int],
) -> Goal:
    found = contest_forecast.trial.last_place(lambda mu, sigma: rating_of(mu, sigma) >= points)
    if found is None:
        return Goal(label, points, None, 0.0, is_any=False)
    place = contest_forecast.place(found)
    return Goal(label, points, place, 100.0 * chances.at_most(place), is_any=found == contest_forecast.trial.size)


def _listed(contest_forecast: ContestForecast, expected: float, goals: Sequence[int]) -> list[int]:
    """Return the places of the trial that the table lists."""
    size = contest_forecast.trial.size
    if size <= EVERY_PLACE:
        return list(range(1, size + 1))
    round_places = [step * 10**power for power in range(math.ceil(math.log10(size)) + 1) for step in (1, 2, 5)]
    if LOGARITHMIC * expected > contest_forecast.entries:
        # Expected outside the first places: about ten places at equal distances.
        apart = next(place for place in round_places if place * 12 >= size)
        round_places = list(range(apart, size, apart))
    wanted = {place for place in round_places if place <= 0.97 * size} | {1, 2, 3, size}
    if not contest_forecast.is_sampled:
        wanted |= {round(expected), *goals}
    return sorted(wanted)


def _rows(
    snapshot: SeriesSnapshot,
    contest_forecast: ContestForecast,
    outcomes: PredictedChanges,
    chances: PlaceChances,
    before: int,
    expected: float,
) -> list[PlaceRow]:
    ratings = snapshot.mapping.show(snapshot.score(outcomes.mu, outcomes.sigma)).tolist()
    places = [contest_forecast.place(place) for place in outcomes.place.tolist()]
    nearest = min(places, key=lambda place: abs(place - expected))
    return [
        PlaceRow(place, rating - before, rating, 100.0 * chances.at_most(place), place == nearest)
        for place, rating in zip(places, ratings, strict=True)
    ]


def _curve(
    snapshot: SeriesSnapshot,
    contest_forecast: ContestForecast,
    outcomes: PredictedChanges,
    before: int,
    expected: float,
    band: tuple[int, int],
) -> Curve:
    entries = contest_forecast.entries
    places = np.array([contest_forecast.place(place) for place in outcomes.place.tolist()], dtype=np.float64)
    changes = snapshot.mapping.position(snapshot.score(outcomes.mu, outcomes.sigma)) - before
    logarithmic = LOGARITHMIC * expected < entries
    low, high = min(0.0, float(changes.min())), max(0.0, float(changes.max()))
    height = max(high - low, 1e-9)

    def x(place: float) -> float:
        share = math.log(place) / math.log(entries) if logarithmic else (place - 1.0) / max(1, entries - 1)
        return WIDTH * share

    def y(change: float) -> float:
        return HEIGHT * (high - change) / height

    at = [x(place) for place in places.tolist()]
    line = " ".join(f"{left:.1f},{y(change):.1f}" for left, change in zip(at, changes.tolist(), strict=True))
    left, right = x(band[0]), x(band[1])
    return Curve(
        line=line,
        zero=f"{y(0.0):.1f}",
        expected_x=f"{x(expected):.1f}",
        expected_y=f"{y(float(np.interp(x(expected), at, changes))):.1f}",
        band_x=f"{left:.1f}",
        band_width=f"{max(2.0, right - left):.1f}",
        places=[Tick(f"{x(place):.1f}", as_points(place)) for place in _ticks(entries, logarithmic=logarithmic)],
        changes=[Tick(f"{y(end):.1f}", _with_sign(end)) for end in (high, low) if abs(y(end) - y(0.0)) > LINE],
        is_logarithmic=logarithmic,
    )


def _ticks(entries: int, *, logarithmic: bool) -> list[int]:
    """Return the places to label below the curve, few enough for a phone."""
    if logarithmic:
        powers = [10**power for power in range(math.ceil(math.log10(entries)))]
        return [place for place in powers if place * 3 <= entries] + [entries]
    middle = [round(1 + (entries - 1) * share) for share in (0.25, 0.5, 0.75)] if entries > 8 else []
    return sorted({1, *middle, entries})


def _with_sign(change: float) -> str:
    number = as_points(round(change))
    return f"+{number}" if change > 0 else number
