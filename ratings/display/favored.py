"""Which side of a match is favoured, in the steps that StarCraft II shows before a game."""

from __future__ import annotations

from typing import Literal, TypeAlias

Favored: TypeAlias = Literal["a", "slightly_a", "even", "slightly_b", "b"]

FAVORED: tuple[Favored, ...] = ("a", "slightly_a", "even", "slightly_b", "b")
"""The answers, from the point of view of side a."""
SLIGHT = 0.6
"""A side with at least this expected score is slightly favoured."""
CLEAR = 0.8
"""A side with at least this expected score is favoured."""

UPSET = 0.25
"""A result is an upset if its probability was at most this: odds of 3 to 1 or longer."""


def favored(expected: float) -> Favored:
    """Return which side is favoured if side a has this expected score, from 0 to 1 (a draw counts half).

    The range is cut into fifths: the middle one is even. Players of StarCraft II found the same steps in the points
    that a win brings, at most 25: 10 to 15 in an even game, 5 to 10 for a side that is slightly favoured.
    """
    if max(expected, 1.0 - expected) < SLIGHT:
        return "even"
    is_clear = max(expected, 1.0 - expected) >= CLEAR
    if expected > 0.5:
        return "a" if is_clear else "slightly_a"
    return "b" if is_clear else "slightly_b"
