"""Who is meant by the handles of a staged file, as its organizer decides row by row."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from contests.bulk import values_by_key
from contests.handles import handle_key, printable
from contests.models import ContestState, Player, PlayerAlias, Series, Standing
from contests.uploads.staging import Decision

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from django.contrib.auth.models import User

    from contests.uploads.review import Person
    from contests.uploads.staging import Choices

#: No organizer decides more handles than this one by one.
MOST_DECISIONS = 5_000
NAMED_BY_OTHERS = "the player has results in series that you do not organize, and a name would count there, too."


@dataclass(frozen=True, slots=True)
class Choice:
    """
    What an organizer said of one handle of a file.

    who
        "new", "player" with the id of a suggestion, or "typed" with the handle of a known player.
    """

    handle: str
    who: str
    player_id: int = 0
    typed: str = ""
    is_alias: bool = False


def decide(
    choices: Choices, said: Sequence[Choice], *, offered: Mapping[str, AbstractSet[int]], actor: User
) -> tuple[Choices, list[str]]:
    """
    Return the choices with the decisions on some handles, and messages about those that were not accepted.

    offered
        Key of a handle -> the players that its review suggests. Another player is chosen by typing a handle: ids could
        be tried one after the other, and would give away the handles of all players.
    """
    problems = []
    by_name = players_called(choice.typed for choice in said if choice.who == "typed")
    ids = {choice.player_id for choice in said if choice.who == "player"} & set().union(*offered.values())
    there = set(Player.objects.filter(pk__in=ids).values_list("pk", flat=True)) if ids else set()
    foreign = named_by_others([*by_name.values(), *ids], actor)
    decisions = dict(choices.decisions)
    for choice in said:
        key, name = handle_key(choice.handle), printable(choice.handle)
        if choice.who == "new":
            decisions[key] = Decision(choice.handle, None)
            continue
        player_id = by_name.get(handle_key(choice.typed)) if choice.who == "typed" else choice.player_id
        if choice.who == "typed" and not choice.typed:
            problems.append(f"“{name}”: write the handle of the known player who is meant.")
        elif choice.who == "typed" and player_id is None:
            problems.append(f"“{name}”: there is no player “{printable(choice.typed)}”; look them up under Players.")
        elif choice.who == "player" and player_id not in offered.get(key, ()):
            problems.append(f"“{name}”: choose one of the players suggested for this handle, or type the handle.")
        elif choice.who == "player" and player_id not in there:
            problems.append(f"“{name}”: the player who was suggested no longer exists; choose again.")
        else:
            if choice.is_alias and player_id in foreign:
                problems.append(f"“{name}” is that player in this file, and is not remembered: {NAMED_BY_OTHERS}")
            decisions[key] = Decision(choice.handle, player_id, choice.is_alias and player_id not in foreign)
    if len(decisions) > MOST_DECISIONS:
        problems.append(f"At most {MOST_DECISIONS:,} handles can be decided; nothing was changed.")
        return choices, problems
    return replace(choices, decisions=decisions), problems


def all_new(choices: Choices, people: Iterable[Person]) -> Choices:
    """Return the choices with a new player for each undecided person."""
    new = {each.key: Decision(each.handle, None) for each in people if not each.is_decided}
    room = MOST_DECISIONS - len(choices.decisions)
    return replace(choices, decisions={**choices.decisions, **dict(list(new.items())[: max(room, 0)])})


def named_by_others(player_ids: Iterable[int | None], actor: User) -> set[int]:
    """Return which of the players have results that count in series of others, who have a say in their names."""
    if actor.is_staff:
        return set()
    rows = Standing.objects.filter(player__in={pk for pk in player_ids if pk is not None})
    foreign = rows.filter(contest__state=ContestState.FINALIZED).exclude(
        contest__series__in=Series.objects.organized_by(actor)
    )
    return set(foreign.values_list("player_id", flat=True).distinct())


def players_called(handles: Iterable[str]) -> dict[str, int]:
    """Return key of the handle -> player, by handle or alias; who was merged is whom they are now."""
    keys = list({handle_key(handle) for handle in handles if handle})
    found = values_by_key(PlayerAlias, "handle_key", "player_id", keys)
    return {**found, **values_by_key(Player, "handle_key", "id", keys, first="merged_into_id")}
