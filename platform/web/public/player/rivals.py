"""A player's rivals: the players they met most often, the closest one, and the strongest players they beat."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from contests.caching import cached
from contests.models import Player
from ratings.models import RatingChange

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeAlias

    from numpy.typing import NDArray

    from ratings.models import Rating
    from ratings.queries.snapshot import SeriesSnapshot
    from web.public.player.history import HistoryRow

    Ints: TypeAlias = NDArray[np.int64]

#: Rivals and wins are counted in the newest contests, up to this many rows in all.
MOST_ROWS = 12_000
#: Minimum numbers of contests together: to be a rival, and to be compared as the closest one.
FEWEST_MET, FEWEST_CLOSE = 3, 5
RIVALS_SHOWN = WINS_SHOWN = 5
_SECONDS = 86_400


@dataclass(frozen=True, slots=True)
class Rival:
    """
    Another player of the same contests.

    met, ahead, behind, level
        Contests together, and in how many the player of the page was ahead of them, behind them, or level.
    share
        Contests ahead as a percentage of those in which one of the two was ahead; 50 without any.
    """

    player: Player
    met: int
    ahead: int
    behind: int
    level: int
    is_closest: bool

    @property
    def share(self) -> int:
        decided = self.ahead + self.behind
        return round(100 * self.ahead / decided) if decided else 50


@dataclass(frozen=True, slots=True)
class Win:
    """A strong player whom the player of the page was ahead of, with their displayed rating before that contest."""

    player: Player
    points: int
    row: HistoryRow


@dataclass(frozen=True, slots=True)
class Rivals:
    """
    Rivals, the most met first, and the best wins, the strongest opponent first.

    contests
        The number of newest contests that were counted; `is_whole` if those are all.
    """

    met: list[Rival]
    wins: list[Win]
    contests: int
    is_whole: bool

    @property
    def has_ties(self) -> bool:
        """Whether the player ever shared a place with one of the rivals."""
        return any(rival.level for rival in self.met)


def rivals_of(snapshot: SeriesSnapshot, rating: Rating, rows: Sequence[HistoryRow]) -> Rivals | None:
    """
    Return a player's rivals and best wins, in two queries at most; None without opponents.

    rows
        The player's history, oldest first.
    """
    counted = _newest(rows)
    if not counted or snapshot.run is None:
        return None
    found = cached(
        f"rivals:{snapshot.run.uid}:{rating.player_id}",
        lambda: _compared(snapshot, rating.player_id, counted),
        _SECONDS,
    )
    met, wins = found
    players = Player.objects.in_bulk({pk for pk, *_ in met} | {pk for pk, *_ in wins})
    by_contest = {row.change.contest_id: row for row in counted}
    return Rivals(
        [Rival(players[values[0]], *values[1:]) for values in met if values[0] in players],
        [Win(players[pk], points, by_contest[contest]) for pk, points, contest in wins if pk in players],
        len(counted),
        len(counted) == len(rows),
    )


def _newest(rows: Sequence[HistoryRow]) -> list[HistoryRow]:
    """Return the newest contests with at most MOST_ROWS rows together, the newest first."""
    counted, total = [], 0
    for row in reversed(rows):
        total += row.change.field_size
        if total > MOST_ROWS:
            break
        counted.append(row)
    return counted


def _compared(
    snapshot: SeriesSnapshot, player_id: int, counted: Sequence[HistoryRow]
) -> tuple[list[tuple[int, int, int, int, int, bool]], list[tuple[int, int, int]]]:
    """Return the values of the rivals (player, then the fields of `Rival`) and wins (player, points, contest)."""
    own = {row.change.contest_id: row.change.rank for row in counted}
    changes = RatingChange.objects.current().filter(contest__in=own).exclude(player=player_id)
    rows = list(changes.values_list("contest_id", "player_id", "rank", "mu_before", "sigma_before", "number"))
    if not rows:
        return [], []
    contests, players, ranks, numbers = (np.array([row[place] for row in rows]) for place in (0, 1, 2, 5))
    outcomes = np.sign(ranks - np.array([own[contest] for contest in contests.tolist()]))
    mu, sigma = (np.array([row[place] for row in rows]) for place in (3, 4))
    points = np.asarray(snapshot.mapping.show(snapshot.score(mu, sigma)))
    # A newcomer had no rating yet to be beaten.
    rated = numbers > 1
    return _met(players, outcomes), _wins(players[rated], contests[rated], outcomes[rated], points[rated])


def _met(players: Ints, outcomes: Ints) -> list[tuple[int, int, int, int, int, bool]]:
    others, position = np.unique(players, return_inverse=True)
    met = np.bincount(position)
    ahead, behind = (np.bincount(position, outcomes == way).astype(int) for way in (1, -1))
    # Of rivals equally close, the one met more often.
    apart = np.where(met >= FEWEST_CLOSE, np.abs(ahead - behind) / met, np.inf)
    closest = int(np.lexsort((-met, apart))[0])
    order = [int(row) for row in np.argsort(-met, kind="stable")[:RIVALS_SHOWN] if met[row] >= FEWEST_MET]
    if np.isfinite(apart[closest]) and closest not in order:
        order[RIVALS_SHOWN - 1 :] = [closest]
    return [
        (
            int(others[row]), int(met[row]), int(ahead[row]), int(behind[row]),
            int(met[row] - ahead[row] - behind[row]), row == closest and bool(np.isfinite(apart[row])),
        )
        for row in order
    ]  # fmt: skip


def _wins(players: Ints, contests: Ints, outcomes: Ints, points: Ints) -> list[tuple[int, int, int]]:
    """Return the strongest opponents who were behind, each once."""
    wins: dict[int, tuple[int, int, int]] = {}
    for row in np.argsort(-points, kind="stable").tolist():
        if outcomes[row] == 1:
            wins.setdefault(int(players[row]), (int(players[row]), int(points[row]), int(contests[row])))
        if len(wins) == WINS_SHOWN:
            break
    return list(wins.values())
