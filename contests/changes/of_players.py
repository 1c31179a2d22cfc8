"""Changes of players: rename, merge and split."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.db.models import Count, Q
from django.urls import reverse
from django.utils.translation import gettext, ngettext, pgettext

from contests.changes.base import Change, ChangeDescription
from contests.errors import ContestError
from contests.handles import handle_key
from contests.models import ContestState, Player, PlayerAlias, PlayerMerge, Standing
from contests.services.merging import merge_players, split_players
from contests.services.renaming import rename_player
from contests.services.standings import series_of
from contests.wording import grouped, in_a_row, quoted

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
        lines = [gettext("Results, ratings and graphs stay the same, under the new handle.")]
        names = {"old": player.handle, "new": self.handle}
        if player.handle_key != handle_key(self.handle):
            lines.append(gettext("“%(old)s” will still refer to the player in links, programs and files.") % names)
        return ChangeDescription(
            title=gettext("Rename %(old)s to %(new)s") % names,
            button=gettext("Rename"),
            done=gettext("“%(old)s” is now called “%(new)s”.") % names,
            back=_page(player.pk),
            series=list(series_of([player.pk])),
            players=[player.pk],
            lines=lines,
            differences=[(gettext("handle"), player.handle, self.handle)],
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
        names = {"kept": kept.handle, "merged": merged.handle, "where": _where(counts)}
        total = sum(counts.values())
        moved = ngettext(
            "%(number)s result of “%(merged)s” will become one of the results of “%(kept)s”%(where)s.",
            "%(number)s results of “%(merged)s” will become results of “%(kept)s”%(where)s.",
            total,
        )
        lines = [
            moved % {**names, "number": grouped(total)}
            if total
            else gettext("“%(merged)s” has no finalized results.") % names,
            gettext("Results in drafts will move too."),
            gettext("In links and files, %(names)s will refer to “%(kept)s”.")
            % {**names, "names": _listed([merged.handle, *_handles(merged)])},
            gettext("“%(merged)s” will disappear from the leaderboards. You can undo this later by splitting the two.")
            % names,
        ]
        return ChangeDescription(
            title=gettext("Merge %(merged)s into %(kept)s") % names,
            button=pgettext("button", "Merge"),
            done=gettext("“%(merged)s” and “%(kept)s” are now one player.") % names,
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
            raise ContestError(gettext("These players are not merged, or someone has already split them."))
        owner, merged = merge.merged.merged_into, merge.merged
        moving = Q(pk__in=merge.standings, player=owner)
        counts, stay = _counts(moving), sum(_counts(Q(player=owner)).values())
        names = {"owner": owner.handle, "merged": merged.handle, "where": _where(counts)}
        total = sum(counts.values())
        moved = ngettext(
            "%(number)s result will go back to “%(merged)s”%(where)s.",
            "%(number)s results will go back to “%(merged)s”%(where)s.",
            total,
        )
        staying = ngettext(
            "%(number)s result will stay with “%(owner)s”. This number includes results added since the merge.",
            "%(number)s results will stay with “%(owner)s”. This number includes results added since the merge.",
            stay - total,
        )
        lines = [
            moved % {**names, "number": grouped(total)},
            gettext("In links and files, %(names)s will refer to “%(merged)s” again.")
            % {**names, "names": _listed([merged.handle, *_handles(owner, merge.aliases)])},
            staying % {**names, "number": grouped(stay - total)},
        ]
        return ChangeDescription(
            title=gettext("Split %(merged)s from %(owner)s") % names,
            button=pgettext("button", "Split"),
            done=gettext("“%(merged)s” and “%(owner)s” are two players again.") % names,
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
        raise ContestError(gettext("This player no longer exists. Reload the page."))
    if player.merged_into is not None:
        raise ContestError(
            gettext("“%(handle)s” has already been merged into “%(other)s”.")
            % {"handle": player.handle, "other": player.merged_into.handle}
        )
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


def _where(counts: dict[str, int]) -> str:
    """Return text such as ", 12 in Harbour Cup, 3 in Inland Cup", or ", in Harbour Cup" for a single series."""
    if len(counts) == 1:
        return gettext(", in %(series)s") % {"series": next(iter(counts))}
    parts = (
        gettext(", %(number)s in %(series)s") % {"number": grouped(count), "series": name}
        for name, count in counts.items()
    )
    return "".join(parts)


def _listed(names: list[str], most: int = 5) -> str:
    some = [quoted(name) for name in names[:most]]
    if len(names) <= most:
        return in_a_row(some)
    return gettext("%(first)s and %(number)s more") % {"first": ", ".join(some), "number": len(names) - most}


def _page(pk: int) -> str:
    return reverse("organize:person", args=[pk])
