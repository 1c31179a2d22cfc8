"""Tables of results. Database constraints protect their integrity; all writes go through `contests.services`."""

from contests.models.audit import AuditEntry, author_in_words, by_author
from contests.models.audit_chain import AuditChain
from contests.models.contest import (
    Contest,
    ContestState,
    Invitation,
    Series,
    Standing,
    StandingStatus,
    Upload,
    UploadState,
)
from contests.models.player import Player, PlayerAlias, PlayerKey, PlayerMerge, PlayerNearKey, PlayerWord

__all__ = [
    "AuditChain",
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
    "by_author",
]
