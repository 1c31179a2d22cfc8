"""Moments as the rating library counts them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime


def days_since_1970(moment: datetime) -> float:
    """Return an aware moment in days, fractions counted."""
    return moment.timestamp() / 86_400.0
