"""Texts, whole or in parts, as numbers: equal ones for equal texts, others, nearly always, for others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
INVERSE = np.uint64(pow(0x9E3779B97F4A7C15, -1, 2**64))


def sums_of_letters(values: NDArray[np.uint64], lengths: NDArray[np.int64], shift: int) -> NDArray[np.uint64]:
    """
    Return running sums of values times powers, (n, width + 1), wrapping around; letters stand `shift` places earlier.

    Sums of two equal runs of letters at equal places are equal, so sums tell texts apart.
    """
    factors = powers(MULTIPLIER, values.shape[1])
    for _ in range(shift):
        factors = factors * INVERSE
    inside = np.arange(values.shape[1]) < lengths[:, None]
    sums = np.zeros((len(values), values.shape[1] + 1), dtype=np.uint64)
    np.cumsum(np.where(inside, values * factors, np.uint64(0)), axis=1, out=sums[:, 1:])
    return sums


def powers(base: np.uint64, count: int) -> NDArray[np.uint64]:
    """Return the powers of a base from the zeroth on, wrapping around."""
    factors = np.full(count, base, dtype=np.uint64)
    factors[0] = 1
    return np.cumprod(factors, dtype=np.uint64)


def mixed(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return values scattered over 64 bits (the finalizer of splitmix64)."""
    values = values * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


def keys_of_texts(
    texts: Sequence[str], salt: int, rows: NDArray[np.int32]
) -> tuple[NDArray[np.uint64], NDArray[np.int32]]:
    """Return keys of the texts that are not empty, and their rows; other salts give other keys."""
    hashes = np.fromiter((hash(text) for text in texts), np.int64, len(texts)).view(np.uint64)
    filled = np.fromiter(map(bool, texts), bool, len(texts))
    return mixed(hashes[filled] + np.uint64(salt)), rows[filled]
