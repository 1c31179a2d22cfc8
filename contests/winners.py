"""Who won, for lists of contests: all of them in a fixed number of queries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.db.models import Count, F, Window
from django.db.models.functions import RowNumber

from contests.models import Standing

if TYPE_CHECKING:
    from collections.abc import Iterable

    from contests.models import Contest, Player

#: How many of those who share the first place are named.
NAMED = 3


@dataclass(frozen=True, slots=True)
class Winners:
    """Those in the first place: some named, the rest counted; `team` if they won as one."""

    players: list[Player]
    more: int = 0
    team: str = ""


def winners_of(contests: Iterable[Contest]) -> dict[int, Winners]:
    """Return the winners by contest id, in one query; contests without ranked standings are left out."""
    first = Standing.objects.filter(contest__in=[contest.pk for contest in contests], rank=1)
    numbered = first.annotate(
        number=Window(RowNumber(), partition_by=F("contest"), order_by="player_id"),
        total=Window(Count("*"), partition_by=F("contest")),
    )
    found: dict[int, list[Standing]] = {}
    for standing in numbered.filter(number__lte=NAMED).select_related("player").order_by("contest", "number"):
        found.setdefault(standing.contest_id, []).append(standing)
    return {contest_id: _winners(rows) for contest_id, rows in found.items()}


def _winners(rows: list[Standing]) -> Winners:
    total: int = rows[0].total  # type: ignore[attr-defined]
    teams = {row.team for row in rows}
    return Winners([row.player for row in rows], total - len(rows), teams.pop() if len(teams) == 1 else "")
