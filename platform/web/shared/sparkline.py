"""A line without axes, as the points of an SVG polyline."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

LINE_WIDTH, LINE_HEIGHT, LINE_MARGIN = 300, 56, 5
#: More than this many points are no finer to the eye.
MOST_POINTS = 150


def sparkline(values: Sequence[float]) -> str:
    """Return the points "x,y x,y …" of the values in a box of LINE_WIDTH by LINE_HEIGHT; empty for fewer than two."""
    if len(values) < 2:
        return ""
    chosen = np.unique(np.linspace(0, len(values) - 1, min(len(values), MOST_POINTS)).round().astype(int))
    heights = np.asarray(values, dtype=float)[chosen]
    spread = float(heights.max() - heights.min()) or 1.0
    x = LINE_MARGIN + (LINE_WIDTH - 2 * LINE_MARGIN) * chosen / (len(values) - 1)
    y = LINE_MARGIN + (LINE_HEIGHT - 2 * LINE_MARGIN) * (heights.max() - heights) / spread
    return " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x.tolist(), y.tolist(), strict=True))
