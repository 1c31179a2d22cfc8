"""
Derived numbers: the accuracy of the series' rating system and of all others on the series' own contests.

Every system rates the same contests from the start, with the series' parameters or its own defaults. `backtest` scores
the predictions (Elo-MMR paper, section 6.2, and calibration). This happens at most once a day and covers the newest
contests, as many as a worker can rate with a dozen systems in acceptable time.
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
    from ratings.systems import RatingSystem

#: The newest contests are used, up to this many participations in total.
MOST_PARTICIPATIONS = 200_000
#: And up to this many contests: a dozen systems need some 3 ms for a two-player game, 2.5 minutes for this many.
MOST_CONTESTS = 50_000
#: Predictions count only for players with at least this many earlier contests, as in the paper.
MIN_CONTESTS = 5


def measure(snapshot: SeriesSnapshot) -> Content:
    """
    Return the accuracy of all rating systems on a series.

    contests, left_out
        Number of contests used, and of older contests left out.
    systems
        Name and the fields of `Scores` for each system, sorted by the accuracy of predicted orders, best first. The
        fields are None if no prediction counted.
    """
    assert snapshot.scheme is not None
    every = read_fields(snapshot.series.pk, duration=snapshot.scheme.duration_rules)
    fields = [field for field in every if len(field.player_ids) > 1]
    chosen = newest_within(fields, MOST_PARTICIPATIONS, MOST_CONTESTS)
    has_teams = any(field.teams is not None for field in chosen)
    has_terms = any(field.play is not None or field.handicap is not None for field in chosen)
    made: dict[tuple[bool, bool], tuple[list[Contest], int]] = {}
    rows = []
    for name, system in SYSTEMS.items():
        if has_teams and not system.rates_teams:
            continue
        parameters = snapshot.scheme.parameters if name == snapshot.system else {}
        kind = (has_terms and system.rates_partial_play, has_terms and system.rates_handicaps)
        contests, players = made.get(kind) or made.setdefault(kind, as_contests(chosen, system))
        scores = backtest(get_system(name, **parameters), contests, players, MIN_CONTESTS)
        rows.append({"system": name, **asdict(scores)})
    rows.sort(key=_best_first)
    return {"contests": len(chosen), "left_out": len(fields) - len(chosen), "systems": rows}


def newest_within(fields: Sequence[Field], most: int, most_contests: int) -> list[Field]:
    """Return the newest contests within both limits, on participations and on contests; at least one."""
    sizes = np.array([len(field.player_ids) for field in fields], dtype=np.int64)
    from_the_end = np.cumsum(sizes[::-1])
    count = min(int(np.searchsorted(from_the_end, most, side="right")), most_contests)
    return list(fields[len(fields) - max(1, count) :]) if len(fields) else []


def as_contests(fields: Sequence[Field], system: RatingSystem | type[RatingSystem]) -> tuple[list[Contest], int]:
    """Return the contests as the system can rate them, with players numbered from 0, and the number of players."""
    all_players = np.unique(np.concatenate([field.player_ids for field in fields])) if fields else np.empty(0)
    contests = [field.for_system(system, np.searchsorted(all_players, field.player_ids)) for field in fields]
    return contests, len(all_players)


def _best_first(row: dict[str, Any]) -> tuple[float, str]:
    return -(row["pair_inversion"] or 0.0), row["system"]


DERIVATION = Derivation("accuracy", measure, max_age=timedelta(days=1))
