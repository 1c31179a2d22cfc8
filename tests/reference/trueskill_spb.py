"""TrueSkill with levels of places, as messages passed one by one over its factor graph.

Written from section 5 of the specification; it shares no code with the library. ``one_gap`` reproduces
the two deviations from the model that the authors' implementation shows: see ``_sites``.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from tests.reference.gaussian import FLAT, Message


@dataclass
class Graph:
    """Levels best first; ``performances[i]`` are those at place i, ``windows[i]`` the sites of |t - l| <= epsilon."""

    performances: list[list[Message]]
    epsilon: float
    one_gap: bool
    windows: list[list[Message]] = field(default_factory=list)
    from_better: list[Message] = field(default_factory=list)
    from_worse: list[Message] = field(default_factory=list)
    gaps: list[Message] = field(default_factory=list)

    def __post_init__(self) -> None:
        uniform = Message.of(0.0, self.epsilon**2 / 3.0)
        self.windows = [[uniform for _ in place] for place in self.performances]
        self.from_better, self.from_worse = [FLAT] * len(self.performances), [FLAT] * len(self.performances)
        self.gaps = [FLAT] * (len(self.performances) - 1)

    def at(self, place: int, without: int | None = None) -> Message:
        """What the performances at a place say about its level."""
        result = FLAT
        pairs = zip(self.performances[place], self.windows[place], strict=True)
        for number, (performance, window) in enumerate(pairs):
            if number != without:
                result = result * performance.plus(window, -1)
        return result

    def level(self, place: int, without: int) -> Message:
        return self.at(place, without) * self.from_better[place] * self.from_worse[place]

    def sweep(self) -> None:
        n = len(self.gaps)
        for i in [*range(n), *reversed(range(n))]:
            better, worse = self.at(i) * self.from_better[i], self.at(i + 1) * self.from_worse[i + 1]
            gap = better.plus(worse, -1)
            if not self.one_gap:
                self.gaps[i] = gap.cut(2.0 * self.epsilon, within=False) / gap
            elif i == 0:
                self.gaps = [(gap * gap).cut(2.0 * self.epsilon, within=False) / gap] * n
            self.from_worse[i] = worse.plus(self.gaps[i])
            self.from_better[i + 1] = better.plus(self.gaps[i], -1)
        for place, performances in enumerate(self.performances):
            for number, performance in enumerate(performances):
                offset = performance.plus(self.level(place, number), -1)
                self.windows[place][number] = offset.cut(self.epsilon, within=True) / offset


def rate(
    players: Sequence[tuple[float, float]],
    places: Sequence[int],
    *,
    epsilon: float = 1.0,
    beta: float = 175.0,
    tau: float = 35.0,
    one_gap: bool = True,
) -> list[tuple[float, float]]:
    """New means and deviations; places count from 0, none is left out."""
    skills = [Message.of(mu, sigma**2 + tau**2) for mu, sigma in players]
    noise = Message.of(0.0, beta**2)
    rows: list[list[int]] = [[] for _ in range(max(places) + 1)]
    for row, place in enumerate(places):
        rows[place].append(row)
    graph = Graph([[skills[row].plus(noise) for row in place] for place in rows], epsilon, one_gap)
    for _ in range(200):
        before = list(graph.gaps)
        graph.sweep()
        if all(abs(new.tau - old.tau) < 1e-13 for new, old in zip(graph.gaps, before, strict=True)):
            break
    results = list(players)
    for place, members in enumerate(rows):
        for number, row in enumerate(members):
            performance = graph.level(place, number).plus(graph.windows[place][number])
            belief = skills[row] * performance.plus(noise)
            results[row] = belief.mean, math.sqrt(belief.variance)
    return results
