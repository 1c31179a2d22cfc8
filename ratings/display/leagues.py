"""Leagues: tiers with hysteresis, so that a single contest rarely causes promotion or relegation.

There are two rules (as in StarCraft II; docs/leagues-and-seasons.md):

- Moving average. After each rated contest of a player, the mean of the last m displayed ratings is computed (of all of
  them, while there are fewer). Promotion is to the highest tier whose threshold the mean has reached. Relegation is to
  the highest tier whose threshold the mean has not fallen below by more than the margin.
- Confidence. Promotion is to the highest tier whose threshold mu - k sigma has reached, relegation to the highest tier
  whose threshold mu + k sigma has not fallen below.

Everything is in displayed points: a different display gives different leagues without rating anything again.
"""

from __future__ import annotations

from collections.abc import Mapping as Dictionary
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from ratings.display.scores import require_integer, require_number

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ratings.display.tiers import Tiers

    Floats: TypeAlias = NDArray[np.float64]
    Integers: TypeAlias = NDArray[np.int64]

PROVISIONAL = -1
"""The league of players who have none yet."""

MOVING_AVERAGE, CONFIDENCE = "moving_average", "confidence"
"""The rules of promotion and relegation."""
_COMMON = ("provisional_contests", "provisional_sigma", "division_size")
_NAMES = {MOVING_AVERAGE: ("contests", "margin", *_COMMON), CONFIDENCE: ("k", *_COMMON)}
_LARGEST_DIVISION = 10_000
_MOST_CONTESTS = 100
_GREATEST_MARGIN = 1_000_000
#: The default margin is the smallest distance between two thresholds, divided by this.
_DEFAULT_MARGIN_DIVISOR = 5


