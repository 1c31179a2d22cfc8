"""The rows of the forecast page: goals with the places they need, a table of places, and a curve."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from ratings.systems.forecast.prediction import PlaceChances
from web.public.forecast.outcomes import outcome_rows, result_needed
from web.shared.good_contests import good_contests_to
from web.shared.numbers import points as as_points

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ratings.models import Rating
    from ratings.queries.snapshot import SeriesSnapshot
    from ratings.systems.forecast.by_place import PredictedChanges, Trial
    from web.public.forecast.outcomes import OutcomeRow
    from web.public.forecast.queries import ContestForecast

#: The table lists each place of fields up to this size, and round places of larger fields.
EVERY_PLACE = 24
#: The probability of the range of likely places.
RANGE = 0.8
#: Size of the drawing.
WIDTH, HEIGHT = 600.0, 240.0
#: The height of a line of text in the drawing on a phone.
LINE = 22.0
#: The axis of places is logarithmic if the median place is in the first of this many equal parts of the field.
LOGARITHMIC = 8
#: For systems that rate a whole contest for each place, the curve has every place of fields up to this size.
EVERY_POINT = 60


@dataclass(frozen=True, slots=True)
class Goal:
    """
    A rating to reach.

    needed
        The worst place or result that reaches it, in words; empty if even a win does not.
    place
        The worst place that reaches it; None if even a win does not, and in two-player games.
    chance
        The probability of this place or better, in percent.
    good
        If even a win does not reach it: about how many good contests it takes, and the points that each of them brings,
        which are at most those of a win.
    """

    label: str
    rating: int
    needed: str
    place: int | None
    chance: float
    good: tuple[int, int] | None


@dataclass(frozen=True, slots=True)
class PlaceRow:
    """
    A place, its rating change in displayed points, and the probability of this place or better in percent.

    tied
        The rating change if the player shares the place with one other; None for the last place, in large fields, and
        in series without ties.
    is_median
        Whether this is the row of the median place, or the nearest to it.
    """

    place: int
    change: int
    tied: int | None
    rating: int
    chance: float
    is_median: bool


@dataclass(frozen=True, slots=True)
class Forecast:
    """
    The forecast of one player in one field; places count from 1, ratings are in displayed points.

    median, expected
        The place that the player reaches half of the time, and the mean of all places.
    low, high
        The range of likely places: the narrowest one with the probability RANGE.
    outcomes
        A win, a draw and a loss of a two-player game; empty for other contests.
    """

    before: int
    entries: int
    median: int
    expected: float
    low: int
    high: int
    win: int
    last: int
    goals: list[Goal]
    rows: list[PlaceRow]
    outcomes: list[OutcomeRow]
    curve: Curve | None

    @property
    def expected_score(self) -> float:
        """The expected score of a two-player game, in which a draw counts half."""
        win, draw = (row.chance or 0.0 for row in self.outcomes[:2])
        return (win + 0.5 * draw) / 100.0

    @property
    def good(self) -> tuple[int, int] | None:
        """The number and the gain of good contests for the first goal that needs several."""
        return next((goal.good for goal in self.goals if goal.good), None)


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
    median_x: str
    median_y: str
    band_x: str
    band_width: str
    places: list[Tick]
    changes: list[Tick]
    is_logarithmic: bool


def forecast_of(
    snapshot: SeriesSnapshot,
    contest_forecast: ContestForecast,
    rating: Rating | None,
    target: int | None,
    differences: Sequence[int],
    draw_rate: float,
    *,
    has_ties: bool = True,
) -> Forecast:
    """
    Return the forecast with its goals, table and curve.

    differences
        The changes of the player's displayed rating in the newest contests, oldest first.
    draw_rate
        The probability that equal players draw, for two-player games.
    has_ties
        Whether players of the series tie at all.
    """
    trial = contest_forecast.trial
    chances = PlaceChances(contest_forecast.model, contest_forecast.own)
    before = _before(snapshot, contest_forecast, rating)
    outcomes = outcome_rows(snapshot, contest_forecast, before, draw_rate) if contest_forecast.is_game else []
    goals = [
        _goal(snapshot, contest_forecast, chances, outcomes, label, points, differences, before)
        for label, points in _wanted(snapshot, rating, before, target)
    ]
    median, expected = chances.place_within(0.5), chances.expected_place
    wanted = _listed(contest_forecast, median, [goal.place for goal in goals if goal.place is not None])
    tied = _tied(snapshot, trial, before) if has_ties else {}
    rows = _rows(snapshot, contest_forecast, trial.changes(wanted), chances, before, median, tied)
    low, high = chances.likely_places(RANGE)
    curve = None
    if not outcomes:
        drawn = trial.changes(None if trial.is_fast or trial.size <= EVERY_POINT else _few(trial.size))
        curve = _curve(snapshot, contest_forecast, drawn, before, median, (low, high))
    return Forecast(
        before, contest_forecast.entries, median, expected, low, high, rows[0].rating, rows[-1].rating,
        goals, rows, outcomes, curve,
    )  # fmt: skip


def _few(size: int) -> NDArray[np.int64]:
    """Return up to 16 places, denser at both ends."""
    from_the_top = np.geomspace(1.0, 0.5 * size, 8)
    return np.unique(np.rint(np.concatenate([from_the_top, size + 1.0 - from_the_top])).astype(np.int64))


def _before(snapshot: SeriesSnapshot, contest_forecast: ContestForecast, rating: Rating | None) -> int:
    if rating is not None:
        return snapshot.rating(rating.score)
    return snapshot.rating_of(contest_forecast.trial.mu_before, contest_forecast.trial.sigma_before)


def _wanted(snapshot: SeriesSnapshot, rating: Rating | None, before: int, target: int | None) -> list[tuple[str, int]]:
    """Return the goals with the displayed ratings that they need."""
    wanted = [(_("Keep the rating"), before)]
    above = snapshot.tiers.next_tier(before)
    if above is not None and above.minimum is not None:
        wanted.append((_("Next tier: %(tier)s") % {"tier": above.name}, above.minimum))
    if rating is not None and snapshot.rating(rating.peak) >= before:
        wanted.append((_("A new peak"), snapshot.rating(rating.peak) + 1))
    if target is not None:
        wanted.append((_("The rating you entered"), target))
    return wanted


def _goal(
    snapshot: SeriesSnapshot,
    contest_forecast: ContestForecast,
    chances: PlaceChances,
    outcomes: Sequence[OutcomeRow],
    label: str,
    points: int,
    differences: Sequence[int],
    before: int,
) -> Goal:
    if outcomes:
        result = result_needed(outcomes, points)
        if result is not None:
            return Goal(label, points, result[0], None, result[1], None)
    else:
        found = contest_forecast.trial.last_place(lambda mu, sigma: snapshot.rating_of(mu, sigma) >= points)
        if found is not None:
            place = contest_forecast.place(found)
            is_any = found == contest_forecast.trial.size
            return Goal(label, points, _place_needed(place, is_any=is_any), place, 100.0 * chances.at_most(place), None)
    win = snapshot.rating_of(*(float(value[0]) for value in contest_forecast.trial.at(np.array([1]))[:2])) - before
    gains = [min(difference, win) for difference in differences]
    return Goal(label, points, "", None, 0.0, good_contests_to(points - before, gains))


def _place_needed(place: int, *, is_any: bool) -> str:
    if is_any:
        return pgettext("place", "any")
    return _("a win") if place == 1 else _("%(place)s or better") % {"place": as_points(place)}


def _listed(contest_forecast: ContestForecast, median: int, goals: Sequence[int]) -> list[int]:
    """Return the places of the trial that the table lists."""
    size = contest_forecast.trial.size
    if size <= EVERY_PLACE:
        return list(range(1, size + 1))
    round_places = [step * 10**power for power in range(math.ceil(math.log10(size)) + 1) for step in (1, 2, 5)]
    if LOGARITHMIC * median > contest_forecast.entries:
        # The player usually finishes outside the first places, so list about ten places at equal distances.
        apart = next(place for place in round_places if place * 12 >= size)
        round_places = list(range(apart, size, apart))
    wanted = {place for place in round_places if place <= 0.97 * size} | {1, 2, 3, size}
    if not contest_forecast.is_sampled:
        wanted |= {median, *goals}
    return sorted(wanted)


def _rows(
    snapshot: SeriesSnapshot,
    contest_forecast: ContestForecast,
    outcomes: PredictedChanges,
    chances: PlaceChances,
    before: int,
    median: int,
    tied: dict[int, int],
) -> list[PlaceRow]:
    ratings = snapshot.mapping.show(snapshot.score(outcomes.mu, outcomes.sigma)).tolist()
    places = [contest_forecast.place(place) for place in outcomes.place.tolist()]
    nearest = min(places, key=lambda place: abs(place - median))
    return [
        PlaceRow(place, rating - before, tied.get(place), rating, 100.0 * chances.at_most(place), place == nearest)
        for place, rating in zip(places, ratings, strict=True)
    ]


def _tied(snapshot: SeriesSnapshot, trial: Trial, before: int) -> dict[int, int]:
    """Return the rating change for each shared place; empty for a large field, in which a tie changes little."""
    if trial.size > EVERY_PLACE:
        return {}
    shared = trial.tied(range(1, trial.size))
    ratings = snapshot.mapping.show(snapshot.score(shared.mu, shared.sigma)).tolist()
    return {place: rating - before for place, rating in zip(shared.place.tolist(), ratings, strict=True)}


def _curve(
    snapshot: SeriesSnapshot,
    contest_forecast: ContestForecast,
    outcomes: PredictedChanges,
    before: int,
    median: int,
    band: tuple[int, int],
) -> Curve:
    entries = contest_forecast.entries
    places = np.array([contest_forecast.place(place) for place in outcomes.place.tolist()], dtype=np.float64)
    changes = snapshot.mapping.position(snapshot.score(outcomes.mu, outcomes.sigma)) - before
    logarithmic = LOGARITHMIC * median < entries
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
        median_x=f"{x(median):.1f}",
        median_y=f"{y(float(np.interp(x(median), at, changes))):.1f}",
        band_x=f"{left:.1f}",
        band_width=f"{max(2.0, right - left):.1f}",
        places=[
            Tick(f"{x(place):.1f}", _place_label(place, entries)) for place in _ticks(entries, logarithmic=logarithmic)
        ],
        changes=[Tick(f"{y(end):.1f}", _with_sign(end)) for end in (high, low) if abs(y(end) - y(0.0)) > LINE],
        is_logarithmic=logarithmic,
    )


def _ticks(entries: int, *, logarithmic: bool) -> list[int]:
    """Return the places to label below the curve, few enough for a phone."""
    if logarithmic:
        powers = [10**power for power in range(math.ceil(math.log10(entries)))]
        return [place for place in powers if place * 10 <= entries] + [entries]
    middle = [round(1 + (entries - 1) * share) for share in (1 / 3, 2 / 3)] if entries > 8 else []
    return sorted({1, *middle, entries})


def _place_label(place: int, entries: int) -> str:
    if place == 1:
        return _("win")
    return _("last (%(place)s)") % {"place": as_points(place)} if place == entries else as_points(place)


def _with_sign(change: float) -> str:
    number = as_points(round(change))
    return f"+{number}" if change > 0 else number
