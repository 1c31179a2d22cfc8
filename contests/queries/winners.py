"""Winners of many contests, and the podium of one, in a fixed number of queries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.db.models import Count, F, Q, Window
from django.db.models.functions import RowNumber

from contests.models import Standing
from contests.team_labels import number_of_unnamed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from contests.models import Contest, Player

#: The number of winners to name if several share the first place.
NAMED = 3
#: The places of a podium, and the number of players to name for each: the size of a team.
STEPS, NAMED_ON_STEP = 3, 6


@dataclass(frozen=True, slots=True)
class Winners:
    """
    The winners of a contest.

    players, more
        Some of them, and the number of the others.
    team
        Their team, if they won as one.
    tied
        The number of all players if they all share the first place, as in a drawn game, so that no one won; else 0.
    beaten
        The other player, if only two took part and one of them won by playing.
    """

    players: list[Player]
    more: int = 0
    team: str = ""
    tied: int = 0
    beaten: Player | None = None


@dataclass(frozen=True, slots=True)
class PodiumStep:
    """One of the first places: some of its standings, the number of the others, and their team if they are one."""

    rank: int
    standing_ids: list[int]
    more: int = 0
    team: str = ""


def winners_of(contests: Iterable[Contest]) -> dict[int, Winners]:
    """Return the winners by contest id, in one query; omit contests without ranked standings."""
    listed = list(contests)
    entered = {contest.pk: contest.standing_count for contest in listed}
    duels = [contest.pk for contest in listed if contest.standing_count == 2 and not contest.is_walkover]
    first = Standing.objects.filter(Q(contest__in=entered, rank=1) | Q(contest__in=duels, rank=2))
    numbered = first.annotate(
        number=Window(RowNumber(), partition_by=(F("contest"), F("rank")), order_by="player_id"),
        total=Window(Count("*"), partition_by=(F("contest"), F("rank"))),
    )
    found: dict[int, list[Standing]] = {}
    beaten: dict[int, Player] = {}
    for standing in numbered.filter(number__lte=NAMED).select_related("player").order_by("contest", "number"):
        if standing.rank == 1:
            found.setdefault(standing.contest_id, []).append(standing)
        else:
            beaten[standing.contest_id] = standing.player
    return {contest: _winners(rows, entered[contest], beaten.get(contest)) for contest, rows in found.items()}


def podium_of(contest: Contest) -> list[PodiumStep]:
    """
    Return the places 1 to 3 of a contest, in one query; after a tie, the next places are missing.

    Empty if everyone shares the first place, as in a drawn game.
    """
    ranked = Standing.objects.filter(contest=contest, rank__lte=STEPS)
    numbered = ranked.annotate(
        number=Window(RowNumber(), partition_by=F("rank"), order_by="player_id"),
        total=Window(Count("*"), partition_by=F("rank")),
    )
    named = numbered.filter(number__lte=NAMED_ON_STEP).order_by("rank", "number")
    steps: dict[int | None, list[tuple[int, str, int]]] = {}
    for rank, pk, team, total in named.values_list("rank", "pk", "team", "total"):
        steps.setdefault(rank, []).append((pk, team, total))
    found = [_step(rank, rows) for rank, rows in steps.items() if rank is not None]
    first = sum(len(step.standing_ids) + step.more for step in found[:1])
    return [] if found and _all_tied(first, contest.standing_count, found[0].team) else found


def _winners(rows: list[Standing], entered: int, beaten: Player | None) -> Winners:
    total: int = rows[0].total  # type: ignore[attr-defined]
    team = _common_team(row.team for row in rows)
    tied = total if _all_tied(total, entered, team) else 0
    return Winners([row.player for row in rows], total - len(rows), team, tied, beaten)


def _all_tied(first: int, entered: int, team: str) -> bool:
    """Whether everyone who took part shares the first place, and they are several and not one team."""
    return first == entered > 1 and not team


def _step(rank: int, rows: list[tuple[int, str, int]]) -> PodiumStep:
    total = rows[0][2]
    return PodiumStep(rank, [pk for pk, *_ in rows], total - len(rows), _common_team(team for _, team, _ in rows))


def _common_team(teams: Iterable[str]) -> str:
    """Return the name of the team that all are in; empty if there is none, so that readers see the members instead."""
    different = set(teams)
    team = different.pop() if len(different) == 1 else ""
    return "" if number_of_unnamed(team) else team
