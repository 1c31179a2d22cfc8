"""Rename and describe players, and change their other names."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.db import IntegrityError, transaction
from django.utils.translation import gettext

from contests.errors import ContestError
from contests.formats.countries import country_code
from contests.handles import clean_handle, handle_key, printable, single_spaced
from contests.models import AuditEntry, Player, PlayerAlias
from contests.services.audit import record
from contests.services.transactions import changed_meanwhile

if TYPE_CHECKING:
    from django.contrib.auth.models import User


@dataclass(frozen=True, slots=True)
class PlayerDescription:
    """The description of a player, without the handle; `country` is an ISO 3166 alpha-2 code, or empty."""

    name: str = ""
    country: str = ""
    affiliation: str = ""


def state_of(player: Player) -> str:
    """Return a digest of the fields that forms about the player show, to detect changes by someone else."""
    fields = (player.handle, player.name, player.country, player.affiliation, player.merged_into_id)
    return hashlib.sha256(repr(fields).encode()).hexdigest()[:16]


@transaction.atomic
def rename_player(
    player_id: int, *, handle: str, reason: str = "", state: str | None = None, actor: User | None = None
) -> Player:
    """
    Change a player's handle; the old handle becomes another name. The same handle changes nothing.

    Another name of the same player can become the handle. ContestError if the handle belongs to another player.

    state
        The `state_of` the player that the organizer saw.
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
    _save_handle(player, handle)
    if key != before_key:
        # Only now, because the handle and the alias cannot own the key at the same time.
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
    """Change the description of a player; unchanged fields have no effect."""
    player = _locked(player_id)
    fields = PlayerDescription.__slots__
    after = {name: " ".join(getattr(description, name).split()) for name in fields}
    if after["country"]:
        after["country"] = country_code(after["country"]) or ""
        if not after["country"]:
            raise ContestError(
                gettext("“%(country)s” is not a valid country. Enter a country code, such as DE.")
                % {"country": printable(description.country)}
            )
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
def add_alias(
    player_id: int, *, handle: str, series_id: int | None = None, reason: str = "", actor: User | None = None
) -> PlayerAlias:
    """
    Add another name, which means the player in files and addresses; do nothing if the player has it already.

    series_id
        The private series whose results contain the name: only people who may read it can find the player by it. By
        default, everyone who may see the player can.
    """
    handle = _checked(handle)
    player = _locked(player_id)
    key = handle_key(handle)
    if key == player.handle_key:
        raise ContestError(
            gettext("“%(handle)s” is already the player’s handle. Enter a different handle.") % {"handle": handle}
        )
    known = PlayerAlias.objects.filter(player=player, handle_key=key).first()
    if known is not None:
        if series_id is None and known.series_id is not None:
            known.series = None
            known.save(update_fields=["series"])
        return known
    _check_free(player, handle)
    try:
        with transaction.atomic():
            alias = PlayerAlias.objects.create(player=player, handle=handle, handle_key=key, series_id=series_id)
    except IntegrityError as error:
        raise ContestError(
            gettext("“%(handle)s” has just been given to another player. Reload the page.") % {"handle": handle}
        ) from error
    record(
        "player.alias", subject=f"{handle} to {player.handle}", player=player, actor=actor, reason=reason,
        after={"alias": handle},
    )  # fmt: skip
    return alias


@transaction.atomic
def remove_alias(player_id: int, *, handle: str, reason: str = "", actor: User | None = None) -> None:
    """Remove another name of the player; do nothing if it is not one."""
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
    """Return the player, locked for the caller's transaction; ContestError for a merged player."""
    player = Player.objects.select_for_update().filter(pk=player_id).first()
    if player is None:
        raise ContestError(gettext("This player no longer exists. Reload the page."))
    if player.merged_into is not None:
        raise ContestError(
            gettext("“%(handle)s” has been merged into “%(other)s”. Change that player, or split the two first.")
            % {"handle": player.handle, "other": player.merged_into.handle}
        )
    return player


def _checked(handle: str) -> str:
    """Return a handle in the form that is stored; ContestError if it is not valid."""
    cleaned = clean_handle(single_spaced(handle))
    if cleaned.faults:
        raise ContestError(
            gettext("“%(handle)s” is not a valid handle: %(faults)s.")
            % {"handle": printable(handle), "faults": "; ".join(cleaned.faults)}
        )
    return cleaned.handle


def _check_free(player: Player, handle: str) -> None:
    """Raise ContestError for a handle or another name of a different player."""
    key = handle_key(handle)
    other = Player.objects.filter(community=player.community_id, handle_key=key).select_related("merged_into").first()
    if other is not None and other.merged_into is not None:
        raise ContestError(
            gettext(
                "“%(handle)s” is the handle of a player who was merged into “%(other)s”. The merged player keeps "
                "it, so that the two can be split again. To use the handle, split them and merge them in the "
                "opposite direction."
            )
            % {"handle": other.handle, "other": other.merged_into.handle}
        )
    if other is not None:
        raise ContestError(
            gettext(
                "“%(handle)s” is the handle of another player. If the two are the same person, merge them. "
                "Otherwise, choose another handle."
            )
            % {"handle": other.handle}
        )
    alias = (
        PlayerAlias.objects.filter(community=player.community_id, handle_key=key)
        .exclude(player=player)
        .select_related("player")
        .first()
    )
    if alias is not None:
        raise ContestError(
            gettext(
                "“%(handle)s” is another name of the player “%(other)s”. If the two are the same person, "
                "merge them. Otherwise, remove the name from that player first."
            )
            % {"handle": alias.handle, "other": alias.player.handle}
        )


def _save_handle(player: Player, handle: str) -> None:
    try:
        with transaction.atomic():
            player.save(update_fields=["handle", "handle_key"])
    except IntegrityError as error:
        raise ContestError(
            gettext(
                "“%(handle)s” has just become the handle of another player. If the two are the same person, merge them."
            )
            % {"handle": handle}
        ) from error


def _check_state(player: Player, state: str | None) -> None:
    if state is None or state == state_of(player):
        return
    raise changed_meanwhile(player.handle, AuditEntry.objects.filter(player=player))
