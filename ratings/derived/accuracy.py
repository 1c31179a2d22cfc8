"""
How well ratings foretell a series' own contests: its system beside all the others, judged alike.

Every system is given the same contests from nothing, by the series' parameters or its own defaults, and judged as
`backtest` judges (Elo-MMR paper, section 6.2, and calibration). Measured once a day at most, on the newest contests
that a worker can rate by a dozen systems while others wait.
"""

from __future__ import annotations

from dataclasses import asdict
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import numpy as np

from ratings.derived import Content, Derivation
from ratings.queries.inputs import read_fields
from ratings.systems import SYSTEMS, Contest, backtest, get_system

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ratings.queries.inputs import Field
    from ratings.queries.snapshot import SeriesSnapshot

#: The newest contests with no more participations than this are judged.
MOST_PARTICIPATIONS = 200_000
#: Only who has had so many rated contests before is judged, as in the paper.
MIN_CONTESTS = 5


def measure(snapshot: SeriesSnapshot) -> Content:
    """
    Return `contests`, `left_out` (older contests) and `systems`: for each its name and the fields of `Scores`.

    `systems` is sorted best order first; where nobody could be judged, its figures are None.
    """
    assert snapshot.scheme is not None
    fields = [field for field in read_fields(snapshot.series.pk) if len(field.player_ids) > 1]
    chosen = newest_within(fields, MOST_PARTICIPATIONS)
    contests, players = as_contests(chosen)
    has_teams = any(contest.teams is not None for contest in contests)
    rows = []
    for name, system in SYSTEMS.items():
        if has_teams and not system.rates_teams:
            continue
        parameters = snapshot.scheme.parameters if name == snapshot.system else {}
        scores = backtest(get_system(name, **parameters), contests, players, MIN_CONTESTS)
        rows.append({"system": name, **asdict(scores)})
    rows.sort(key=_worst_last)
    return {"contests": len(chosen), "left_out": len(fields) - len(chosen), "systems": rows}


def newest_within(fields: Sequence[Field], most: int) -> list[Field]:
    """Return the newest contests that have no more participations together, in their order; one at least."""
    sizes = np.array([len(field.player_ids) for field in fields], dtype=np.int64)
    from_the_end = np.cumsum(sizes[::-1])
    count = int(np.searchsorted(from_the_end, most, side="right"))
    return list(fields[len(fields) - max(1, count) :]) if len(fields) else []


def as_contests(fields: Sequence[Field]) -> tuple[list[Contest], int]:
    """Return the contests with players numbered from 0, and how many players there are."""
    everybody = np.unique(np.concatenate([field.player_ids for field in fields])) if fields else np.empty(0)
    contests = [
        Contest(
            np.searchsorted(everybody, field.player_ids),
            field.ranks,
            weight=field.weight,
            perf_ceiling=field.perf_ceiling,
            day=field.day,
            teams=field.teams,
        )
        for field in fields
    ]
    return contests, len(everybody)


def _worst_last(row: dict[str, Any]) -> tuple[float, str]:
    return -(row["pair_inversion"] or 0.0), row["system"]


DERIVATION = Derivation("accuracy", measure, rests=timedelta(days=1))
