"""
Stopping a run that has not been published, and going on later.

Cancelling is a request in the database. The worker finds it within a second and once more in the very statement that
would publish, so a run is either published or cancelled, never both. Its marks stay; they are *held*: the cancelled
run keeps a digest of them in its `input_hash`, and as long as it is the newest run and the marks are those, neither
sweep nor refresh takes them up. Another mark, or `resume`, which takes the digest away, ends that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import transaction
from django.utils import timezone

from contests.errors import ContestError
from contests.models import Series
from contests.services.transactions import record
from ratings.models import Run
from ratings.publishing.leases import forgive, lease
from ratings.publishing.lifecycle import digest_of_marks, fail_abandoned_runs, is_due, is_paused
from ratings.publishing.queue import notify_worker

if TYPE_CHECKING:
    from django.contrib.auth.models import User


class Cancelled(Exception):
    """Somebody has asked for the run to be cancelled."""


def cancel_run(run_id: int, *, actor: User | None) -> Run:
    """
    Cancel a run that waits or is at work; what is published stays, and so do the marks.

    Returns the run: cancelled, if nobody is at work on it; else it is as soon as its worker looks, within a second of
    computing. Asking twice changes nothing. ContestError if the run has ended otherwise.
    """
    run = _ask(run_id, actor)
    if run.is_at_work:
        with lease(run.series_id, counted=False) as held:
            if held is not None:
                # Its worker died, or has not begun.
                fail_abandoned_runs(run.series_id)
        # A delivery that came in between found the lease taken and did nothing.
        if held is not None and is_due(run.series_id):
            notify_worker(run.series_id)
        run.refresh_from_db()
    return run


def stop_if_asked(run: Run) -> None:
    """Raise Cancelled if somebody has asked for it."""
    if Run.objects.filter(pk=run.pk, cancel_asked_at__isnull=False).exists():
        raise Cancelled(f"Run {run.number} is to be cancelled.")


@transaction.atomic
def resume(series_id: int, *, actor: User | None) -> None:
    """Let marks that are held be rated, and series that were given up be tried again; the caller rings, or rates."""
    series = Series.objects.select_for_update(no_key=True).get(pk=series_id)
    if forgive(series_id):
        record("series.try_again", subject=series.slug, series=series, actor=actor)
    if is_paused(series_id):
        run = Run.objects.filter(series_id=series_id).latest("number")
        Run.objects.filter(pk=run.pk).update(input_hash="")
        record("run.resume", subject=f"run {run.number} of {series.slug}", series=series, actor=actor)


@transaction.atomic
def _ask(run_id: int, actor: User | None) -> Run:
    run = Run.objects.select_for_update(of=("self",)).select_related("series").filter(pk=run_id).first()
    if run is None:
        raise ContestError("This run is not there.")
    if run.cancel_asked_at is not None:
        return run
    if not run.is_at_work:
        raise ContestError(f"Run {run.number} is {run.get_state_display()} already; there is nothing to cancel.")
    run.cancel_asked_at, run.cancelled_by = timezone.now(), actor
    run.input_hash = digest_of_marks(run.series_id)
    run.save(update_fields=["cancel_asked_at", "cancelled_by", "input_hash"])
    record("run.cancel", subject=f"run {run.number} of {run.series.slug}", series=run.series, actor=actor)
    return run
