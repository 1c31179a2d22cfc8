"""The rows of an event's score table, with players, ratings and the results against the others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from contests.queries.games import players_by_id

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from contests.models import Player
    from contests.queries.games import ScoreRow
    from ratings.queries.events import EventRating


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row of the score table: the player with score and rating, and the results against the others in order."""

    score: ScoreRow
    player: Player | None
    rated: EventRating | None
    cells: list[list[tuple[int, str]] | None]


def table_rows(scores: Sequence[ScoreRow], rated: Mapping[int, EventRating], *, is_small: bool) -> list[TableRow]:
    """Return the rows of the score table with their players, in one query."""
    ids = [score.player_id for score in scores]
    players = players_by_id(ids)
    return [
        TableRow(
            score,
            players.get(score.player_id),
            rated.get(score.player_id),
            [None if other == score.player_id else score.results.get(other, []) for other in ids] if is_small else [],
        )
        for score in scores
    ]
