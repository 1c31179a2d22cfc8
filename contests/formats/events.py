"""Events: the games of a file as one contest of games, with a score table that has one row for each player."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contests.formats.base import ParsedContest, ParsedStanding
from contests.handles import handle_key
from contests.ranking import competition_ranks

if TYPE_CHECKING:
    from collections.abc import Sequence


def points_of(game: ParsedContest) -> list[float]:
    """Return the points of each standing of a game: 1 for a win, ½ for a draw; as given for a walkover or bye."""
    if game.game is not None and game.game.is_walkover:
        return [row.score or 0.0 for row in game.standings]
    first = [rank == 1 for rank in game.ranks]
    is_draw = all(first)
    return [0.5 if is_draw else float(won) for won in first]


def event_of(games: Sequence[ParsedContest]) -> ParsedContest:
    """
    Return the event of these games.

    Its standings are the score table: each player with the points scored, at the line of the player's first game.
    """
    points: dict[str, float] = {}
    first: dict[str, ParsedStanding] = {}
    key_of: dict[str, str] = {}
    for game in games:
        for row, scored in zip(game.standings, points_of(game), strict=True):
            key = key_of.get(row.handle)
            if key is None:
                key = key_of[row.handle] = handle_key(row.handle)
            first.setdefault(key, row)
            points[key] = points.get(key, 0.0) + scored
    ranks = competition_ranks(list(points.values()), [0.0] * len(points))
    standings = [
        row._replace(place=rank, score=points[key], team="", status="ranked")
        for (key, row), rank in zip(first.items(), ranks, strict=True)
    ]
    moments = [game.ends_at for game in games if game.ends_at is not None]
    names = list(dict.fromkeys(game.game.event for game in games if game.game is not None and game.game.event))
    return ParsedContest(
        key="", name=names[0] if len(names) == 1 else "", standings=standings, ranks=list(ranks),
        ends_at=max(moments, default=None), starts_at=min(moments, default=None), games=list(games),
    )  # fmt: skip