@dataclass(frozen=True, slots=True)
class LeagueRules:
    """The rules of promotion and relegation.

    contests
        m: the number of ratings in the mean, each as displayed after a contest.
    margin
        The distance (displayed points) that the mean can fall below a threshold without relegation; None for a fifth
        of the smallest distance between two thresholds.
    provisional_contests
        c: players with fewer rated contests are provisional and have no league.
    provisional_sigma
        Players with a greater deviation (rating points) after their last contest are provisional too; None for no such
        limit.
    assignment
        MOVING_AVERAGE, or CONFIDENCE, which has k instead of `contests` and `margin`.
    k
        How many deviations the mean must be above a threshold for promotion, and below it for relegation.
    division_size
        N: leagues have divisions of at most this many players; None for no divisions.
    """

    contests: int = 10
    margin: int | None = None
    provisional_contests: int = 5
    provisional_sigma: float | None = None
    assignment: str = MOVING_AVERAGE
    k: float = 1.0
    division_size: int | None = None

    def __post_init__(self) -> None:
        require_number("k", self.k, 0.1, 10)
        if self.division_size is not None:
            require_integer("division_size", self.division_size, 2, _LARGEST_DIVISION)
        require_integer("contests", self.contests, 1, _MOST_CONTESTS)
        if self.margin is not None:
            require_integer("margin", self.margin, 0, _GREATEST_MARGIN)
        require_integer("provisional_contests", self.provisional_contests, 1, _MOST_CONTESTS)
        if self.provisional_sigma is not None:
            require_number("provisional_sigma", self.provisional_sigma, 0.001, 1_000_000)

    def margin_in(self, tiers: Tiers) -> int:
        """Return the margin for these tiers, in displayed points; the default is 0 without two thresholds."""
        if self.margin is not None:
            return self.margin
        distances = np.diff(tiers.thresholds)
        return int(distances.min()) // _DEFAULT_MARGIN_DIVISOR if len(distances) else 0

    @property
    def is_by_confidence(self) -> bool:
        """Whether promotion and relegation depend on the uncertainty instead of a moving mean."""
        return self.assignment == CONFIDENCE

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form, read by `league_rules_from_dict`; without divisions, it does not mention them."""
        stored = {"assignment": self.assignment, **{name: getattr(self, name) for name in _NAMES[self.assignment]}}
        return stored if self.division_size is not None else {k: v for k, v in stored.items() if k != "division_size"}


def league_rules_from_dict(stored: Dictionary[str, Any]) -> LeagueRules | None:
    """Return stored rules; None (tiers change immediately) for an empty object and for "instant".

    Raises ValueError, whose message says what is wrong and what is allowed.
    """
    if not isinstance(stored, Dictionary):
        raise ValueError(f"leagues must be an object, not {stored!r}")
    if not stored or stored == {"assignment": "instant"}:
        return None
    assignment = stored.get("assignment")
    if not isinstance(assignment, str) or assignment not in _NAMES:
        choices = " or ".join(f'"{name}"' for name in _NAMES)
        raise ValueError(f'leagues: assignment must be "instant" (alone) or {choices}, not {assignment!r}')
    names = _NAMES[assignment]
    unknown = sorted(set(stored) - {"assignment", *names})
    if unknown:
        raise ValueError(f"leagues: {unknown[0]!r} is unknown; the known keys are assignment, {', '.join(names)}")
    return LeagueRules(assignment=assignment, **{name: stored[name] for name in names if name in stored})


@dataclass(frozen=True, slots=True, eq=False)
class LeagueHistory:
    """League, mean and window after each rated participation; shapes (changes,), in the order of the input.

    league
        The position of the tier, from 0 for the lowest, or PROVISIONAL.
    mean
        The moving mean, in displayed points. By confidence, the displayed mu - k sigma.
    window
        The number of ratings in the mean.
    """

    league: NDArray[np.int16]
    mean: Floats
    window: Integers


def league_history(
    rules: LeagueRules,
    tiers: Tiers,
    shown: Integers,
    sigma: Floats,
    first: Integers,
    limits: tuple[Integers, Integers] | None = None,
) -> LeagueHistory:
    """Return the leagues of all players after each of their contests.

    shown, sigma
        Rating after each contest in displayed points, and its deviation in rating points; shape (changes,), with the
        contests of a player side by side in their order.
    first
        The position of each player's first contest, ascending, shape (players,); each player has at least one contest.
    limits
        By confidence, the displayed mu - k sigma and mu + k sigma after each contest, shapes (changes,).
    """
    counts = np.diff(first, append=len(shown))
    number = np.arange(len(shown)) - np.repeat(first, counts)
    provisional = number + 1 < rules.provisional_contests
    if rules.provisional_sigma is not None:
        provisional |= sigma > rules.provisional_sigma
    if limits is not None:
        up, down = (np.searchsorted(tiers.thresholds, limit, side="right") for limit in limits)
        league = _walk(up, down, provisional, first, counts)
        return LeagueHistory(league, limits[0].astype(np.float64), np.ones(len(shown), dtype=np.int64))
    window = np.minimum(number + 1, rules.contests)
    # Sums of whole numbers are exact, so rounding cannot hide that a mean equals a threshold.
    sums = np.cumsum(shown, dtype=np.int64)
    begin = np.arange(len(shown)) - window
    total = sums - np.where(begin >= 0, sums[begin], 0)
    mean = total / np.maximum(window, 1)
    up, down = bounds(rules, tiers, mean)
    return LeagueHistory(_walk(up, down, provisional, first, counts), mean, window)


def bounds(rules: LeagueRules, tiers: Tiers, mean: Any) -> tuple[Integers, Integers]:
    """Return the lowest and the highest league (positions) that moving means allow, for promotion and relegation."""
    thresholds = np.asarray(tiers.thresholds, dtype=np.float64)
    up = np.searchsorted(thresholds, mean, side="right")
    down = np.searchsorted(thresholds - rules.margin_in(tiers), mean, side="right")
    return up, down


def _walk(
    up: Integers, down: Integers, provisional: NDArray[np.bool_], first: Integers, counts: Integers
) -> NDArray[np.int16]:
    """Return everyone's league after each contest, computed for all first contests, then all second ones, and so on."""
    league = np.full(len(up), PROVISIONAL, dtype=np.int16)
    longest_first = np.argsort(-counts, kind="stable")
    sorted_counts = -counts[longest_first]
    for number in range(int(counts.max(initial=0))):
        rows = first[longest_first[: np.searchsorted(sorted_counts, -number)]] + number
        before = league[rows - 1] if number else np.full(len(rows), PROVISIONAL, dtype=np.int16)
        # PROVISIONAL is below all leagues, so the mean alone decides the first league of a player.
        after = np.clip(before, up[rows], down[rows])
        league[rows] = np.where(provisional[rows], PROVISIONAL, after)
    return league
