"""What a Celery worker does for organizers: review a large file, and sweep away files that nobody has saved."""

from __future__ import annotations

from celery import shared_task

from contests.services.review_progress import work_on
from contests.services.staging import sweep_staged
from contests.services.uploading import sweep_uploads


# Not acknowledged late: a file that kills a worker is not given to the next one, and its organizer can ask again.
@shared_task(name="contests.review_upload", acks_late=False, reject_on_worker_lost=False)
def review_upload_task(token: str) -> None:
    """Review a staged file; finds nothing to do when it is gone, or when another delivery was quicker."""
    work_on(token)


@shared_task(name="contests.sweep")
def sweep_task() -> None:
    """Delete files that have waited for two days, staged ones and those that no contest refers to."""
    sweep_staged()
    sweep_uploads()
