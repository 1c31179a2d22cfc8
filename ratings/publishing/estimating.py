"""How long a run will take, from how long the last ones of the series took."""

from __future__ import annotations

from ratings.models import Run

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
