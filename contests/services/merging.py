"""Merge two players who are the same person, and split them again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import transaction
from django.db.models import Exists, OuterRef
from django.utils import timezone
from django.utils.translation import gettext

from contests.errors import ContestError
from contests.matching.name_index import index_players
from contests.models import Contest, ContestState, Player, PlayerAlias, PlayerMerge, Series, Standing
from contests.services.audit import record
from contests.services.claims import move_claim
from contests.services.pictures import merge_pictures, return_picture
from contests.services.reports import move_reports
from contests.services.transactions import announce, lock_players_exclusive, retried, save_change
from contests.wording import quoted

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from django.contrib.auth.models import User


@retried
@transaction.atomic
def merge_players(kept_id: int, merged_id: int, *, reason: str, actor: User | None = None) -> PlayerMerge:
    """
    Merge two players: move results, other names and earlier merges from the merged player to the kept one.

    The kept player keeps its picture, or gets that of the merged player if it has none (`merge_pictures`).
    The merged player's row stays and refers to the kept player. Each series is rated again from the first contest whose
    rows moved. ContestError if any contest contains both players (the message names these contests), or if both have an
    account. Merging the same players again changes nothing.
    """
    if kept_id == merged_id:
        raise ContestError(gettext("You cannot merge a player with themselves. Choose another player."))
    lock_players_exclusive()
    contests = _locked_contests(Standing.objects.filter(player=merged_id))
    players = _locked_players(kept_id, merged_id)
    kept, merged = players[kept_id], players[merged_id]
    if merged.merged_into_id == kept_id:
        return PlayerMerge.objects.get(merged=merged, split_at=None)
    for player in (kept, merged):
        if player.merged_into is not None:
            raise ContestError(
                gettext(
                    "“%(handle)s” has already been merged into “%(other)s”. Merge with that player, or split "
                    "the two first."
                )
                % {"handle": player.handle, "other": player.merged_into.handle}
            )
    if not reason.strip():
        raise ContestError(
            gettext("Give the reason for merging “%(handle)s” into “%(other)s”. It is recorded in the history.")
            % {"handle": merged.handle, "other": kept.handle}
        )
    if kept.community_id != merged.community_id:
        raise ContestError(
            gettext(
                "The two players belong to different communities. You can merge only players of the same community."
            )
        )
    _refuse_both_in_one(kept, merged)
    move_claim(kept, merged, actor=actor)
    move_reports(kept, merged, actor=actor)
    rows = _movable(merged, kept)
    _check_locked(rows, contests)
    merge = PlayerMerge.objects.create(
        kept=kept,
        merged=merged,
        standings=[row.pk for row in rows],
        aliases=_ids(PlayerAlias.objects.filter(player=merged)),
        players=_ids(Player.objects.filter(merged_into=merged)),
        picture=merge_pictures(kept, merged),
        reason=reason,
        actor=actor,
    )
    _move(merge, merged, kept)
    merged.merged_into = kept
    merged.save(update_fields=["merged_into"])
    index_players([merged.pk])
    words = f"Merged {merged.handle} into {kept.handle}"
    _record_and_announce(
        merge, "player.merge", f"{merged.handle} into {kept.handle}", words, rows, contests, reason, actor
    )
    return merge


@retried
@transaction.atomic
def split_players(merge_id: int, *, reason: str, actor: User | None = None) -> PlayerMerge:
    """
    Undo a merge: return to the merged player everything that was moved and still exists.

    Results added since stay with the kept player, and so does the account. If that player has been merged into another
    one since, the rows are taken from there. Splitting players who are already split changes nothing.
    """
    merge = PlayerMerge.objects.select_related("merged").filter(pk=merge_id).first()
    if merge is None:
        raise ContestError(gettext("There is no such merge. Reload the page."))
    lock_players_exclusive()
    contests = _locked_contests(Standing.objects.filter(pk__in=merge.standings))
    owner_id = merge.merged.merged_into_id
    players = _locked_players(*filter(None, (owner_id, merge.merged_id)))
    merge = PlayerMerge.objects.select_for_update(of=("self",)).get(pk=merge_id)
    merged = players[merge.merged_id]
    if merge.split_at is not None:
        return merge
    if merged.merged_into_id != owner_id or owner_id is None:
        raise ContestError(gettext("Someone else has just merged or split these players. Try again."))
    if not reason.strip():
        raise ContestError(
            gettext("Give the reason for splitting off “%(handle)s”. It is recorded in the history.")
            % {"handle": merged.handle}
        )
    owner = players[owner_id]
    rows = list(Standing.objects.filter(pk__in=merge.standings, player=owner).order_by("pk"))
    _check_locked(rows, contests)
    _forget_in_later_merges(merge)
    _move(merge, owner, merged)
    return_picture(merge.picture, owner, merged)
    merged.merged_into = None
    merged.save(update_fields=["merged_into"])
    merge.split_at = timezone.now()
    merge.save(update_fields=["split_at"])
    index_players([merged.pk])
    words = f"Split {merged.handle} from {owner.handle}"
    _record_and_announce(
        merge, "player.split", f"{merged.handle} from {owner.handle}", words, rows, contests, reason, actor
    )
    return merge


def contests_of_both(one: Player, other: Player) -> list[Contest]:
    """
    Return the finalized contests that contain both players, with their series, oldest first.

    Drafts don't count: they can still be corrected, and one organizer's draft must not keep another from merging.
    """
    together = Contest.objects.finalized().filter(
        Exists(Standing.objects.filter(contest=OuterRef("pk"), player=one)),
        Exists(Standing.objects.filter(contest=OuterRef("pk"), player=other)),
    )
    return list(together.select_related("series").in_order())


def _locked_contests(rows: Iterable[Standing]) -> dict[int, Contest]:
    """
    Lock the contests of these rows, in the order of their ids, before the players.

    Saving standings also locks the contest before its players; the common order prevents deadlocks.
    """
    contests = Contest.objects.existing().filter(Exists(rows.filter(contest=OuterRef("pk"))))  # type: ignore[attr-defined]
    locked = contests.select_for_update(no_key=True, of=("self",)).select_related("series").order_by("pk")
    return {contest.pk: contest for contest in locked}


def _locked_players(*player_ids: int) -> dict[int, Player]:
    """Lock players in the order of their ids, so that two opposite merges cannot deadlock."""
    # Without a join, because after waiting for a lock, joined rows would be outdated.
    locked = Player.objects.select_for_update().order_by("pk")
    players = {player.pk: player for player in locked.filter(pk__in=player_ids)}
    if len(players) < len(set(player_ids)):
        raise ContestError(gettext("One of these players no longer exists. Reload the page."))
    return players


def _check_locked(rows: Sequence[Standing], contests: dict[int, Contest]) -> None:
    """Raise ContestError if standings were saved before the contests were locked; deleted contests are not locked."""
    deleted = Contest.objects.filter(pk__in={row.contest_id for row in rows} - set(contests))
    if deleted.exclude(state=ContestState.DELETED).exists():
        raise ContestError(gettext("Someone else has just saved standings with these players. Try again."))


def _refuse_both_in_one(kept: Player, merged: Player) -> None:
    both = contests_of_both(kept, merged)
    if both:
        named = ", ".join(f"{quoted(contest.name)} ({contest.series.name})" for contest in both)
        raise ContestError(
            gettext(
                "“%(handle)s” and “%(other)s” cannot be the same person, because both took part in "
                "%(named)s. If one of the rows is wrong, correct it first."
            )
            % {"handle": kept.handle, "other": merged.handle, "named": named}
        )


def _movable(merged: Player, kept: Player) -> list[Standing]:
    """Return the merged player's rows, except in drafts and deleted contests that also contain the kept player."""
    beside = Standing.objects.filter(contest=OuterRef("contest"), player=kept)
    return list(Standing.objects.filter(~Exists(beside), player=merged).order_by("pk"))


