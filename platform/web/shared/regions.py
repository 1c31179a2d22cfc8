"""
Countries and affiliations by the strength of their best players.

The rating of a region is the mean of the displayed ratings of its five best players. A missing player, or one below the
rating of a new player, counts as a new player. So beginners do not make a region worse by playing, more players alone
do not help, and one star does not carry a country. Only players who played recently, and often enough for a meaningful
rating, count, so an account made for one lucky contest does not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from contests.models import Player
from ratings.queries.boards import board_of
from ratings.queries.origins import origins_of
from ratings.queries.rows import newcomer_belief

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ratings.queries.snapshot import SeriesSnapshot

    Ints = NDArray[np.int64]

#: Number of a region's best players that count.
BEST = 5
#: Active players took part within this many days before the end of the newest rated contest.
ACTIVE_DAYS = 365


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """
    Regions of a series that have a player who counts, best first.

    names
        Codes of countries, or affiliations.
    ratings, ranks, counted, players
        Shape (regions,): mean of the best in displayed points, competition rank by it (0 for regions whose players who
        count are all rated like a new player or lower), players who count, all players.
    best
        Shape (regions, BEST): rows of the best players who count in the rank index; -1 for a missing player.
    filler
        Rating that a missing player counts as, in displayed points.
    counted_from
        Number of contests after which a player's rating counts.
    others, unknown
        Number of regions without a player who counts, and of rated players without a region.
    """

    names: list[str]
    ratings: NDArray[np.float64]
    ranks: Ints
    counted: Ints
    players: Ints
    best: Ints
    filler: int
    counted_from: int
    others: int
    unknown: int

    @property
    def has_unranked(self) -> bool:
        return not self.ranks.all()


@dataclass(frozen=True, slots=True)
class Region:
    """
    A row of the table.

    rank
        0 if no player who counts is rated above a new player.
    best
        The players who count, with their displayed ratings.
    """

    rank: int
    name: str
    rating: int
    counted: int
    players: int
    best: list[tuple[Player, int]]


def table_of(snapshot: SeriesSnapshot, kind: str, active: int | None = ACTIVE_DAYS) -> Table:
    """
    Return the regions of a series; `kind` is "countries" or "affiliations".

    active
        Days before the end of the newest rated contest within which a player must have played; None for any time.
    """
    origins, board = origins_of(snapshot), board_of(snapshot)
    is_country = kind == "countries"
    region = origins.countries if is_country else origins.affiliations
    names = origins.country_codes if is_country else origins.affiliation_names
    since = board.rule.contests
    counts = board.contests >= since
    if active is not None:
        counts &= board.days >= board.newest_day - active
    filler = snapshot.rating_of(*newcomer_belief(snapshot.scheme)) if snapshot.scheme is not None else 0
    points = snapshot.mapping.show(snapshot.index.scores) if len(snapshot.index) else np.empty(0, dtype=np.int64)
    total, best, counted = best_of(region, counts, points, filler, len(names))
    listed = np.flatnonzero(counted[1:]) + 1
    order = listed[np.lexsort((listed, -counted[listed], -total[listed]))]
    players = np.bincount(region, minlength=len(names))
    return Table(
        [names[one] for one in order.tolist()],
        filler + total[order] / BEST,
        np.where(total[order] > 0, np.searchsorted(-total[order], -total[order], side="left") + 1, 0),
        counted[order],
        players[order],
        best[order],
        filler,
        since,
        int(np.count_nonzero(players[1:])) - len(order),
        int(players[0]),
    )


def best_of(
    region: NDArray[Any], counts: NDArray[np.bool_], points: Ints, filler: int, regions: int
) -> tuple[Ints, Ints, Ints]:
    """
    Return, by region, the sum of its best ratings above the filler, their rows, and the number of players who count.

    region, counts, points
        Shape (players,), best first: number of the region, whether the player counts, displayed rating.
    """
    rows = np.flatnonzero(counts)
    rows = rows[np.argsort(region[rows], kind="stable")]
    counted = np.bincount(region[rows], minlength=regions)
    nth = np.arange(len(rows)) - np.repeat(np.cumsum(counted) - counted, counted)
    among = nth < BEST
    rows, nth = rows[among], nth[among]
    best = np.full((regions, BEST), -1, dtype=np.int64)
    best[region[rows], nth] = rows
    above = np.zeros(regions, dtype=np.int64)
    np.add.at(above, region[rows], np.maximum(points[rows] - filler, 0))
    return above, best, counted


def regions_of(snapshot: SeriesSnapshot, table: Table, positions: Sequence[int]) -> list[Region]:
    """Return rows of the table with their players, in one query."""
    rows = np.unique(table.best[list(positions)]) if len(positions) else np.empty(0, dtype=np.int64)
    rows = rows[rows >= 0]
    players = Player.objects.in_bulk(snapshot.index.player_ids[rows].tolist())
    by_row = {
        int(row): (players[int(snapshot.index.player_ids[row])], snapshot.rating(float(snapshot.index.scores[row])))
        for row in rows
        if int(snapshot.index.player_ids[row]) in players
    }
    return [
        Region(
            int(table.ranks[at]), table.names[at], int(np.floor(table.ratings[at] + 0.5)), int(table.counted[at]),
            int(table.players[at]), [by_row[row] for row in table.best[at].tolist() if row in by_row],
        )
        for at in positions
    ]  # fmt: skip
