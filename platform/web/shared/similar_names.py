"""New names in forms that resemble known players; organizers are asked about each of them once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from contests.formats.base import ParsedStanding
from contests.handles import handle_key
from contests.matching.players import match_players

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from contests.matching.players import PlayerCandidate
    from contests.models import Series


@dataclass(frozen=True, slots=True)
class SimilarName:
    """
    A name of no player that resembles known ones.

    field
        The field of the form that has the name.
    choices
        Each known player, with the text of the field if that player is meant.
    """

    handle: str
    field: str
    choices: list[tuple[str, PlayerCandidate]]


def similar_names(
    series: Series, fields: Mapping[str, Sequence[str]], *, asked: Sequence[str], besides: Collection[int] = ()
) -> list[SimilarName]:
    """
    Return the new names in these fields that resemble known players.

    fields
        The handles that each field contains, with " + " between those of a team.
    asked
        Handles about which the organizer has been asked already; they are left out.
    besides
        Ids of players who can't be meant.
    """
    rows = [ParsedStanding.of_handle(member) for members in fields.values() for member in members]
    matches = {match.key: match for match in match_players(rows, series_id=series.pk)}
    settled = {handle_key(handle) for handle in asked}
    found = []
    for field, members in fields.items():
        for i, member in enumerate(members):
            match = matches[handle_key(member)]
            known = [one for one in match.suggestions if one.player_id not in besides]
            if known and match.key not in settled:
                choices = [(" + ".join([*members[:i], one.handle, *members[i + 1 :]]), one) for one in known]
                found.append(SimilarName(member, field, choices))
    return found
