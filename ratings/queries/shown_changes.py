"""Rating changes in the numbers that people read, computed for many at once: pages and REST answers share it."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ratings.models import RatingChange
    from ratings.queries.snapshot import SeriesSnapshot


class ShownChanges:
    """Columns of some changes of one series, in the order given; each is computed when it is first asked for."""

    def __init__(self, snapshot: SeriesSnapshot, changes: Sequence[RatingChange]) -> None:
        self.snapshot = snapshot
        self.changes = changes

    def column(self, name: str) -> NDArray[np.float64]:
        """Return a stored number of each change."""
        return np.array([getattr(change, name) for change in self.changes], dtype=np.float64)

    @cached_property
    def score(self) -> NDArray[np.float64]:
        """Sort score after each change."""
        score: NDArray[np.float64] = self.snapshot.score(self.column("mu"), self.column("sigma"))
        return score

    @cached_property
    def after(self) -> NDArray[np.int64]:
        """Shown rating after each change."""
        return np.asarray(self.snapshot.mapping.show(self.score))

    @cached_property
    def before(self) -> NDArray[np.int64]:
        """Shown rating before each change."""
        before = self.snapshot.score(self.column("mu_before"), self.column("sigma_before"))
        return np.asarray(self.snapshot.mapping.show(before))

    @property
    def difference(self) -> NDArray[np.int64]:
        """Change of the shown rating, so that before + difference = after to the reader."""
        return self.after - self.before

    @property
    def performances(self) -> list[int | None]:
        """Shown performance of each change; None where the system has none or it has no bound."""
        if not self.snapshot.has_performance:
            return [None] * len(self.changes)
        performance = self.column("performance")
        finite = np.isfinite(performance)
        shown = self.snapshot.mapping.show(np.where(finite, performance, 0.0)).tolist()
        return [number if known else None for number, known in zip(shown, finite.tolist(), strict=True)]
