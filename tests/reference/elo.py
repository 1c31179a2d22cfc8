"""Elo by the duelling heuristic, duel after duel, in plain loops.

Written from sections 1 and 4 of the TrueSkill paper, section 7 of the specification and, for teams of several sizes,
docs/rating-systems.md, to be compared with the fast version; it shares no code with it.
"""

import math
from collections.abc import Callable, Sequence


def logistic(difference: float, scale: float) -> float:
    """The expected score of a player who is stronger by this much, base 10."""
    exponent = -difference / scale
    return 0.0 if exponent > 300 else 1.0 / (1.0 + 10.0**exponent)


def gaussian(difference: float, beta: float) -> float:
    """The expected score when both perform with deviation beta."""
    return 0.5 * math.erfc(-difference / (math.sqrt(2.0) * beta) / math.sqrt(2.0))


def duels(
    ratings: dict[int, float],
    players: Sequence[int],
    ranks: Sequence[float],
    teams: Sequence[object] | None,
    expected: Callable[[float], float],
    gain: float,
) -> list[float]:
    """Each row's sum of changes in duels with other teams' members, divided by the most duels that a row can have."""
    labels = list(range(len(players))) if teams is None else list(teams)
    members = {label: [row for row, other in enumerate(labels) if other == label] for label in labels}
    most = len(players) - min(len(rows) for rows in members.values())
    changes = [0.0] * len(players)
    for label, rows in members.items():
        own = math.fsum(ratings[players[row]] for row in rows) / len(rows)
        gains = []
        for other, other_rows in members.items():
            if other == label:
                continue
            opponent = math.fsum(ratings[players[row]] for row in other_rows) / len(other_rows)
            mine, theirs = ranks[rows[0]], ranks[other_rows[0]]
            score = 1.0 if mine < theirs else 0.5 if mine == theirs else 0.0
            gains += [gain * (score - expected(own - opponent))] * len(other_rows)
        for row in rows:
            changes[row] = math.fsum(gains) / most
    return changes
