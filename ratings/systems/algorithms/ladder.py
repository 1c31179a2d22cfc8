"""A ladder: positions without a scale.

Bernd Kreimeier, "Rising from the Ranks: Rating for Multiplayer Games", 2000, "Jacob's Ladder".
"""

from typing import ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ratings.systems.beliefs import Beliefs
from ratings.systems.contest import Entrants, RoundChanges
from ratings.systems.declarations import Description, gettext_noop, rating_system
from ratings.systems.performance_model import PerformanceModel
from ratings.systems.system import RatingSystem, SigmaMeans

Floats: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.int64]

# The position of players who have not entered yet: below everyone, but finite.
_OUTSIDE = 1e9


@rating_system
class Ladder(RatingSystem):
    """Ladder: a contest redistributes the participants' positions among them in the order of finish.

    The rating is the position with its sign changed, so that higher is better: -1 is the top. Newcomers enter below
    everyone who has competed. The winner of two players gets the better of their positions. Players who tie keep their
    order among themselves. Weights of contests have no effect, and no one else moves. The deviation is always 1.

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
            "A club ladder of positions: the winner takes the better position. It doesn't measure by how "
            "much players differ."
        ),
        how=gettext_noop(
            "Players hold positions. After each contest, the participants redistribute the positions they "
            "held, in the order of finish; new players enter at the bottom."
        ),
        adds_up=gettext_noop("The change is the distance from the previous position to the new one."),
    )
    uses_weights: ClassVar[bool] = False
    max_rated_places: ClassVar[int] = 2000
    needs_pool: ClassVar[bool] = True
    sigma_means: ClassVar[SigmaMeans] = "nothing"
    has_positions: ClassVar[bool] = True

    def new_beliefs(self, n_players: int) -> Beliefs:
        """Return beliefs about players who have not entered: far below everyone who has."""
        return Beliefs(n_players, -_OUTSIDE, 1.0)

    def performance_model(self, mu: Floats, sigma: Floats) -> PerformanceModel:
        """Return performances with odds in inverse ratio of the positions: a convention, as a ladder has no scale."""
        return PerformanceModel("gumbel", -np.log(np.maximum(-mu, 1.0)), np.ones_like(mu))

    def _rate(self, entrants: Entrants) -> RoundChanges:
        beliefs, contest = entrants.beliefs, entrants.contest
        occupied = -beliefs.mu[beliefs.count > 0]
        newcomers = entrants.count == 0
        bottom = max(float(len(occupied)), float(occupied.max())) if len(occupied) else 0.0
        position = np.where(newcomers, bottom + 0.5 * (1 + np.count_nonzero(newcomers)), -entrants.mu)
        entrants.mu = -position
        best_first = np.argsort(position)
        places = _places(position[best_first], occupied)
        order = contest.rows_by_group(best_first)
        after = np.empty_like(position)
        after[order] = _shared(places, position[order], contest.group[order])
        return entrants.conclude(-after, entrants.sigma)


def _places(positions: Floats, occupied: Floats) -> Floats:
    """Return the places that participants hold, best first.

    positions
        The positions of the participants, rising.
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
