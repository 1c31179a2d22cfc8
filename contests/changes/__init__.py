"""
Changes that organizers propose, preview and then apply: each is a small value that fits into a URL.

A change knows its description, the series that it affects, and the service that applies it. Nothing is stored until
then. A preview applies the change in a transaction that is rolled back, so the preview and the change cannot differ.
"""

from contests.changes.base import CHANGES, LONGEST_TOKEN, Change, Words, check, propose, read_change, token_of
from contests.changes.of_contests import (
    AddStanding,
    CorrectStandings,
    DeleteContest,
    DescribeContest,
    FinalizeContest,
    RemoveStanding,
    RestoreContest,
)
from contests.changes.of_players import MergePlayers, RenamePlayer, SplitPlayers

__all__ = [
    "CHANGES",
    "LONGEST_TOKEN",
    "AddStanding",
    "Change",
    "CorrectStandings",
    "DeleteContest",
    "DescribeContest",
    "FinalizeContest",
    "MergePlayers",
    "RemoveStanding",
    "RenamePlayer",
    "RestoreContest",
    "SplitPlayers",
    "Words",
    "check",
    "propose",
    "read_change",
    "token_of",
]
