"""Celery tasks: review or save a large file, search for duplicates, and clean up every hour."""

from __future__ import annotations

import logging

from celery import shared_task
from django.utils.translation import override

from contests.matching import duplicate_search
from contests.services.audit import append_all, clear_networks
from contests.services.organizers import withdraw_void_invitations
from contests.services.reports import expire_reports
from contests.uploads import save_work
from contests.uploads.files import sweep_files
from contests.uploads.review_work import work_on

logger = logging.getLogger(__name__)


# Acknowledged early, so that a file that kills a worker is not sent to the next one; its organizer can ask again.
@shared_task(name="contests.review_upload", acks_late=False, reject_on_worker_lost=False)
def review_upload_task(token: str, language: str = "en") -> None:
    """
    Review a staged file, unless it is gone or another delivery of the task has reviewed it.

    language
        The language of its problems: that of the person who asked for the review.
    """
    with override(language):
        work_on(token)


# Likewise. An outdated message does nothing, and a file is saved once.
@shared_task(name=save_work.TASK, acks_late=False, reject_on_worker_lost=False)
def save_upload_task(token: str, stamp: str, language: str = "en") -> None:
    """
    Save a reviewed file as the standings of its draft, unless another delivery of the task has begun to.

    language
        The language of a message about a failure: that of the person who saved.
    """
    with override(language):
        save_work.work_on(token, stamp)


# Likewise, a search that kills a worker is not repeated; the page offers to start another one.
@shared_task(name=duplicate_search.TASK, acks_late=False, reject_on_worker_lost=False)
def search_duplicates_task(series_id: int, stamp: str, language: str = "en") -> None:
    """
    Search for duplicates among the players of a series, unless another delivery of the task has begun to.

    language
        The language of a message about a failure.
    """
    with override(language):
        duplicate_search.work_on(series_id, stamp)


@shared_task(name="contests.sweep")
def sweep_task() -> None:
    """
    Delete unused files, clear old networks of clients, append audit entries that killed processes left, end reports of
    games that no opponent confirmed in time, and withdraw invitations whose authors lost the right to invite through an
    update that sent no signal.

    A job that fails is logged and does not stop the others; afterwards the task fails.
    """
    failed = []
    for job in (withdraw_void_invitations, expire_reports, append_all, clear_networks, sweep_files):
        try:
            job()
        except Exception:  # the others have nothing to do with it
            logger.exception("the hourly job %s failed", job.__name__)
            failed.append(job.__name__)
    if failed:
        raise RuntimeError(f"hourly jobs failed: {', '.join(failed)}")
