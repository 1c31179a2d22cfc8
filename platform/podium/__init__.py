"""The Django site: settings, URLs, the worker. Rating rules live in `ratings`, results in `contests`."""

from podium.celery import app as celery_app

__all__ = ["celery_app"]
