"""Predictions by plain sums and adaptive integration, one number at a time: slow twins of the library's."""

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy import integrate, stats

DISTRIBUTIONS: dict[str, Any] = {"normal": stats.norm, "logistic": stats.logistic, "gumbel": stats.gumbel_r}


def players_of(shape: str, location: Sequence[float], scale: Sequence[float]) -> list[Any]:
    """The performances as SciPy's frozen distributions."""
    return [DISTRIBUTIONS[shape](loc=mode, scale=width) for mode, width in zip(location, scale, strict=True)]


def _average(of: Any, function: Callable[[float], Any]) -> Any:
    """The mean of a function of one performance, a number or an array, integrated piecewise between quantiles."""
    points = [of.ppf(share) for share in (1e-14, 1e-6, 0.01, 0.25, 0.5, 0.75, 0.99, 1 - 1e-6, 1 - 1e-14)]
    with np.errstate(over="ignore"):  # SciPy's Gumbel distribution overflows far below its mode
        return sum(
            integrate.quad_vec(lambda x: of.pdf(x) * function(x), low, high, epsabs=1e-12, epsrel=1e-12, limit=200)[0]
            for low, high in itertools.pairwise(points)
        )


def win_probability(first: Any, second: Any) -> float:
    """P(first > second), averaged over the one that varies less."""
    return _average(first, second.cdf) if first.std() <= second.std() else _average(second, first.sf)


def place_distribution(players: Sequence[Any], of: int) -> list[float]:
    """The probability of each place, summed over all sets of others that could be ahead: for a handful of players."""
    others = [player for number, player in enumerate(players) if number != of]
    sets = [list(itertools.combinations(range(len(others)), ahead)) for ahead in range(len(others) + 1)]

    def exactly(x: float) -> np.ndarray:
        above, below = [other.sf(x) for other in others], [other.cdf(x) for other in others]
        return np.array(
            [
                math.fsum(
                    math.prod(above[k] if k in chosen else below[k] for k in range(len(others))) for chosen in few
                )
                for few in sets
            ]
        )

    return _average(players[of], exactly).tolist()


def match_quality(players: Sequence[Any], known: Sequence[Any]) -> float:
    """The density of equal performances, relative to that of equal players: integrals of products."""

    def density(of: Sequence[Any]) -> float:
        centers = sorted(player.mean() for player in of)
        reach = 40.0 * max(player.std() for player in of)
        return integrate.quad(
            lambda x: math.prod(player.pdf(x) for player in of),
            centers[0] - reach,
            centers[-1] + reach,
            points=centers,
            epsabs=0.0,
            epsrel=1e-11,
            limit=2000,
        )[0]

    return density(players) / density(known)
