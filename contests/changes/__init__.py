"""
Changes that organizers propose, preview and then apply: each is a small value that fits into a URL.

A change knows its description, the series that it affects, and the service that applies it. Nothing is stored until
then. A preview applies the change in a transaction that is rolled back, so the preview and the change cannot differ.

Importing the package registers every kind of change, so that `base.read_change` can read it.
"""

from contests.changes import of_contests, of_games, of_players, of_standings

__all__ = ["of_contests", "of_games", "of_players", "of_standings"]
