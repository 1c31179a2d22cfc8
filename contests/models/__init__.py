"""Tables of results. The truth is enforced here by database constraints; all writes go through `contests.services`."""

from contests.models.audit import AuditEntry, author_in_words
from contests.models.contest import Contest, ContestState, Series
from contests.models.invitation import Invitation
from contests.models.names import PlayerKey, PlayerNearKey, PlayerWord
from contests.models.player import Player, PlayerAlias, PlayerMerge
from contests.models.standing import Standing, StandingStatus
from contests.models.upload import Upload, UploadState

__all__ = [
    "AuditEntry",
    "Contest",
    "ContestState",
    "Invitation",
    "Player",
    "PlayerAlias",
    "PlayerKey",
    "PlayerMerge",
    "PlayerNearKey",
    "PlayerWord",
    "Series",
    "Standing",
    "StandingStatus",
    "Upload",
    "UploadState",
    "author_in_words",
]
