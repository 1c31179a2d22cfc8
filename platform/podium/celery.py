"""The Celery application, whose messages wake the rating engine (docs/architecture.md)."""

import os

from celery import Celery

# Celery() reads this once, to decide whether tasks get Django's connection handling.
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "podium.settings")

app = Celery("podium")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
