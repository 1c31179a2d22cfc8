"""
Tables of ratings. Everything here can be thrown away and computed again, bit for bit, from `contests` and the
schemes.
"""

from ratings.models.ratings import Rating, RatingChange
from ratings.models.runs import Derived, Lease, Run, RunState, Scheme, StaleMark, Work

__all__ = ["Derived", "Lease", "Rating", "RatingChange", "Run", "RunState", "Scheme", "StaleMark", "Work"]
