"""
Changes that organizers propose, look at, and then make: each a small value that can be carried in an address.

A change knows its words, whose series it touches, and the service that makes it. Nothing of it is stored before it is
made; its preview makes it in a transaction that is rolled back, so that preview and change cannot differ.
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
