"""Organizers of a series, added by username; single-use links that give a role or connect an account to a player."""

from __future__ import annotations

import hashlib
import secrets
from datetime import timedelta
from typing import TYPE_CHECKING

from django.contrib.auth import get_user_model
from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone
from django.utils.text import format_lazy
from django.utils.translation import gettext, gettext_lazy

from contests.errors import ContestError
from contests.models import Community, Invitation, Membership, Player, Role, Series
from contests.services.audit import record
from contests.services.claims import claim_player, has_claimed, refuse_claimed
from contests.services.communities import set_role

if TYPE_CHECKING:
    from collections.abc import Collection

    from django.contrib.auth.models import User
    from django.db.models import QuerySet

#: The time during which a link can be accepted.
INVITATION_LASTS = timedelta(days=7)
#: The greatest number of open links; more would be a mistake, and hard to tell apart.
MOST_OPEN = 20
LONGEST_NOTE = 120


_ROLES = Membership.objects.filter(community=OuterRef("community"), user=OuterRef("created_by"))
#: An invitation is valid while its author could create it; invitations by commands have no author. Those who organize a
#: series invite to it, owners also to the community; organizers of the community invite to its series and players. When
#: an author loses the right, `withdraw_void_invitations` ends the invitation for good.
_AUTHOR_HAS_RIGHTS = Q(created_by=None) | Q(
    Q(created_by__is_staff=True)
    | Exists(Series.organizers.through.objects.filter(series=OuterRef("series"), user=OuterRef("created_by")))
    | Exists(_ROLES.filter(role=Role.OWNER))
    | Q(Q(series__isnull=False) | Q(player__isnull=False), Exists(_ROLES.filter(role=Role.ORGANIZER))),
    created_by__is_active=True,
)


class NotOpen(ContestError):
    """The link cannot be accepted: `reason` is `unknown`, `used`, `withdrawn`, `expired` or `void`."""

    def __init__(self, reason: str) -> None:
        super().__init__(str(_NOT_OPEN[reason]))
        self.reason = reason


_NOT_OPEN = {
    "unknown": gettext_lazy("There is no such invitation. Check that you copied the whole link, or ask for a new one."),
    "used": gettext_lazy(
        "This invitation has already been accepted, and each link works only once. Ask for a link of your own."
    ),
    "withdrawn": gettext_lazy("This invitation has been withdrawn. Ask the person who sent it to you for a new one."),
    "void": gettext_lazy(
        "This invitation is no longer valid, because the person who sent it can no longer invite people. Ask one of "
        "the organizers for a new one."
    ),
    "expired": format_lazy(
        gettext_lazy("This invitation has expired. A link works for {days} days. Ask for a new one."),
        days=INVITATION_LASTS.days,
    ),
}


@transaction.atomic
def add_organizer(series_id: int, username: str, *, actor: User | None = None) -> User:
    """Make an account an organizer of the series; do nothing if it is one already."""
    series = _locked(series_id)
    name = username.replace("\0", "\ufffd").strip()  # databases reject NUL, and no username contains it
    user = get_user_model().objects.filter(username=name, is_active=True).first()
    if user is None:
        raise ContestError(
            gettext(
                "There is no account with the username “%(name)s”. Check the spelling, including upper and "
                "lower case. If the person has no account, send an invitation link."
            )
            % {"name": name[:LONGEST_NOTE]}
        )
    if not series.organizers.filter(pk=user.pk).exists():
        series.organizers.add(user)
        _record("add", series, actor, after={"user": user.get_username()})
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
    refuse_last_organizer(series, user, actor)
    for invitation in _open(series.invitations.filter(created_by=user)):
        _withdraw(invitation, "withdraw", actor=actor)
    series.organizers.remove(user)
    _record("remove", series, actor, before={"user": user.get_username()})


