"""Season points with a bonus pool: points that begin at 0 and follow the hidden rating.

After each contest a player gains or loses the points of an Elo step for someone who plays at points + threshold of the
league, against the hidden ratings of the field. Gains, never losses, are doubled as long as the player's bonus lasts.
The bonus grows at the same rate for everyone from the start of the season (as in StarCraft II;
docs/leagues-and-seasons.md). Points are only displayed; no rating depends on them.
"""

from __future__ import annotations

from collections.abc import Mapping as Dictionary
from dataclasses import dataclass, fields
from datetime import date
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from ratings.display.scores import require_number

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from ratings.display.mappings import Mapping
    from ratings.display.tiers import Tiers

    Floats: TypeAlias = NDArray[np.float64]
    Integers: TypeAlias = NDArray[np.int64]

#: A function of levels and hidden ratings of one field, both on the scale of `Mapping.odds` and of shape (n,). For each
#: level it returns the sum of the probabilities of beating each of the others, except the one in the same position.
WinsAgainst: TypeAlias = "Callable[[Floats, Floats], Floats]"

LENGTHS = {"year": 12, "quarter": 3, "month": 1}
"""Lengths in months of the seasons that follow the calendar (UTC)."""
_MOST_STARTS = 200
_FIRST_YEAR, _LAST_YEAR = 1900, 2200
#: The default bonus is one K in this many days.
_DAYS_OF_BONUS = 60.0


