"""
Players whom a text names: handles, or real names, on lines of their own or separated by commas.

In `a,b`, each part between commas is a handle. Handles can contain commas themselves, so a part is also read together
with the parts that follow: if the whole is exactly a handle with a comma and a space ("Qubit, LLC"), which addresses
never have between players, or if the part alone is not a handle. A line that is exactly a handle is not split.

Pages also accept the real name of a player instead of the handle, if no one else in the community has the same name. A
line whose parts are not all handles can be such a name too ("Doe, John").
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from contests.handles import lookup_key
from contests.matching.name_index import players_with_names
from contests.models import Player
from contests.queries.names import players_by_key

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from django.db.models import QuerySet

    from contests.models.community import Visitor

#: A handle that is read together with the parts that follow has at most this many parts.
_MOST_COMMAS = 4


@dataclass(frozen=True, slots=True)
class NamedPlayers:
    """
    The players whom a text names, in its order.

    players
        Each player once.
    times
        How often the text names players, by player id.
    unknown
        Each text that does not name one player, once.
    namesakes
        The players who share a real name, by the text; these texts are among the unknown ones.
    """

    players: list[Player] = field(default_factory=list)
    times: dict[int, int] = field(default_factory=dict)
    unknown: list[str] = field(default_factory=list)
    namesakes: dict[str, list[Player]] = field(default_factory=dict)

    @property
    def repeated(self) -> list[Player]:
        """The players named more than once."""
        return [player for player in self.players if self.times.get(player.pk, 0) > 1]


def named_players(
    texts: Sequence[str],
    visible: QuerySet[Player],
    community: str,
    user: Visitor,
    *,
    exact: Sequence[str] = (),
    with_real_names: bool = False,
) -> NamedPlayers:
    """
    Return which visible players of a community these texts name, in at most three queries.

    texts
        Handles on lines. A line that is not a handle is read as several, separated by commas.
    exact
        Single handles, which follow the others.
    with_real_names
        Whether to look up texts that are not handles as real names, which takes more queries.
    """
    lines = [line.strip() for text in texts for line in text.splitlines() if line.strip()]
    pieces = {line: line.split(",") for line in lines if "," in line}
    single = [text.strip() for text in exact if text.strip()]
    wanted = {*lines, *single, *(text for each in pieces.values() for text in candidates(each))}
    keys = {key for text in wanted if (key := lookup_key(text))}
    by_key = players_by_key(community, keys, user, visible) if keys else {}
    read: list[tuple[str, list[Player | str]]] = []
    for line in lines:
        player = by_key.get(lookup_key(line))
        several = player is None and line in pieces
        read.append((line, read_pieces(pieces[line], by_key) if several else [player or line]))
    called = _called(read, visible, community) if with_real_names else {}
    found = [each for line, named in read for each in _with_real_names(line, named, called)]
    return _sorted_out([*found, *(by_key.get(lookup_key(text), text) for text in single)], called)


def _called(
    read: Sequence[tuple[str, list[Player | str]]], visible: QuerySet[Player], community: str
) -> dict[str, list[Player]]:
    """Return the players with each real name among the lines and parts that are not handles."""
    lines = [(line, named) for line, named in read if any(isinstance(each, str) for each in named)]
    asked = {text for line, named in lines for text in (line, *named) if isinstance(text, str)}
    return players_with_names(asked, visible, community) if asked else {}


def _with_real_names(
    line: str, named: list[Player | str], called: Mapping[str, list[Player]]
) -> Iterator[Player | str]:
    """Yield whom a line names, with the player in place of each real name that only one player has."""
    if line in called and len(called[line]) == 1:
        yield called[line][0]
        return
    for each in named:
        players = called.get(each, []) if isinstance(each, str) else []
        yield players[0] if len(players) == 1 else each


def number_of_names(text: str) -> int:
    """Return how many handles a text can name at most: its lines, and the parts between commas."""
    return sum(line.count(",") + 1 for line in text.splitlines() if line.strip())


def candidates(pieces: Sequence[str]) -> list[str]:
    """Return all texts that may be handles: each piece alone and together with pieces that follow."""
    return [",".join(pieces[start:end]).strip() for start in range(len(pieces)) for end in _ends(start, len(pieces))]


def read_pieces(pieces: Sequence[str], by_key: dict[str, Player]) -> list[Player | str]:
    """Return the players that the pieces name, and the pieces that are not a handle."""
    found: list[Player | str] = []
    start = 0
    while start < len(pieces):
        texts = [",".join(pieces[start:end]).strip() for end in _ends(start, len(pieces))]
        players = [by_key.get(lookup_key(text)) for text in texts]
        exact = [
            each is not None and ", " in text and text == each.handle for text, each in zip(texts, players, strict=True)
        ]
        taken = next((i for i in reversed(range(len(texts))) if exact[i]), None)
        if taken is None:
            taken = next((i for i, player in enumerate(players) if player is not None), None)
        named = texts[0] if taken is None else players[taken]
        if named:
            found.append(named)
        start += 1 if taken is None else taken + 1
    return found


def _ends(start: int, count: int) -> range:
    return range(start + 1, min(start + _MOST_COMMAS + 1, count) + 1)


def _sorted_out(found: Sequence[Player | str], called: Mapping[str, list[Player]]) -> NamedPlayers:
    players = [each for each in found if isinstance(each, Player)]
    times: dict[int, int] = {}
    for player in players:
        times[player.pk] = times.get(player.pk, 0) + 1
    unknown = list(dict.fromkeys(each for each in found if isinstance(each, str)))
    namesakes = {text: called[text] for text in unknown if text in called}
    return NamedPlayers(list({player.pk: player for player in players}.values()), times, unknown, namesakes)
