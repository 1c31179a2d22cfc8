"""Tiers: names, thresholds, colours and symbols for ranges of the shown rating.

A colour never stands alone: each tier has a name in words and a symbol of its own shape, and its two colours are
readable as text (WCAG 2 AA) on the light and on the dark page.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping as Dictionary
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import ArrayLike, NDArray

    from ratings.display.mappings import Mapping

LIGHT_PAGE = "#ffffff"
DARK_PAGE = "#14171f"
MINIMUM_CONTRAST = 4.5
"""WCAG 2.2, success criterion 1.4.3, for text of ordinary size."""

_COLOUR = re.compile(r"#[0-9a-fA-F]{6}")
_LONGEST_NAME = 40
_LONGEST_SYMBOL = 4
_MOST_TIERS = 30


@dataclass(frozen=True, slots=True)
class Tier:
    """One tier: from its threshold up to the next one.

    minimum
        Smallest shown rating of the tier, a whole number of points; None for the lowest tier, which has no end below.
    colour_light, colour_dark
        "#rrggbb", for text and lines on `LIGHT_PAGE` and on `DARK_PAGE`.
    symbol
        A short text whose shape tells the tier without colour.
    """

    name: str
    minimum: int | None
    colour_light: str
    colour_dark: str
    symbol: str

    def __post_init__(self) -> None:
        _require_text("name", self.name, _LONGEST_NAME)
        _require_text(f"symbol of tier {self.name!r}", self.symbol, _LONGEST_SYMBOL)
        if self.minimum is not None and type(self.minimum) is not int:
            raise ValueError(
                f"minimum of tier {self.name!r} must be a whole number (null for the lowest tier), not {self.minimum!r}"
            )
        for theme, colour, page in (("light", self.colour_light, LIGHT_PAGE), ("dark", self.colour_dark, DARK_PAGE)):
            if not isinstance(colour, str) or not _COLOUR.fullmatch(colour):
                raise ValueError(f"colour_{theme} of tier {self.name!r} must look like #1a2b3c, not {colour!r}")
            ratio = contrast(colour, page)
            if ratio < MINIMUM_CONTRAST:
                raise ValueError(
                    f"colour_{theme} {colour} of tier {self.name!r} has a contrast of {ratio:.2f}:1 on the {theme} "
                    f"page ({page}); text needs at least {MINIMUM_CONTRAST}:1"
                )


@dataclass(frozen=True, slots=True)
class Tiers(Sequence[Tier]):
    """Tiers in rising order; the first has no threshold, so that every shown rating has a tier."""

    tiers: tuple[Tier, ...]

    def __post_init__(self) -> None:
        if not 1 <= len(self.tiers) <= _MOST_TIERS:
            raise ValueError(f"a series has between 1 and {_MOST_TIERS} tiers, not {len(self.tiers)}")
        for what in ("name", "symbol"):
            values = [getattr(tier, what).casefold() for tier in self.tiers]
            twice = next((value for value in values if values.count(value) > 1), None)
            if twice is not None:
                raise ValueError(f"two tiers have the {what} {twice!r}; each needs its own")
        if self.tiers[0].minimum is not None:
            raise ValueError(
                f"minimum of the lowest tier {self.tiers[0].name!r} must be null: it holds all below the next"
            )
        for lower, upper in zip(self.tiers, self.tiers[1:], strict=False):
            if upper.minimum is None:
                raise ValueError(f"tier {upper.name!r} needs a minimum: only the lowest tier has none")
            if lower.minimum is not None and upper.minimum <= lower.minimum:
                raise ValueError(
                    f"minimum of tier {upper.name!r} must be above {lower.minimum}, that of {lower.name!r}, "
                    f"not {upper.minimum}"
                )

    def __len__(self) -> int:
        return len(self.tiers)

    def __getitem__(self, position: Any) -> Any:
        return self.tiers[position]

    def __iter__(self) -> Iterator[Tier]:
        return iter(self.tiers)

    @property
    def thresholds(self) -> list[int]:
        """Where a next tier begins, in shown points: one fewer than there are tiers."""
        return [tier.minimum for tier in self.tiers if tier.minimum is not None]

    def positions(self, shown: ArrayLike) -> NDArray[np.int64]:
        """Return the position among the tiers, from 0, of each of many shown ratings."""
        values = np.asarray(shown, dtype=np.float64)
        if np.any(np.isnan(values)):
            raise ValueError("shown must not be NaN: it has no tier")
        return np.searchsorted(np.asarray(self.thresholds, dtype=np.float64), values, side="right").astype(np.int64)

    def tier_of(self, shown: float) -> Tier:
        """Return the tier of one shown rating; a rating equal to a threshold is in the upper tier."""
        return self.tiers[int(self.positions(shown))]

    def tiers_of(self, shown: ArrayLike) -> list[Tier]:
        """Return the tiers of many shown ratings, in their order."""
        return [self.tiers[position] for position in self.positions(shown).tolist()]

    def next_tier(self, shown: float) -> Tier | None:
        """Return the tier above that of a shown rating; None in the highest."""
        above = int(self.positions(shown)) + 1
        return self.tiers[above] if above < len(self.tiers) else None

    def to_next(self, shown: float) -> float | None:
        """Shown points missing to the next tier; None in the highest."""
        above = self.next_tier(shown)
        return None if above is None or above.minimum is None else above.minimum - shown

    def to_list(self) -> list[dict[str, Any]]:
        """JSON form, read back by `tiers_from_list`."""
        return [asdict(tier) for tier in self.tiers]


def tiers_from_list(stored: Sequence[Dictionary[str, Any]]) -> Tiers:
    """Read stored tiers; ValueError names the tier (counted from 1), what is wrong and what is allowed."""
    names = [field.name for field in fields(Tier)]
    tiers = []
    for number, entry in enumerate(stored, start=1):
        if not isinstance(entry, Dictionary):
            raise ValueError(f"tier {number} must be an object with {', '.join(names)}, not {entry!r}")
        wrong = sorted(set(entry) ^ set(names))
        if wrong:
            problem = "is missing" if wrong[0] in names else "is unknown"
            raise ValueError(f"tier {number}: {wrong[0]!r} {problem}; a tier has exactly {', '.join(names)}")
        tiers.append(Tier(**entry))
    return Tiers(tuple(tiers))


def default_tiers(mapping: Mapping, scores: Sequence[float] | None = None) -> Tiers:
    """Return the eight tiers a series starts with: ever brighter lights.

    The mapping makes thresholds of seven rising `scores` (rating points; by default those that put newcomers and the
    middle of the pool, at 1500, at the threshold of the middle tier "Torch"). A fixed range, which follows the
    players, has shares of it instead: about 3 % of a normal pool are a "Nova", half of it is "Torch" or above.
    """
    return _rising([name for name, *_ in _LIGHTS], mapping.thresholds(scores or DEFAULT_SCORES))


def ladder_tiers(mapping: Mapping) -> Tiers:
    """Tiers of a ladder: the leader, the top 3, 10, 30, 100, 300 and 1,000, and all below."""
    names = ["Below 1,000", *(f"Top {place:,}" for place in reversed(_LADDER_PLACES)), "Leader"]
    thresholds = [mapping.show(-float(place)) for place in (*reversed(_LADDER_PLACES), 1)]
    return _rising(names, thresholds, lowest=mapping.least)


def _rising(names: Sequence[str], thresholds: Sequence[int], *, lowest: float = -math.inf) -> Tiers:
    """The tiers of these thresholds, without those that nobody can be in: next to them the numbers do not rise."""
    (_, *look), *looks = _LIGHTS
    tiers, below = [Tier(names[0], None, *look)], lowest
    for name, threshold, (_, *look) in zip(names[1:], thresholds, looks, strict=True):
        if threshold > below:
            tiers.append(Tier(name, threshold, *look))
            below = threshold
    return Tiers(tuple(tiers))


def contrast(first: str, second: str) -> float:
    """Contrast of two colours "#rrggbb", from 1 to 21 (WCAG 2.2, "contrast ratio")."""
    darker, brighter = sorted((_relative_luminance(first), _relative_luminance(second)))
    return (brighter + 0.05) / (darker + 0.05)


def _relative_luminance(colour: str) -> float:
    """WCAG 2.2, "relative luminance", with the sRGB threshold of IEC 61966-2-1."""
    channels = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _require_text(what: str, value: object, longest: int) -> None:
    """ValueError unless a printable text without surrounding space."""
    is_text = isinstance(value, str) and value.isprintable() and value.strip() == value
    if not is_text or not 1 <= len(value) <= longest:  # type: ignore[arg-type]
        raise ValueError(f"{what} must be 1 to {longest} printable characters, not {value!r}")


DEFAULT_SCORES = (1000, 1250, 1500, 1750, 2000, 2300, 2600)
"""Thresholds of the scores x, in rating points, where newcomers have 1500 and a deviation of 350."""

_LADDER_PLACES = (3, 10, 30, 100, 300, 1000)

_LIGHTS: tuple[tuple[str, str, str, str], ...] = (
    ("Spark", "#6e6e6e", "#acacac", "○"),
    ("Candle", "#3f5500", "#cdf0a7", "△"),
    ("Lantern", "#097993", "#89fbe9", "□"),
    ("Torch", "#0836fe", "#6883fe", "◇"),
    ("Beacon", "#1a01a1", "#efb2ff", "▲"),
    ("Comet", "#663f5c", "#fb12b6", "■"),
    ("Star", "#630e26", "#dc9172", "◆"),
    ("Nova", "#92654b", "#fee431", "★"),
)
"""Name, colour on the light page, colour on the dark page, symbol; lowest first.

Found by a search over hue, chroma and lightness for the largest smallest CIEDE2000 between tiers, as seen with normal
vision and under simulated protanopia, deuteranopia and tritanopia, at a contrast of 5:1 or more.
"""
