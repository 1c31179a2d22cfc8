"""Two players who turn out to be one person; and the way back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import transaction
from django.db.models import Exists, OuterRef
from django.utils import timezone

from contests.errors import ContestError
from contests.models import Contest, ContestState, Player, PlayerAlias, PlayerMerge, Series, Standing
from contests.services.contests import announce
from contests.services.transactions import lock_players_exclusive, record, retried, save_change

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from django.contrib.auth.models import User


@retried
@transaction.atomic
def merge_players(kept_id: int, merged_id: int, *, reason: str, actor: User | None = None) -> PlayerMerge:
    """
    Make two players one: results, other names and earlier merges go from the merged one to the kept one.

    The merged player's row stays, and leads to the kept one. Each series is rated again from the first contest whose
    rows moved. ContestError, naming all of them, if both stand in one contest. Merging the same two again changes
    nothing.
    """
    if kept_id == merged_id:
        raise ContestError("A player cannot be merged into the same player; choose another one.")
    lock_players_exclusive()
    contests = _locked_contests(Standing.objects.filter(player=merged_id))
    players = _locked_players(kept_id, merged_id)
    kept, merged = players[kept_id], players[merged_id]
    if merged.merged_into_id == kept_id:
        return PlayerMerge.objects.get(merged=merged, split_at=None)
    for player in (kept, merged):
        if player.merged_into is not None:
            raise ContestError(
                f"“{player.handle}” has been merged into “{player.merged_into.handle}” already: merge with that "
                "player, or split the two first."
            )
    if not reason.strip():
        raise ContestError(f"Give the reason for merging “{merged.handle}” into “{kept.handle}”; it is kept.")
    _refuse_both_in_one(kept, merged)
    rows = _movable(merged, kept)
    _check_locked(rows, contests)
    merge = PlayerMerge.objects.create(
        kept=kept,
        merged=merged,
        standings=[row.pk for row in rows],
        aliases=_ids(PlayerAlias.objects.filter(player=merged)),
        players=_ids(Player.objects.filter(merged_into=merged)),
        reason=reason,
        actor=actor,
    )
    _move(merge, merged, kept)
    merged.merged_into = kept
    merged.save(update_fields=["merged_into"])
    words = f"Merged {merged.handle} into {kept.handle}"
    _tell(merge, "player.merge", f"{merged.handle} into {kept.handle}", words, rows, contests, reason, actor)
    return merge


@retried
@transaction.atomic
def split_players(merge_id: int, *, reason: str, actor: User | None = None) -> PlayerMerge:
    """
    Take a merge back: what moved then goes back to the merged player, as far as it is still there.

    Results that have come since stay with the player who was kept. If that one was merged into yet another meanwhile,
    what goes back comes from there. Splitting what is split changes nothing.
    """
    merge = PlayerMerge.objects.select_related("merged").filter(pk=merge_id).first()
    if merge is None:
        raise ContestError("There is no such merge.")
    lock_players_exclusive()
    contests = _locked_contests(Standing.objects.filter(pk__in=merge.standings))
    owner_id = merge.merged.merged_into_id
    players = _locked_players(*filter(None, (owner_id, merge.merged_id)))
    merge = PlayerMerge.objects.select_for_update(of=("self",)).get(pk=merge_id)
    merged = players[merge.merged_id]
    if merge.split_at is not None:
        return merge
    if merged.merged_into_id != owner_id or owner_id is None:
        raise ContestError("Somebody has merged or split these players at this very moment; try again.")
    if not reason.strip():
        raise ContestError(f"Give the reason for making “{merged.handle}” a player again; it is kept.")
    owner = players[owner_id]
    rows = list(Standing.objects.filter(pk__in=merge.standings, player=owner).order_by("pk"))
    _check_locked(rows, contests)
    _forget_in_outer_merges(merge)
    _move(merge, owner, merged)
    merged.merged_into = None
    merged.save(update_fields=["merged_into"])
    merge.split_at = timezone.now()
    merge.save(update_fields=["split_at"])
    words = f"Split {merged.handle} from {owner.handle}"
    _tell(merge, "player.split", f"{merged.handle} from {owner.handle}", words, rows, contests, reason, actor)
    return merge


def contests_of_both(one: Player, other: Player) -> list[Contest]:
    """
    Return the finalized contests, with their series, in which both stand, oldest first.

    A draft can be corrected before it counts, and must not let one organizer stop another from merging.
    """
    together = Contest.objects.finalized().filter(
        Exists(Standing.objects.filter(contest=OuterRef("pk"), player=one)),
        Exists(Standing.objects.filter(contest=OuterRef("pk"), player=other)),
    )
    return list(together.select_related("series").in_order())


def _locked_contests(rows: Iterable[Standing]) -> dict[int, Contest]:
    """
    Lock the contests that have these rows, in the order of their ids, before the players.

    Who saves standings locks the contest and then waits for its players: in the same order, nobody waits in a circle.
    """
    contests = Contest.objects.existing().filter(Exists(rows.filter(contest=OuterRef("pk"))))  # type: ignore[attr-defined]
    locked = contests.select_for_update(no_key=True, of=("self",)).select_related("series").order_by("pk")
    return {contest.pk: contest for contest in locked}


def _locked_players(*player_ids: int) -> dict[int, Player]:
    """Lock players in the order of their ids, so that two opposite merges wait for each other in one direction."""
    # Without a join: what a row that was waited for is joined with would be as it was before.
    locked = Player.objects.select_for_update().order_by("pk")
    players = {player.pk: player for player in locked.filter(pk__in=player_ids)}
    if len(players) < len(set(player_ids)):
        raise ContestError("One of these players is not there any more.")
    return players


def _check_locked(rows: Sequence[Standing], contests: dict[int, Contest]) -> None:
    """Refuse where standings were saved between the locks; only deleted contests are not locked."""
    deleted = Contest.objects.filter(pk__in={row.contest_id for row in rows} - set(contests))
    if deleted.exclude(state=ContestState.DELETED).exists():
        raise ContestError("Somebody has saved standings with these players at this very moment; try again.")


def _refuse_both_in_one(kept: Player, merged: Player) -> None:
    both = contests_of_both(kept, merged)
    if both:
        named = ", ".join(f"“{contest.name}” ({contest.series.name})" for contest in both)
        raise ContestError(
            f"“{kept.handle}” and “{merged.handle}” cannot be one person: both stand in {named}. If one of the rows is "
            "wrong, correct it first."
        )


def _movable(merged: Player, kept: Player) -> list[Standing]:
    """Return the merged player's rows; those beside the kept one's, in drafts and deleted contests, stay."""
    beside = Standing.objects.filter(contest=OuterRef("contest"), player=kept)
    return list(Standing.objects.filter(~Exists(beside), player=merged).order_by("pk"))


def _move(merge: PlayerMerge, giver: Player, taker: Player) -> None:
    Standing.objects.filter(pk__in=merge.standings, player=giver).update(player=taker)
    PlayerAlias.objects.filter(pk__in=merge.aliases, player=giver).update(player=taker)
    Player.objects.filter(pk__in=merge.players, merged_into=giver).update(merged_into=taker)


def _forget_in_outer_merges(merge: PlayerMerge) -> None:
    """
    Take what goes back out of the merges that carried it on.

    Otherwise, if the player is merged anew, splitting such an outer merge would take it to where it no longer belongs.
    """
    holder = merge.kept_id
    while outer := PlayerMerge.objects.filter(merged=holder, split_at=None).first():
        outer.standings = _without(outer.standings, merge.standings)
        outer.aliases = _without(outer.aliases, merge.aliases)
        outer.players = _without(outer.players, [*merge.players, merge.merged_id])
        outer.save(update_fields=["standings", "aliases", "players"])
        holder = outer.kept_id


def _tell(
    merge: PlayerMerge,
    action: str,
    subject: str,
    words: str,
    rows: Sequence[Standing],
    contests: dict[int, Contest],
    reason: str,
    actor: User | None,
) -> None:
    """Count the change in every contest, write it down in every series, and say from where to rate again."""
    touched = [contests[pk] for pk in sorted({row.contest_id for row in rows} & set(contests))]
    after = {"results": len(rows), "contests": len(touched)}
    for player in (merge.kept, merge.merged):
        record(action, subject=subject, player=player, actor=actor, reason=reason, after=after)
    for contest in touched:
        # Its content stays that of its file: the handles there still lead to the same players.
        save_change(contest)
    for series in {contest.series_id: contest.series for contest in touched}.values():
        # Organizers of a draft elsewhere learn what was done, and not what was written for others.
        is_own = actor is None or Series.objects.organized_by(actor).filter(pk=series.pk).exists()
        told = reason if is_own else ""
        record(action, subject=subject, series=series, actor=actor, reason=told, after=after if is_own else {})
        rated = [one for one in touched if one.series_id == series.pk and one.is_finalized and one.is_rated]
        if rated:
            announce(min(rated, key=lambda one: one.ends_at), cause=f"{words}: {reason}", actor=actor)


def _ids(found: Iterable[Player | PlayerAlias]) -> list[int]:
    return sorted(one.pk for one in found)


def _without(ids: Iterable[int], gone: Iterable[int]) -> list[int]:
    taken = set(gone)
    return [pk for pk in ids if pk not in taken]
