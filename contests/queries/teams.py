"""Names of teams, and members of those to which the file gave no name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.db.models import Count, F, Window
from django.db.models.functions import RowNumber

from contests.models import Standing
from contests.team_labels import number_of_unnamed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from contests.models import Contest, Player

#: The number of members to name.
NAMED = 2
#: The most members to list as the name of a team, in texts about one of its rows.
_LISTED = 3


@dataclass(frozen=True, slots=True)
class TeamMembers:
    """Some members of a team, and the number of the others."""

    players: list[Player]
    more: int = 0


def team_name(row: Standing) -> str:
    """Return the name of the team of a row or, if the file gave none, its members as in names of games: "ann + bo"."""
    if not number_of_unnamed(row.team):
        return row.team
    members = Standing.objects.filter(contest=row.contest_id, team=row.team).order_by("id")
    handles = list(members.values_list("player__handle", flat=True)[: _LISTED + 1])
    return " + ".join([*handles[:_LISTED], "…"] if len(handles) > _LISTED else handles)


def members_of_unnamed(contest: Contest, labels: Iterable[str]) -> dict[str, TeamMembers]:
    """Return the members of the teams without a name, by label: in one query, or in none if all teams have names."""
    unnamed = {label for label in labels if number_of_unnamed(label)}
    if not unnamed:
        return {}
    numbered = Standing.objects.filter(contest=contest, team__in=unnamed).annotate(
        number=Window(RowNumber(), partition_by=F("team"), order_by="player_id"),
        total=Window(Count("*"), partition_by=F("team")),
    )
    found: dict[str, list[Standing]] = {}
    for standing in numbered.filter(number__lte=NAMED).select_related("player").order_by("team", "number"):
        found.setdefault(standing.team, []).append(standing)
    return {
        team: TeamMembers([row.player for row in rows], rows[0].total - len(rows))  # type: ignore[attr-defined]
        for team, rows in found.items()
    }