def _move(merge: PlayerMerge, source: Player, target: Player) -> None:
    Standing.objects.filter(pk__in=merge.standings, player=source).update(player=target)
    PlayerAlias.objects.filter(pk__in=merge.aliases, player=source).update(player=target)
    Player.objects.filter(pk__in=merge.players, merged_into=source).update(merged_into=target)


def _forget_in_later_merges(merge: PlayerMerge) -> None:
    """
    Remove the rows that this split returns from the records of later merges, which moved them on.

    Otherwise, after another merge of the player, splitting such a later merge would move them to the wrong player.
    """
    holder = merge.kept_id
    while later := PlayerMerge.objects.filter(merged=holder, split_at=None).first():
        later.standings = _without(later.standings, merge.standings)
        later.aliases = _without(later.aliases, merge.aliases)
        later.players = _without(later.players, [*merge.players, merge.merged_id])
        later.picture = "" if later.picture == merge.picture else later.picture
        later.save(update_fields=["standings", "aliases", "players", "picture"])
        holder = later.kept_id


def _record_and_announce(
    merge: PlayerMerge,
    action: str,
    subject: str,
    words: str,
    rows: Sequence[Standing],
    contests: dict[int, Contest],
    reason: str,
    actor: User | None,
) -> None:
    """Save the change in every contest, record it in every series, and announce the changed results."""
    affected = [contests[pk] for pk in sorted({row.contest_id for row in rows} & set(contests))]
    after = {"results": len(rows), "contests": len(affected)}
    for player in (merge.kept, merge.merged):
        record(action, subject=subject, player=player, actor=actor, reason=reason, after=after)
    for contest in affected:
        # The content hash stays valid: the handles in the file still lead to the same players.
        save_change(contest)
    for series in {contest.series_id: contest.series for contest in affected}.values():
        # Organizers of other series see the change, but not a reason that was written for someone else.
        is_own = actor is None or Series.objects.organized_by(actor).filter(pk=series.pk).exists()
        shown_reason = reason if is_own else ""
        record(action, subject=subject, series=series, actor=actor, reason=shown_reason, after=after if is_own else {})
        rated = [one for one in affected if one.series_id == series.pk and one.is_finalized and one.is_rated]
        if rated:
            cause = f"{words}: {shown_reason}" if shown_reason else words
            announce(min(rated, key=lambda one: one.ends_at), cause=cause, actor=actor)


def _ids(found: Iterable[Player | PlayerAlias]) -> list[int]:
    return sorted(one.pk for one in found)


def _without(ids: Iterable[int], gone: Iterable[int]) -> list[int]:
    removed = set(gone)
    return [pk for pk in ids if pk not in removed]
