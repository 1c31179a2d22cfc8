"""The rating system that suits a series best, from backtests of all systems on its own contests."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ratings.backtests.candidates import scores_from
from ratings.derived import accuracy, newest_derived
from ratings.descriptions import description_of
from ratings.systems import SYSTEMS

if TYPE_CHECKING:
    from datetime import datetime
    from typing import Any

    from ratings.queries.snapshot import SeriesSnapshot

#: The number of systems to list, best first. The one in use is listed too.
LISTED = 3
#: Another system is recommended only if its percentage of correctly predicted pairs is higher by this much, and its
#: probabilities are no worse: otherwise an organizer would exchange good forecasts for a slightly better order.
CLEAR = 0.5


@dataclass(frozen=True, slots=True)
class Measured:
    """
    The accuracy of one system's predictions of a series' contests.

    right
        Percentage of pairs of players whose order it predicted (`Scores.pair_inversion`); 50 is guessing.
    log_loss
        Mean of -ln p (`Scores.log_loss`), which also judges the calibration of probabilities; guessing gives 0.69.
    """

    system: str
    title: str
    right: float
    log_loss: float
    is_own: bool
    is_recommended: bool

    @property
    def is_worse_than_guessing(self) -> bool:
        """Whether giving every pair 50 % would be better than its probabilities."""
        return self.log_loss > math.log(2)


@dataclass(frozen=True, slots=True)
class Recommendation:
    """
    The systems compared on a series, best first.

    contests
        The number of contests whose results were predicted.
    are_few
        Whether they are too few to say which system is better.
    own_is_good
        Whether no system is clearly better than the one in use.
    """

    rows: list[Measured]
    contests: int
    are_few: bool
    own_is_good: bool
    made_at: datetime

    @property
    def best(self) -> Measured:
        return next((row for row in self.rows if row.is_recommended), self.rows[0])


def recommendation_for(snapshot: SeriesSnapshot) -> Recommendation | None:
    """Return the comparison that a worker made after a run, at most a day old; None if there is none yet."""
    found = newest_derived(snapshot, accuracy.DERIVATION)
    if found is None:
        return None
    content, row = found
    judged = [each for each in content["systems"] if each["system"] in SYSTEMS and _is_judged(each)]
    if not judged:
        return None
    scores = scores_from({name: value for name, value in judged[0].items() if name != "system"})
    own = next((each for each in judged if each["system"] == snapshot.system), None)
    better = judged if own is None else [each for each in judged if _is_clearly_better(each, own)]
    chosen = better[0] if better else own
    are_few = bool(scores.are_few)
    listed = [each for at, each in enumerate(judged) if at < LISTED or each is chosen or each is own]
    rows = [_measured(each, snapshot.system, is_recommended=each is chosen and not are_few) for each in listed]
    return Recommendation(rows, scores.contests, are_few, not better, row.made_at)


def _is_judged(each: dict[str, Any]) -> bool:
    """Whether a system has both measures; without any pair that has a winner, there is no log loss."""
    return each["pair_inversion"] is not None and each["log_loss"] is not None


def _is_clearly_better(each: dict[str, Any], own: dict[str, Any]) -> bool:
    return each["pair_inversion"] - own["pair_inversion"] >= CLEAR and each["log_loss"] <= own["log_loss"]


def _measured(each: dict[str, Any], own: str, *, is_recommended: bool) -> Measured:
    name = each["system"]
    return Measured(
        name, description_of(name).title, each["pair_inversion"], each["log_loss"], name == own, is_recommended
    )
