"""Which static files of the installed packages a site serves, and how they are compressed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib.staticfiles.apps import StaticFilesConfig
from whitenoise.storage import CompressedManifestStaticFilesStorage

if TYPE_CHECKING:
    from whitenoise.compress import Compressor


class StaticFiles(StaticFilesConfig):
    """Django's static files, without ReDoc: drf-spectacular brings it, and no page of Podium uses it."""

    # Compressing its five megabytes was most of what `collectstatic` did.
    ignore_patterns = [*StaticFilesConfig.ignore_patterns, "redoc"]


class GzippedFiles(CompressedManifestStaticFilesStorage):
    """
    Static files with hashed names, compressed by gzip.

    Brotli is no requirement of Podium, but comes with a package for development. A checkout with it would serve other
    bytes than a production site does, and spend most of `collectstatic` on making them.
    """

    def create_compressor(self, **options: Any) -> Compressor:
        return super().create_compressor(use_brotli=False, **options)
