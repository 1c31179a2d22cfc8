"""Derived numbers: the rating histories of the best players of a series, for the graph on its page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ratings.derived import Content, Derivation
from ratings.models import RatingChange
from ratings.queries.boards import SETTLED_CONTESTS
from ratings.queries.filters import best_listed
from ratings.systems.contest import days_since_1970

if TYPE_CHECKING:
    from ratings.queries.snapshot import SeriesSnapshot

#: The number of players, as on the page of the series, and of points of each line. More make no visible difference.
PLAYERS, POINTS = 10, 160


def compute(snapshot: SeriesSnapshot) -> Content:
    """
    Return `players` (their ids, best first), `counts` (points of each) and the points of all, one player after another.

    `days` are days since 1970, and `ratings` are displayed ratings after the contests that ended then.
    """
    leaders = best_listed(snapshot, PLAYERS)[0]
    players = [row.rating.player_id for row in leaders]
    changes = RatingChange.objects.current().filter(series=snapshot.series, player__in=players).order_by("number")
    rows: dict[int, list[tuple[float, float, float]]] = {pk: [] for pk in players}
    for pk, ends_at, mu, sigma in changes.values_list("player", "contest__ends_at", "mu", "sigma"):
        rows[pk].append((days_since_1970(ends_at), mu, sigma))
    lines = [_thinned(_settled(np.array(rows[pk], dtype=np.float64).reshape(-1, 3))) for pk in players]
    points = np.concatenate(lines) if lines else np.empty((0, 3))
    shown = snapshot.mapping.show(snapshot.score(points[:, 1], points[:, 2]))
    return {
        "players": players,
        "counts": [len(line) for line in lines],
        "days": points[:, 0],
        "ratings": np.asarray(shown, dtype=np.int64),
    }


def _settled(line: np.ndarray) -> np.ndarray:
    """Leave out a player's first ratings, which start at a newcomer's, if at least twice as many follow."""
    return line[SETTLED_CONTESTS - 1 :] if len(line) >= 3 * SETTLED_CONTESTS else line


def _thinned(line: np.ndarray) -> np.ndarray:
    """Return up to POINTS rows of a line, evenly spread, with the first and the last."""
    if len(line) <= POINTS:
        return line
    return line[np.linspace(0, len(line) - 1, POINTS).round().astype(np.int64)]


DERIVATION = Derivation("top-histories", compute)