def refuse_last_organizer(series: Series, user: User, actor: User | None) -> None:
    """Raise ContestError if this organizer of the series is the only one, unless the actor is staff."""
    if series.organizers.count() > 1 or (actor is not None and actor.is_staff):
        return
    names = {"username": user.get_username(), "name": series.name}
    if actor == user:
        raise ContestError(
            gettext(
                "You are the last organizer of “%(name)s”. Add someone else first, or wait until someone has accepted "
                "your invitation."
            )
            % names
        )
    raise ContestError(
        gettext(
            "%(username)s is the last organizer of “%(name)s”. Add someone else first, or wait until someone has "
            "accepted your invitation. Only site administrators can remove the last organizer."
        )
        % names
    )


@transaction.atomic
def invite(series_id: int, *, note: str = "", actor: User | None = None) -> tuple[Invitation, str]:
    """Create a link that makes one person an organizer; return it with its token, which is not stored."""
    return _invite(_locked(series_id), Role.ORGANIZER, note, actor)


@transaction.atomic
def invite_member(slug: str, *, role: str, note: str = "", actor: User | None = None) -> tuple[Invitation, str]:
    """Create a link that gives one person a role in a community; return it with its token, which is not stored."""
    return _invite(_locked_community(slug), role, note, actor)


@transaction.atomic
def invite_player(player_id: int, *, actor: User | None = None) -> tuple[Invitation, str]:
    """
    Create a link that connects one person's account to a player; earlier links to the player are withdrawn.

    ContestError if the player has an account, or has been merged. Returns the invitation with its token, which is not
    stored.
    """
    community = _locked_community(Player.objects.values_list("community", flat=True).get(pk=player_id))
    player = Player.objects.get(pk=player_id)
    refuse_claimed(player)
    for earlier in _open(player.invitations.all()):
        _withdraw(earlier, "withdraw", actor=actor)
    return _create(player, community, "", "", actor)


def _invite(target: Series | Community, role: str, note: str, actor: User | None) -> tuple[Invitation, str]:
    if open_invitations(target).count() >= MOST_OPEN:
        raise ContestError(
            gettext("“%(name)s” already has %(most_open)s open invitations. Withdraw those that no one will accept.")
            % {"name": target.name, "most_open": MOST_OPEN}
        )
    community = target.community if isinstance(target, Series) else target
    return _create(target, community, role, note, actor)


def _create(
    target: Series | Community | Player, community: Community, role: str, note: str, actor: User | None
) -> tuple[Invitation, str]:
    token = secrets.token_urlsafe(32)
    invitation = Invitation.objects.create(
        community=community,
        series=target if isinstance(target, Series) else None,
        player=target if isinstance(target, Player) else None,
        role=role,
        token_hash=_hash(token),
        note=note.strip()[:LONGEST_NOTE],
        created_by=actor,
        expires_at=timezone.now() + INVITATION_LASTS,
    )
    said: dict[str, object] = {"note": invitation.note, "until": invitation.expires_at}
    _record("invite", target, actor, after={"role": role, **said} if isinstance(target, Community) else said)
    return invitation, token


@transaction.atomic
def withdraw_invitation(invitation_id: int, *, actor: User | None = None) -> Invitation:
    """Withdraw an open invitation; do nothing if it is no longer open."""
    _locked_target(Invitation.objects.get(pk=invitation_id))
    invitation = Invitation.objects.select_related("series", "community", "player").get(pk=invitation_id)
    if invitation.is_open(timezone.now()):
        _withdraw(invitation, "withdraw", actor=actor)
    return invitation


@transaction.atomic
def withdraw_exposed(token: str) -> None:
    """Withdraw the open invitation of a token that was sent where others can read it; do nothing if there is none."""
    found = Invitation.objects.filter(token_hash=_hash(token)).first()
    if found is None:
        return
    _locked_target(found)
    for invitation in _open(Invitation.objects.filter(pk=found.pk)):
        _withdraw(invitation, "expose")


def find_invitation(token: str) -> Invitation:
    """Return the open invitation of a token, with its target; raise NotOpen with the reason if there is none."""
    digest = _hash(token)
    invitation = (
        Invitation.objects.select_related("series", "community", "player", "created_by")
        .filter(token_hash=digest)
        .first()
    )
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
        _withdraw(invitation, "void")


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
        _withdraw(invitation, "void")
    return len(void)


