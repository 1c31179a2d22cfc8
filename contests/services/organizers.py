"""Organizers of a series: added by username, or invited by a link that works once."""

from __future__ import annotations

import hashlib
import secrets
from datetime import timedelta
from typing import TYPE_CHECKING

from django.contrib.auth import get_user_model
from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from contests.errors import ContestError
from contests.models import Invitation, Membership, Role, Series
from contests.services.transactions import record

if TYPE_CHECKING:
    from collections.abc import Collection

    from django.contrib.auth.models import User
    from django.db.models import QuerySet

#: The time during which a link can be accepted.
INVITATION_LASTS = timedelta(days=7)
#: The greatest number of open links; more would be a mistake, and hard to tell apart.
MOST_OPEN = 20
LONGEST_NOTE = 120


#: An invitation is valid while its author can organize the series; invitations by commands have no author. When an
#: author loses the right, `withdraw_void_invitations` ends the invitation for good.
_AUTHOR_HAS_RIGHTS = Q(created_by=None) | Q(
    Q(created_by__is_staff=True)
    | Exists(Series.organizers.through.objects.filter(series=OuterRef("series"), user=OuterRef("created_by")))
    | Exists(
        Membership.objects.filter(
            community=OuterRef("series__community"), user=OuterRef("created_by"), role__in=[Role.OWNER, Role.ORGANIZER]
        )
    ),
    created_by__is_active=True,
)


class NotOpen(ContestError):
    """The link cannot be accepted: `reason` is `unknown`, `used`, `withdrawn`, `expired` or `void`."""

    def __init__(self, reason: str) -> None:
        super().__init__(_NOT_OPEN[reason])
        self.reason = reason


_NOT_OPEN = {
    "unknown": "There is no such invitation. Check that you copied the whole link, or ask for a new one.",
    "used": "This invitation has already been accepted, and each link works once. Ask for one of your own.",
    "withdrawn": "This invitation has been withdrawn. Ask the person who sent it to you for a new one.",
    "void": (
        "This invitation is no longer valid, because the person who sent it can no longer invite people to this "
        "series. Ask one of the organizers for a new one."
    ),
    "expired": f"This invitation has expired. A link works for {INVITATION_LASTS.days} days. Ask for a new one.",
}


@transaction.atomic
def add_organizer(series_id: int, username: str, *, actor: User | None = None) -> User:
    """Make an account an organizer of the series; do nothing if it is one already."""
    series = _locked(series_id)
    name = username.replace("\0", "\ufffd").strip()  # databases reject NUL, and no username contains it
    user = get_user_model().objects.filter(username=name, is_active=True).first()
    if user is None:
        raise ContestError(
            f"There is no account with the username “{name[:LONGEST_NOTE]}”. Check the spelling, including upper and "
            "lower case, or invite someone without an account by a link."
        )
    if not series.organizers.filter(pk=user.pk).exists():
        series.organizers.add(user)
        _record("organizer.add", series, actor, after={"user": user.get_username()})
    return user


@transaction.atomic
def remove_organizer(series_id: int, user_id: int, *, actor: User | None = None) -> None:
    """
    Remove an organizer from the series, and withdraw the open links that this organizer created.

    ContestError if it is the last organizer, unless the actor is staff. Do nothing if the user is not an organizer.
    """
    series = _locked(series_id)
    user = series.organizers.filter(pk=user_id).first()
    if user is None:
        return
    if series.organizers.count() == 1 and not (actor is not None and actor.is_staff):
        raise ContestError(
            f"{user.get_username()} is the last organizer of “{series.name}”. Add someone else first. Only the staff "
            "of this site can leave a series without organizers."
        )
    for invitation in _open(series.invitations.filter(created_by=user)):
        _withdraw(invitation, "organizer.withdraw", actor=actor)
    series.organizers.remove(user)
    _record("organizer.remove", series, actor, before={"user": user.get_username()})


@transaction.atomic
def invite(series_id: int, *, note: str = "", actor: User | None = None) -> tuple[Invitation, str]:
    """Create a link that makes one person an organizer; return it with its token, which is not stored."""
    series, now = _locked(series_id), timezone.now()
    if open_invitations(series).count() >= MOST_OPEN:
        raise ContestError(
            f"“{series.name}” already has {MOST_OPEN} open invitations. Withdraw those that no one will accept."
        )
    token = secrets.token_urlsafe(32)
    invitation = Invitation.objects.create(
        series=series,
        token_hash=_hash(token),
        note=note.strip()[:LONGEST_NOTE],
        created_by=actor,
        expires_at=now + INVITATION_LASTS,
    )
    _record("organizer.invite", series, actor, after={"note": invitation.note, "until": invitation.expires_at})
    return invitation, token


