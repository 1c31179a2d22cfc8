"""Static files: the ones that a site serves, and their compression."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib.staticfiles.apps import StaticFilesConfig
from whitenoise.storage import CompressedManifestStaticFilesStorage

if TYPE_CHECKING:
    from whitenoise.compress import Compressor


class StaticFiles(StaticFilesConfig):
    """Django's static files without ReDoc, which comes with drf-spectacular and which no page of Podium uses."""

    # Compressing its five megabytes took most of the time of `collectstatic`.
    ignore_patterns = [*StaticFilesConfig.ignore_patterns, "redoc"]


class GzippedFiles(CompressedManifestStaticFilesStorage):
    """
    Static files with hashed names, compressed by gzip.

    Podium doesn't require Brotli, but a package for development installs it. A checkout with Brotli would serve
    different bytes from a production site, and spend most of the time of `collectstatic` on them.
    """

    def create_compressor(self, **options: Any) -> Compressor:
        return super().create_compressor(use_brotli=False, **options)
