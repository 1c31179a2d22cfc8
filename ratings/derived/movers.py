"""
Derived numbers: the largest gains and losses of rating points in the newest contests and the newest week of a series.

The changes in a player's first contests are large because the rating is still uncertain. So only players with several
earlier contests count, or all players except newcomers if there are too few of those.
"""

from __future__ import annotations

from datetime import UTC, timedelta
from typing import TYPE_CHECKING, Any

import numpy as np

from contests.bulk import read_arrays
from contests.models import Contest
from ratings.derived import Content, Derivation
from ratings.models import Rating
from ratings.queries.inputs import read_current_changes

if TYPE_CHECKING:
    from datetime import datetime

    from numpy.typing import NDArray

    from ratings.queries.snapshot import SeriesSnapshot

#: The number of contests, of players per list, and of earlier contests that a player should have.
CONTESTS = 10
NAMED = 5
KNOWN_AFTER = 5
#: The week ends with the newest contest, so it does not depend on the clock.
WEEK = timedelta(days=7)
#: The number of the newest contests of the week whose ids are kept.
WEEK_CONTESTS = 100


def compute(snapshot: SeriesSnapshot) -> Content:
    """
    Return `contests`, newest first, each with `contest` (its id), `gains` and `losses`, largest first.

    A gain or loss is [player id, displayed rating before, after, rank]. Equal changes are sorted by rank.

    `week` has the same for all contests of the week: `until` (the end of the newest contest in ISO 8601), `contests`
    (ids, newest first), `gains` and `losses` as [player id, displayed rating before the first, after the last contest,
    number of contests].
    """
    newest = Contest.objects.rated().filter(series=snapshot.series).newest_first()[:CONTESTS]
    contests = list(newest.values_list("pk", "ends_at"))
    if not contests:
        return {"contests": []}
    until = contests[0][1]
    changes = read_current_changes(snapshot.series.pk, since=min(contests[-1][1], until - WEEK))
    week = _week(snapshot, until, changes)
    ids = np.array([pk for pk, _ in contests[::-1]], dtype=np.int64)
    changes = {name: column[np.isin(changes["contest_id"], ids)] for name, column in changes.items()}
    earlier = _earlier_contests(snapshot, ids, changes)
    before = snapshot.mapping.show(snapshot.score(changes["mu_before"], changes["sigma_before"]))
    after = snapshot.mapping.show(snapshot.score(changes["mu"], changes["sigma"]))
    listed = []
    for pk, _ in contests:
        rows = np.flatnonzero(changes["contest_id"] == pk)
        difference = after[rows] - before[rows]
        ends = {
            name: [
                [int(changes["player_id"][row]), int(before[row]), int(after[row]), int(changes["rank"][row])]
                for row in rows[_largest(sign * difference, changes["rank"][rows], earlier[rows])]
            ]
            for name, sign in (("gains", 1), ("losses", -1))
        }
        listed.append({"contest": pk, **ends})
    return {"contests": listed, "week": week}


def _week(snapshot: SeriesSnapshot, until: datetime, changes: dict[str, NDArray[Any]]) -> Content:
    """Return the largest gains and losses in the contests of the week, given all changes since its start."""
    rated = Contest.objects.rated().filter(series=snapshot.series, ends_at__gt=until - WEEK)
    ids = list(rated.newest_first().values_list("pk", flat=True))
    # A player's first contest does not count as a move, because there was no rating before it.
    is_move = np.isin(changes["contest_id"], np.array(ids, dtype=np.int64)) & (changes["number"] > 1)
    rows = np.flatnonzero(is_move)
    player, number = changes["player_id"][rows], changes["number"][rows]
    order = np.lexsort((number, player))
    rows, player, number = rows[order], player[order], number[order]
    is_first = np.diff(player, prepend=-1) != 0
    is_last = np.diff(player, append=-1) != 0
    first, last = rows[is_first], rows[is_last]
    before = snapshot.mapping.show(snapshot.score(changes["mu_before"][first], changes["sigma_before"][first]))
    after = snapshot.mapping.show(snapshot.score(changes["mu"][last], changes["sigma"][last]))
    played = np.flatnonzero(is_last) - np.flatnonzero(is_first) + 1
    ends = {
        name: [
            [int(player[is_first][at]), int(before[at]), int(after[at]), int(played[at])]
            for at in _largest(sign * (after - before), changes["rank"][last], number[is_first] - 1)
        ]
        for name, sign in (("gains", 1), ("losses", -1))
    }
    return {"until": until.astimezone(UTC).isoformat(), "contests": ids[:WEEK_CONTESTS], **ends}


def _earlier_contests(
    snapshot: SeriesSnapshot, ids: NDArray[np.int64], changes: dict[str, NDArray[Any]]
) -> NDArray[np.int64]:
    """Return the number of earlier rated contests of each row's player; `ids` are the contests in order."""
    query = f"SELECT CAST(player_id AS bigint), CAST(contest_count AS bigint) FROM {Rating._meta.db_table} "
    rated = read_arrays(f"{query} WHERE series_id = %s", [snapshot.series.pk], {"player": "i8", "count": "i8"})
    by_player = np.argsort(rated["player"])
    players, counts = rated["player"][by_player], rated["count"][by_player]
    by_id = np.argsort(ids)
    place = by_id[np.searchsorted(ids[by_id], changes["contest_id"])]
    order = np.lexsort((place, changes["player_id"]))
    who = changes["player_id"][order]
    last = np.searchsorted(who, who, side="right")
    from_here_on = last - np.arange(len(who))
    earlier = np.zeros(len(who), dtype=np.int64)
    if len(players):
        at = np.minimum(np.searchsorted(players, who), len(players) - 1)
        earlier[order] = np.where(players[at] == who, counts[at] - from_here_on, 0)
    return earlier


def _largest(change: NDArray[np.int64], rank: NDArray[np.int64], earlier: NDArray[np.int64]) -> NDArray[np.intp]:
    """Return the positions of the largest positive changes."""
    for least in (KNOWN_AFTER, 1):
        rows = np.flatnonzero((change > 0) & (earlier >= least))
        if len(rows) >= NAMED or least == 1:
            break
    return rows[np.lexsort((rank[rows], -change[rows]))][:NAMED]


DERIVATION = Derivation("movers", compute, version=2)
