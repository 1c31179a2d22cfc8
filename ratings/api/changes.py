"""What changed since a run: how other programs keep a copy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.response import Response
from rest_framework.utils.urls import replace_query_param

from contests.addresses import whole_address
from contests.api.lookups import public_series
from ratings.api.difference import Cursor, first_cursor, parse_cursor, read_part
from ratings.api.parameters import ChangesParameters
from ratings.api.reading import RatingsView
from ratings.api.rows import change_rows
from ratings.api.serializers import ChangesPageSerializer
from ratings.models import Run
from ratings.queries.snapshot import as_of, snapshot_of

if TYPE_CHECKING:
    from rest_framework.request import Request

    from ratings.queries.snapshot import SeriesSnapshot


class Changes(RatingsView):
    parameters = (ChangesParameters,)

    @extend_schema(
        operation_id="getChanges", tags=["series"], parameters=[ChangesParameters], responses=ChangesPageSerializer
    )
    def get(self, request: Request, slug: str) -> Response:
        """
        Say what differs between a run that you have and the current one; follow `next` until it is null.

        All parts are of the run that was current when you began, whatever is published meanwhile.
        """
        asked = self.asked
        now, since = snapshot_of(public_series(slug)), asked["since_run"]
        cursor = _cursor(now, since, asked["cursor"])
        snapshot = _as_of(now, cursor.run)
        part = read_part(snapshot.series.pk, since, cursor, asked["page_size"])
        here = whole_address(request, request.get_full_path())
        answer = {
            "series": slug,
            "since_run": since,
            "run": cursor.run,
            "next": replace_query_param(here, "cursor", str(part.following)) if part.following else None,
            "results": change_rows(snapshot, part.changes),
            "retracted": part.retracted,
        }
        return Response(ChangesPageSerializer(answer).data)


def _cursor(now: SeriesSnapshot, since: int, text: str) -> Cursor:
    newest = now.run.number if now.run else 0
    if since > newest:
        raise NotFound(f"There is no run {since} of {now.series.slug} yet; the newest is {newest}.")
    try:
        return parse_cursor(text, since) if text else first_cursor(newest, since)
    except ValueError as error:
        raise ValidationError({"cursor": ["This is no cursor of this address; follow `next` as it is."]}) from error


def _as_of(now: SeriesSnapshot, number: int) -> SeriesSnapshot:
    """Return the series as of a published run."""
    if number == (now.run.number if now.run else 0):
        return now
    run = Run.objects.published().filter(series=now.series, number=number).select_related("scheme").first()
    if run is None:
        raise ValidationError({"cursor": [f"There is no run {number} of {now.series.slug}."]})
    return as_of(now.series, run, now.scheme)
