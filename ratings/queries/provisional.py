"""Which ratings do not say much yet: a rule that graphs, pages and records share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ratings.systems import SYSTEMS, get_system

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ratings.queries.snapshot import SeriesSnapshot

#: A rating is provisional before this many contests ...
SETTLED_CONTESTS = 5
#: ... and while its deviation is above this share of a newcomer's: then it rests on less than four times what one
#: knows of somebody unknown. Where σ says something else than uncertainty, the number of contests alone decides.
SETTLED_SHARE = 0.5
#: Some systems let no deviation come near half of a newcomer's; above their own limit by this factor one is settled.
ABOVE_LIMIT = 1.2


def provisional(snapshot: SeriesSnapshot, sigma: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Tell after which of a player's contests, all of them in order, the rating was still provisional."""
    early = np.arange(1, len(sigma) + 1) < SETTLED_CONTESTS
    scheme = snapshot.run.scheme if snapshot.run is not None else snapshot.scheme
    if scheme is None or scheme.system not in SYSTEMS or snapshot.sigma_means != "uncertainty":
        return early
    system = get_system(scheme.system, **scheme.parameters)
    newcomer = float(system.new_beliefs(1).sigma[0])
    limit = max(SETTLED_SHARE * newcomer, ABOVE_LIMIT * float(getattr(system, "sig_limit", 0.0)))
    return early | (sigma > limit)
