"""Games and events: the score table of an event, its crosstable, and rows of games for lists."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING

from django.db.models import Q

from contests.models import Contest, Player, Standing
from contests.score_line import score_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


#: Up to this many players, the page of an event shows a crosstable.
MOST_IN_CROSSTABLE = 30


@dataclass(frozen=True, slots=True)
class GameSide:
    """One side of a game: its standings, one for each player; `points` is 1, ½ or 0."""

    standings: list[Standing]
    points: float

    @property
    def players(self) -> list[Player]:
        return [standing.player for standing in self.standings]

    @property
    def name(self) -> str:
        """The handles, joined by plus signs."""
        return " + ".join(player.handle for player in self.players)


@dataclass(frozen=True, slots=True)
class GameRow:
    """A game in a list, its sides in the order of the file."""

    contest: Contest
    sides: list[GameSide]

    @property
    def result(self) -> str:
        """The result as people write it: "1–0", "½–½", "1–1", "+ : −" for a walkover, "" without two sides."""
        if len(self.sides) != 2:
            return ""
        if (scores := self.scores) is not None:
            return result_in_words(scores)
        one, other = self.sides
        return result_in_words((one.points, other.points), is_walkover=self.contest.is_walkover)

    @property
    def scores(self) -> tuple[float, float] | None:
        """The scores of the two sides, such as 3 and 1; None if the game has only a result, or was not played."""
        scores = [side.standings[0].score for side in self.sides]
        if len(scores) != 2 or None in scores or self.contest.is_walkover:
            return None
        # Points alone are a result, but 1:1 and 0:0 are scores: as points, a draw would be ½–½.
        if set(scores) <= {0.0, 0.5, 1.0} and set(scores) not in ({0.0}, {1.0}):
            return None
        return scores[0] or 0.0, scores[1] or 0.0

    @property
    def is_bye(self) -> bool:
        return len(self.sides) == 1


def result_in_words(scores: tuple[float, float], *, is_walkover: bool = False) -> str:
    """Return the result of a game by its scores or points: "3–1", "½–½", "+ : −" for a walkover."""
    one, other = scores
    if is_walkover:
        return f"{'+' if one else '−'} : {'+' if other else '−'}"
    return score_line(plain_points(one), plain_points(other))


def plain_points(points: float) -> str:
    """Return points as chess tables write them: "2½", "½", "0"."""
    whole = int(points)
    if points == whole:
        return str(whole)
    if points - whole == 0.5:
        return f"{whole or ''}½"
    return f"{points:g}"


def game_rows(contests: Sequence[Contest]) -> list[GameRow]:
    """Return the rows of these games, in one query."""
    found = Standing.objects.filter(contest__in=[contest.pk for contest in contests]).select_related("player")
    by_contest: dict[int, list[Standing]] = {}
    for standing in found.order_by("contest_id", "id"):
        by_contest.setdefault(standing.contest_id, []).append(standing)
    return [_row(contest, by_contest.get(contest.pk, [])) for contest in contests]


def _row(contest: Contest, standings: list[Standing]) -> GameRow:
    sides: dict[object, list[Standing]] = {}
    for standing in standings:
        sides.setdefault(standing.team or standing.pk, []).append(standing)
    is_draw = _is_draw([standing.rank for standing in standings])
    return GameRow(
        contest,
        [
            GameSide(rows, points(rows[0].rank, rows[0].score, is_walkover=contest.is_walkover, is_draw=is_draw))
            for rows in sides.values()
        ],
    )


def points(rank: int | None, score: float | None, *, is_walkover: bool, is_draw: bool) -> float:
    """Return the points of a row of a game: 1 for a win, ½ for a draw; for a walkover, the points awarded."""
    if is_walkover:
        return score or 0.0
    if is_draw:
        return 0.5
    return float(rank == 1)


def _is_draw(ranks: Sequence[int | None]) -> bool:
    return len(ranks) > 1 and set(ranks) == {1}


@dataclass(slots=True)
class ScoreRow:
    """
    A player's row in the score table of an event.

    place
        Competition rank by points.
    wins, draws, losses
        Of games that were played; `walkovers` counts forfeits and byes.
    results
        In the crosstable: opponent's id -> result of each game, such as "1", "½", "0", "+" or "−".
    """

    player_id: int
    points: float = 0.0
    wins: int = 0
    draws: int = 0
    losses: int = 0
    walkovers: int = 0
    place: int = 0
    results: dict[int, list[tuple[int, str]]] = field(default_factory=dict)

    @property
    def games(self) -> int:
        """The number of games that were played."""
        return self.wins + self.draws + self.losses

    @property
    def shown_points(self) -> str:
        return plain_points(self.points)

    @property
    def percent(self) -> float | None:
        """The share of points in played games, in percent; None without games."""
        return 100 * (self.wins + 0.5 * self.draws) / self.games if self.games else None


def score_table(event: Contest, *, with_results: bool = False) -> list[ScoreRow]:
    """
    Return the score table of an event, best first, in one query.

    with_results
        Whether to fill `results` for a crosstable.
    """
    return score_tables([event], with_results=with_results).get(event.pk, [])


def score_tables(events: Sequence[Contest], *, with_results: bool = False) -> dict[int, list[ScoreRow]]:
    """Return the score tables of the events that have games, by event id, in one query, as `score_table` does."""
    columns = ("contest__event_id", "contest_id", "player_id", "rank", "score", "team", "contest__is_walkover")
    chosen = [
        Q(contest__event__in=[event.pk for event in events if event.state == state], contest__state=state)
        for state in {event.state for event in events}
    ]
    if not chosen:
        return {}
    # A join with the events, to compare their state, would take five times as long on SQLite.
    rows = Standing.objects.filter(reduce(or_, chosen))
    if with_results:
        rows = rows.order_by("contest__ends_at", "contest__sequence", "contest_id")
    by_event: dict[int, dict[int, list[tuple[int, int | None, float | None, str, bool]]]] = {}
    for event, game, *values in rows.values_list(*columns):
        by_event.setdefault(event, {}).setdefault(game, []).append(tuple(values))
    return {event: _table(by_game, with_results=with_results) for event, by_game in by_event.items()}


def _table(
    by_game: dict[int, list[tuple[int, int | None, float | None, str, bool]]], *, with_results: bool
) -> list[ScoreRow]:
    table: dict[int, ScoreRow] = {}
    for pk, game in by_game.items():
        _count_game(pk, game, table, with_results=with_results)
    ordered = sorted(table.values(), key=lambda row: (-row.points, row.games, row.player_id))
    for i, row in enumerate(ordered):
        row.place = ordered[i - 1].place if i and ordered[i - 1].points == row.points else i + 1
    return ordered


def _count_game(
    pk: int,
    game: list[tuple[int, int | None, float | None, str, bool]],
    table: dict[int, ScoreRow],
    *,
    with_results: bool,
) -> None:
    is_draw = _is_draw([rank for _, rank, *_ in game])
    for player, rank, score, team, is_walkover in game:
        row = table.setdefault(player, ScoreRow(player))
        scored = points(rank, score, is_walkover=is_walkover, is_draw=is_draw)
        row.points += scored
        if is_walkover:
            row.walkovers += 1
        else:
            row.wins += scored == 1
            row.draws += scored == 0.5
            row.losses += scored == 0
        if with_results:
            word = ("+" if scored else "−") if is_walkover else plain_points(scored)
            for other, _, _, other_team, _ in game:
                if other != player and not (team and team == other_team):
                    row.results.setdefault(other, []).append((pk, word))


def players_by_id(ids: Iterable[int]) -> dict[int, Player]:
    """Return players by id, in one query."""
    return Player.objects.in_bulk(list(ids))
