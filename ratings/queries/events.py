"""Ratings of an event: what it changed for each player, and the performance in all of its games."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ratings.models import RatingChange
from ratings.queries.boards import is_provisional
from ratings.queries.inputs import read_terms
from ratings.systems import get_system
from ratings.systems.performance_model import PerformanceModel, probability_to_beat

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from numpy.typing import NDArray

    from contests.models import Contest
    from ratings.queries.snapshot import SeriesSnapshot
    from ratings.systems import RatingSystem

    Floats = NDArray[np.float64]

#: Halvings of the range that is searched for a performance: it is found to a thousandth of its width.
_HALVINGS = 14
#: The most games for which performances are computed while someone waits.
MOST_GAMES = 4_000


@dataclass(frozen=True, slots=True)
class EventRating:
    """
    Ratings of one player around an event, in displayed points.

    is_newcomer, is_settled
        Whether the player had no rating before the event, and whether one that was no longer provisional.
    performance
        The rating at which the expected score equals the actual one; None if the player won or lost everything, or if
        the games are not between two players.
    """

    before: int
    after: int
    is_newcomer: bool
    is_settled: bool
    performance: int | None = None

    @property
    def change(self) -> int:
        return self.after - self.before


@dataclass(frozen=True, slots=True)
class _Change:
    player: int
    rank: int
    number: int
    before: tuple[float, float]
    after: tuple[float, float]
    handicap: float


def event_ratings(snapshot: SeriesSnapshot, event: Contest, player_ids: Collection[int]) -> dict[int, EventRating]:
    """Return the ratings of the players among these whom the event rated, in one query."""
    by_game = _changes(event)
    first: dict[int, _Change] = {}
    last: dict[int, _Change] = {}
    wanted = set(player_ids)
    for game in by_game:
        for change in game:
            if change.player in wanted:
                first.setdefault(change.player, change)
                last[change.player] = change
    if not first:
        return {}
    players = list(first)
    before = _points(snapshot, [first[player].before for player in players])
    after = _points(snapshot, [last[player].after for player in players])
    performances = _performances(snapshot, by_game, wanted)
    number = np.array([first[player].number for player in players])
    is_new, is_settled = (number == 1).tolist(), (~is_provisional(snapshot, number - 1)).tolist()
    return {
        player: EventRating(before[i], after[i], is_new[i], is_settled[i], performances.get(player))
        for i, player in enumerate(players)
    }


def _changes(event: Contest) -> list[list[_Change]]:
    """Return the rating changes of each rated game of an event, in the order of the games."""
    columns = (
        "contest_id", "contest__has_handicaps", "player_id", "rank", "number", "mu_before", "sigma_before", "mu",
        "sigma",
    )  # fmt: skip
    rows = RatingChange.objects.current().filter(series=event.series_id, contest__event=event)
    by_game: dict[int, list[_Change]] = {}
    ordered = list(rows.order_by("contest__ends_at", "contest__sequence", "contest_id").values_list(*columns))
    terms = read_terms(sorted({row[0] for row in ordered if row[1]}))
    for pk, _, player, rank, number, mu, sigma, mu_after, sigma_after in ordered:
        handicap = terms.get(pk, {}).get(player, (None, None))[1] or 0.0
        change = _Change(player, rank, number, (mu, sigma), (mu_after, sigma_after), handicap)
        by_game.setdefault(pk, []).append(change)
    return list(by_game.values())


def _points(snapshot: SeriesSnapshot, beliefs: Sequence[tuple[float, float]]) -> list[int]:
    pairs = np.array(beliefs, dtype=np.float64).reshape(-1, 2)
    points: list[int] = snapshot.mapping.show(snapshot.score(pairs[:, 0], pairs[:, 1])).tolist()
    return points


def _performances(snapshot: SeriesSnapshot, by_game: list[list[_Change]], wanted: set[int]) -> dict[int, int | None]:
    """Return the displayed performance of each wanted player in two-player games; unbounded ones are left out."""
    owners: list[int] = []
    opponents: list[tuple[float, float]] = []
    scores: list[float] = []
    for game in by_game:
        if len(game) != 2:
            continue
        for own, other in (game, game[::-1]):
            if own.player in wanted:
                owners.append(own.player)
                # The opponent's strength after both handicaps, on the scale of the player's own rating.
                opponents.append((other.before[0] + other.handicap - own.handicap, other.before[1]))
                scores.append(0.5 if own.rank == other.rank else float(own.rank < other.rank))
    if not owners or len(owners) > 2 * MOST_GAMES or snapshot.scheme is None:
        return {}
    system = get_system(snapshot.scheme.system, **snapshot.scheme.parameters)
    found = performances(system, np.array(owners), np.array(opponents), np.array(scores))
    shown = snapshot.mapping.show(np.array(list(found.values()), dtype=np.float64)).tolist() if found else []
    return dict(zip(found, shown, strict=True))


def performances(
    system: RatingSystem, owners: NDArray[np.int64], opponents: Floats, scores: Floats
) -> dict[int, float]:
    """
    Return the rating at which each player's expected score in these games equals the actual one, by player.

    owners, scores
        The player of each game, shape (games,), and the score: 1, ½ or 0.
    opponents
        Mean and deviation of each opponent before the game, shape (games, 2).

    A player who won or lost all games has none. Each player's own deviation is taken to be the opponents' average.
    """
    players, position = np.unique(owners, return_inverse=True)
    counts = np.bincount(position).astype(np.float64)
    wanted = np.bincount(position, scores)
    bounded = (wanted > 0) & (wanted < counts)
    theirs = system.match_model(opponents[:, 0], opponents[:, 1])
    sigma = (np.bincount(position, opponents[:, 1]) / counts)[position]
    reach = 12.0 * float(np.max(theirs.scale))
    low = np.full(len(players), float(opponents[:, 0].min()) - reach)
    high = np.full(len(players), float(opponents[:, 0].max()) + reach)
    games = np.arange(len(owners))
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        own = system.match_model(middle[position], sigma)
        model = PerformanceModel(
            own.shape, np.concatenate([own.location, theirs.location]), np.concatenate([own.scale, theirs.scale])
        )
        expected = np.bincount(position, probability_to_beat(model, games, games + len(games)))
        is_low = expected < wanted
        low, high = np.where(is_low, middle, low), np.where(is_low, high, middle)
    result = (low + high) / 2
    return {int(player): float(result[i]) for i, player in enumerate(players) if bounded[i]}
