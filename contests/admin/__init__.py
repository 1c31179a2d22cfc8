"""
The admin site for contests, series and players, under /admin/.

Staff can look everything up, but change it only through services: forms contain only fields that are safe to edit and
save through a service, actions call one, and histories are read-only.
"""

from contests.admin import pages

__all__ = ["pages"]
