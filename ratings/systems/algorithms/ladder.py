"""A ladder: positions without a scale.

Bernd Kreimeier, "Rising from the Ranks: Rating for Multiplayer Games", 2000, "Jacob's Ladder".
"""

import math
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ratings.systems.beliefs import Beliefs
from ratings.systems.contest import Entrants, RoundChanges
from ratings.systems.declarations import Description, choice, gettext_noop, number, rating_system
from ratings.systems.performance_model import PerformanceModel
from ratings.systems.system import RatingSystem, SigmaMeans

Floats: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.int64]

# The position of players who have not entered yet: below everyone, but finite.
_OUTSIDE = 1e9


@rating_system
class Ladder(RatingSystem):
    """Ladder: a contest redistributes the participants' positions among them in order of finish.

    The rating is the position with its sign changed, so that higher is better: -1 is the top. Newcomers enter below
    everyone who has competed. The winner of two players gets the better of their positions. Players who tie keep their
    order among themselves. Weights of contests have no effect. The deviation is always 1. By default, no one else
    moves.

    Clubs can choose other rules. With ``on_win`` = insert, the winner of a two-player game takes the loser's position,
    and everyone from there down to the winner's old position falls by one. With ``idle_days``, players who let this
    many days pass without a contest fall at the next contest of the ladder. ``reach`` says whom a player may challenge;
    it changes no rating.

    Players without an order share one position, the mean of the places that they hold together: newcomers before their
    first contest, and newcomers who tied in it. When some of them finish in different places, they take the best and
    the worst of these places, which leaves the others' position unchanged. So nothing depends on the order of rows, and
    the positions of N players add up to N (N + 1) / 2, to rounding.
    """

    name: ClassVar[str] = "ladder"
    list_order: ClassVar[int] = 120
    description: ClassVar[Description] = Description(
        title="Ladder",
        in_words=gettext_noop("the ladder"),
        good_for=gettext_noop(
            "A club ladder of positions: the winner takes the better position. It doesn’t measure how far apart "
            "players are."
        ),
        how=gettext_noop(
            "Players hold positions. After each contest, the positions that the participants held are redistributed "
            "among them in order of finish; new players enter at the bottom."
        ),
        adds_up=gettext_noop("The change is the distance from the previous position to the new one."),
    )
    uses_weights: ClassVar[bool] = False
    max_rated_places: ClassVar[int] = 2000
    rates_handicaps: ClassVar[bool] = False
    needs_pool: ClassVar[bool] = True
    sigma_means: ClassVar[SigmaMeans] = "nothing"
    has_positions: ClassVar[bool] = True

    reach: float = number(
        0.0,
        "Players can challenge others up to this many places above them. With 0, they can challenge anyone above them.",
        minimum=0.0,
        maximum=1e6,
    )
    on_win: str = choice(
        "exchange",
        "What happens if the lower-placed player wins a two-player game: the players exchange their positions, or the "
        "winner is inserted above the loser, and the loser and everyone between them move down by one.",
        ("exchange", "insert"),
    )
    idle_days: float = number(
        0.0,
        "After each period of this many days without a contest, a player falls behind active players. With 0, no one "
        "falls.",
        unit="days",
        minimum=0.0,
        maximum=1e5,
    )
    idle_penalty: float = number(
        1.0, "How many places a player falls after each such period.", minimum=1.0, maximum=1e6
    )

    def new_beliefs(self, n_players: int) -> Beliefs:
        """Return beliefs about players who have not entered: far below everyone who has."""
        return Beliefs(n_players, -_OUTSIDE, 1.0)

    def performance_model(self, mu: Floats, sigma: Floats) -> PerformanceModel:
        """Return performances with odds in inverse ratio of the positions: a convention, as a ladder has no scale."""
        return PerformanceModel("gumbel", -np.log(np.maximum(-mu, 1.0)), np.ones_like(mu))

    def can_challenge(self, own: float | None, positions: Floats) -> NDArray[np.bool_]:
        """Return whether a player can challenge each of the others: the ``reach`` nearest players above.

        Those who share a position with the last of these count too.
        """
        above = positions < (math.inf if own is None else own)
        count, reach = int(np.count_nonzero(above)), int(self.reach)
        if reach == 0 or count <= reach:
            return above
        farthest = np.sort(positions[above])[count - reach]
        return above & (positions >= farthest)

    def _rate(self, entrants: Entrants) -> RoundChanges:
        beliefs, contest = entrants.beliefs, entrants.contest
        if self.idle_days:
            self._drop_idle(beliefs, contest.day)
            entrants.mu = beliefs.mu[entrants.players]
        occupied = -beliefs.mu[beliefs.count > 0]
        newcomers = entrants.count == 0
        bottom = max(float(len(occupied)), float(occupied.max())) if len(occupied) else 0.0
        position = np.where(newcomers, bottom + 0.5 * (1 + np.count_nonzero(newcomers)), -entrants.mu)
        entrants.mu = -position
        if self.on_win == "insert" and contest.n_entries == len(contest) == 2 and len(contest.group_sizes) == 2:
            return self._insert_winner(entrants, position)
        best_first = np.argsort(position)
        places = _places(position[best_first], occupied)
        order = contest.rows_by_group(best_first)
        after = np.empty_like(position)
        after[order] = _shared(places, position[order], contest.group[order])
        return entrants.conclude(-after, entrants.sigma)

    def _insert_winner(self, entrants: Entrants, position: Floats) -> RoundChanges:
        """Put the winner of a two-player game above the loser; if the winner was above already, nothing changes."""
        beliefs, players = entrants.beliefs, entrants.players
        first = int(entrants.contest.group[0])
        winner, loser = int(players[first]), int(players[1 - first])
        beliefs.mu[players] = -position
        pool = np.union1d(np.flatnonzero(beliefs.count > 0), players)
        if position[first] >= position[1 - first]:
            # The winner comes right before everyone at the loser's position, who remain equal.
            key = -np.where(pool == winner, beliefs.mu[loser], beliefs.mu[pool])
            _deal(beliefs, pool, pool[np.lexsort((pool != winner, key))], pool == winner)
        return entrants.conclude(beliefs.mu[players], entrants.sigma)

    def _drop_idle(self, beliefs: Beliefs, day: float) -> None:
        """Let players fall whose idle periods ended since the ladder's last contest.

        Those who fall pass only players who fall by fewer places, the lowest first: so equally idle players do not pass
        each other, and a ladder on which everyone is idle stays as it is.
        """
        pool = np.flatnonzero(beliefs.count > 0)
        if not len(pool):
            return
        last = beliefs.last_day[pool]
        previous = float(last.max())
        if day < previous:
            raise ValueError(
                f"the contest of day {day:g} comes after one of day {previous:g} on the ladder: "
                "rate contests in order of time"
            )
        periods = np.floor((day - last) / self.idle_days) - np.floor((previous - last) / self.idle_days)
        places = np.minimum(periods * int(self.idle_penalty), len(pool)).astype(np.int64)
        if not places.any():
            return
        order = np.lexsort((places, -beliefs.mu[pool])).tolist()
        fall = places.tolist()
        for start in reversed(range(len(order))):
            mover, at = order[start], start
            while at + 1 < len(order) and at - start < fall[mover] and fall[order[at + 1]] < fall[mover]:
                at += 1
            if at > start:
                order.insert(at, order.pop(start))
        _deal(beliefs, pool, pool[order], places)


