"""Export the ratings of all players, now or as of an earlier run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from django.core.management.base import BaseCommand

from contests.bulk import chunks
from contests.formats.base import counted
from contests.management.commands._arguments import existing_series
from contests.management.commands._rows import write_rows
from contests.models import Contest, Player
from ratings.database import consistent_read
from ratings.management.commands._export import add_arguments, published_run
from ratings.models import RatingChange
from ratings.queries.snapshot import SeriesSnapshot, snapshot_of

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Iterator, Sequence

    from contests.models import Series
    from ratings.models import Run


def ratings_as_of(series: Series, run: Run) -> Iterator[tuple[Any, ...]]:
    """
    Yield (rank, handle, shown rating, mu, sigma, contests, shown peak, slug of the last contest), best first.

    The numbers are those of that run; they are shown as the series is shown now.
    """
    now = snapshot_of(series)
    snapshot = SeriesSnapshot(series, run, now.scheme)
    changes = RatingChange.objects.as_of(run.number).filter(series=series)
    ordered = changes.order_by("player_id", "number")
    columns = list(zip(*ordered.values_list("player_id", "contest_id", "mu", "sigma").iterator(20_000), strict=True))
    if not columns:
        return
    player, contest = (np.array(column, dtype=np.int64) for column in columns[:2])
    mu, sigma = (np.array(column, dtype=np.float64) for column in columns[2:])
    score = snapshot.score(mu, sigma)
    first = np.flatnonzero(np.r_[True, player[1:] != player[:-1]])
    last = np.r_[first[1:], len(player)] - 1
    peak, counts = np.maximum.reduceat(score, first), last - first + 1
    best_first = np.lexsort((player[last], -score[last]))
    ranks = np.searchsorted(np.sort(-score[last]), -score[last]) + 1
    handles = _names(Player, "handle", player[last].tolist())
    slugs = _names(Contest, "slug", np.unique(contest[last]).tolist())
    shown_now, shown_peak = snapshot.mapping.show(score[last]), snapshot.mapping.show(peak)
    for i in best_first.tolist():
        row = last[i]
        yield (
            int(ranks[i]), handles[int(player[row])], int(shown_now[i]), float(mu[row]), float(sigma[row]),
            int(counts[i]), int(shown_peak[i]), slugs[int(contest[row])],
        )  # fmt: skip


def _names(model: type[Player] | type[Contest], field: str, ids: Sequence[int]) -> dict[int, str]:
    names: dict[int, str] = {}
    for part in chunks(ids):
        names.update(model._default_manager.filter(pk__in=part).values_list("pk", field))
    return names


COLUMNS = ("rank", "handle", "rating", "mu", "sigma", "contests", "peak", "last_contest")


class Command(BaseCommand):
    help = "Export a series' ratings, one row per player, best first; with --run, as that run published them."

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_arguments(parser, ("csv", "json", "jsonl"))
        parser.add_argument("--run", type=int, metavar="N", help="default: the current run")

    def handle(self, *args: Any, series: str, run: int | None, **options: Any) -> None:
        with consistent_read():
            found = existing_series(series)
            rows = ratings_as_of(found, published_run(found, run))
            count = write_rows(COLUMNS, rows, form=options["format"], output=options["output"])
        self.stderr.write(f"{counted(count, 'player')}.")
