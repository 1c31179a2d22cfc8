"""Which static files of the installed packages a site serves."""

from __future__ import annotations

from django.contrib.staticfiles.apps import StaticFilesConfig


class StaticFiles(StaticFilesConfig):
    """Django's static files, without ReDoc: drf-spectacular brings it, and no page of Podium uses it."""

    # Compressing its five megabytes was most of what `collectstatic` did.
    ignore_patterns = [*StaticFilesConfig.ignore_patterns, "redoc"]
