"""Tables of results. Database constraints protect their integrity; all writes go through `contests.services`."""

from contests.models.contest import (
    AuditEntry,
    Contest,
    ContestState,
    Invitation,
    Series,
    Standing,
    StandingStatus,
    Upload,
    UploadState,
    author_in_words,
)
from contests.models.player import Player, PlayerAlias, PlayerKey, PlayerMerge, PlayerNearKey, PlayerWord

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
