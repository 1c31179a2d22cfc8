"""Which side of a match is favoured, in the steps that StarCraft II shows before a game, with words of our own."""

from __future__ import annotations

from typing import Literal, TypeAlias

Favored: TypeAlias = Literal["clearly_a", "a", "even", "b", "clearly_b"]

FAVORED: tuple[Favored, ...] = ("clearly_a", "a", "even", "b", "clearly_b")
"""The answers, from the point of view of side a."""
FAVORABLE = 0.6
"""A side with at least this expected score is favoured."""
CLEAR = 0.8
"""A side with at least this expected score is clearly favoured."""

UPSET = 0.25
"""A result is an upset if its probability was at most this: odds of 3 to 1 or longer."""


def favored(expected: float) -> Favored:
    """Return which side is favoured if side a has this expected score, from 0 to 1 (a draw counts half).

    The range is cut into fifths: the middle one is even. Players of StarCraft II found the same steps in the points
    that a win brings, at most 25: 10 to 15 in an even game, 5 to 10 for a side that is favoured. StarCraft II calls
    that side slightly favoured, which would understate odds of 3 to 1.
    """
    if max(expected, 1.0 - expected) < FAVORABLE:
        return "even"
    is_clear = max(expected, 1.0 - expected) >= CLEAR
    if expected > 0.5:
        return "clearly_a" if is_clear else "a"
    return "clearly_b" if is_clear else "b"
