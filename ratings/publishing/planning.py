"""Deciding what has to be computed, an append or a replay, and estimating how long that takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ratings.models import RatingChange, Run
from ratings.models.run import ROLLBACK
from ratings.publishing.engine import Outcome, rate_fields
from ratings.queries.inputs import StoredRating, read_current_changes, read_fields, read_ratings
from ratings.queries.scoring import scoring_of
from ratings.systems import ENGINE_VERSION, get_system

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from numpy.typing import NDArray

    from ratings.models import Scheme
    from ratings.queries.inputs import Field


@dataclass(frozen=True, slots=True)
class Plan:
    """
    All that a run needs to be computed and published, as of one moment.

    base
        Number of the run that it follows; 0 for the first.
    before, chain
        The players' ratings and the input hash it goes on from; for a replay nobody's, and the digest of the scheme.
    current, stored
        To write only what differs: for a replay the rating changes that are current from `since` on; and the current
        ratings of all whom the run can change.
    """

    scheme: Scheme
    kind: str
    base: int
    fields: list[Field]
    before: dict[int, StoredRating]
    chain: str
    current: dict[str, NDArray[Any]]
    stored: dict[int, StoredRating]
    since: datetime | None

    def compute(self, progress: Callable[[int], None] | None = None) -> Outcome:
        """Rate what is planned; the database is not touched, but by `progress`."""
        system = get_system(self.scheme.system, **self.scheme.parameters)
        return rate_fields(
            system,
            self.fields,
            scoring=scoring_of(self.scheme),
            before=self.before,
            chain=self.chain,
            progress=progress,
        )


def make_plan(series_id: int, scheme: Scheme, *, since: datetime | None) -> Plan:
    """Read what is needed to rate the series from `since` on (None: all of it); call it inside a snapshot."""
    base = Run.objects.current(series_id)
    if since is not None and base is not None and _can_append(series_id, scheme, base, since):
        fields = read_fields(series_id, since=since)
        before = read_ratings_before(series_id, scheme, fields)
        return Plan(scheme, "append", base.number, fields, before, base.input_hash, {}, before, since)
    if not follows_rules(base, scheme):
        since = None
    return Plan(
        scheme,
        "replay",
        base.number if base else 0,
        read_fields(series_id),
        {},
        scheme.digest(),
        read_current_changes(series_id, since=since),
        read_ratings(series_id),
        since,
    )


def read_ratings_before(series_id: int, scheme: Scheme, fields: Sequence[Field]) -> dict[int, StoredRating]:
    """Return the current ratings that the scheme's system needs to rate these contests next."""
    if get_system(scheme.system, **scheme.parameters).needs_pool:
        return read_ratings(series_id)
    players = np.unique(np.concatenate([field.player_ids for field in fields])).tolist() if fields else []
    return read_ratings(series_id, players)


def follows_rules(run: Run | None, scheme: Scheme) -> bool:
    """
    Whether what the run published is what this engine computes by this scheme, so that one can go on from it; never
    after a roll-back, which shows what need not follow from the results.
    """
    if run is None or run.kind == ROLLBACK:
        return False
    return run.engine_version == ENGINE_VERSION and run.scheme.rates_alike(scheme)


def _can_append(series_id: int, scheme: Scheme, base: Run, since: datetime) -> bool:
    """Whether everything from `since` on is new: nothing there has been rated, and the rules are the same."""
    if not follows_rules(base, scheme):
        return False
    return not RatingChange.objects.current().filter(series_id=series_id, contest__ends_at__gte=since).exists()


#: What a run costs where nothing is known of the machine yet, in seconds: for reading and rating one result, for
#: closing one rating change and opening another, and for every run (docs/benchmarks.md, "The whole pipeline").
PER_RESULT = 10e-6
PER_CHANGE = 50e-6
PER_RUN = 0.05

#: So many of the last runs say how fast the machine is with this series.
RUNS_ASKED = 10


def estimate_seconds(series_id: int, results: int, *, changes: int | None = None) -> float:
    """
    Return how many seconds a run will probably take from its start to publication.

    The constants above, multiplied by how much longer or shorter than they say the last published runs took.

    results
        Rated participations to compute: for a replay all of the series, for an append those of the new contests.
    changes
        Rating changes that will be written; None if nobody knows: then all results.
    """
    runs = Run.objects.published().filter(series_id=series_id, result_count__gt=0, seconds__gt=0)
    last = list(runs.order_by("-number").values_list("seconds", "result_count", "changed_count")[:RUNS_ASKED])
    expected = sum(_by_constants(computed, written) for _, computed, written in last)
    pace = sum(seconds or 0.0 for seconds, _, _ in last) / expected if last else 1.0
    return pace * _by_constants(results, results if changes is None else changes)


def _by_constants(results: int, changes: int) -> float:
    return PER_RUN + PER_RESULT * results + PER_CHANGE * changes