def _deal(beliefs: Beliefs, pool: Indices, in_order: Indices, kind: NDArray[Any]) -> None:
    """Give the players of the pool the positions that they hold together, in a new order.

    in_order
        The same players, best first.
    kind
        Players with the same position before and of the same kind, shape (pool,), stay equal, even if others now stand
        between them.
    """
    position = -beliefs.mu[in_order]
    places = _places(np.sort(position), position)
    alike = np.stack([position, kind[np.searchsorted(pool, in_order)]])
    group = np.unique(alike, axis=1, return_inverse=True)[1].ravel()
    beliefs.mu[in_order] = -(np.bincount(group, places) / np.bincount(group))[group]


def _places(positions: Floats, occupied: Floats) -> Floats:
    """Return the places that participants hold, best first.

    positions
        The positions of the participants, ascending.
    occupied
        The positions of everyone who has competed, in any order.
    """
    first, sizes = _runs(positions[1:] != positions[:-1])
    if len(first) == len(positions):
        return positions
    position, occupied = positions[first], np.sort(occupied)
    standing = np.searchsorted(occupied, position, side="right") - np.searchsorted(occupied, position)
    outermost = np.repeat(0.5 * (np.maximum(standing, sizes) - 1), sizes)  # newcomers occupy no position yet
    rank = np.arange(len(positions)) - np.repeat(first, sizes)
    from_the_end = np.repeat(sizes, sizes) - 1 - rank
    offset = np.where(rank < from_the_end, rank - outermost, outermost - from_the_end)
    places = positions + np.where(rank == from_the_end, 0.0, offset)
    # If positions were averaged before, the outermost place may lie beyond a neighbour's.
    return np.sort(places) if (places[1:] < places[:-1]).any() else places


def _shared(places: Floats, position: Floats, group: Indices) -> Floats:
    """Return the places in the order of finish, averaged over players who tie and had the same position."""
    first, sizes = _runs((position[1:] != position[:-1]) | (group[1:] != group[:-1]))
    if len(first) == len(places):
        return places
    return np.repeat(np.add.reduceat(places, first) / sizes, sizes)


def _runs(changes: NDArray[np.bool_]) -> tuple[Indices, Indices]:
    """Return first elements and lengths of runs of equal elements, given whether each differs from the one before."""
    first = np.concatenate([[0], np.flatnonzero(changes) + 1])
    return first, np.diff(first, append=len(changes) + 1)
