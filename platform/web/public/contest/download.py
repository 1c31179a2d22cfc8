"""The standings of a contest as a CSV file."""

from __future__ import annotations

import csv
import io
import re
from typing import TYPE_CHECKING, Any

from django.http import Http404, HttpResponse
from django.shortcuts import redirect

from contests.formats.table.escape import csv_safe
from contests.models import Contest, ContestState
from contests.queries.visibility import visible_contest
from ratings.database import consistent_read
from ratings.queries.rows import standing_rows
from ratings.queries.snapshot import snapshot_of
from web.public.contest.filters import ORDER
from web.shared.contest_deleted import deleted_page
from web.shared.tags import team_label

if TYPE_CHECKING:
    from collections.abc import Iterable

    from django.http import HttpRequest

    from ratings.queries.rows import StandingRow

#: The first ones as in the tables that Podium reads (docs/formats.md).
COLUMNS = (
    "rank", "handle", "name", "country", "team", "score", "penalty", "share", "handicap", "status", "rating_before",
    "rating", "change", "performance",
)  # fmt: skip
#: Rows read with one query.
_BATCH = 2_000
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")


def standings_csv(request: HttpRequest, pk: int) -> HttpResponse:
    """Return the standings of a contest with the rating changes, in the order of the page."""
    with consistent_read():
        try:
            contest = visible_contest(pk, request.user)
        except (Contest.DoesNotExist, OverflowError) as error:
            raise Http404(f"There is no contest {pk}.") from error
        if contest.state == ContestState.DELETED:
            return deleted_page(request, contest)
        if contest.is_event:
            return redirect(contest)
        snapshot = snapshot_of(contest.series)
        ids = list(contest.standings.order_by(*ORDER).values_list("pk", flat=True))
        batches = (ids[start : start + _BATCH] for start in range(0, len(ids), _BATCH))
        text = _written(row for batch in batches for row in standing_rows(snapshot, contest, batch))
    name = f"{_UNSAFE.sub('-', contest.slug).strip('-.') or contest.pk}.csv"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(text, content_type="text/csv; charset=utf-8", headers=headers)


def _written(rows: Iterable[StandingRow]) -> str:
    file = io.StringIO(newline="")
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(map(_cells, rows))
    return file.getvalue()


def _cells(row: StandingRow) -> list[Any]:
    standing, player, rated = row.standing, row.standing.player, row.rated
    texts = [csv_safe(text) for text in (player.handle, player.name, player.country, team_label(standing.team))]
    terms = [standing.score, standing.penalty, standing.share, standing.handicap]
    numbers = [rated.before, rated.after, rated.difference, rated.performance] if rated is not None else [None] * 4
    return [standing.rank, *texts, *terms, standing.status, *numbers]
