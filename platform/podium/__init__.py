"""The Django site: settings, URLs and the Celery application."""

from podium.celery import app as celery_app

__all__ = ["celery_app"]
