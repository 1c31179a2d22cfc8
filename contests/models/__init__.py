"""Tables of results. Database constraints protect their integrity; all writes go through `contests.services`."""

from contests.models.audit import AuditChain, AuditEntry, author_in_words, by_author
from contests.models.community import Community, CommunityLogo, Licence, Membership, Role, Visibility
from contests.models.contest import (
    Contest,
    ContestState,
    Series,
    Standing,
    StandingStatus,
    Upload,
    UploadState,
)
from contests.models.invitation import Invitation
from contests.models.player import (
    DuplicateSearch,
    KnownWord,
    Player,
    PlayerAlias,
    PlayerClaim,
    PlayerKey,
    PlayerMerge,
    PlayerNearKey,
    PlayerPicture,
    PlayerWord,
)
from contests.models.report import OPEN_STATES, GameReport, ReportState
from contests.models.title import TitleWord

__all__ = [
    "OPEN_STATES",
    "AuditChain",
    "AuditEntry",
    "Community",
    "CommunityLogo",
    "Contest",
    "ContestState",
    "DuplicateSearch",
    "GameReport",
    "Invitation",
    "KnownWord",
    "Licence",
    "Membership",
    "Player",
    "PlayerAlias",
    "PlayerClaim",
    "PlayerKey",
    "PlayerMerge",
    "PlayerNearKey",
    "PlayerPicture",
    "PlayerWord",
    "ReportState",
    "Role",
    "Series",
    "Standing",
    "StandingStatus",
    "TitleWord",
    "Upload",
    "UploadState",
    "Visibility",
    "author_in_words",
    "by_author",
]
