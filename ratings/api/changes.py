"""
API resource: what changed since a run, from which clients keep a copy up to date.

The response comes in parts of bounded size. Each continues where the one before ended, and all describe the run that
was current at the first one, so a run published meanwhile changes nothing. Rows valid at that run are read in two
passes: first those that are still current, then those that later runs have closed. A row closed between two parts moves
from the first pass to the second, so a client may receive it twice, with the same content. The third pass finds rows
that were valid at the older run and have no successor. Every pass uses an index.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from django.db.models import Exists, F, OuterRef
from django.db.models.fields.tuple_lookups import TupleGreaterThan, TupleLessThanOrEqual
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.response import Response
from rest_framework.utils.urls import replace_query_param

from contests.addresses import whole_address
from contests.api.base import SizeParameters
from contests.api.lookups import readable_series
from contests.whole_numbers import MAX_ID, whole_number_of
from ratings.api.base import RatingsView
from ratings.api.serializers import ChangesPageSerializer, change_rows
from ratings.models import RatingChange, Run
from ratings.queries.snapshot import as_of, snapshot_of

if TYPE_CHECKING:
    from django.db.models import QuerySet
    from rest_framework.request import Request

    from ratings.queries.snapshot import SeriesSnapshot


#: The largest run number that the database column can hold.
MAX_RUN = 2**31 - 1


class ChangesParameters(SizeParameters):
    """Parameters of the changes since a run."""

    since_run = serializers.IntegerField(
        min_value=0, max_value=MAX_RUN, default=0, help_text="Run you already have. 0 returns everything."
    )
    cursor = serializers.CharField(
        default="",
        allow_blank=True,
        max_length=100,
        help_text="Position in the list. Follow `next` instead of setting it yourself.",
    )


class Changes(RatingsView):
    """The changes of a series since a run."""

    parameters = (ChangesParameters,)

    @extend_schema(
        operation_id="getChanges", tags=["series"], parameters=[ChangesParameters], responses=ChangesPageSerializer
    )
    def get(self, request: Request, community: str, slug: str) -> Response:
        """
        List what changed since a run.

        Returns the differences between the run you already have and the current run: rating changes to add or replace,
        and rating changes to remove. Follow `next` until it is null. All parts describe the run that was current when
        you requested the first one, even if another run is published meanwhile.
        """
        asked = self.asked
        now, since = snapshot_of(readable_series(self.reader, community, slug)), asked["since_run"]
        cursor = _cursor(now, since, asked["cursor"])
        snapshot = _as_of(now, cursor.run)
        part = read_part(snapshot.series.pk, cursor, asked["page_size"])
        here = whole_address(request, request.get_full_path())
        answer = {
            "community": community,
            "series": slug,
            "since_run": since,
            "run": cursor.run,
            "next": replace_query_param(here, "cursor", str(part.following)) if part.following else None,
            "results": change_rows(snapshot, part.changes),
            "retracted": part.retracted,
        }
        return Response(ChangesPageSerializer(answer, context=self.get_serializer_context()).data)


def _cursor(now: SeriesSnapshot, since: int, text: str) -> Cursor:
    newest = now.run.number if now.run else 0
    if since > newest:
        raise NotFound(f"Run {since} of {now.series.full_slug} does not exist yet. The newest run is {newest}.")
    try:
        return parse_cursor(text, since, newest) if text else first_cursor(newest, since)
    except ValueError as error:
        raise ValidationError(
            {"cursor": ["This cursor is not valid here. Follow `next` without changing it."]}
        ) from error


def _as_of(now: SeriesSnapshot, number: int) -> SeriesSnapshot:
    """Return the series as of a published run."""
    if number == (now.run.number if now.run else 0):
        return now
    run = Run.objects.published().filter(series=now.series, number=number).select_related("scheme").first()
    if run is None:
        raise ValidationError({"cursor": [f"Run {number} of {now.series.full_slug} does not exist."]})
    return as_of(now.series, run, now.scheme)


#: The three passes, in order.
_CURRENT, _CLOSED, _RETRACTED = range(3)
#: Most rows that one part examines for retractions. Most closed rows have a successor and are skipped.
_SCAN = 20_000


@dataclass(frozen=True, slots=True)
class Cursor:
    """
    The position at which a part begins.

    since
        The run whose differences to `run` the parts list.
    run
        The run that all parts describe.
    walk
        The current pass.
    after
        The last row that was read: the run by which the pass is sorted (opening or closing), and the id.
    """

    since: int
    run: int
    walk: int
    after: tuple[int, int]

    def __str__(self) -> str:
        return f"{self.since}-{self.run}-{self.walk}-{self.after[0]}-{self.after[1]}"


@dataclass(frozen=True, slots=True)
class Part:
    """Rating changes to apply and to remove, and the position of the next part (None in the last one)."""

    changes: list[RatingChange]
    retracted: list[RatingChange]
    following: Cursor | None


def first_cursor(run: int, since: int) -> Cursor:
    """Return the position of the first part."""
    return Cursor(since, run, _CURRENT, _start(_CURRENT, run, since))


def parse_cursor(text: str, since: int, newest: int) -> Cursor:
    """Return the cursor that `str` wrote; ValueError if no response for this `since` can contain it yet."""
    numbers = [number for part in text.split("-") if (number := whole_number_of(part)) is not None]
    if len(numbers) != 5 or text.count("-") != 4:
        raise ValueError("a cursor has five numbers")
    own, run, walk, at_run, at_id = numbers
    if own != since or not since <= run <= MAX_RUN or walk > _RETRACTED:
        raise ValueError("a number is out of range, or the cursor is one for another run")
    # The second pass reads rows that later runs closed.
    if not _start(walk, run, since)[0] <= at_run <= (newest if walk == _CLOSED else run):
        raise ValueError("the position is not one of this pass")
    return Cursor(since, run, walk, (at_run, at_id))


def read_part(series_id: int, cursor: Cursor, size: int) -> Part:
    """Return at most `size` rows of the difference between the two runs of the cursor."""
    since, run, walk, after = cursor.since, cursor.run, cursor.walk, cursor.after
    changes: list[RatingChange] = []
    while walk < _RETRACTED:
        room = size - len(changes)
        query = _walk(series_id, walk, run, since).select_related("contest", "player")
        rows = list(_after(query, walk, after)[: room + 1])
        changes += rows[:room]
        if len(rows) > room:
            return Part(changes, [], Cursor(since, run, walk, _position(rows[room - 1], walk) if room else after))
        walk += 1
        after = _start(walk, run, since)
    return _retractions(series_id, Cursor(since, run, walk, after), changes, size - len(changes))


def _retractions(series_id: int, cursor: Cursor, changes: list[RatingChange], room: int) -> Part:
    candidates = _after(_walk(series_id, _RETRACTED, cursor.run, cursor.since), _RETRACTED, cursor.after)
    last: list[Any] = list(candidates.values_list("until_run", "id")[_SCAN - 1 : _SCAN])
    if last:
        candidates = candidates.filter(TupleLessThanOrEqual((F("until_run"), F("id")), last[0]))
    same = RatingChange.objects.filter(contest=OuterRef("contest"), player=OuterRef("player"))
    still = same.filter(until_run=None, from_run__lte=cursor.run)
    then = same.filter(series=series_id, until_run__gt=cursor.run, from_run__lte=cursor.run)
    rows = list(candidates.filter(~Exists(still), ~Exists(then))[: room + 1])
    if len(rows) > room:
        position = _position(rows[room - 1], _RETRACTED) if room else cursor.after
        return Part(changes, rows[:room], replace(cursor, after=position))
    return Part(changes, rows, replace(cursor, after=last[0]) if last else None)


def _walk(series_id: int, walk: int, run: int, since: int) -> QuerySet[RatingChange]:
    changes = RatingChange.objects.filter(series=series_id)
    if walk == _CURRENT:
        return changes.filter(until_run=None, from_run__gt=since, from_run__lte=run)
    if walk == _CLOSED:
        return changes.filter(until_run__gt=run, from_run__gt=since, from_run__lte=run)
    return changes.filter(until_run__gt=since, until_run__lte=run, from_run__lte=since)


def _after(rows: QuerySet[RatingChange], walk: int, after: tuple[int, int]) -> QuerySet[RatingChange]:
    run = "from_run" if walk == _CURRENT else "until_run"
    return rows.filter(TupleGreaterThan((F(run), F("id")), after)).order_by(run, "id")


def _start(walk: int, run: int, since: int) -> tuple[int, int]:
    return (run if walk == _CLOSED else since, MAX_ID)


def _position(row: RatingChange, walk: int) -> tuple[int, int]:
    # Rows of the other passes have been closed, so `until_run` is set.
    return (row.from_run if walk == _CURRENT else row.until_run or 0), row.pk
