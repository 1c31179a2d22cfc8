"""Leagues: the tiers of a series, gained and lost by a moving mean, so that one day moves nobody.

After each rated contest of a player the mean of the last m shown ratings is taken (of all there are, while they are
fewer). Promotion is to the highest tier whose threshold the mean has reached; demotion to the highest tier whose
threshold it has not fallen below by more than the margin (StarCraft II, `spec/rating-systems.md`, section 9).
Everything is in shown points: another display gives other leagues, and nothing is rated again.
"""

from __future__ import annotations

from collections.abc import Mapping as Dictionary
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from ratings.display.scores import require_integer, require_number

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ratings.display.tiers import Tiers

    Floats: TypeAlias = NDArray[np.float64]
    Integers: TypeAlias = NDArray[np.int64]

PROVISIONAL = -1
"""The league of those who have none yet."""

ASSIGNMENT = "moving_average"
_MOST_CONTESTS = 100
_GREATEST_MARGIN = 1_000_000
#: The margin that suits: this part of the smallest distance between two thresholds.
_SUITED_MARGIN = 5


@dataclass(frozen=True, slots=True)
class LeagueRules:
    """How leagues are gained and lost.

    contests
        m: of how many ratings, each as shown after a contest, the mean is taken.
    margin
        How far (shown points) the mean falls below a threshold without demotion; None for a fifth of the smallest
        distance between two thresholds.
    provisional_contests
        c: players with fewer rated contests are provisional, and have no league.
    provisional_sigma
        So are players with a greater deviation (rating points) after their last contest; None for no such limit.
    """

    contests: int = 10
    margin: int | None = None
    provisional_contests: int = 5
    provisional_sigma: float | None = None

    def __post_init__(self) -> None:
        require_integer("contests", self.contests, 1, _MOST_CONTESTS)
        if self.margin is not None:
            require_integer("margin", self.margin, 0, _GREATEST_MARGIN)
        require_integer("provisional_contests", self.provisional_contests, 1, _MOST_CONTESTS)
        if self.provisional_sigma is not None:
            require_number("provisional_sigma", self.provisional_sigma, 0.001, 1_000_000)

    def margin_in(self, tiers: Tiers) -> int:
        """The margin among these tiers, in shown points; without two thresholds there is no distance, and none."""
        if self.margin is not None:
            return self.margin
        distances = np.diff(tiers.thresholds)
        return int(distances.min()) // _SUITED_MARGIN if len(distances) else 0

    def to_dict(self) -> dict[str, Any]:
        """JSON form, read back by `league_rules_from_dict`."""
        return {"assignment": ASSIGNMENT, **asdict(self)}


def league_rules_from_dict(stored: Dictionary[str, Any]) -> LeagueRules | None:
    """Read stored rules; None (tiers are gained and lost at once) for nothing and for "instant".

    ValueError names what is wrong and what is allowed.
    """
    if not isinstance(stored, Dictionary):
        raise ValueError(f"leagues must be an object, not {stored!r}")
    if not stored or stored == {"assignment": "instant"}:
        return None
    assignment = stored.get("assignment")
    if assignment != ASSIGNMENT:
        raise ValueError(f'leagues: assignment must be "instant" (alone) or "{ASSIGNMENT}", not {assignment!r}')
    names = [field.name for field in fields(LeagueRules)]
    unknown = sorted(set(stored) - {"assignment", *names})
    if unknown:
        raise ValueError(f"leagues: {unknown[0]!r} is unknown; there are assignment, {', '.join(names)}")
    return LeagueRules(**{name: stored[name] for name in names if name in stored})


@dataclass(frozen=True, slots=True, eq=False)
class LeagueHistory:
    """What follows from each rated participation; shapes (changes,), in the order of the input.

    league
        The tier's position from 0 (lowest) after it, or PROVISIONAL.
    mean
        The moving mean after it, in shown points.
    window
        Of how many ratings that is the mean.
    """

    league: NDArray[np.int16]
    mean: Floats
    window: Integers


def league_history(rules: LeagueRules, tiers: Tiers, shown: Integers, sigma: Floats, first: Integers) -> LeagueHistory:
    """Follow all players through their contests.

    shown, sigma
        Rating after each contest in shown points, and its deviation in rating points; shape (changes,), the contests
        of a player side by side in their order.
    first
        Where each player's contests begin, rising, shape (players,); each has at least one.
    """
    counts = np.diff(first, append=len(shown))
    number = np.arange(len(shown)) - np.repeat(first, counts)
    window = np.minimum(number + 1, rules.contests)
    # Whole numbers: their sums are exact, so a mean that is equal to a threshold is not missed by rounding.
    sums = np.cumsum(shown, dtype=np.int64)
    begin = np.arange(len(shown)) - window
    total = sums - np.where(begin >= 0, sums[begin], 0)
    mean = total / np.maximum(window, 1)
    up, down = bounds(rules, tiers, mean)
    provisional = number + 1 < rules.provisional_contests
    if rules.provisional_sigma is not None:
        provisional |= sigma > rules.provisional_sigma
    return LeagueHistory(_walk(up, down, provisional, first, counts), mean, window)


def bounds(rules: LeagueRules, tiers: Tiers, mean: Any) -> tuple[Integers, Integers]:
    """The lowest and the highest league (positions) that moving means allow: who is below rises, who is above falls."""
    thresholds = np.asarray(tiers.thresholds, dtype=np.float64)
    up = np.searchsorted(thresholds, mean, side="right")
    down = np.searchsorted(thresholds - rules.margin_in(tiers), mean, side="right")
    return up, down


def _walk(
    up: Integers, down: Integers, provisional: NDArray[np.bool_], first: Integers, counts: Integers
) -> NDArray[np.int16]:
    """Everyone's league after each contest: all players' first contests at once, then all second ones, and so on."""
    league = np.full(len(up), PROVISIONAL, dtype=np.int16)
    longest_first = np.argsort(-counts, kind="stable")
    sorted_counts = -counts[longest_first]
    for number in range(int(counts.max(initial=0))):
        rows = first[longest_first[: np.searchsorted(sorted_counts, -number)]] + number
        before = league[rows - 1] if number else np.full(len(rows), PROVISIONAL, dtype=np.int16)
        # PROVISIONAL is below all leagues: who comes out of that state is placed by the mean alone.
        after = np.clip(before, up[rows], down[rows])
        league[rows] = np.where(provisional[rows], PROVISIONAL, after)
    return league
