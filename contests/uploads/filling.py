"""Names and countries of known players that a file has and Podium lacks: the review offers to add them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import transaction

from contests.models import Player
from contests.services.renaming import PlayerDescription, describe_player
from contests.uploads.review import Missing, players_in_other_series

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from django.contrib.auth.models import User

    from contests.formats.base import ParsedContest

#: Players of a file that the review offers to describe; each takes a few milliseconds.
MOST_OFFERED = 200


def missing_in(
    parsed: ParsedContest, players: Sequence[int | None], stored: Mapping[int, tuple[str, str]]
) -> list[Missing]:
    """
    Return what the file adds to known players, at most `MOST_OFFERED` of them.

    players
        Shape (rows,): the player of each row, None for a new one.
    stored
        The stored name and country by player id.
    """
    found: dict[int, Missing] = {}
    for row, player in zip(parsed.standings, players, strict=True):
        if player is None or player not in stored or player in found:
            continue
        name, country = stored[player]
        one = Missing(player, "" if name or row.name == row.handle else row.name, "" if country else row.country)
        if one.name or one.country:
            found[player] = one
        if len(found) == MOST_OFFERED:
            break
    return list(found.values())


def fillable(missing: Sequence[Missing], actor: User) -> list[Missing]:
    """Return those whose players this organizer may change without asking the organizers of other series."""
    foreign = players_in_other_series([one.player_id for one in missing], actor) if missing else set()
    return [one for one in missing if one.player_id not in foreign]


@transaction.atomic
def fill_in(missing: Sequence[Missing], community: str, actor: User) -> int:
    """
    Add these names and countries to players who still have none, with an audit entry each.

    Returns the number of players who changed. Players who have been merged since are left out.
    """
    offered = {one.player_id: one for one in fillable(missing, actor)}
    changed = 0
    # Locked, so that a name which someone else enters in the meantime is not replaced.
    known = Player.objects.existing().filter(pk__in=offered, community=community)
    for player in known.select_for_update(no_key=True).order_by("pk"):
        one = offered[player.pk]
        described = PlayerDescription(player.name or one.name[:200], player.country or one.country, player.affiliation)
        if (described.name, described.country) != (player.name, player.country):
            describe_player(player.pk, description=described, actor=actor)
            changed += 1
    return changed
