"""Computing what follows from published runs: after each one, and again by the sweep for what was missed."""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING

from celery import current_app
from django.utils import timezone

from contests.models import Series
from ratings.derivations import derivations
from ratings.derivations.base import pack
from ratings.locks import snapshot
from ratings.models import Derived, Run
from ratings.shown import shown

if TYPE_CHECKING:
    from ratings.derivations import Derivation
    from ratings.shown import Shown

logger = logging.getLogger(__name__)

TASK = "ratings.derive_series"


def derive_series(series_id: int) -> list[str]:
    """
    Compute all that is due for a series as of its current run, and forget what belongs to older ones; return the kinds.

    Safe to call at any time, any number of times: of two at once both compute the same, and one row is kept. What goes
    wrong is logged and kept with the row; it is tried again with the next run or scheme.
    """
    series = Series.objects.get(pk=series_id)
    made = []
    for derivation in derivations():
        view = shown(series)
        if is_due(view, derivation):
            _derive(view, derivation)
            made.append(derivation.kind)
    _forget(series)
    return made


def is_due(view: Shown, derivation: Derivation) -> bool:
    """Whether a series has such numbers, and what is there is not of what it shows."""
    if view.run is None or view.scheme is None or not derivation.applies(view):
        return False
    rows = Derived.objects.filter(series=view.series, kind=derivation.stored_kind)
    if rows.filter(run=view.run, scheme=view.scheme).exists():
        return False
    young = timezone.now() - derivation.rests
    alike = rows.filter(scheme__system=view.scheme.system, scheme__parameters=view.scheme.parameters)
    return not alike.filter(made_at__gt=young, error="").exists()


def series_to_derive() -> list[int]:
    """Return the series with anything due; for the sweep."""
    rated = Series.objects.filter(pk__in=Run.objects.published().values("series"))
    return [one.pk for one in rated if any(is_due(shown(one), each) for each in derivations())]


def ring_derive(series_id: int) -> None:
    """Tell a worker; a broker that is away costs nothing but time, as the sweep rings again."""
    try:
        current_app.send_task(TASK, (series_id,), retry=False, ignore_result=True)
    except Exception as error:  # whatever the broker's driver raises
        logger.warning("series %s: nobody could be told to derive (%s); the sweep will", series_id, error)


def _derive(view: Shown, derivation: Derivation) -> None:
    started = time.perf_counter()
    content, error = b"", ""
    try:
        with snapshot():
            view = shown(view.series)
            content = pack(derivation.compute(view))
    except Exception as problem:
        logger.exception("series %s: %s could not be derived", view.series.pk, derivation.kind)
        error = f"{type(problem).__name__}: {problem}"
    row = Derived(
        series=view.series, run=view.run, scheme=view.scheme, kind=derivation.stored_kind, content=content,
        error=error, seconds=round(time.perf_counter() - started, 3),
    )  # fmt: skip
    Derived.objects.bulk_create([row], ignore_conflicts=True)


def _forget(series: Series) -> None:
    """Delete what is of other runs or schemes than the shown one, and the older ones of the kinds that rest."""
    view = shown(series)
    rows = Derived.objects.filter(series=series)
    kinds = [derivation.stored_kind for derivation in derivations()]
    shown_now = rows.filter(run=view.run, scheme=view.scheme, kind__in=kinds) if view.run else rows.none()
    kept = set(shown_now.values_list("pk", flat=True))
    for derivation in derivations():
        if derivation.rests:
            newest = rows.filter(kind=derivation.stored_kind, error="").order_by("-id")
            kept.update(newest.values_list("pk", flat=True)[:1])
    rows.exclude(pk__in=kept).delete()
