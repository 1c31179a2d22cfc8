"""
Who is compared with whom: from the words of an address to players, and to a series that they have in common.

An address names players in two ways. `player=a&player=b` says each handle as it is. `players=a,b` is short: what stands
between commas is a handle. As handles may hold commas, it is read together with what follows where that is, letter by
letter, a handle with a comma and a space ("Qubit, LLC"; short addresses have no space after a comma), and where it is
nobody's handle alone.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from contests.models import Player, PlayerAlias
from ratings.queries.search import key_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from django.db.models import QuerySet
    from django.http import QueryDict

    from contests.models import Series
    from ratings.models import Rating

#: More can be told apart neither in a graph nor in a table.
MOST = 8
#: What is read of an address: enough for eight of the longest handles with some to spare, and bounded.
_MOST_TEXT = 2_000
_MOST_NAMED = 40
_MOST_COMMAS = 4


@dataclass(frozen=True, slots=True)
class Named:
    """
    Whom an address names.

    players
        Each once, in the order of the address, at most MOST.
    left_out
        How many more there are.
    unknown
        What is nobody's handle, as it was written.
    repeated
        Who was named more than once.
    """

    players: list[Player] = field(default_factory=list)
    left_out: int = 0
    unknown: list[str] = field(default_factory=list)
    repeated: list[Player] = field(default_factory=list)

    @property
    def is_empty(self) -> bool:
        return not (self.players or self.unknown)


def named_in(query: QueryDict, known: QuerySet[Player]) -> Named:
    """Return whom `players` and `player` of an address name, among the players who may be known of: three queries."""
    lists = [_pieces(text) for text in query.getlist("players")[:MOST]]
    exact = [text.strip() for text in query.getlist("player")[:_MOST_NAMED] if text.strip()]
    texts = {text for pieces in lists for text in _candidates(pieces)} | set(exact)
    by_key = _players_by_key({key for text in texts if (key := key_of(text))}, known)
    found: list[Player | str] = []
    for pieces in lists:
        found += _read(pieces, by_key)
    found += [by_key.get(key_of(text), text) for text in exact]
    return _sorted_out(found)


def address_of(players: Iterable[Player], series: str = "") -> str:
    """Return the query of the address that compares these players: short if it can be, exact where it must be."""
    handles = [player.handle for player in players]
    parts = [("series", series)] if series else []
    if any("," in handle for handle in handles):
        return urlencode([*parts, *(("player", handle) for handle in handles)])
    # A comma may stand as it is in a query, and can be read so.
    return urlencode([*parts, ("players", ",".join(handles))] if handles else parts, safe=",")


def common_series(ratings: Sequence[Rating]) -> Series | None:
    """Return the series in which most of the players are rated; of several, the one that was played last."""
    counts: dict[int, int] = {}
    for rating in ratings:
        counts[rating.series_id] = counts.get(rating.series_id, 0) + 1
    best = max(ratings, key=lambda each: (counts[each.series_id], each.last_contest.ends_at), default=None)
    return best.series if best is not None else None


def _pieces(text: str) -> list[str]:
    return text[:_MOST_TEXT].split(",")[:_MOST_NAMED]


def _candidates(pieces: Sequence[str]) -> list[str]:
    """Return all that may be a handle: each piece, and each with some that follow."""
    return [",".join(pieces[start:end]).strip() for start in range(len(pieces)) for end in _ends(start, len(pieces))]


def _read(pieces: Sequence[str], by_key: dict[str, Player]) -> list[Player | str]:
    """Return the players named by pieces, and the pieces that name nobody."""
    found: list[Player | str] = []
    start = 0
    while start < len(pieces):
        texts = [",".join(pieces[start:end]).strip() for end in _ends(start, len(pieces))]
        players = [by_key.get(key_of(text)) for text in texts]
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


def _sorted_out(found: Sequence[Player | str]) -> Named:
    players = {each.pk: each for each in found if isinstance(each, Player)}
    times: dict[int, int] = {}
    for each in found:
        if isinstance(each, Player):
            times[each.pk] = times.get(each.pk, 0) + 1
    return Named(
        list(players.values())[:MOST],
        max(0, len(players) - MOST),
        list(dict.fromkeys(each for each in found if isinstance(each, str))),
        [players[pk] for pk, count in times.items() if count > 1],
    )


def _players_by_key(keys: set[str], known: QuerySet[Player]) -> dict[str, Player]:
    """Return the players of these handles or aliases; of those who were merged, whom they became."""
    if not keys:
        return {}
    own = Player.objects.filter(handle_key__in=keys).values_list("handle_key", "pk", "merged_into")
    aliases = PlayerAlias.objects.filter(handle_key__in=keys)
    other = aliases.values_list("handle_key", "player", "player__merged_into")
    ids = {key: merged or pk for key, pk, merged in [*other, *own]}
    players = known.in_bulk(set(ids.values()))
    return {key: players[pk] for key, pk in ids.items() if pk in players}
