"""
How players moved between tiers: how many were in each at the end of each period, and who went where in the last year.

A player is in the tier of the rating after the newest contest of theirs so far, on today's scale and by today's tiers;
at the end of the last period everybody is where the leaderboard has them.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import numpy as np

from contests.bulk import read_arrays
from contests.models import Contest
from ratings.derived import Content, Derivation
from ratings.models import RatingChange
from ratings.queries.histories import contest_order, histories_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ratings.queries.histories import Histories
    from ratings.queries.snapshot import SeriesSnapshot

    Integers = NDArray[np.int64]

#: Months of a period, and how many such periods are shown at most before the next longer ones are taken.
PERIODS = ((1, 13), (3, 24), (12, 120), (120, 10**6))
#: What "the last year" is: before the end of the newest rated contest, so that it does not change by itself.
YEAR = timedelta(days=365)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def compute(snapshot: SeriesSnapshot) -> Content:
    """
    Return the movement between the tiers of a series as of its current run.

    months
        Length of a period: 1, 3, 12 or 120.
    starts
        Shape (periods,): the first month of each, counted from January of the year 0.
    counts
        Shape (periods, tiers): players rated so far by their tier at the end of the period.
    flows
        Shape (tiers + 1, tiers): players with a contest in the last year, by their tier before it (the last row: who
        was not rated yet) and by their tier now.
    is_active
        Shape (players,), in the order of the rank index: whose last contest is of the last year.
    since, until
        The last year, in ISO 8601.
    """
    columns, order = _read(snapshot.series.pk), contest_order(snapshot.series.pk)
    found = histories_of(columns, order, chained=False)
    tier = tiers_of_scores(snapshot, snapshot.score(columns["mu"], columns["sigma"]))[found.rows]
    # What is said of now is what the leaderboard says: some systems move players between their contests.
    by_player = np.argsort(snapshot.index.player_ids)
    if not np.array_equal(snapshot.index.player_ids[by_player], found.player_ids):
        raise ValueError("the players of the changes are not those of the leaderboard")
    now = tiers_of_scores(snapshot, snapshot.index.scores)[by_player]
    contest, contest_of = np.unique(columns["contest_id"], return_inverse=True)
    ends = _ends(snapshot.series.pk, contest)
    months, starts, period = _periods(ends)
    until = max(ends, default=_EPOCH)
    since = until - YEAR
    is_recent = np.array([end > since for end in ends], dtype=bool)[contest_of[found.rows]]
    is_active = np.zeros(len(now), dtype=bool)
    is_active[by_player] = is_recent[found.last]
    return {
        "months": months,
        "starts": starts,
        "counts": counts_by_period(
            found, period[contest_of[found.rows]], tier, now, (len(starts), len(snapshot.tiers))
        ),
        "flows": flows_of(found, is_recent, tier, now, len(snapshot.tiers)),
        "is_active": is_active,
        "since": since.isoformat(),
        "until": until.isoformat(),
    }


def tiers_of_scores(snapshot: SeriesSnapshot, scores: NDArray[np.float64]) -> Integers:
    """Return the tier of each score, from 0 (lowest)."""
    return snapshot.tiers.positions(snapshot.mapping.show(scores))


def counts_by_period(
    found: Histories, period: Integers, tier: Integers, now: Integers, shape: tuple[int, int]
) -> Integers:
    """
    Return how many players were in each tier at the end of each period.

    period, tier
        Of each change, in the order of the histories.
    now
        The tier of each player at the end of the last period, players rising.
    shape
        Periods and tiers.
    """
    periods, tiers = shape
    if not len(period):
        return np.zeros(shape, dtype=np.int64)
    # Each change holds from its period until that of the player's next one; the last one until before the last period.
    until = np.append(period[1:], 0)
    until[found.last] = periods - 1
    begins = np.bincount(period * tiers + tier, minlength=periods * tiers)
    ends = np.bincount(until * tiers + tier, minlength=periods * tiers)
    counts = np.cumsum((begins - ends).reshape(shape), axis=0)
    counts[-1] = np.bincount(now, minlength=tiers)
    return counts


def flows_of(found: Histories, is_recent: NDArray[np.bool_], tier: Integers, now: Integers, tiers: int) -> Integers:
    """Return who went from which tier to which, of those with a recent change."""
    if not len(tier):
        return np.zeros((tiers + 1, tiers), dtype=np.int64)
    recent = np.add.reduceat(is_recent.astype(np.int64), found.first)
    # Histories are in the order of time, so the recent changes are the last ones of each.
    before = found.last - recent
    origin = np.where(before >= found.first, tier[np.maximum(before, 0)], tiers)
    moved = recent > 0
    flows = np.bincount(origin[moved] * tiers + now[moved], minlength=(tiers + 1) * tiers)
    return flows.reshape(tiers + 1, tiers)


def _periods(ends: Sequence[datetime]) -> tuple[int, Integers, Integers]:
    """Return the months of a period, the first month of each period, and the period of each contest, by its end."""
    month = np.array([12 * end.year + end.month - 1 for end in ends], dtype=np.int64)
    if not len(month):
        return PERIODS[0][0], month, month
    for length, most in PERIODS:
        number = month // length
        first, last = int(number.min()), int(number.max())
        if last - first < most:
            break
    return length, np.arange(first, last + 1, dtype=np.int64) * length, number - first


def _read(series_id: int) -> dict[str, NDArray[Any]]:
    """Return the current changes of a series, with no more columns than are needed: there may be millions."""
    dtypes = {"contest_id": "i8", "player_id": "i8", "mu": "f8", "sigma": "f8"}
    types = {"i8": "bigint", "f8": "double precision"}
    columns = ", ".join(f"CAST({name} AS {types[dtype]})" for name, dtype in dtypes.items())
    query = f"SELECT {columns} FROM {RatingChange._meta.db_table} WHERE series_id = %s AND until_run IS NULL"
    return read_arrays(query, [series_id], dtypes)


def _ends(series_id: int, contest_ids: Integers) -> list[datetime]:
    """Return when these contests of a series ended."""
    ends = dict(Contest.objects.filter(series=series_id).values_list("id", "ends_at"))
    return [ends[contest] for contest in contest_ids.tolist()]


DERIVATION = Derivation("movement", compute)
