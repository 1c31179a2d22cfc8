"""What players are called: handle, other names, and what is said of them."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.db import IntegrityError, transaction
from django.utils import timezone

from contests.errors import ChangedMeanwhile, ContestError
from contests.formats.countries import country_code
from contests.handles import clean_handle, handle_key, printable
from contests.models import AuditEntry, Player, PlayerAlias
from contests.services.transactions import record

if TYPE_CHECKING:
    from django.contrib.auth.models import User


@dataclass(frozen=True, slots=True)
class PlayerDescription:
    """What is said of a player apart from the handle; the country is an ISO 3166 alpha-2 code, or empty."""

    name: str = ""
    country: str = ""
    affiliation: str = ""


def state_of(player: Player) -> str:
    """Return a digest of what a form about the player shows, by which it is told that somebody else was quicker."""
    shown = (player.handle, player.name, player.country, player.affiliation, player.merged_into_id)
    return hashlib.sha256(repr(shown).encode()).hexdigest()[:16]


@transaction.atomic
def rename_player(
    player_id: int, *, handle: str, reason: str = "", state: str | None = None, actor: User | None = None
) -> Player:
    """
    Give a player another handle; the one so far leads to the player from then on. The same handle changes nothing.

    A handle that is another name of the same player becomes the handle. ContestError if it is anybody else's.

    state
        What `state_of` said when the organizer looked at the player.
    """
    handle = _checked(handle)
    player = _locked(player_id)
    if player.handle == handle:
        return player
    _check_state(player, state)
    before, key = player.handle, handle_key(handle)
    if key != player.handle_key:
        _check_free(player, handle)
        PlayerAlias.objects.filter(player=player, handle_key=key).delete()
    before_key, player.handle, player.handle_key = player.handle_key, handle, key
    _saved_or_taken(player, handle)
    if key != before_key:
        # After the handle has let go of the key, which belongs to one of the two at a time.
        PlayerAlias.objects.create(player=player, handle=before, handle_key=before_key)
    record(
        "player.rename", subject=f"{before} to {handle}", player=player, actor=actor, reason=reason,
        before={"handle": before}, after={"handle": handle},
    )  # fmt: skip
    return player


@transaction.atomic
def describe_player(
    player_id: int,
    *,
    description: PlayerDescription,
    reason: str = "",
    state: str | None = None,
    actor: User | None = None,
) -> Player:
    """Say of a player what the description says; what is said already changes nothing."""
    player = _locked(player_id)
    fields = PlayerDescription.__slots__
    after = {name: " ".join(getattr(description, name).split()) for name in fields}
    if after["country"]:
        after["country"] = country_code(after["country"]) or ""
        if not after["country"]:
            raise ContestError(f"“{printable(description.country)}” is no country; write its code, such as DE.")
    before = {name: getattr(player, name) for name in fields}
    changed = [name for name in fields if before[name] != after[name]]
    if not changed:
        return player
    _check_state(player, state)
    for name in changed:
        setattr(player, name, after[name])
    player.save(update_fields=changed)
    record(
        "player.describe", subject=player.handle, player=player, actor=actor, reason=reason,
        before={name: before[name] for name in changed}, after={name: after[name] for name in changed},
    )  # fmt: skip
    return player


@transaction.atomic
def add_alias(player_id: int, *, handle: str, reason: str = "", actor: User | None = None) -> PlayerAlias:
    """Let another name lead to a player, in files and addresses; one that does so already changes nothing."""
    handle = _checked(handle)
    player = _locked(player_id)
    key = handle_key(handle)
    if key == player.handle_key:
        raise ContestError(f"“{handle}” is the player's handle already; it needs no other name.")
    known = PlayerAlias.objects.filter(player=player, handle_key=key).first()
    if known is not None:
        return known
    _check_free(player, handle)
    try:
        with transaction.atomic():
            alias = PlayerAlias.objects.create(player=player, handle=handle, handle_key=key)
    except IntegrityError as error:
        raise ContestError(f"“{handle}” has just been given to somebody else; look at the page again.") from error
    record(
        "player.alias", subject=f"{handle} to {player.handle}", player=player, actor=actor, reason=reason,
        after={"alias": handle},
    )  # fmt: skip
    return alias


@transaction.atomic
def remove_alias(player_id: int, *, handle: str, reason: str = "", actor: User | None = None) -> None:
    """Let another name no longer lead to the player; one that does not changes nothing."""
    player = _locked(player_id)
    alias = PlayerAlias.objects.filter(player=player, handle_key=handle_key(handle)).first()
    if alias is None:
        return
    record(
        "player.unalias", subject=f"{alias.handle} from {player.handle}", player=player, actor=actor, reason=reason,
        before={"alias": alias.handle},
    )  # fmt: skip
    alias.delete()


def _locked(player_id: int) -> Player:
    """Return the player, locked for the caller's transaction; ContestError for one who is nobody of one's own."""
    player = Player.objects.select_for_update().filter(pk=player_id).first()
    if player is None:
        raise ContestError("This player is not there any more.")
    if player.merged_into is not None:
        raise ContestError(
            f"“{player.handle}” has been merged into “{player.merged_into.handle}”: change that player, or split "
            "the two first."
        )
    return player


def _checked(handle: str) -> str:
    """Return a handle as it is kept; ContestError if it cannot be one."""
    cleaned = clean_handle(handle)
    if cleaned.faults:
        raise ContestError(f"“{printable(handle)}” cannot be a handle: {'; '.join(cleaned.faults)}.")
    return cleaned.handle


def _check_free(player: Player, handle: str) -> None:
    """Refuse a handle that leads to anybody else."""
    key = handle_key(handle)
    other = Player.objects.filter(handle_key=key).select_related("merged_into").first()
    if other is not None and other.merged_into is not None:
        raise ContestError(
            f"“{other.handle}” is the handle of a player who was merged into “{other.merged_into.handle}”, and stays "
            "theirs, so that the two can be split again. To keep that handle, split them and merge them the other "
            "way round."
        )
    if other is not None:
        raise ContestError(
            f"“{other.handle}” is the handle of another player. If the two are one person, merge them; otherwise "
            "choose another handle."
        )
    alias = PlayerAlias.objects.filter(handle_key=key).exclude(player=player).select_related("player").first()
    if alias is not None:
        raise ContestError(
            f"“{alias.handle}” is another name of the player “{alias.player.handle}”. If the two are one person, merge "
            "them; otherwise take the name from that player first."
        )


def _saved_or_taken(player: Player, handle: str) -> None:
    try:
        with transaction.atomic():
            player.save(update_fields=["handle", "handle_key"])
    except IntegrityError as error:
        raise ContestError(
            f"“{handle}” has just become somebody else's handle. If the two are one person, merge them."
        ) from error


def _check_state(player: Player, state: str | None) -> None:
    if state is None or state == state_of(player):
        return
    last = AuditEntry.objects.filter(player=player).select_related("actor").order_by("-id").first()
    who = last.who if last is not None else "a command"
    when = f" at {timezone.localtime(last.at):%H:%M} UTC" if last is not None else ""
    raise ChangedMeanwhile(
        f"“{player.handle}” was changed by {who}{when}, while you were at it. Nothing of yours has been saved, and "
        "nothing of theirs is lost: look at the player as it is now, and make your change again if it is still needed."
    )
