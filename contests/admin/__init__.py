"""
The tables of results for staff, under /admin/.

Everything can be looked up here, nothing can be changed past the services: forms offer only what does no harm and save
through a service, actions call one, histories are only read.
"""

from contests.admin import contests, players, series

__all__ = ["contests", "players", "series"]
