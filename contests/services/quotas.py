"""
Quotas of communities and accounts: settings PODIUM_MAX_…, with a clear message at the limit.

They apply neither to commands, which have no actor, nor to the staff. Two people who reach a limit at the same moment
may exceed it by one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings
from django.core.cache import cache
from django.db.models import Sum
from django.utils import timezone
from django.utils.translation import gettext, ngettext

from contests.errors import ContestError
from contests.models import Contest, Membership, Player, Role, Series, Upload
from contests.wording import grouped

if TYPE_CHECKING:
    from django.contrib.auth.models import User

_DAY_SECONDS = 86_400


def _is_unlimited(actor: User | None) -> bool:
    return actor is None or actor.is_staff


def check_communities(actor: User | None) -> None:
    """Raise ContestError if the account owns as many communities as it may."""
    if actor is None or actor.is_staff:
        return
    most = settings.PODIUM_MAX_COMMUNITIES
    if Membership.objects.filter(user=actor, role=Role.OWNER).count() >= most:
        raise ContestError(
            ngettext(
                "You own %(most)s community, the most that one account can own. Ask the site administrators to raise "
                "the limit.",
                "You own %(most)s communities, the most that one account can own. Ask the site administrators to "
                "raise the limit.",
                most,
            )
            % {"most": grouped(most)}
        )


def check_series(community: str, actor: User | None) -> None:
    """Raise ContestError if the community has as many series as it may."""
    most = settings.PODIUM_MAX_SERIES
    if not _is_unlimited(actor) and Series.objects.filter(community=community).count() >= most:
        raise ContestError(
            ngettext(
                "This community has %(most)s series, the most that it can have. Ask the site administrators to raise "
                "the limit.",
                "This community has %(most)s series, the most that it can have. Ask the site administrators to raise "
                "the limit.",
                most,
            )
            % {"most": grouped(most)}
        )


def check_contests(community: str, actor: User | None) -> None:
    """Raise ContestError if the community has as many contests as it may; deleted ones count too, games do not."""
    most = settings.PODIUM_MAX_CONTESTS
    contests = Contest.objects.listed_alone().filter(series__community=community)
    if not _is_unlimited(actor) and contests.count() >= most:
        raise ContestError(
            ngettext(
                "This community has %(most)s contest, the most that it can have. Ask the site administrators to raise "
                "the limit.",
                "This community has %(most)s contests, the most that it can have. Ask the site administrators to "
                "raise the limit.",
                most,
            )
            % {"most": grouped(most)}
        )


def check_players(community: str, actor: User | None) -> None:
    """Raise ContestError if the community has more players than it may; call this after new ones were created."""
    most = settings.PODIUM_MAX_PLAYERS
    if not _is_unlimited(actor) and Player.objects.filter(community=community).count() > most:
        raise ContestError(
            ngettext(
                "A community can have at most %(most)s player, and this would exceed the limit. Ask the site "
                "administrators to raise it.",
                "A community can have at most %(most)s players, and this would exceed the limit. Ask the site "
                "administrators to raise it.",
                most,
            )
            % {"most": grouped(most)}
        )


def check_members(community: str, actor: User | None) -> None:
    """Raise ContestError if the community has as many members as it may."""
    most = settings.PODIUM_MAX_MEMBERS
    if not _is_unlimited(actor) and Membership.objects.filter(community=community).count() >= most:
        raise ContestError(
            ngettext(
                "This community has %(most)s member, the most that it can have. Ask the site administrators to raise "
                "the limit.",
                "This community has %(most)s members, the most that it can have. Ask the site administrators to raise "
                "the limit.",
                most,
            )
            % {"most": grouped(most)}
        )


def check_upload(community: str, size: int, actor: User | None) -> None:
    """Count an upload; raise ContestError if the account or the files under review of the community are at a limit."""
    if actor is None or actor.is_staff:
        return
    most = settings.PODIUM_MAX_STAGED_BYTES
    waiting = Upload.objects.staged().filter(series__community=community)
    if (waiting.aggregate(size=Sum("size"))["size"] or 0) + size > most:
        raise ContestError(
            gettext(
                "Together, this community’s files under review would take up more than %(most)s MB. Save or discard "
                "some of them first."
            )
            % {"most": grouped(round(most / 2**20))}
        )
    # Discarded files count too, and they leave no row behind.
    key = f"uploads:{actor.pk}:{timezone.now():%Y-%m-%d}"
    cache.add(key, 0, _DAY_SECONDS)
    try:
        uploads: int | None = cache.incr(key)
    except ValueError:  # it expired just now
        return
    most = settings.PODIUM_MAX_UPLOADS_A_DAY
    # None if the cache is unreachable (podium.caching): an organizer can upload without being counted.
    if uploads is not None and uploads > most:
        raise ContestError(
            ngettext(
                "You have uploaded %(most)s file today, which is the daily limit. Continue tomorrow (UTC), or ask "
                "the site administrators to raise the limit.",
                "You have uploaded %(most)s files today, which is the daily limit. Continue tomorrow (UTC), or ask "
                "the site administrators to raise the limit.",
                most,
            )
            % {"most": grouped(most)}
        )
