"""
Derived numbers: the size and the strength of the field of each contest of a series.

The strength is the mean rating of the ten highest-rated players before the contest. Players in their first contest had
no rating, and contests with fewer than ten others have no strength.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ratings.derived import Content, Derivation
from ratings.queries.histories import contest_order
from ratings.queries.inputs import read_current_changes

if TYPE_CHECKING:
    from ratings.queries.snapshot import SeriesSnapshot

#: The number of highest-rated players whose mean rating is the strength; contests with fewer have none.
STRONGEST = 10


def compute(snapshot: SeriesSnapshot) -> Content:
    """
    Return the fields of the contests with at least `STRONGEST` rated players, as arrays of shape (contests,).

    contests
        Ids of the contests in the order in which they were rated.
    sizes
        Number of rated players.
    strengths
        Mean displayed rating of the highest-rated players before the contest; 0 for none.
    """
    names = ("contest_id", "number", "mu_before", "sigma_before")
    changes = read_current_changes(snapshot.series.pk, names=names)
    order = contest_order(snapshot.series.pk)
    sorter = np.argsort(order)
    place = sorter[np.searchsorted(order, changes["contest_id"], sorter=sorter)]
    sizes = np.bincount(place, minlength=len(order))
    known = changes["number"] > 1
    place = place[known]
    before = snapshot.mapping.show(snapshot.score(changes["mu_before"][known], changes["sigma_before"][known]))
    best = np.lexsort((-before, place))
    place, before = place[best], before[best]
    first = np.searchsorted(place, place, side="left")
    counted = np.arange(len(place)) - first < STRONGEST
    sums = np.bincount(place[counted], before[counted], minlength=len(order))
    is_strong = np.bincount(place[counted], minlength=len(order)) == STRONGEST
    listed = sizes >= STRONGEST
    strengths = np.where(is_strong, np.rint(sums / STRONGEST), 0).astype(np.int64)
    return {"contests": order[listed], "sizes": sizes[listed], "strengths": strengths[listed]}


DERIVATION = Derivation("fields", compute)
