"""Celery tasks for the site as a whole: delete expired sessions."""

from __future__ import annotations

from celery import shared_task
from django.core.management import call_command


@shared_task(name="podium.clear_sessions")
def clear_sessions_task() -> None:
    """Delete the sessions that have expired; Django itself never deletes those of people who don't come back."""
    call_command("clearsessions")
