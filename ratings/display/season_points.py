"""Everyone's points through the seasons of a series, contest after contest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from ratings.display.season import SeasonRules, league_floors, place_scores, settle

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from ratings.display.mappings import Mapping
    from ratings.display.tiers import Tiers

    Floats: TypeAlias = NDArray[np.float64]
    Integers: TypeAlias = NDArray[np.int64]

#: From levels and hidden ratings of one field, both on the scale of `Mapping.odds` and shape (n,): for each level the
#: sum of the probabilities to beat each of the others, the one in the same position left out; shape (n,).
WinsAgainst: TypeAlias = "Callable[[Floats, Floats], Floats]"


@dataclass(frozen=True, slots=True, eq=False)
class Field:
    """
    One contest.

    day
        When it ended, in days on the clock of the season's start.
    player
        Its players, numbered from 0 to the number of all players, shape (n,).
    rank
        Their places; only order and equality count.
    hidden
        Their ratings before it in shown points, not rounded.
    league
        Their leagues before it: positions of tiers.
    team
        Labels of teams, equal for members; None where everyone plays alone.
    """

    day: float
    weight: float
    player: Integers
    rank: Integers
    hidden: Floats
    league: Integers
    team: Integers | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Settled:
    """What one contest did, shape (n,), in shown points: points after it, what was gained or lost with the bonus, and
    how much of that was bonus."""

    points: Floats
    gain: Floats
    bonus: Floats


class SeasonTable:
    """
    The points of one season as they stand; `play` moves them on.

    points, spent
        Shape (players,): points, and the part of the bonus that is gone; in shown points.
    """

    def __init__(
        self, rules: SeasonRules, tiers: Tiers, mapping: Mapping, *, start: float, players: int, wins: WinsAgainst
    ) -> None:
        """Begin a season on a day, on the clock of its contests."""
        self.rules, self.tiers, self.mapping, self.start, self.wins_against = rules, tiers, mapping, start, wins
        self.points, self.spent = np.zeros(players), np.zeros(players)

    def bonus_left(self, day: float, player: Integers) -> Floats:
        """Return what is left of players' bonus on a day, in shown points."""
        filled = self.rules.bonus_in(self.mapping) * max(0.0, day - self.start)
        return np.maximum(filled - self.spent[player], 0.0)

    def play(self, field: Field) -> Settled:
        """Take in the next contest of the season."""
        who = field.player
        before = self.points[who]
        after, spent = settle(before, self._steps(field, before), self.bonus_left(field.day, who))
        self.points[who] = after
        self.spent[who] += spent
        return Settled(after, after - before, spent)

    def _steps(self, field: Field, points: Floats) -> Floats:
        """Return what an Elo step gives each player, by the share of opponents beaten less the share expected."""
        level, hidden, rank = points + league_floors(self.tiers, self.mapping)[field.league], field.hidden, field.rank
        entry = None
        if field.team is not None:
            _, firsts, entry = np.unique(field.team, return_index=True, return_inverse=True)
            level, hidden, rank = _means(level, entry), _means(hidden, entry), rank[firsts]
        if len(rank) < 2:
            return np.zeros(len(points))
        levels, hiddens = (self.mapping.odds(shown, self.rules.scale) for shown in (level, hidden))
        expected = self.wins_against(levels, hiddens) / (len(rank) - 1)
        surplus = field.weight * (place_scores(rank) - expected)
        gains = self.mapping.elo_gains(self.rules.k_in(self.mapping), level, surplus)
        return gains if entry is None else gains[entry]


def _means(values: Floats, entry: Integers) -> Floats:
    return np.bincount(entry, weights=values) / np.bincount(entry)
