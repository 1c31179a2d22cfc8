"""A player's history in a series as a file."""

from __future__ import annotations

import csv
import io
import re
from typing import TYPE_CHECKING

from django.http import Http404, HttpResponse
from django.urls import reverse

from contests.formats.table.escape import csv_safe
from ratings.locks import consistent_read
from ratings.queries.snapshot import snapshot_of
from web.public.player.history import changes_of, history_rows
from web.public.player.views import known_player, moved, unknown_player
from web.shared.paging import text_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from django.http import HttpRequest

    from ratings.queries.snapshot import SeriesSnapshot
    from web.public.player.history import HistoryRow

CSV_COLUMNS = (
    "number", "contest_id", "contest_slug", "contest", "ends_at", "weight", "place", "of", "performance",
    "rating_before", "rating", "change", "uncertainty", "tier", "mu_before", "sigma_before", "mu", "sigma",
    "performance_points", "amended_at",
)  # fmt: skip

#: What a file may be called everywhere; the rest of a handle or slug becomes hyphens.
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")


def history_csv(request: HttpRequest, handle: str) -> HttpResponse:
    """Give all rated contests of a player in a series, oldest first; without `?series=` of the one played last."""
    with consistent_read():
        player, ratings = known_player(request, handle)
        if player is None:
            return unknown_player(request, handle)
        if player.handle != handle:
            return moved(request, reverse("player-history", args=[player.handle]))
        slug = text_of(request, "series")
        rating = next((one for one in ratings if slug in ("", one.series.slug)), None)
        if rating is None:
            raise Http404(f"{player.handle} has no rating in such a series.")
        snapshot = snapshot_of(rating.series)
        rows = history_rows(snapshot, changes_of(rating))
    name = f"{rating.series.slug}-{_UNSAFE.sub('-', player.handle).strip('-.') or player.pk}.csv"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(written(snapshot, rows), content_type="text/csv; charset=utf-8", headers=headers)


def written(snapshot: SeriesSnapshot, rows: Sequence[HistoryRow]) -> str:
    """Return rows as CSV with a heading: numbers unrounded by language, names that no spreadsheet runs as formulas."""
    file = io.StringIO(newline="")
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(CSV_COLUMNS)
    writer.writerows(_cells(snapshot, row) for row in rows)
    return file.getvalue()


def _cells(snapshot: SeriesSnapshot, row: HistoryRow) -> list[Any]:
    change, contest = row.change, row.change.contest
    named = [row.number, contest.pk, csv_safe(contest.slug), csv_safe(contest.name), contest.ends_at.isoformat()]
    shown_points = [row.performance, row.before, row.after, row.difference, row.uncertainty]
    beliefs = [change.mu_before, change.sigma_before, change.mu, change.sigma]
    performance = change.performance if snapshot.has_performance else None
    amended = contest.amended_at.isoformat() if contest.amended_at else None
    return [
        *named, contest.weight, change.rank, change.field_size, *shown_points, csv_safe(snapshot.tier(row.after).name),
        *beliefs, performance, amended,
    ]  # fmt: skip
