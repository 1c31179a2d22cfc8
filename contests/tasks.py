"""What a Celery worker does for organizers: review a large file, and sweep away files that nobody has saved."""

from __future__ import annotations

from celery import shared_task

from contests.uploads.files import sweep_files
from contests.uploads.reviewing import work_on


# Not acknowledged late: a file that kills a worker is not given to the next one, and its organizer can ask again.
@shared_task(name="contests.review_upload", acks_late=False, reject_on_worker_lost=False)
def review_upload_task(token: str) -> None:
    """Review a staged file; finds nothing to do when it is gone, or when another delivery was quicker."""
    work_on(token)


@shared_task(name="contests.sweep")
def sweep_task() -> None:
    """Delete files that have waited for two days, and those that nothing leads to."""
    sweep_files()
