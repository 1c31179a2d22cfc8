"""Tiers: names, thresholds, colours and symbols for ranges of the displayed rating.

Colour is never the only sign: each tier has a name and a symbol with a distinct shape, and its two colours are readable
as text (WCAG 2 AA) on the light and on the dark page.
"""

from __future__ import annotations

import re
from collections.abc import Mapping as Dictionary
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from ratings.display.colours import DARK_PAGE, LIGHT_PAGE, MINIMUM_CONTRAST, contrast

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import ArrayLike, NDArray


_COLOUR = re.compile(r"#[0-9a-fA-F]{6}")
_LONGEST_NAME = 40
_LONGEST_SYMBOL = 4
_MOST_TIERS = 30


@dataclass(frozen=True, slots=True)
class Tier:
    """One tier: from its threshold up to the next one.

    minimum
        The smallest displayed rating of the tier, a whole number of points; None for the lowest tier.
    colour_light, colour_dark
        "#rrggbb", for text and lines on `LIGHT_PAGE` and on `DARK_PAGE`.
    symbol
        A short text whose shape identifies the tier without colour.
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
    """Tiers in ascending order. The first one has no threshold, so every displayed rating has a tier."""

    tiers: tuple[Tier, ...]

    def __post_init__(self) -> None:
        if not 1 <= len(self.tiers) <= _MOST_TIERS:
            raise ValueError(f"a series has between 1 and {_MOST_TIERS} tiers, not {len(self.tiers)}")
        for field in ("name", "symbol"):
            values = [getattr(tier, field).casefold() for tier in self.tiers]
            twice = next((value for value in values if values.count(value) > 1), None)
            if twice is not None:
                raise ValueError(f"two tiers have the {field} {twice!r}; each needs its own")
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
        """The thresholds of all tiers except the lowest, in displayed points."""
        return [tier.minimum for tier in self.tiers if tier.minimum is not None]

    def positions(self, shown: ArrayLike) -> NDArray[np.int64]:
        """Return the position of each displayed rating's tier, from 0."""
        values = np.asarray(shown, dtype=np.float64)
        if np.any(np.isnan(values)):
            raise ValueError("shown must not be NaN: it has no tier")
        return np.searchsorted(np.asarray(self.thresholds, dtype=np.float64), values, side="right").astype(np.int64)

    def tier_of(self, shown: float) -> Tier:
        """Return the tier of one displayed rating; a rating equal to a threshold is in the upper tier."""
        return self.tiers[int(self.positions(shown))]

    def tiers_of(self, shown: ArrayLike) -> list[Tier]:
        """Return the tiers of many displayed ratings, in their order."""
        return [self.tiers[position] for position in self.positions(shown).tolist()]

    def next_tier(self, shown: float) -> Tier | None:
        """Return the next tier above that of a displayed rating; None in the highest tier."""
        above = int(self.positions(shown)) + 1
        return self.tiers[above] if above < len(self.tiers) else None

    def to_next(self, shown: float) -> float | None:
        """Return the distance to the next tier in displayed points; None in the highest tier."""
        above = self.next_tier(shown)
        return None if above is None or above.minimum is None else above.minimum - shown

    def to_list(self) -> list[dict[str, Any]]:
        """Return the JSON form, read by `tiers_from_list`."""
        return [asdict(tier) for tier in self.tiers]


def tiers_from_list(stored: Sequence[Dictionary[str, Any]]) -> Tiers:
    """Return stored tiers; the ValueError names the tier (counted from 1), the problem and what is allowed."""
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


def _require_text(name: str, value: object, longest: int) -> None:
    """Raise ValueError unless the value is a printable text without surrounding spaces."""
    is_text = isinstance(value, str) and value.isprintable() and value.strip() == value
    if not is_text or not 1 <= len(value) <= longest:  # type: ignore[arg-type]
        raise ValueError(f"{name} must be 1 to {longest} printable characters, not {value!r}")
