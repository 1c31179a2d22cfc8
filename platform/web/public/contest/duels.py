"""The two players of a contest, for headings and links: files often give all of their games the same name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.db.models import F

from contests.models import Standing
from web.shared.names import first_name

if TYPE_CHECKING:
    from collections.abc import Iterable

    from contests.models import Contest, Player


@dataclass(frozen=True, slots=True)
class Duel:
    """The players of a contest of two, the better place first; `is_named` tells whether its name contains both."""

    first: str
    second: str
    is_named: bool

    def __str__(self) -> str:
        return f"{self.first} – {self.second}"


def duels_of(contests: Iterable[Contest | None]) -> dict[int, Duel]:
    """Return the players of contests of two players without teams, by contest id; in one query if there are any."""
    names = {one.pk: one.name for one in contests if one is not None and one.standing_count == 2 and not one.has_teams}
    if not names:
        return {}
    standings = Standing.objects.filter(contest__in=names).select_related("player")
    players: dict[int, list[Player]] = {}
    for standing in standings.order_by(F("rank").asc(nulls_last=True), "player_id"):
        players.setdefault(standing.contest_id, []).append(standing.player)
    return {pk: _duel(names[pk], *pair) for pk, pair in players.items() if len(pair) == 2}


def duel_context(contest: Contest, previous: Contest | None, following: Contest | None) -> dict[str, object]:
    """Return the contests before and after one, with the players of each contest of two, in at most one query."""
    duels = duels_of((contest, previous, following))
    own = duels.get(contest.pk)
    return {
        "previous": previous,
        "next": following,
        "duel": own if own is not None and not own.is_named else None,
        "previous_duel": duels.get(previous.pk) if previous is not None else None,
        "next_duel": duels.get(following.pk) if following is not None else None,
    }


def _duel(name: str, first: Player, second: Player) -> Duel:
    return Duel(first_name(first), first_name(second), all(_has(name, player) for player in (first, second)))


def _has(name: str, player: Player) -> bool:
    """Return whether the name of a contest contains the handle or real name of a player."""
    return any(one and one.casefold() in name.casefold() for one in (player.handle, player.name))
