"""Season points by plain loops over players and their opponents.

Written from "Displayed Rating" in the StarCraft II ladder analysis and section 9 of the specification; it shares no
code with the fast version.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field


@dataclass
class Entry:
    """An entry in a contest: the player, the place, the hidden rating before it, the floor of the league, the team."""

    player: int
    rank: int
    hidden: float
    floor: float
    team: object = None


@dataclass
class Season:
    """
    Everyone's points, and the rules: K, the distance that means odds of ten to one, and the bonus per day.

    `fermi` is the size of a fixed range of ratings, None without one.
    """

    k: float
    scale: float
    bonus_per_day: float
    fermi: float | None = None
    bonus_in_level: bool = True
    points: dict[int, float] = field(default_factory=dict)
    spent: dict[int, float] = field(default_factory=dict)
    bare: dict[int, float] = field(default_factory=dict)

    def play(self, day: float, weight: float, entries: list[Entry]) -> None:
        """Add a contest, this many days after the season began."""
        sides: dict[object, list[Entry]] = {}
        for number, entry in enumerate(entries):
            sides.setdefault(("alone", number) if entry.team is None else entry.team, []).append(entry)
        counted = self.points if self.bonus_in_level else self.bare
        level = {side: mean([counted.get(e.player, 0.0) + e.floor for e in of]) for side, of in sides.items()}
        hidden = {side: mean([e.hidden for e in of]) for side, of in sides.items()}
        moves = []
        for side, members in sides.items():
            surplus = 0.0
            for other, opponents in sides.items():
                if other != side:
                    mine, theirs = members[0].rank, opponents[0].rank
                    score = 1.0 if mine < theirs else 0.5 if mine == theirs else 0.0
                    surplus += score - self.expected(level[side], hidden[other])
            step = self.step(level[side], weight * surplus / (len(sides) - 1))
            moves += [(entry.player, step) for entry in members]
        for player, step in moves:
            left = max(0.0, self.bonus_per_day * max(0.0, day) - self.spent.get(player, 0.0))
            bonus = min(step, left) if step > 0 else 0.0
            self.bare[player] = max(0.0, self.bare.get(player, 0.0) + step)
            self.spent[player] = self.spent.get(player, 0.0) + bonus
            if self.bonus_in_level:
                self.points[player] = max(0.0, self.points.get(player, 0.0) + step + bonus)
            else:
                self.points[player] = self.bare[player] + self.spent[player]

    def expected(self, level: float, hidden: float) -> float:
        if self.fermi is None:
            return 1 / (1 + 10 ** ((hidden - level) / self.scale))
        a, b = self.share(level), self.share(hidden)
        return 1 / (1 + b * (1 - a) / (a * (1 - b)))

    def step(self, level: float, surplus: float) -> float:
        if self.fermi is None:
            return self.k * surplus
        share = self.share(level)
        odds = share / (1 - share) * math.exp(4 * self.k / self.fermi * surplus)
        return self.fermi * (odds / (1 + odds) - share)

    def share(self, shown: float) -> float:
        assert self.fermi is not None
        return min(max(shown, 0.5), self.fermi - 0.5) / self.fermi


def mean(values: list[float]) -> float:
    return sum(values) / len(values)
