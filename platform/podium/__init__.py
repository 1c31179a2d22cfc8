"""The Django site: settings, URLs and the Celery application."""

import gc

from podium.celery import app as celery_app

# Imported modules are some hundred thousand objects that stay, and every page makes thousands that do not. Looking for
# garbage as often as Python does by default takes a tenth of the time.
gc.set_threshold(20_000, 20, 50)

__all__ = ["celery_app"]
