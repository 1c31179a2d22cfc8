"""Distributions of players' performances; win probabilities and expected places follow from them."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Shape: TypeAlias = Literal["normal", "logistic", "gumbel"]


@dataclass(frozen=True, slots=True, eq=False)
class PerformanceModel:
    """Independent performances, one for each of n players; the higher one places before the lower one.

    shape
        Their common shape. ``gumbel`` (of maxima) is the model of Bradley and Terry: with equal scales the
        difference of two is logistic with that scale, so the odds of a place depend on exp(location / scale).
    location
        Mean for normal and logistic, mode for gumbel; shape (n,), in rating points.
    scale
        Deviation for normal, scale for logistic and gumbel; shape (n,), in rating points.
    """

    shape: Shape
    location: Floats
    scale: Floats
