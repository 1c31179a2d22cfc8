"""A fixed range of displayed ratings: Kreimeier's Fermi function of the score."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import numpy as np

from ratings.display.mappings import (
    Mapping,
    Newcomer,
    Sentence,
    display_mapping,
    gettext_noop,
    like,
    part,
    within,
)
from ratings.display.scores import DEFAULT_CENTRE, DEFAULT_TEMPERATURE, finite

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]

# exp(-600) is still a normal double, so NumPy never signals an underflow.
_FARTHEST_EXPONENT = 600.0
# Exponents are rounded to this grid. The rounding of exp and of the quotient is not monotone from one double to the
# next, but a step of the grid changes the result by thousands of units in the last place.
_EXPONENT_GRID = 2.0**40

_TIER_SHARES = (0.05, 0.20, 0.50, 0.70, 0.85, 0.95, 0.98)
"""Thresholds as shares of the range; x = mean + ½ standard deviation · ln(share / (1 - share))."""

#: The default K of season points, as a share of the range. In the middle of the range, where the curve is steepest, it
#: is about the same as 60 of 400 points on a line.
_DEFAULT_K_SHARE_OF_RANGE = 0.09
#: At these odds the curve equals the end of the range in double precision.
_FARTHEST_ODDS = 100.0


@display_mapping
class Fermi(Mapping):
    """range / (1 + exp(-(x - centre)/temperature)): a fixed range with limits that no rating exceeds (Kreimeier).

    range
        The upper limit, which ratings approach but never exceed, a whole number of points.
    centre, temperature
        Mean, and half the standard deviation, of the pool's x in rating points (`width_of_pool`). About 95 % of a
        normal pool are then displayed between 2.5 % and 97.5 % of the range.
    """

    name: ClassVar[str] = "fermi"
    list_order: ClassVar[int] = 20
    title: ClassVar[str] = gettext_noop("Fixed range: from 0 to an upper limit")
    kind: ClassVar[str] = gettext_noop("a fixed range")
    has_own_odds: ClassVar[bool] = True

    range: float = part(
        10_000.0, "Upper limit", gettext_noop("Only for the fixed range. Leave empty to use 10,000."),
        minimum=100, maximum=1_000_000, is_whole=True, is_main=True,
    )  # fmt: skip
    centre: float = part(
        DEFAULT_CENTRE, "Centre",
        gettext_noop("The internal rating that is displayed in the middle of the range, in rating points. Used only "
                     "until a run has computed it from the players’ ratings."),
        minimum=-1_000_000, maximum=1_000_000, is_measured=True,
    )  # fmt: skip
    temperature: float = part(
        DEFAULT_TEMPERATURE, "Half the spread", gettext_noop("In rating points. Used only until a run has computed it "
                                                             "from the players’ ratings."),
        minimum=0.001, maximum=1_000_000, is_measured=True,
    )  # fmt: skip

    def inverse(self, shown: Any) -> Any:
        """Return the score x at a position strictly between 0 and the range; ValueError elsewhere."""
        values = finite(shown, "shown")
        if np.any((values <= 0) | (values >= self.range)):
            raise ValueError(f"shown must be between 0 and {self.range:g}, both excluded, not {shown!r}")
        return like(shown, self.centre + self.temperature * np.log(values / (self.range - values)))

    @property
    def greatest(self) -> float:
        """The upper end of the range."""
        return self.range

    @property
    def in_words(self) -> str:
        """The range with its limits."""
        return f"a fixed range from 0 to {self.range:,.0f}"

    @property
    def sentence(self) -> Sentence:
        """The range, and the average player's position in it."""
        message = gettext_noop("It is on a fixed scale from 0 to %(top)s, with the average player in the middle.")
        return Sentence(message, {"top": int(self.range)})

    def thresholds(self, scores: Sequence[float]) -> list[int]:
        """Return shares of the range, whatever the scores: the range follows the players."""
        return [round(self.range * share) for share in _TIER_SHARES]

    @classmethod
    def suitable_display(cls, newcomer: Newcomer) -> dict[str, Any]:
        """Return the suitable range, with a centre and temperature until a run has measured the pool."""
        temperature = newcomer.sigma / 2 if newcomer.temperature is None else newcomer.temperature
        suited = {"centre": within(newcomer.mu, 1e6), "temperature": max(0.001, within(temperature, 1e6))}
        usual = {each.name: each.default for each in cls.PARTS}
        own = {name: value for name, value in suited.items() if value != usual[name]}
        return {"mapping": cls.name, "range": int(usual["range"]), **own, **cls.conservative_part(newcomer)}

    def season_k(self, scale: float) -> float:
        """Return a share of the range; the displayed numbers determine the odds, so `scale` is not used."""
        return _DEFAULT_K_SHARE_OF_RANGE * self.range

    def odds(self, shown: Any, scale: float) -> Floats:
        """Return ln(s / (range - s)), the quantity that `win_probability_from_shown` compares.

        As there, values are limited to half a point from the ends.
        """
        inside = self._inside(np.asarray(shown, dtype=np.float64))
        return np.log(inside / (self.range - inside))

    def elo_gains(self, k: float, level: Floats, surplus: Floats) -> Floats:
        """Return the gain of a step on the scale of odds, which is `k` in the middle and never leaves the range."""
        inside = self._inside(level)
        odds = np.log(inside / (self.range - inside)) + 4 * k / self.range * surplus
        return self.range / (1 + np.exp(-np.clip(odds, -_FARTHEST_ODDS, _FARTHEST_ODDS))) - inside

    def _inside(self, shown: Floats) -> Floats:
        return np.clip(shown, 0.5, self.range - 0.5)

    def _curve(self, scores: Floats) -> Floats:
        exponent = np.clip((scores - self.centre) / self.temperature, -_FARTHEST_EXPONENT, _FARTHEST_EXPONENT)
        exponent = np.rint(exponent * _EXPONENT_GRID) / _EXPONENT_GRID
        small = np.exp(-np.abs(exponent))
        return self.range * np.where(exponent < 0, small, 1.0) / (1.0 + small)


def win_probability_from_shown(a: Any, b: Any, range: float = 10_000.0) -> Any:  # noqa: A002  the name of the field
    """Return the probability that a player displayed as a beats one displayed as b in a fixed range.

    1/(1 + b(1-a)/(a(1-b))) with a, b as shares of the range (docs/leagues-and-seasons.md). Values closer than
    half a point to an end count as half a point from it, because 0 may be rounded and no result is certain.
    """
    first, second = finite(a, "a"), finite(b, "b")
    for name, values in (("a", first), ("b", second)):
        if np.any((values < 0) | (values > range)):
            raise ValueError(f"{name} must be between 0 and the range {range:g}")
    first, second = np.clip(first, 0.5, range - 0.5) / range, np.clip(second, 0.5, range - 0.5) / range
    probability = 1 / (1 + second * (1 - first) / (first * (1 - second)))
    return float(probability) if probability.ndim == 0 else probability
