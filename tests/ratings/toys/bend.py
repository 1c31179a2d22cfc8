"""A toy display mapping in one file: a line that bends more and more, unlimited on both sides."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import numpy as np

from ratings.display.mappings import Mapping, Sentence, display_mapping, part

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]


@display_mapping
class Bend(Mapping):
    """start + slack · asinh((x - centre) / slack)."""

    name: ClassVar[str] = "bend"
    title: ClassVar[str] = "Toy bend: far away all looks near"
    kind: ClassVar[str] = "a bent line"

    start: float = part(2000.0, "Start of the bend", "Shown at the centre.", minimum=0, maximum=1_000_000)
    slack: float = part(500.0, "Slack of the bend", "Small numbers bend more.", minimum=1, maximum=1e6, is_main=True)
    centre: float = part(1500.0, "Centre of the bend", "In rating points.", minimum=-1_000_000, maximum=1_000_000)

    def inverse(self, shown: Any) -> Any:
        """Return the score x at a position."""
        return self.centre + self.slack * np.sinh((shown - self.start) / self.slack)

    @property
    def sentence(self) -> Sentence:
        """How the line bends."""
        return Sentence("The line bends after %(slack)s points.", {"slack": self.slack})

    def _curve(self, scores: Floats) -> Floats:
        return self.start + self.slack * np.arcsinh((scores - self.centre) / self.slack)
