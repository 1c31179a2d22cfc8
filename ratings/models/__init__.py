"""
Tables of ratings. Everything here can be thrown away and computed again, bit for bit, from `contests` and the
schemes.
"""

from ratings.models.change import RatingChange
from ratings.models.derived import Derived
from ratings.models.lease import Lease, Work
from ratings.models.mark import StaleMark
from ratings.models.rating import Rating
from ratings.models.run import Run, RunState
from ratings.models.scheme import Scheme

__all__ = ["Derived", "Lease", "Rating", "RatingChange", "Run", "RunState", "Scheme", "StaleMark", "Work"]
