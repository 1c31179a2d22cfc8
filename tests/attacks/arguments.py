"""Arguments of addresses and forms, made from the content of a world."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from contests.changes.base import token_of
from contests.changes.of_contests import FinalizeContest

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.web.organize.everything import World


def series(world: World) -> list[Any]:
    return [world.series]


def community(world: World) -> list[Any]:
    return [world.series.community_id]


def member(world: World) -> list[Any]:
    """Return a member of the community other than the one who is looking."""
    return [world.series.community_id, world.member.pk]


def api_token(world: World) -> list[Any]:
    """Return an API token of the community."""
    return [world.series.community_id, world.api_token.pk]


def community_and_slug(world: World) -> list[Any]:
    return [world.series.community_id, world.series.slug]


def season(world: World) -> list[Any]:
    return [*community_and_slug(world), 1]


def draft(world: World) -> list[Any]:
    return [world.draft.pk]


def duel(world: World) -> list[Any]:
    return [world.duel.pk]


def final(world: World) -> list[Any]:
    return [world.final.pk]


def deleted(world: World) -> list[Any]:
    return [world.deleted.pk]


def handle(world: World) -> list[Any]:
    return [world.player.community_id, world.player.handle]


def review(world: World) -> list[Any]:
    return [world.draft.pk, world.staged.token]


def run(world: World) -> list[Any]:
    return [world.series, world.older]


def person(world: World) -> list[Any]:
    return [world.player.pk]


def claimed(world: World) -> list[Any]:
    """Return a player who has an account."""
    return [world.claim.player_id]


def own_player(world: World) -> list[Any]:
    """Return the player whose account belongs to the role "player"."""
    return [world.report.opponent_id]


def report(world: World) -> list[Any]:
    """Return the report of a game against the role "player"."""
    return [world.report.pk]


def participation(world: World) -> list[Any]:
    return [world.final.pk, world.player.handle]


def standing(world: World) -> list[Any]:
    return [world.standing.pk]


def fields(**said: str) -> Callable[[World], dict[str, Any]]:
    """Return a form that is the same in every world."""
    return lambda world: said


def other_system(world: World) -> dict[str, Any]:
    newest = world.series.schemes.order_by("-version")[0].version
    return {"system": "glicko2", "mapping": "offset", "center": "1234", "version": newest, "reason": "spite"}


def two(world: World) -> dict[str, str]:
    return {"series": world.series.slug, "players": f"{world.player.handle},{world.other.handle}"}


def alone(world: World) -> dict[str, str]:
    return {"player": world.player.handle}


def two_listed(world: World) -> dict[str, str]:
    return {"players": f"{world.player.handle},{world.other.handle}"}


def sides(world: World) -> dict[str, str]:
    return {"a": world.player.handle, "b": world.other.handle}


def change_of(world: World) -> dict[str, str]:
    return {"change": token_of(FinalizeContest(world.draft.pk, world.draft.version))}