@transaction.atomic
def withdraw_invitation(invitation_id: int, *, actor: User | None = None) -> Invitation:
    """Withdraw an open invitation; do nothing if it is no longer open."""
    series_id = Invitation.objects.values_list("series_id", flat=True).get(pk=invitation_id)
    _locked(series_id)
    invitation = Invitation.objects.select_related("series").get(pk=invitation_id)
    if invitation.is_open(timezone.now()):
        _withdraw(invitation, "organizer.withdraw", actor=actor)
    return invitation


def find_invitation(token: str) -> Invitation:
    """Return the open invitation of a token, with its series; raise NotOpen with the reason if there is none."""
    digest = _hash(token)
    invitation = Invitation.objects.select_related("series", "created_by").filter(token_hash=digest).first()
    if invitation is None or not secrets.compare_digest(invitation.token_hash, digest):
        raise NotOpen("unknown")
    if invitation.accepted_at is not None:
        raise NotOpen("used")
    if not Invitation.objects.filter(_AUTHOR_HAS_RIGHTS, pk=invitation.pk).exists():
        raise NotOpen("void")
    if invitation.withdrawn_at is not None:
        raise NotOpen("withdrawn")
    if not invitation.is_open(timezone.now()):
        raise NotOpen("expired")
    return invitation


@transaction.atomic
def withdraw_invitations_of(user_id: int) -> None:
    """Withdraw all open invitations of an account that is about to be deleted."""
    for invitation in _open(Invitation.objects.filter(created_by=user_id)):
        _withdraw(invitation, "organizer.void")


@transaction.atomic
def withdraw_void_invitations(author_ids: Collection[int] | None = None) -> int:
    """
    Withdraw the open invitations of authors who have lost the right to invite; return their number.

    Otherwise they would work again as soon as the author got the right back, perhaps years after everyone forgot them.

    author_ids
        Accounts to look at; None for all.
    """
    waiting = Invitation.objects.filter(accepted_at=None, withdrawn_at=None)
    if author_ids is not None:
        waiting = waiting.filter(created_by__in=author_ids)
    void = list(_open(waiting.exclude(pk__in=waiting.filter(_AUTHOR_HAS_RIGHTS).values("pk"))))
    for invitation in void:
        _withdraw(invitation, "organizer.void")
    return len(void)


@transaction.atomic
def accept_invitation(token: str, *, user: User) -> Series:
    """Make the user an organizer of the series; each link works once, even if two people open it at the same time."""
    # Lock the series, as every change of its organizers does, and then check the invitation again.
    series = _locked(find_invitation(token).series_id)
    invitation = find_invitation(token)
    if series.organizers.filter(pk=user.pk).exists():
        return series
    invitation.accepted_by, invitation.accepted_at = user, timezone.now()
    invitation.save(update_fields=["accepted_by", "accepted_at"])
    series.organizers.add(user)
    _record("organizer.accept", series, user, after={"user": user.get_username(), "note": invitation.note})
    return series


@transaction.atomic
def accept_with_new_account(token: str, *, username: str, password: str, email: str = "") -> tuple[Series, User]:
    """Create an account and accept the invitation with it, in one transaction."""
    _locked(find_invitation(token).series_id)
    find_invitation(token)
    try:
        with transaction.atomic():
            user = get_user_model().objects.create_user(username, email, password)
    except IntegrityError as error:
        raise ContestError(f"The username “{username}” is taken. Choose another one.") from error
    return accept_invitation(token, user=user), user


def open_invitations(series: Series) -> QuerySet[Invitation]:
    """Return the invitations to a series that can still be accepted, newest first."""
    open_ones = series.invitations.filter(
        _AUTHOR_HAS_RIGHTS, accepted_at=None, withdrawn_at=None, expires_at__gt=timezone.now()
    )
    return open_ones.select_related("created_by")


def _open(invitations: QuerySet[Invitation]) -> QuerySet[Invitation]:
    """Return those that nobody has accepted or withdrawn, expired or not, with their series."""
    return invitations.filter(accepted_at=None, withdrawn_at=None).select_related("series")


def _withdraw(invitation: Invitation, action: str, *, actor: User | None = None) -> None:
    invitation.withdrawn_at = timezone.now()
    invitation.save(update_fields=["withdrawn_at"])
    _record(action, invitation.series, actor, before={"note": invitation.note})


def _locked(series_id: int) -> Series:
    return Series.objects.select_for_update(no_key=True).get(pk=series_id)


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode(errors="surrogatepass")).hexdigest()


def _record(action: str, series: Series, actor: User | None, **values: dict[str, object]) -> None:
    record(action, subject=f"series {series.slug}", series=series, actor=actor, **values)  # type: ignore[arg-type]
