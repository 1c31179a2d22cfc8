"""Points without an upper limit: the familiar four-digit rating."""

from __future__ import annotations

import math
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
from ratings.display.scores import DEFAULT_CENTRE, finite

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]

#: The displayed number at the top of a ladder; each position below has one point less.
_TOP_OF_LADDER = 10_000.0
#: Points are displayed unchanged if a newcomer's deviation (rating points) is in this range; otherwise they are
#: multiplied by a power of ten.
_READABLE_DEVIATION = (50.0, 1000.0)
#: The displayed rating of newcomers if their rating points are not readable numbers.
_START, _CONSERVATIVE_START = 1500.0, 1000.0


@display_mapping
class Offset(Mapping):
    """max(minimum, offset + scale · (x - centre)): the familiar four-digit rating.

    offset
        Displayed points at the centre.
    scale
        Displayed points per rating point.
    centre
        The score x that is displayed as the offset, in rating points.
    minimum
        The smallest displayed value, a whole number.
    """

    name: ClassVar[str] = "offset"
    list_order: ClassVar[int] = 10
    title: ClassVar[str] = gettext_noop("Points: no upper limit")
    kind: ClassVar[str] = gettext_noop("points without an upper limit")
    formula: ClassVar[str] = gettext_noop(
        "Displayed rating = displayed rating at the centre + displayed points per rating point × (internal rating "
        "− centre). Leave a field empty to use the default for the rating system."
    )

    offset: float = part(
        1500.0,
        "Displayed rating at the centre",
        gettext_noop("The number shown for a player whose internal rating equals the centre."),
        minimum=-1_000_000,
        maximum=1_000_000,
    )
    scale: float = part(
        1.0,
        "Displayed points per rating point",
        gettext_noop("With 1, rating points are displayed unchanged."),
        minimum=0.01,
        maximum=1000,
    )
    centre: float = part(
        DEFAULT_CENTRE,
        "Centre (internal rating)",
        gettext_noop("A player with this internal rating gets the displayed rating at the centre."),
        minimum=-1_000_000,
        maximum=1_000_000,
    )
    minimum: float = part(
        1.0,
        "Minimum displayed rating",
        gettext_noop("Podium displays lower ratings as this number."),
        minimum=-1_000_000,
        maximum=1_000_000,
        is_whole=True,
    )

    def inverse(self, shown: Any) -> Any:
        """Return the score x at a position; at the minimum, the largest such x; ValueError below the minimum."""
        values = finite(shown, "shown")
        if np.any(values < self.minimum):
            raise ValueError(
                f"nothing is shown below the minimum of {self.minimum:g} points, so {shown!r} has no score"
            )
        return like(shown, self.centre + (values - self.offset) / self.scale)

    @property
    def step(self) -> float:
        """Displayed points per rating point, the same everywhere above the minimum."""
        return self.scale

    def cuts_off(self, shown: float) -> bool:
        """Return whether the minimum replaces a lower number."""
        return shown <= self.minimum

    @property
    def sentence(self) -> Sentence | None:
        """The displayed points per rating point; None if this is 1."""
        if self.scale == 1:
            return None
        return Sentence(gettext_noop("One internal point is displayed as %(scale)s points."), {"scale": self.scale})

    def thresholds(self, scores: Sequence[float]) -> list[int]:
        """Return the thresholds of tiers that begin at these scores, rounded to memorable numbers."""
        shown = [self.offset + self.scale * (x - self.centre) for x in scores]
        step = 50 if shown[-1] - shown[0] >= 500 else 1
        return [step * round(points / step) for points in shown]

    @classmethod
    def suitable_display(cls, newcomer: Newcomer) -> dict[str, Any]:
        """Return the suitable scale: rating points unchanged if they are readable numbers, otherwise multiplied."""
        if newcomer.has_position:
            return {"mapping": cls.name, "offset": _TOP_OF_LADDER, "scale": 1.0, "centre": newcomer.mu}
        conservative, scale = cls.conservative_part(newcomer), _readable_scale(newcomer.sigma)
        if scale == 1.0 and newcomer.mu >= 2 * newcomer.sigma:
            return {"mapping": cls.name, **conservative}
        centre = within(newcomer.mu - newcomer.k * newcomer.sigma, 1e6)
        start = _CONSERVATIVE_START if conservative else _START
        return {"mapping": cls.name, "offset": start, "scale": scale, "centre": centre, **conservative}

    def _curve(self, scores: Floats) -> Floats:
        return np.maximum(self.minimum, self.offset + self.scale * (scores - self.centre))


def _readable_scale(sigma: float) -> float:
    """Return the power of ten that makes points with this deviation readable whole numbers."""
    lowest, highest = _READABLE_DEVIATION
    if lowest <= sigma <= highest:
        return 1.0
    return float(min(1000.0, max(0.01, 10.0 ** (2 - math.floor(math.log10(sigma))))))
