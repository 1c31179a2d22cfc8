"""API tokens of communities: create, revoke and recognize them. Every change has an audit entry."""

from __future__ import annotations

import logging
from datetime import timedelta
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import DatabaseError, transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext, ngettext

from accounts.models import ApiToken
from accounts.token_keys import TokenKeys, prefix_of
from contests.errors import ContestError
from contests.models import Community
from contests.services.audit import record
from contests.wording import grouped

if TYPE_CHECKING:
    from datetime import datetime

    from django.contrib.auth.models import User

logger = logging.getLogger(__name__)

#: A use is written only if the last one that was written is older than this, so that reading rarely writes.
USE_NOTED_EVERY = timedelta(hours=1)
#: How many of the newest ended tokens a community keeps, so that programs that still use them learn why they fail.
ENDED_KEPT = 50
_KEYS = TokenKeys()


class InvalidToken(Exception):
    """The text is not a token that works now; the message says why, in ASCII and without the text."""


@transaction.atomic
def create_token(
    slug: str, *, name: str, lifetime: timedelta | None, actor: User | None = None
) -> tuple[ApiToken, str]:
    """
    Create a token with which a program reads what viewers of the community may read.

    lifetime
        The time until it expires; None if it does not expire.

    Returns the token's row and its text, which is not stored. ContestError if the community has as many as it may, or
    a token of this name that works: otherwise, reloading the page that shows a new token would create another one.
    """
    Community.objects.select_for_update(no_key=True).get(pk=slug)
    now = timezone.now()
    name = name.strip()
    _check_name(slug, name, now)
    _check_quota(slug, actor)
    text, prefix, hashed_key = _KEYS.generate()
    token = ApiToken.objects.create(
        community_id=slug,
        name=name,
        prefix=prefix,
        hashed_key=hashed_key,
        created_by=actor,
        expires_at=now + lifetime if lifetime is not None else None,
    )
    said = {"name": token.name, "token": token.shown, "scopes": token.scopes, "expires_at": token.expires_at}
    record("token.create", subject=token.name, community=slug, actor=actor, after=said)
    _forget_old(slug)
    return token, text


@transaction.atomic
def revoke_token(token_id: int, *, actor: User | None = None) -> ApiToken:
    """Revoke a token permanently; do nothing if it has been revoked already."""
    token = ApiToken.objects.select_for_update(no_key=True).get(pk=token_id)
    if token.revoked_at is None:
        token.revoked_at = timezone.now()
        token.save(update_fields=["revoked_at"])
        said = {"name": token.name, "token": token.shown}
        record("token.revoke", subject=token.name, community=token.community_id, actor=actor, before=said)
    return token


def find_token(text: str) -> ApiToken:
    """
    Return the row of a token that works; raise InvalidToken with the reason if it does not.

    Only someone who has the whole token learns that it was revoked or has expired.
    """
    prefix = prefix_of(text)
    if prefix is None:
        raise InvalidToken("The token is malformed. Tokens begin with podium_ and have 59 characters.")
    token = ApiToken.objects.filter(prefix=prefix).first()
    if token is None or not _KEYS.verify(text, token.hashed_key):
        raise InvalidToken("The token is unknown. Ask an owner of the community for another one.")
    if token.revoked_at is not None:
        raise InvalidToken(f"The token was revoked on {token.revoked_at:%Y-%m-%d}. Ask an owner for another one.")
    if token.expires_at is not None and token.expires_at <= timezone.now():
        raise InvalidToken(f"The token expired on {token.expires_at:%Y-%m-%d}. Ask an owner for another one.")
    return token


def note_use(token: ApiToken) -> None:
    """Write that the token is in use, unless that was written within the last hour; failures are only logged."""
    before = timezone.now() - USE_NOTED_EVERY
    if token.last_used_at is not None and token.last_used_at > before:
        return
    try:
        with transaction.atomic():
            unnoted = ApiToken.objects.filter(Q(last_used_at=None) | Q(last_used_at__lte=before), pk=token.pk)
            unnoted.update(last_used_at=timezone.now())
    except DatabaseError as error:
        logger.warning("the last use of token %s could not be stored: %s", token.shown, error)


def _check_name(slug: str, name: str, now: datetime) -> None:
    """Raise ContestError if a token that works has the name."""
    if ApiToken.objects.valid(now).filter(community=slug, name__iexact=name).exists():
        text = gettext(
            "There is already a token for “%(name)s”. If you did not copy it, revoke it and create another one. "
            "Otherwise, enter another name."
        )
        raise ContestError(text % {"name": name})


def _check_quota(slug: str, actor: User | None) -> None:
    """Raise ContestError if the community has as many tokens that work as it may."""
    most = settings.PODIUM_MAX_TOKENS
    is_unlimited = actor is None or actor.is_staff
    if not is_unlimited and ApiToken.objects.valid(timezone.now()).filter(community=slug).count() >= most:
        raise ContestError(
            ngettext(
                "This community has %(most)s working API token, the most that it can have. Revoke one that no program "
                "uses, or ask the site administrators to raise the limit.",
                "This community has %(most)s working API tokens, the most that it can have. Revoke one that no "
                "program uses, or ask the site administrators to raise the limit.",
                most,
            )
            % {"most": grouped(most)}
        )


def _forget_old(slug: str) -> None:
    ended = ApiToken.objects.ended(timezone.now()).filter(community=slug).order_by("-created_at", "-id")
    ApiToken.objects.filter(pk__in=list(ended.values_list("pk", flat=True)[ENDED_KEPT:])).delete()
