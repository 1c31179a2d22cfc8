"""Names of teams: their own, or those of their members if the file gave none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from contests.models import Standing
from contests.queries.teams import TeamMembers, members_of_unnamed
from web.shared.names import first_name
from web.shared.numbers import points

if TYPE_CHECKING:
    from collections.abc import Iterable

    from contests.models import Contest, Player


@dataclass(frozen=True, slots=True)
class Entrant:
    """
    A player or team of a contest.

    player
        The player, or a member who represents the team.
    name
        For tables.
    in_sentence
        The name within a sentence. It is singular: "the team of A, B and 6 more".
    opening
        The same at the beginning of a sentence. Names of players and teams are not capitalized there.
    """

    player: Player
    name: str
    in_sentence: str
    opening: str
    is_team: bool


def entrants_of(contest: Contest, player_ids: Iterable[int]) -> dict[int, Entrant]:
    """Return the players, or their teams, by the id of the player, in at most two queries."""
    rows = list(Standing.objects.filter(contest=contest, player_id__in=player_ids).select_related("player"))
    members = members_of_unnamed(contest, {row.team for row in rows})
    return {row.player_id: _entrant(row, members.get(row.team)) for row in rows}


def _entrant(row: Standing, members: TeamMembers | None) -> Entrant:
    if members is None:
        name = row.team or first_name(row.player)
        return Entrant(row.player, name, name, name, bool(row.team))
    words = _members_in_sentence(members)
    return Entrant(row.player, members_words(members), words, capfirst(words), is_team=True)


def members_words(members: TeamMembers) -> str:
    """Name a team by its members: "A, B and 6 more"."""
    names = [first_name(player) for player in members.players]
    if not members.more:
        return _and(names)
    words = ngettext("%(names)s and one more", "%(names)s and %(number)s more", members.more)
    return words % {"names": ", ".join(names), "number": points(members.more)}


def _members_in_sentence(members: TeamMembers) -> str:
    names = [first_name(player) for player in members.players]
    if not members.more:
        return _("the team of %(names)s") % {"names": _and(names)}
    words = ngettext("the team of %(names)s and one more", "the team of %(names)s and %(number)s more", members.more)
    return words % {"names": ", ".join(names), "number": points(members.more)}


def _and(names: list[str]) -> str:
    *others, last = names
    return _("%(first)s and %(last)s") % {"first": ", ".join(others), "last": last} if others else last
