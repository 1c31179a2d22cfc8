"""A line without axes, as the points of an SVG polyline."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

WIDTH, HEIGHT, MARGIN = 300, 56, 5
#: More than this many points are no finer to the eye.
MOST = 150


def sparkline(values: Sequence[float]) -> str:
    """Return the points "x,y x,y …" of the values in a box of WIDTH by HEIGHT; empty for fewer than two."""
    if len(values) < 2:
        return ""
    chosen = np.unique(np.linspace(0, len(values) - 1, min(len(values), MOST)).round().astype(int))
    heights = np.asarray(values, dtype=float)[chosen]
    spread = float(heights.max() - heights.min()) or 1.0
    x = MARGIN + (WIDTH - 2 * MARGIN) * chosen / (len(values) - 1)
    y = MARGIN + (HEIGHT - 2 * MARGIN) * (heights.max() - heights) / spread
    return " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x.tolist(), y.tolist(), strict=True))
