"""What Elo-MMR remembers of one player, every past performance kept apart, and what each of them weighs.

Elo-MMR paper, equation 7: a rating is the weighted mean of the centre of its Gaussian part and of all performances,

    mu = sum_k w_k p_k / sum_k w_k,   w_k = a_k tanh((mu - p_k) i_k / 2) / (mu - p_k)

with amplitudes a_k and steepness i_k as in ``posterior``: the further a performance lies from the rating, the less it
weighs. ``posterior`` folds old performances into the Gaussian part; here none is, so that each can be named.
"""

import math
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]

_STEEPNESS = math.pi / math.sqrt(3.0)
# Relative distance below which tanh(x) / x is one to double precision.
_NEAR = 1e-9


class PlayerMemory:
    """One Gaussian factor (centre, weight) and the logistic ones of a player, oldest first.

    centres, amplitudes, steepness
        Of the logistic factors, shape (contests so far,); rating points, 1 / points, 1 / points.
    """

    def __init__(self, mu: float, sigma: float) -> None:
        self.centre, self.weight = mu, 1.0 / (sigma * sigma)
        self.centres, self.amplitudes, self.steepness = np.empty(0), np.empty(0), np.empty(0)

    def diffuse(self, mu: float, variance: float, drift: float, transfer_speed: float) -> None:
        """Let the skill drift (algorithm 2), from the mean and variance of the belief before."""
        growth = math.log1p(drift / variance)
        kept = math.exp(-transfer_speed * growth)
        transferred = -math.expm1(-transfer_speed * growth) / variance
        total = kept * self.weight + transferred
        shrink = variance / (variance + drift)
        if total > 0.0:
            self.centre += transferred / total * (mu - self.centre)
        self.weight = shrink * total
        self.amplitudes = self.amplitudes * (shrink * kept)

    def add(self, performance: float, noise: float) -> None:
        """Append the factor of one more performance with this variance."""
        steepness = _STEEPNESS / math.sqrt(noise)
        self.centres = np.append(self.centres, performance)
        self.amplitudes = np.append(self.amplitudes, steepness)
        self.steepness = np.append(self.steepness, steepness)

    def weights(self, mu: float) -> Floats:
        """The weights of equation 7 at a rating: the Gaussian part first, then the performances, oldest first."""
        return np.append(self.weight, self.full_weights() * self.damping(mu))

    def full_weights(self) -> Floats:
        """What each performance would weigh if it lay at the rating."""
        full: Floats = 0.5 * self.amplitudes * self.steepness
        return full

    def damping(self, mu: float) -> Floats:
        """The share of its full weight that each performance keeps at its distance from the rating: from 0 to 1."""
        x = 0.5 * (mu - self.centres) * self.steepness
        near = np.abs(x) < _NEAR
        safe = np.where(near, 1.0, x)
        return np.where(near, 1.0, np.tanh(safe) / safe)

    def levels(self) -> Floats:
        """What the weights are of: the Gaussian's centre first, then the performances."""
        return np.append(self.centre, self.centres)
