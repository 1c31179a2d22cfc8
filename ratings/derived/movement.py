"""
Derived numbers: the number of players in each tier over time, and movement between tiers in the last year.

A player's tier follows from the rating after their latest contest so far, with the current display and tiers. At the
end of the last period, it is the tier on the leaderboard.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import numpy as np

from contests.models import Contest
from ratings.derived import Content, Derivation
from ratings.queries.histories import contest_order, histories_of
from ratings.queries.inputs import read_current_changes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ratings.queries.histories import Histories
    from ratings.queries.snapshot import SeriesSnapshot

    Integers = NDArray[np.int64]

#: Lengths of periods in months, each with the maximum number of such periods before the next length is used.
PERIODS = ((1, 13), (3, 24), (12, 120), (120, 10**6))
#: Length of "the last year", which ends with the newest rated contest and so does not change with the clock.
YEAR = timedelta(days=365)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def compute(snapshot: SeriesSnapshot) -> Content:
    """
    Return the movement between the tiers of a series as of its current run.

    months
        Length of a period: 1, 3, 12 or 120.
    starts
        First month of each period, counted from January of the year 0, shape (periods,).
    counts
        Number of rated players by tier at the end of each period, shape (periods, tiers).
    flows
        Number of players with a contest in the last year, by tier before it and tier now, shape (tiers + 1, tiers). The
        last row counts players who were not rated before.
    is_active
        Whether each player's last contest was in the last year, in the order of the rank index, shape (players,).
    since, until
        Start and end of the last year, in ISO 8601.
    """
    # Only the columns that matter, because there may be millions of rows.
    columns = read_current_changes(snapshot.series.pk, names=("contest_id", "player_id", "mu", "sigma"))
    order = contest_order(snapshot.series.pk)
    found = histories_of(columns, order, chained=False)
    tier = tiers_of_scores(snapshot, snapshot.score(columns["mu"], columns["sigma"]))[found.rows]
    # The current tiers come from the leaderboard, because some systems move players between their contests.
    by_player = np.argsort(snapshot.index.player_ids)
    if not np.array_equal(snapshot.index.player_ids[by_player], found.player_ids):
        raise ValueError("the rating changes and the leaderboard have different players")
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
    Return the number of players in each tier at the end of each period.

    period, tier
        Period of each rating change and tier after it, in the order of the histories.
    now
        Tier of each player at the end of the last period, by ascending player id.
    shape
        Number of periods and tiers.
    """
    periods, tiers = shape
    if not len(period):
        return np.zeros(shape, dtype=np.int64)
    # A change is valid from its period to that of the player's next change, and the last one until the last period.
    until = np.append(period[1:], 0)
    until[found.last] = periods - 1
    begins = np.bincount(period * tiers + tier, minlength=periods * tiers)
    ends = np.bincount(until * tiers + tier, minlength=periods * tiers)
    counts = np.cumsum((begins - ends).reshape(shape), axis=0)
    counts[-1] = np.bincount(now, minlength=tiers)
    return counts


def flows_of(found: Histories, is_recent: NDArray[np.bool_], tier: Integers, now: Integers, tiers: int) -> Integers:
    """Return the number of players with a recent rating change, by tier before these changes and tier now."""
    if not len(tier):
        return np.zeros((tiers + 1, tiers), dtype=np.int64)
    recent = np.add.reduceat(is_recent.astype(np.int64), found.first)
    # Histories are sorted by time, so the recent changes are the last ones of each.
    before = found.last - recent
    origin = np.where(before >= found.first, tier[np.maximum(before, 0)], tiers)
    moved = recent > 0
    flows = np.bincount(origin[moved] * tiers + now[moved], minlength=(tiers + 1) * tiers)
    return flows.reshape(tiers + 1, tiers)


def _periods(ends: Sequence[datetime]) -> tuple[int, Integers, Integers]:
    """Return the length of a period in months, the first month of each period, and the period of each contest."""
    month = np.array([12 * end.year + end.month - 1 for end in ends], dtype=np.int64)
    if not len(month):
        return PERIODS[0][0], month, month
    for length, most in PERIODS:
        number = month // length
        first, last = int(number.min()), int(number.max())
        if last - first < most:
            break
    return length, np.arange(first, last + 1, dtype=np.int64) * length, number - first


def _ends(series_id: int, contest_ids: Integers) -> list[datetime]:
    """Return the ends of these contests of a series."""
    ends = dict(Contest.objects.filter(series=series_id).values_list("id", "ends_at"))
    return [ends[contest] for contest in contest_ids.tolist()]


DERIVATION = Derivation("movement", compute)
