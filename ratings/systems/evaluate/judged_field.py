"""Who is judged in a contest, and what the system believes of them as entries: players or whole teams."""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ratings.systems.belief import Beliefs
from ratings.systems.contest import Contest
from ratings.systems.performance_model import PerformanceModel
from ratings.systems.system import RatingSystem

Floats: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class JudgedField:
    """The entries of a contest that are judged, best place first and then by what is believed; shape (n,) each.

    strength
        The means of the beliefs, in rating points; that of a team as the system sees it.
    place
        0-based numbers of the tie groups, perhaps with gaps.
    model
        How each entry performs.
    """

    strength: Floats
    place: Indices
    model: PerformanceModel


def judged_field(system: RatingSystem, beliefs: Beliefs, contest: Contest, min_contests: int) -> JudgedField | None:
    """The entries all of whose players have at least ``min_contests`` rated contests; None if no two placed apart."""
    known = beliefs.count[contest.players] >= min_contests
    if contest.teams is not None:
        known &= np.bincount(contest.entry, ~known)[contest.entry] == 0
    rows = np.flatnonzero(known)
    if not len(rows):
        return None
    place = contest.group[rows]
    if place.min() == place.max():
        return None
    strength = beliefs.mu[contest.players[rows]]
    model = system.performance_model(strength, beliefs.sigma[contest.players[rows]])
    if contest.teams is not None:
        strength, place, model = _of_teams(system, contest, rows, strength, model)
    # By values alone, so that the order of the rows changes no bits of any sum.
    order = np.lexsort((model.scale, -strength, place))
    in_order = PerformanceModel(model.shape, model.location[order], model.scale[order])
    return JudgedField(strength[order], place[order], in_order)


def _of_teams(
    system: RatingSystem, contest: Contest, rows: Indices, mu: Floats, model: PerformanceModel
) -> tuple[Floats, Indices, PerformanceModel]:
    """Strength, place and performance of each team, from those of its members in the given rows."""
    share = np.ones(len(rows)) if contest.play is None else contest.play[rows]
    entry = contest.entry[rows]
    order = np.lexsort((share, model.scale, mu, entry))
    rows, entry, share = rows[order], entry[order], share[order]
    firsts = np.flatnonzero(np.diff(entry, prepend=-1))
    if system.teams_add_up:
        strength = np.add.reduceat(share * mu[order], firsts)
        location = np.add.reduceat(share * model.location[order], firsts)
        scale = np.sqrt(np.add.reduceat(np.square(share * model.scale[order]), firsts))
    else:
        sizes = np.diff(firsts, append=len(rows))
        strength, location, scale = (
            np.add.reduceat(values[order], firsts) / sizes for values in (mu, model.location, model.scale)
        )
    return strength, contest.group[rows[firsts]], PerformanceModel(model.shape, location, scale)
