"""
Compute derived numbers after each published run; the sweep makes up for missed ones.

Ratings come first: after each kind of numbers, the worker checks whether results wait to be rated.
"""

from __future__ import annotations

import hashlib
import logging
import time
from typing import TYPE_CHECKING

from django.db.models import Exists, OuterRef, Q
from django.db.models.functions import Now
from django.utils import timezone

from contests.models import Series
from ratings.database import consistent_read
from ratings.derived import (
    accuracy,
    draws,
    fields,
    leagues,
    movement,
    movers,
    newest_changes,
    pack,
    records,
    season,
    top_histories,
)
from ratings.models import Derived, Lease, Run, Scheme, Work
from ratings.publishing.leases import ATTEMPTS, lease, series_to_rate
from ratings.publishing.queue import notify
from ratings.queries.snapshot import snapshot_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from ratings.derived import Derivation
    from ratings.queries.snapshot import SeriesSnapshot

logger = logging.getLogger(__name__)


def derivations() -> tuple[Derivation, ...]:
    """Return all kinds of derived numbers in the order in which they are computed: the quick ones first."""
    modules = (newest_changes, movers, top_histories, movement, fields, records, leagues, season, draws, accuracy)
    return tuple(module.DERIVATION for module in modules)


def derive_series(series_id: int, *, yields: Callable[[], bool] = lambda: False) -> list[str]:
    """
    Compute all derived numbers of a series that are due, and delete those of older runs; return the computed kinds.

    You can call this at any time, any number of times. Two calls at once compute the same numbers, and one row is kept.
    An error is logged and stored in the row; the next run or scheme tries again.

    yields
        Called before each kind except the first; if it returns true, the remaining kinds are left for another time.
    """
    series = Series.objects.get(pk=series_id)
    begun, newest = snapshot_of(series), Scheme.objects.newest(series_id)
    made: list[str] = []
    for derivation in derivations():
        snapshot = snapshot_of(series)
        if is_due(snapshot, derivation):
            if made and yields():
                return made
            _derive(snapshot, derivation)
            made.append(derivation.kind)
    _delete_outdated(series)
    if begun.run is not None and newest is not None:
        _note_done(begun, newest)
    return made


def derive_in_turn(series_id: int) -> None:
    """In a worker, do what `derive_series` does, unless another worker is doing it, and only while no results wait."""
    waits = False

    def ratings_wait() -> bool:
        nonlocal waits
        waits = bool(series_to_rate())
        return waits

    with lease(series_id, Work.DERIVE) as held:
        if held is not None:
            derive_series(series_id, yields=ratings_wait)
    if waits:
        notify(series_id, Work.DERIVE)


def is_due(snapshot: SeriesSnapshot, derivation: Derivation) -> bool:
    """Return whether a series has this kind of numbers, and the stored ones don't belong to the displayed run."""
    if snapshot.run is None or snapshot.scheme is None or not derivation.applies(snapshot):
        return False
    rows = Derived.objects.filter(series=snapshot.series, kind=derivation.stored_kind)
    if rows.filter(run=snapshot.run, scheme=snapshot.scheme).exists():
        return False
    oldest = timezone.now() - derivation.max_age
    alike = rows.filter(scheme__system=snapshot.scheme.system, scheme__parameters=snapshot.scheme.parameters)
    return not alike.filter(made_at__gt=oldest, error="").exists()


def series_to_derive() -> list[int]:
    """Return the series with numbers that are due and that no worker is computing, in order, with one query."""
    published = Run.objects.published().filter(series=OuterRef("pk")).order_by("-number")
    schemes = Scheme.objects.filter(series=OuterRef("pk")).order_by("-version")
    own = Lease.objects.filter(series=OuterRef("pk"), work=Work.DERIVE)
    done = own.filter(done_run=OuterRef("newest_run"), done_scheme=OuterRef("newest_scheme"), done_kinds=_kinds_now())
    busy = own.filter(Q(expires_at__gt=Now()) | Q(attempts__gte=ATTEMPTS) | Q(attempts__gt=0, not_before__gt=Now()))
    rated = Series.objects.annotate(newest_run=published.values("uid")[:1], newest_scheme=schemes.values("uid")[:1])
    due = rated.exclude(newest_run=None).exclude(Exists(done.filter(Q(again_at=None) | Q(again_at__gt=Now()))))
    return list(due.exclude(Exists(busy)).order_by("pk").values_list("pk", flat=True))


def rated_series() -> list[int]:
    """Return the series with a published run, in order."""
    return list(
        Series.objects.filter(pk__in=Run.objects.published().values("series"))
        .order_by("pk")
        .values_list("pk", flat=True)
    )


def _note_done(snapshot: SeriesSnapshot, newest: Scheme) -> None:
    """Record the run and scheme of the computed numbers, so that sweeps needn't look at each kind."""
    again = []
    for derivation in derivations():
        rows = Derived.objects.filter(series=snapshot.series, kind=derivation.stored_kind)
        is_made = rows.filter(run=snapshot.run, scheme=snapshot.scheme).exists()
        if derivation.max_age and not is_made and derivation.applies(snapshot):
            made_at = rows.filter(error="").order_by("-id").values_list("made_at", flat=True).first()
            again.append((made_at or timezone.now()) + derivation.max_age)
    values = {
        "done_run": snapshot.run and snapshot.run.uid, "done_scheme": newest.uid, "done_kinds": _kinds_now(),
        "again_at": min(again, default=None),
    }  # fmt: skip
    Lease.objects.update_or_create(series=snapshot.series, work=Work.DERIVE, defaults=values)


def _kinds_now() -> str:
    """Return a hash of all kinds and their versions."""
    kinds = " ".join(derivation.stored_kind for derivation in derivations())
    return hashlib.sha256(kinds.encode()).hexdigest()


def _derive(snapshot: SeriesSnapshot, derivation: Derivation) -> None:
    started = time.perf_counter()
    content, error = b"", ""
    try:
        with consistent_read():
            snapshot = snapshot_of(snapshot.series)
            content = pack(derivation.compute(snapshot))
    except Exception as problem:
        logger.exception("series %s: %s could not be derived", snapshot.series.pk, derivation.kind)
        error = f"{type(problem).__name__}: {problem}"
    row = Derived(
        series=snapshot.series, run=snapshot.run, scheme=snapshot.scheme, kind=derivation.stored_kind, content=content,
        error=error, seconds=round(time.perf_counter() - started, 3),
    )  # fmt: skip
    Derived.objects.bulk_create([row], ignore_conflicts=True)


def _delete_outdated(series: Series) -> None:
    """Delete numbers of other runs or schemes than the displayed ones, but keep the newest of kinds that may age."""
    snapshot = snapshot_of(series)
    rows = Derived.objects.filter(series=series)
    kinds = [derivation.stored_kind for derivation in derivations()]
    shown_now = rows.filter(run=snapshot.run, scheme=snapshot.scheme, kind__in=kinds) if snapshot.run else rows.none()
    kept = set(shown_now.values_list("pk", flat=True))
    for derivation in derivations():
        if derivation.max_age:
            newest = rows.filter(kind=derivation.stored_kind, error="").order_by("-id")
            kept.update(newest.values_list("pk", flat=True)[:1])
    rows.exclude(pk__in=kept).delete()
