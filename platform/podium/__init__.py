"""The Django site: settings, URLs and the Celery application."""

import gc

from podium.celery import app as celery_app

# Imported modules keep hundreds of thousands of objects alive, and every page makes thousands of short-lived ones. With
# Python's default thresholds, the garbage collector takes a tenth of the time.
gc.set_threshold(20_000, 20, 50)

__all__ = ["celery_app"]