@transaction.atomic
def accept_invitation(token: str, *, user: User) -> Series | Community | Player:
    """
    Give the user the role of the invitation, or connect the user's account to its player.

    Each link works once, even if two people open it at the same time.
    """
    # Lock the target, as every change of its roles does, and then check the invitation again.
    target = _locked_target(find_invitation(token))
    invitation = find_invitation(token)
    if has_role_already(invitation, user):
        return target
    invitation.accepted_by, invitation.accepted_at = user, timezone.now()
    invitation.save(update_fields=["accepted_by", "accepted_at"])
    said: dict[str, object] = {"user": user.get_username(), "note": invitation.note}
    if isinstance(target, Player):
        claim_player(target, user)
    elif isinstance(target, Series):
        target.organizers.add(user)
    else:
        set_role(target.pk, user, invitation.role, actor=user)
        said["role"] = invitation.role
    _record("accept", target, user, after=said)
    return target


def has_role_already(invitation: Invitation, user: User) -> bool:
    """Whether an invitation would give the user nothing new; accepting it never takes rights away."""
    if invitation.player is not None:
        return has_claimed(invitation.player, user)
    if invitation.series is not None:
        return invitation.series.organizers.filter(pk=user.pk).exists()
    held = Membership.objects.filter(community=invitation.community_id, user=user).values_list("role", flat=True)
    return any(Role.values.index(role) <= Role.values.index(invitation.role) for role in held)


@transaction.atomic
def accept_with_new_account(
    token: str, *, username: str, password: str, email: str = ""
) -> tuple[Series | Community | Player, User]:
    """Create an account and accept the invitation with it, in one transaction."""
    _locked_target(find_invitation(token))
    find_invitation(token)
    try:
        with transaction.atomic():
            user = get_user_model().objects.create_user(username, email, password)
    except IntegrityError as error:
        raise ContestError(
            gettext("The username “%(username)s” is taken. Choose another one.") % {"username": username}
        ) from error
    return accept_invitation(token, user=user), user


def open_invitations(target: Series | Community | Player) -> QuerySet[Invitation]:
    """Return the invitations to a series, a role in a community or a player that still work, newest first."""
    own = target.invitations.all()
    if isinstance(target, Community):
        own = own.filter(series=None, player=None)
    open_ones = own.filter(_AUTHOR_HAS_RIGHTS, accepted_at=None, withdrawn_at=None, expires_at__gt=timezone.now())
    return open_ones.select_related("created_by")


def _open(invitations: QuerySet[Invitation]) -> QuerySet[Invitation]:
    """Return those that no one has accepted or withdrawn, expired or not, with their targets."""
    return invitations.filter(accepted_at=None, withdrawn_at=None).select_related("series", "community", "player")


def _withdraw(invitation: Invitation, verb: str, *, actor: User | None = None) -> None:
    invitation.withdrawn_at = timezone.now()
    invitation.save(update_fields=["withdrawn_at"])
    _record(verb, invitation.target, actor, before={"note": invitation.note})


def _locked(series_id: int) -> Series:
    return Series.objects.select_for_update(no_key=True).get(pk=series_id)


def _locked_community(slug: str) -> Community:
    return Community.objects.select_for_update(no_key=True).get(pk=slug)


def _locked_target(invitation: Invitation) -> Series | Community | Player:
    """Return the target of an invitation after locking it; a player after locking the community."""
    if invitation.series_id is not None:
        return _locked(invitation.series_id)
    community = _locked_community(invitation.community_id)
    return community if invitation.player_id is None else Player.objects.get(pk=invitation.player_id)


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode(errors="surrogatepass")).hexdigest()


def _record(verb: str, target: Series | Community | Player, actor: User | None, **values: dict[str, object]) -> None:
    if isinstance(target, Player):
        record(f"claim.{verb}", subject=target.handle, player=target, actor=actor, **values)  # type: ignore[arg-type]
    elif isinstance(target, Series):
        record(
            f"organizer.{verb}",
            subject=f"series {target.slug}",
            series=target,
            actor=actor,
            **values,  # type: ignore[arg-type]
        )
    else:
        record(
            f"member.{verb}",
            subject=f"community {target.pk}",
            community=target.pk,
            actor=actor,
            **values,  # type: ignore[arg-type]
        )
