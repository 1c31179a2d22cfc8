"""Games of a file that are probably games of the series with another result, time or day."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from contests.models import Contest, Standing

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from datetime import datetime

    from contests.formats import ParsedContest

#: Games of the same players in the same round are similar if no more time lies between them.
_APART = timedelta(days=31)
#: Rows of a game; a contest with more is not a game.
_MOST_ROWS = 100


@dataclass(slots=True)
class _Stored:
    ends_at: datetime
    round: str
    players: set[int]


def similar_games(
    series_id: int,
    games: Sequence[ParsedContest],
    ends: Sequence[datetime | None],
    ids: Mapping[str, int],
    key_of: Any,
    *,
    besides: int | None,
    left_out: Collection[int],
) -> dict[int, datetime]:
    """
    Return the ends of similar games of the series, by the position of the game among the given ones, with one query.

    Games of the same players are similar on the same day and, if both have the same round, within a month.

    ends
        The end of each game, None if it is unknown.
    ids, key_of
        The known players by the key of their handle, and the function that returns the key.
    besides
        The event whose own games do not count, because the given ones replace them.
    left_out
        Games of the series that are known to be in the file: they are not similar to others.
    """
    wanted: dict[frozenset[int], list[int]] = {}
    for i, game in enumerate(games):
        players = {ids.get(key_of(row.handle)) for row in game.standings}
        if ends[i] is not None and len(players) > 1 and None not in players:
            wanted.setdefault(frozenset(pk for pk in players if pk is not None), []).append(i)
    found: dict[int, datetime] = {}
    for stored in _stored(series_id, ends, besides, left_out) if wanted else ():
        for i in wanted.get(frozenset(stored.players), ()):
            if i not in found and _is_similar(games[i], ends[i], stored):
                found[i] = stored.ends_at
    return found


def _stored(
    series_id: int,
    ends: Sequence[datetime | None],
    besides: int | None,
    left_out: Collection[int],
) -> list[_Stored]:
    moments = [end for end in ends if end is not None]
    between = (min(moments) - _APART, max(moments) + _APART)
    contests = Contest.objects.existing().filter(
        series=series_id, is_event=False, standing_count__lte=_MOST_ROWS, ends_at__range=between
    )
    if besides is not None:
        contests = contests.exclude(event=besides)
    rows = Standing.objects.filter(contest__in=contests).values_list(
        "contest_id", "contest__ends_at", "contest__round", "player_id"
    )
    found: dict[int, _Stored] = {}
    for pk, ends_at, round_, player in rows.iterator(chunk_size=10_000):
        if pk not in left_out:
            found.setdefault(pk, _Stored(ends_at, round_, set())).players.add(player)
    return list(found.values())


def _is_similar(game: ParsedContest, ends_at: datetime | None, stored: _Stored) -> bool:
    if ends_at is None or game.game is None:
        return False
    rounds = (game.game.round.casefold(), stored.round.casefold())
    if all(rounds) and rounds[0] != rounds[1]:
        return False
    is_same_day = ends_at.date() == stored.ends_at.date()
    return is_same_day or (bool(rounds[0]) and rounds[0] == rounds[1] and abs(ends_at - stored.ends_at) <= _APART)
