"""Where a leaderboard is opened: at a rank, at a percentile, or at a player."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from django.db.models import Exists, OuterRef
from django.utils.formats import number_format
from django.utils.translation import gettext as _

from contests.queries.visibility import visible_players
from ratings.models import Rating
from ratings.queries.search import nearest_players, player_of
from web.shared.params import cut, text_of, whole_number

if TYPE_CHECKING:
    from django.http import HttpRequest
    from numpy.typing import NDArray

    from contests.models import Player
    from ratings.queries.snapshot import SeriesSnapshot

    Ints = NDArray[np.int64]

_PERCENTILE = re.compile(r"\d{1,3}(?:[.,]\d{1,6})?|[.,]\d{1,6}")


@dataclass(slots=True)
class Jump:
    """
    A place in a list of rows, and what is said about it.

    at
        Position in the list; None where nobody asked for a place, or there is none.
    rank, percentile, player
        What was asked for, as it was typed.
    problems
        In words, what was asked for and is not there.
    similar
        Players of the leaderboard whose handles look like one that is unknown.
    unrated
        A player who is not on the leaderboard at all.
    outside
        A player who is on the leaderboard, but not among those who match the filters.
    """

    rank: str = ""
    percentile: str = ""
    player: str = ""
    at: int | None = None
    problems: list[str] = field(default_factory=list)
    similar: list[Player] = field(default_factory=list)
    unrated: Player | None = None
    outside: Player | None = None

    @property
    def is_asked(self) -> bool:
        return bool(self.rank or self.percentile or self.player)


def jump_of(request: HttpRequest, snapshot: SeriesSnapshot, among: Ints) -> Jump:
    """
    Find the place that a query string asks for; the player goes before the rank, the rank before the percentile.

    among
        Rows of the rank index that are listed, rising. Ranks and percentiles count these.
    """
    jump = Jump(text_of(request, "rank"), text_of(request, "percentile"), text_of(request, "player"))
    if jump.player:
        _to_player(jump, request, snapshot, among)
    elif jump.rank:
        _to_rank(jump, len(among))
    elif jump.percentile:
        _to_percentile(jump, len(among))
    return jump


def position_of_percentile(percentile: float, total: int) -> int:
    """Return the position of the last of so many rows that at least this share, in per cent, does not stand above."""
    rank = math.floor(total + 1 - percentile * total / 100 + 1e-9)
    return max(1, min(total, rank)) - 1


def _to_rank(jump: Jump, total: int) -> None:
    rank = whole_number(jump.rank, _("“Rank”"), jump.problems, most=10**12)
    if rank is None or not total:
        return
    jump.at = min(rank, total) - 1
    if rank > total:
        problem = _("No one has rank %(rank)s: this list has %(total)s players. This is its end.")
        jump.problems.append(problem % {"rank": _grouped(rank), "total": _grouped(total)})


def _to_percentile(jump: Jump, total: int) -> None:
    text = jump.percentile.replace("%", "").strip()
    value = float(text.replace(",", ".")) if _PERCENTILE.fullmatch(text) and text.isascii() else math.inf
    if value > 100:
        problem = _("A percentile is a number from 0 (the last) to 100 (the best), not “%s”.")
        jump.problems.append(problem % cut(jump.percentile))
    elif total:
        jump.at = position_of_percentile(value, total)


def _to_player(jump: Jump, request: HttpRequest, snapshot: SeriesSnapshot, among: Ints) -> None:
    player = player_of(jump.player)
    if player is None or not visible_players(request.user).filter(pk=player.pk).exists():
        jump.problems.append(_("There is no player “%s”.") % cut(jump.player))
        rated = Rating.objects.filter(series=snapshot.series, player=OuterRef("pk"))
        jump.similar = nearest_players(jump.player, visible_players(request.user).filter(Exists(rated)))
        return
    rating = Rating.objects.filter(series=snapshot.series, player=player).values_list("score", flat=True).first()
    row = snapshot.index.position(player.pk, rating) if rating is not None else None
    if row is None:
        problem = _("%(player)s has no rating in this series.")
        jump.problems.append(problem % {"player": player.handle})
        jump.unrated = player
        return
    at = int(np.searchsorted(among, row))
    if at < len(among) and among[at] == row:
        jump.at = at
    else:
        jump.outside = player


def _grouped(number: int) -> str:
    return number_format(number, force_grouping=True)