@dataclass(frozen=True, slots=True)
class SeasonRules:
    """The calendar of the seasons, and the rules for points.

    length
        "year", "quarter" or "month" of the calendar; None if `starts` has the first days.
    starts
        First days of the seasons, in ascending order; each season lasts until the next. Contests before the first have
        no season.
    k
        The largest gain in one contest of weight 1 without the bonus, in displayed points (on a fixed range, in its
        middle; less towards its ends). None for the default of the display.
    scale
        The distance (displayed points) at which the odds are ten to one. Not used if the displayed numbers themselves
        determine the odds.
    bonus_per_day
        The daily growth of everyone's bonus, in displayed points; None for one K in 60 days, 0 for no bonus.
    bonus_in_level
        Whether bonus points are part of the level that is compared with the ratings of the field. If not, they are
        added to the points without an effect on later steps.
    """

    length: str | None = None
    starts: tuple[date, ...] = ()
    k: float | None = None
    scale: float = 400.0
    bonus_per_day: float | None = None
    bonus_in_level: bool = True

    def __post_init__(self) -> None:
        if not isinstance(self.bonus_in_level, bool):
            raise ValueError(f"bonus_in_level must be true or false, not {self.bonus_in_level!r}")
        if not self.length and not self.starts:
            object.__setattr__(self, "length", "year")
        if self.length and self.starts:
            raise ValueError("a season has a length or starts, not both")
        if self.length is not None and (not isinstance(self.length, str) or self.length not in LENGTHS):
            raise ValueError(f"length must be one of {', '.join(LENGTHS)}, not {self.length!r}")
        if len(self.starts) > _MOST_STARTS:
            raise ValueError(f"starts must list at most {_MOST_STARTS} days, not {len(self.starts)}")
        for day in self.starts:
            if not _FIRST_YEAR <= day.year <= _LAST_YEAR:
                raise ValueError(f"starts must be between the years {_FIRST_YEAR} and {_LAST_YEAR}, not {day}")
        for earlier, later in pairwise(self.starts):
            if later <= earlier:
                raise ValueError(f"starts must be in ascending order: {later} comes after {earlier}")
        if self.k is not None:
            require_number("k", self.k, 0.01, 1_000_000)
        require_number("scale", self.scale, 1, 1_000_000)
        if self.bonus_per_day is not None:
            require_number("bonus_per_day", self.bonus_per_day, 0, 1_000_000)

    def k_in(self, mapping: Mapping) -> float:
        """Return K with a display, in displayed points."""
        if self.k is not None:
            return float(self.k)
        return mapping.season_k(self.scale)

    def bonus_in(self, mapping: Mapping) -> float:
        """Return the daily growth of everyone's bonus, in displayed points."""
        return self.k_in(mapping) / _DAYS_OF_BONUS if self.bonus_per_day is None else float(self.bonus_per_day)

    def season_starts(self, first: date, last: date) -> list[date]:
        """Return the first days of all seasons between two days; with `starts`, from the very first season on."""
        if not self.length:
            return [start for start in self.starts if start <= last]
        step = LENGTHS[self.length]
        begin = 12 * first.year + (first.month - 1) // step * step
        months = range(begin, 12 * last.year + last.month, step)
        return [date(month // 12, month % 12 + 1, 1) for month in months]

    def season_end(self, start: date) -> date | None:
        """Return the first day after the season that begins on a day; None if no later season is known."""
        if self.length:
            month = 12 * start.year + start.month - 1 + LENGTHS[self.length]
            return date(month // 12, month % 12 + 1, 1) if month // 12 <= date.max.year else None
        return next((later for later in self.starts if later > start), None)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form, read by `season_rules_from_dict`; it mentions `bonus_in_level` only if it is false."""
        when = {"length": self.length} if self.length else {"starts": [day.isoformat() for day in self.starts]}
        apart = {} if self.bonus_in_level else {"bonus_in_level": False}
        return {**when, "k": self.k, "scale": self.scale, "bonus_per_day": self.bonus_per_day, **apart}


def season_rules_from_dict(stored: Dictionary[str, Any]) -> SeasonRules | None:
    """Return stored rules; None (no season points) for an empty object.

    `starts` can be one day or a list of days, written as 2026-01-31. Raises ValueError, whose message says what is
    wrong and what is allowed.
    """
    if not isinstance(stored, Dictionary):
        raise ValueError(f"season must be an object, not {stored!r}")
    if not stored:
        return None
    names = [field.name for field in fields(SeasonRules)]
    unknown = sorted(set(stored) - set(names))
    if unknown:
        raise ValueError(f"season: {unknown[0]!r} is unknown; the known keys are {', '.join(names)}")
    given = dict(stored)
    if "starts" in given:
        given["starts"] = _parsed_days(given["starts"])
    if given.get("scale", 1) is None:
        del given["scale"]
    return SeasonRules(**given)


def _parsed_days(written: object) -> tuple[date, ...]:
    listed = written if isinstance(written, list | tuple) else [written]
    return tuple(_parsed_day(one) for one in listed)


def _parsed_day(written: object) -> date:
    if isinstance(written, date):
        return written
    try:
        return date.fromisoformat(written)  # type: ignore[arg-type]  # TypeError for other types
    except (TypeError, ValueError):
        raise ValueError(f"starts must be days written as 2026-01-31, not {written!r}") from None


def league_floors(tiers: Tiers, mapping: Mapping) -> Floats:
    """Return the floor of each league, to which points are added, in displayed points, shape (leagues,).

    It is the threshold of the league. The lowest league has no threshold: its floor is as far below the next league's
    as that one is below the league after it, but not below the smallest displayed number. Without two thresholds, it
    is the smallest displayed number.
    """
    thresholds = tiers.thresholds
    least = float(mapping.least)
    lowest = 2 * thresholds[0] - thresholds[1] if len(thresholds) > 1 else least
    return np.array([max(min([least, *thresholds]), lowest), *thresholds], dtype=np.float64)


def place_scores(rank: NDArray[Any]) -> Floats:
    """Return the share of opponents that each entry finished ahead of, ties half, shape (n,); n is at least two."""
    if len(rank) == 2:  # games, of which a season may have tens of thousands
        first, second = rank.tolist()
        share = 0.5 if first == second else float(first < second)
        return np.array([share, 1.0 - share])
    _, group, sizes = np.unique(rank, return_inverse=True, return_counts=True)
    worse = len(rank) - np.cumsum(sizes)
    return ((worse + 0.5 * (sizes - 1)) / (len(rank) - 1))[group]


def settle(points: Floats, steps: Floats, bonus: Floats) -> tuple[Floats, Floats]:
    """Return the points after a contest, and the bonus spent; all in displayed points, shape (n,).

    points
        Points before the contest.
    steps
        Points gained (positive) or lost without the bonus.
    bonus
        Each player's remaining bonus.
    """
    spent = np.clip(np.minimum(steps, bonus), 0.0, None)
    return np.maximum(points + steps + spent, 0.0), spent


@dataclass(frozen=True, slots=True, eq=False)
class Field:
    """
    One contest of a season.

    day
        When it ended, in days from the same origin as the start of the season.
    player
        Indices of its players, shape (n,).
    rank
        Their places; only order and equality count.
    hidden
        Their ratings before the contest in displayed points, not rounded.
    league
        Their leagues before the contest, as positions of tiers.
    team
        Labels of teams, equal for members; None if everyone plays alone.
    """

    day: float
    weight: float
    player: Integers
    rank: Integers
    hidden: Floats
    league: Integers
    team: Integers | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Settled:
    """Points after one contest, the gain including the bonus, and the bonus; shape (n,), in displayed points."""

    points: Floats
    gain: Floats
    bonus: Floats


class SeasonTable:
    """
    The current points of one season; `play` updates them.

    points, spent
        Each player's points and spent bonus, shape (players,), in displayed points.
    bare
        Each player's points as they would be without any bonus, shape (players,).
    """

    def __init__(
        self, rules: SeasonRules, tiers: Tiers, mapping: Mapping, *, start: float, players: int, wins: WinsAgainst
    ) -> None:
        """Begin a season on a day, counted from the same origin as its contests."""
        self.rules, self.mapping, self.start, self.wins_against = rules, mapping, start, wins
        self.points, self.spent = np.zeros(players), np.zeros(players)
        self.bare = np.zeros(players) if rules.bonus_in(mapping) else self.points
        self._floors = league_floors(tiers, mapping)

    def bonus_left(self, day: float, player: Integers) -> Floats:
        """Return players' remaining bonus on a day, in displayed points."""
        filled = self.rules.bonus_in(self.mapping) * max(0.0, day - self.start)
        return np.maximum(filled - self.spent[player], 0.0)

    def play(self, field: Field) -> Settled:
        """Update the points with the next contest of the season."""
        players = field.player
        before, left = self.points[players], self.bonus_left(field.day, players)
        if self.rules.bonus_in_level:
            after, spent = settle(before, self._steps(field, before), left)
            if self.bare is not self.points:
                bare = self.bare[players]
                self.bare[players], _ = settle(bare, self._steps(field, bare), np.zeros(len(left)))
        else:
            bare = self.bare[players]
            steps = self._steps(field, bare)
            self.bare[players], _ = settle(bare, steps, np.zeros(len(left)))
            _, spent = settle(bare, steps, left)
            after = self.bare[players] + self.spent[players] + spent
        self.points[players] = after
        self.spent[players] += spent
        return Settled(after, after - before, spent)

    def _steps(self, field: Field, points: Floats) -> Floats:
        """Return each player's Elo step, from the share of opponents beaten minus the expected share."""
        level, hidden, rank = points + self._floors[field.league], field.hidden, field.rank
        entry = None
        if field.team is not None:
            _, firsts, entry = np.unique(field.team, return_index=True, return_inverse=True)
            level, hidden, rank = _means(level, entry), _means(hidden, entry), rank[firsts]
        if len(rank) < 2:
            return np.zeros(len(points))
        levels, hiddens = (self.mapping.odds(shown, self.rules.scale) for shown in (level, hidden))
        expected = self.wins_against(levels, hiddens) / (len(rank) - 1)
        surplus = field.weight * (place_scores(rank) - expected)
        gains = self.mapping.elo_gains(self.rules.k_in(self.mapping), level, surplus)
        return gains if entry is None else gains[entry]


def _means(values: Floats, entry: Integers) -> Floats:
    return np.bincount(entry, weights=values) / np.bincount(entry)
