"""The standings of a contest as a CSV file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.shortcuts import redirect

from contests.models import Contest
from contests.wording import clock
from ratings.database import consistent_read
from ratings.queries.rows import standing_rows
from ratings.queries.snapshot import snapshot_of
from web.public.contest.filters import ORDER
from web.shared.contest_deleted import contest_or_page
from web.shared.csv_files import csv_file, file_name
from web.shared.tags import team_label

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

    from ratings.queries.rows import StandingRow

#: The first ones as in the tables that Podium reads (docs/formats.md).
COLUMNS = (
    "rank", "handle", "name", "country", "team", "score", "penalty", "share", "handicap", "status", "rating_before",
    "rating", "change", "performance",
)  # fmt: skip
#: Rows read with one query.
_BATCH = 2_000


def standings_csv(request: HttpRequest, pk: int) -> HttpResponse:
    """Return the standings of a contest with the rating changes, in the order of the page."""
    with consistent_read():
        contest = contest_or_page(request, pk)
        if not isinstance(contest, Contest):
            return contest
        if contest.is_event:
            return redirect(contest)
        snapshot = snapshot_of(contest.series)
        ids = list(contest.standings.order_by(*ORDER).values_list("pk", flat=True))
        batches = (ids[start : start + _BATCH] for start in range(0, len(ids), _BATCH))
        rows = [
            COLUMNS,
            *(_cells(row, contest) for batch in batches for row in standing_rows(snapshot, contest, batch)),
        ]
    return csv_file(rows, file_name(contest.slug, contest.pk))


def _cells(row: StandingRow, contest: Contest) -> list[Any]:
    standing, player, rated = row.standing, row.standing.player, row.rated
    texts = [player.handle, player.name, player.country, team_label(standing.team)]
    time = clock(standing.penalty) if contest.has_times and standing.penalty is not None else None
    terms = [standing.score, time or standing.penalty, standing.share, standing.handicap]
    numbers = [rated.before, rated.after, rated.difference, rated.performance] if rated is not None else [None] * 4
    return [standing.rank, *texts, *terms, standing.status, *numbers]
