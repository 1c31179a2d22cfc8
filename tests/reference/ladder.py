"""A ladder in plain Python and exact fractions.

Written from "Jacob's Ladder" in "Rising from the Ranks" and section 8 of the specification; it shares no code with
the fast version.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import TypeAlias

Ladder: TypeAlias = dict[int, Fraction]
Rows: TypeAlias = list[tuple[Fraction, Fraction]]


def places_of(position: Fraction, standing: int, taking_part: int) -> list[Fraction]:
    """The places taken if only some players at a position compete: from both ends inwards, an odd one at the middle."""
    places = [position + Fraction(2 * number - standing + 1, 2) for number in range(standing)]
    taken = []
    while taking_part >= 2:
        taken += [places.pop(0), places.pop()]
        taking_part -= 2
    return taken + [position] * taking_part


def rate_round(ladder: Ladder, players: Sequence[int], ranks: Sequence[float]) -> Rows | None:
    """Each row's position before and after; None for a round of fewer than two."""
    if len(players) < 2:
        return None
    bottom = max([Fraction(len(ladder)), *ladder.values()])
    newcomers = [player for player in players if player not in ladder]
    for player in newcomers:
        ladder[player] = bottom + Fraction(len(newcomers) + 1, 2)
    before = {player: ladder[player] for player in players}
    places: list[Fraction] = []
    for position in set(before.values()):
        standing = sum(other == position for other in ladder.values())
        places += places_of(position, standing, sum(other == position for other in before.values()))
    places.sort()
    finish = sorted(zip(ranks, (before[player] for player in players), players, strict=True))
    alike: dict[tuple[float, Fraction], list[Fraction]] = {}
    for place, (rank, position, _) in zip(places, finish, strict=True):
        alike.setdefault((rank, position), []).append(place)
    for rank, position, player in finish:
        dealt = alike[rank, position]
        ladder[player] = sum(dealt, Fraction(0)) / len(dealt)
    return [(before[player], ladder[player]) for player in players]
