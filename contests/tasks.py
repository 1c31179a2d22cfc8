"""Celery tasks: review a large file, and clean up every hour."""

from __future__ import annotations

from celery import shared_task
from django.utils.translation import override

from contests.services.audit import append_all, clear_networks
from contests.services.organizers import withdraw_void_invitations
from contests.services.reports import expire_reports
from contests.uploads.files import sweep_files
from contests.uploads.review_work import work_on


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


@shared_task(name="contests.sweep")
def sweep_task() -> None:
    """
    Delete unused files, clear old networks of clients, append audit entries that killed processes left, let
    reported games expire that no opponent confirmed, and withdraw invitations whose author lost the right to invite by
    an update that sent no signal.
    """
    withdraw_void_invitations()
    expire_reports()
    append_all()
    clear_networks()
    sweep_files()
