"""Changes of players: rename, merge and split."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.db.models import Count, Q
from django.urls import reverse

from contests.changes.base import Change, ChangeDescription
from contests.errors import ContestError
from contests.handles import handle_key
from contests.models import ContestState, Player, PlayerAlias, PlayerMerge, Standing
from contests.services.merging import merge_players, split_players
from contests.services.renaming import rename_player
from contests.services.standings import series_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from django.contrib.auth.models import User


@dataclass(frozen=True)
class RenamePlayer(Change):
    """
    Change a player's handle.

    state
        The `state_of` the player that the organizer saw.
    """

    kind = "player.rename"
    moves_ratings = False

    player_id: int
    handle: str
    state: str | None = None

    def describe(self) -> ChangeDescription:
        player = _player(self.player_id)
        lines = ["Results, ratings and graphs stay the same, under the new handle."]
        if player.handle_key != handle_key(self.handle):
            lines.append(f"“{player.handle}” still refers to the player in links, programs and files.")
        return ChangeDescription(
            title=f"Rename {player.handle} to {self.handle}",
            button="Rename",
            done=f"“{player.handle}” is now called “{self.handle}”.",
            back=_page(player.pk),
            series=list(series_of([player.pk])),
            players=[player.pk],
            lines=lines,
            differences=[("handle", player.handle, self.handle)],
        )

    def apply(self, *, actor: User | None) -> None:
        rename_player(self.player_id, handle=self.handle, reason=self.reason, state=self.state, actor=actor)


@dataclass(frozen=True)
class MergePlayers(Change):
    """Merge two players who are the same person."""

    kind = "player.merge"

    kept_id: int
    merged_id: int

    def describe(self) -> ChangeDescription:
        kept, merged = _player(self.kept_id), _player(self.merged_id)
        counts = _counts(Q(player=merged))
        names = [merged.handle, *_handles(merged)]
        lines = [
            f"{_results(counts.values())} of “{merged.handle}” {_become(counts.values())} results of “{kept.handle}”"
            f"{_where(counts)}.",
            f"Links to {_listed(names)} lead to “{kept.handle}”, and files with these names mean that player.",
            f"“{merged.handle}” disappears from the leaderboards. You can split the two again.",
        ]
        return ChangeDescription(
            title=f"Merge {merged.handle} into {kept.handle}",
            button="Merge",
            done=f"“{merged.handle}” and “{kept.handle}” are now one player.",
            back=_page(merged.pk),
            after=_page(kept.pk),
            series=list(series_of([kept.pk, merged.pk])),
            players=[kept.pk, merged.pk],
            lines=lines,
            is_dangerous=True,
        )

    def apply(self, *, actor: User | None) -> None:
        merge_players(self.kept_id, self.merged_id, reason=self.reason, actor=actor)


@dataclass(frozen=True)
class SplitPlayers(Change):
    """Undo a merge."""

    kind = "player.split"

    merge_id: int

    def describe(self) -> ChangeDescription:
        merge = PlayerMerge.objects.select_related("merged__merged_into").filter(pk=self.merge_id).first()
        if merge is None or merge.split_at is not None or merge.merged.merged_into is None:
            raise ContestError("These players are not merged, or someone has already split them.")
        owner, merged = merge.merged.merged_into, merge.merged
        moving = Q(pk__in=merge.standings, player=owner)
        counts, stay = _counts(moving), sum(_counts(Q(player=owner)).values())
        names = [merged.handle, *_handles(owner, merge.aliases)]
        lines = [
            f"{_results(counts.values())} {_go(counts.values())} back to “{merged.handle}”{_where(counts)}.",
            f"Links to {_listed(names)} lead to “{merged.handle}” again, and files with these names mean that player.",
            f"{stay - sum(counts.values()):,} stay with “{owner.handle}”, including those added since the merge.",
        ]
        return ChangeDescription(
            title=f"Split {merged.handle} from {owner.handle}",
            button="Split",
            done=f"“{merged.handle}” and “{owner.handle}” are two players again.",
            back=_page(owner.pk),
            after=_page(merged.pk),
            series=list(series_of([owner.pk])),
            players=[owner.pk],
            lines=lines,
        )

    def apply(self, *, actor: User | None) -> None:
        split_players(self.merge_id, reason=self.reason, actor=actor)


def _player(pk: int) -> Player:
    player = Player.objects.select_related("merged_into").filter(pk=pk).first()
    if player is None:
        raise ContestError("This player no longer exists. Reload the page.")
    if player.merged_into is not None:
        raise ContestError(f"“{player.handle}” has already been merged into “{player.merged_into.handle}”.")
    return player


def _counts(rows: Q) -> dict[str, int]:
    """
    Return the number of finalized results by series name.

    Drafts and deleted contests are left out, because they may belong to organizers of private series.
    """
    counting = Standing.objects.filter(rows, contest__state=ContestState.FINALIZED)
    counted = counting.values_list("contest__series__name").annotate(count=Count("pk"))
    return dict(counted.order_by("contest__series__name"))


def _handles(player: Player, among: Iterable[int] | None = None) -> list[str]:
    """Return a player's other names: the aliases, and the handles of players merged into this one."""
    aliases = PlayerAlias.objects.filter(player=player)
    if among is not None:
        return list(aliases.filter(pk__in=list(among)).order_by("handle_key").values_list("handle", flat=True))
    earlier = Player.objects.filter(merged_into=player)
    return sorted([*aliases.values_list("handle", flat=True), *earlier.values_list("handle", flat=True)])


def _results(counts: Iterable[int]) -> str:
    total = sum(counts)
    return f"{total:,} result{'s' if total != 1 else ''}"


def _become(counts: Iterable[int]) -> str:
    return "becomes one of the" if sum(counts) == 1 else "become"


def _go(counts: Iterable[int]) -> str:
    return "goes" if sum(counts) == 1 else "go"


def _where(counts: dict[str, int]) -> str:
    """Return text such as ", 12 in Harbour Cup, 3 in Inland Cup", or ", in Harbour Cup" for a single series."""
    if len(counts) == 1:
        return f", in {next(iter(counts))}"
    return "".join(f", {count:,} in {name}" for name, count in counts.items())


def _listed(names: list[str], most: int = 5) -> str:
    quoted = [f"“{name}”" for name in names[:most]]
    if len(names) > most:
        return f"{', '.join(quoted)} and {len(names) - most} more"
    return " and ".join(filter(None, (", ".join(quoted[:-1]), quoted[-1])))


def _page(pk: int) -> str:
    return reverse("organize:person", args=[pk])
