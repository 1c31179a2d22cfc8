"""TrueSkill as its paper has it: messages up and down the factor graph, one by one.

Written from the paper's figure 1 and section 5 of the specification; it shares no code with the library.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

from tests.reference.gaussian import FLAT, Message


@dataclass
class Player:
    mu: float = 25.0
    sigma: float = 25.0 / 3.0
    play: float = 1.0


@dataclass
class Parameters:
    beta: float = 25.0 / 6.0
    tau: float = 25.0 / 300.0
    draw_probability: float = 0.10


Team = list[Player]


def performance(team: Team, p: Parameters) -> Message:
    mean = sum(player.play * player.mu for player in team)
    variance = sum(player.play**2 * (player.sigma**2 + p.tau**2 + p.beta**2) for player in team)
    return Message.of(mean, variance)


def heard(performances: Sequence[Message], sizes: Sequence[int], ranks: Sequence[int], p: Parameters) -> list[Message]:
    """The message about its performance that each team, best first, receives from all others."""
    n = len(performances)
    unit = NormalDist().inv_cdf(0.5 * (p.draw_probability + 1.0)) * p.beta
    site = [FLAT] * (n - 1)
    from_better, from_worse = [FLAT] * n, [FLAT] * n

    def pass_over(i: int) -> None:
        """Update the factor between teams i and i + 1, and the messages that it sends to both."""
        better, worse = performances[i] * from_better[i], performances[i + 1] * from_worse[i + 1]
        gap = better.plus(worse, -1)
        margin = unit * math.sqrt(sizes[i] + sizes[i + 1])
        site[i] = gap.cut(margin, within=ranks[i] == ranks[i + 1]) / gap
        from_worse[i] = worse.plus(site[i])
        from_better[i + 1] = better.plus(site[i], -1)

    for _ in range(200):
        before = list(site)
        for i in [*range(n - 1), *reversed(range(n - 1))]:
            pass_over(i)
        # Between equal teams that tie, means do not move while precisions still do.
        moved = [max(abs(new.tau - old.tau), abs(new.pi - old.pi)) for new, old in zip(site, before, strict=True)]
        if max(moved, default=0.0) < 1e-12:
            break
    return [better * worse for better, worse in zip(from_better, from_worse, strict=True)]


def rate(teams: Sequence[Team], ranks: Sequence[int], p: Parameters) -> list[Team]:
    """New beliefs; among those who tie the greater mean is first in the chain, then the greater variance."""
    known = [performance(team, p) for team in teams]
    # Values that differ only by rounding count as equal.
    kind = [
        (-round(each.mean, 6), -round(each.variance, 6), len(team)) for each, team in zip(known, teams, strict=True)
    ]
    order = sorted(range(len(teams)), key=lambda i: (ranks[i], *kind[i]))
    in_order = heard([known[i] for i in order], [len(teams[i]) for i in order], [ranks[i] for i in order], p)
    told = dict(zip(order, in_order, strict=True))
    rated = []
    for i, team in enumerate(teams):
        alike = [told[j] for j in range(len(teams)) if (ranks[j], kind[j]) == (ranks[i], kind[i])]
        message = Message(
            sum(each.pi for each in alike) / len(alike),
            sum(each.tau - each.pi * known[i].mean for each in alike) / len(alike),
        )
        rated.append([_member(player, known[i], message, p) for player in team])
    return rated


def _member(player: Player, team: Message, message: Message, p: Parameters) -> Player:
    """The player after the team received the message; the message's mean is relative to the team's own mean."""
    skill = player.sigma**2 + p.tau**2
    if not player.play:
        return Player(player.mu, math.sqrt(skill), 0.0)
    others = team.variance - player.play**2 * skill
    of_skill = Message.of(player.mu + message.mean / player.play, (message.variance + others) / player.play**2)
    belief = Message.of(player.mu, skill) * of_skill
    return Player(belief.mean, math.sqrt(belief.variance), player.play)
