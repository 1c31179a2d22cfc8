"""
Derived numbers: the largest gains and losses in the newest contests, events of games and week of a series.

The changes in a player's first contests are large because the rating is still uncertain. So changes of provisional
ratings are left out, as in the story and the analysis of a contest. Where all are provisional, those of contests and
events count, and those of the week don't.
"""

from __future__ import annotations

from datetime import UTC, timedelta
from typing import TYPE_CHECKING, Any

import numpy as np

from contests.models import Contest
from ratings.derived import Content, Derivation
from ratings.queries.boards import compared, is_provisional
from ratings.queries.inputs import read_current_changes

if TYPE_CHECKING:
    from datetime import datetime

    from numpy.typing import NDArray

    from ratings.queries.snapshot import SeriesSnapshot

#: The number of contests, and of players per list.
CONTESTS = 10
NAMED = 5
#: The week ends with the newest contest, so it does not depend on the clock.
WEEK = timedelta(days=7)
#: The number of the newest contests of the week whose ids are kept.
WEEK_CONTESTS = 100


def compute(snapshot: SeriesSnapshot) -> Content:
    """
    Return `contests`, newest first, each with `contest` (its id), `gains` and `losses`, largest first.

    A gain or loss is [player id, displayed rating before, after, rank]. Equal changes are sorted by rank. `leaves_out`
    says whether anyone was left out (see `ratings.queries.boards.compared`), `is_settled` whether any rating was not
    provisional.

    `events` has the same for each event of games to which any of these contests belongs; `contest` is the id of the
    event. A gain or loss in all of its games is [player id, displayed rating before the first, after the last game,
    number of games].

    `week` has `until` (the end of the newest contest in ISO 8601), `contests` (ids of all contests of the week, newest
    first), `leaves_out`, `gains` and `losses` as [player id, displayed rating before the first, after the last contest,
    number of contests].
    """
    newest = Contest.objects.rated().filter(series=snapshot.series).newest_first()[:CONTESTS]
    contests = list(newest.values_list("pk", "ends_at", "event"))
    if not contests:
        return {"contests": []}
    until = contests[0][1]
    games = _games({event for _, _, event in contests if event is not None})
    since = min(contests[-1][1], until - WEEK, *(ends_at for rows in games.values() for _, ends_at in rows))
    changes = read_current_changes(snapshot.series.pk, since=since)
    is_settled, is_known = ~is_provisional(snapshot, changes["number"] - 1), changes["number"] > 1
    week = _week(snapshot, until, changes)
    before = snapshot.mapping.show(snapshot.score(changes["mu_before"], changes["sigma_before"]))
    after = snapshot.mapping.show(snapshot.score(changes["mu"], changes["sigma"]))
    listed = []
    for pk, _, _ in contests:
        rows = np.flatnonzero(changes["contest_id"] == pk)
        counts = compared(is_settled[rows], is_known[rows])
        facts = {"leaves_out": not bool(counts.all()), "is_settled": bool(is_settled[rows].any())}
        rows = rows[counts]
        difference = after[rows] - before[rows]
        ends = {
            name: [
                [int(changes["player_id"][row]), int(before[row]), int(after[row]), int(changes["rank"][row])]
                for row in rows[_largest(sign * difference, changes["rank"][rows])]
            ]
            for name, sign in (("gains", 1), ("losses", -1))
        }
        listed.append({"contest": pk, **facts, **ends})
    events = [_event(snapshot, event, [pk for pk, _ in rows], changes) for event, rows in games.items()]
    return {"contests": listed, "events": events, "week": week}


def _games(events: set[int]) -> dict[int, list[tuple[int, datetime]]]:
    """Return ids and ends of the rated games of each event."""
    found: dict[int, list[tuple[int, datetime]]] = {}
    if events:
        rated = Contest.objects.rated().filter(event__in=events)
        for event, pk, ends_at in rated.values_list("event", "pk", "ends_at"):
            assert event is not None
            found.setdefault(event, []).append((pk, ends_at))
    return found


def _event(snapshot: SeriesSnapshot, event: int, games: list[int], changes: dict[str, NDArray[Any]]) -> Content:
    """Return the largest gains and losses in these games of an event."""
    rows, is_settled, is_known = _throughout(snapshot, games, changes)
    counts = compared(is_settled, is_known)
    return {
        "contest": event,
        "leaves_out": not bool(counts.all()),
        "is_settled": bool(is_settled.any()),
        **_ends(snapshot, rows[counts], changes),
    }


def _week(snapshot: SeriesSnapshot, until: datetime, changes: dict[str, NDArray[Any]]) -> Content:
    """Return the largest gains and losses in the contests of the week, given all changes since its start."""
    rated = Contest.objects.rated().filter(series=snapshot.series, ends_at__gt=until - WEEK)
    ids = list(rated.newest_first().values_list("pk", flat=True))
    rows, is_settled, _ = _throughout(snapshot, ids, changes)
    return {
        "until": until.astimezone(UTC).isoformat(),
        "contests": ids[:WEEK_CONTESTS],
        "leaves_out": not bool(is_settled.all()),
        **_ends(snapshot, rows[is_settled], changes),
    }


def _throughout(
    snapshot: SeriesSnapshot, contests: list[int], changes: dict[str, NDArray[Any]]
) -> tuple[NDArray[np.intp], NDArray[np.bool_], NDArray[np.bool_]]:
    """
    Return the rows of the changes in these contests, and for each whether the player's rating was settled and known.

    A rating must be so before all of these contests: a player counts with all of them or not at all.
    """
    rows = np.flatnonzero(np.isin(changes["contest_id"], np.array(contests, dtype=np.int64)))
    number, player = changes["number"][rows], changes["player_id"][rows]
    is_settled, is_known = ~is_provisional(snapshot, number - 1), number > 1
    return rows, ~np.isin(player, player[~is_settled]), ~np.isin(player, player[~is_known])


def _ends(
    snapshot: SeriesSnapshot, rows: NDArray[np.intp], changes: dict[str, NDArray[Any]]
) -> dict[str, list[list[int]]]:
    """Return the largest gains and losses over all of these rows, each with the number of the player's contests."""
    player, number = changes["player_id"][rows], changes["number"][rows]
    order = np.lexsort((number, player))
    rows, player, number = rows[order], player[order], number[order]
    is_first = np.diff(player, prepend=-1) != 0
    is_last = np.diff(player, append=-1) != 0
    first, last = rows[is_first], rows[is_last]
    before = snapshot.mapping.show(snapshot.score(changes["mu_before"][first], changes["sigma_before"][first]))
    after = snapshot.mapping.show(snapshot.score(changes["mu"][last], changes["sigma"][last]))
    played = np.flatnonzero(is_last) - np.flatnonzero(is_first) + 1
    return {
        name: [
            [int(player[is_first][at]), int(before[at]), int(after[at]), int(played[at])]
            for at in _largest(sign * (after - before), changes["rank"][last])
        ]
        for name, sign in (("gains", 1), ("losses", -1))
    }


def _largest(change: NDArray[np.int64], rank: NDArray[np.int64]) -> NDArray[np.intp]:
    """Return the positions of the largest positive changes."""
    rows = np.flatnonzero(change > 0)
    return rows[np.lexsort((rank[rows], -change[rows]))][:NAMED]


DERIVATION = Derivation("movers", compute, version=8)
