"""Games of a file that are probably games of the series with another result, time or day."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from contests.models import Contest
from contests.services.games import MOST_ROWS, signatures_of

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from datetime import datetime

    from contests.formats import ParsedContest
    from contests.models.contest import ContestQuerySet

#: Games of the same players in the same round are similar if no more time lies between them.
_APART = timedelta(days=31)


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
    if not wanted:
        return {}
    found: dict[int, datetime] = {}
    for pk, ((ends_at, ranks), round_) in signatures_of(_around(series_id, ends, besides)).items():
        together = frozenset[int]().union(*(of_rank for _, of_rank in ranks))
        for i in wanted.get(together, ()) if pk not in left_out else ():
            if i not in found and _is_similar(games[i], ends[i], ends_at, round_):
                found[i] = ends_at
    return found


def _around(series_id: int, ends: Sequence[datetime | None], besides: int | None) -> ContestQuerySet:
    """Return the games of a series up to a month before and after these moments, without those of an event."""
    moments = [end for end in ends if end is not None]
    games = Contest.objects.existing().filter(
        series=series_id, is_event=False, standing_count__lte=MOST_ROWS,
        ends_at__range=(min(moments) - _APART, max(moments) + _APART),
    )  # fmt: skip
    return games if besides is None else games.exclude(event=besides)


def _is_similar(game: ParsedContest, ends_at: datetime | None, other_end: datetime, other_round: str) -> bool:
    """Whether a game is similar to one of the same players with another end and round; see `similar_games`."""
    if ends_at is None or game.game is None:
        return False
    rounds = (game.game.round.casefold(), other_round.casefold())
    if all(rounds):
        return rounds[0] == rounds[1] and abs(ends_at - other_end) <= _APART
    return ends_at.date() == other_end.date()
