"""Static files: the ones that a site serves, and their compression."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib.staticfiles.apps import StaticFilesConfig
from django.core.files.base import ContentFile
from whitenoise.storage import CompressedManifestStaticFilesStorage

from web.shared.bundles import BUNDLES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from whitenoise.compress import Compressor


class StaticFiles(StaticFilesConfig):
    """Django's static files without ReDoc, which comes with drf-spectacular and which no page of Podium uses."""

    # Compressing its five megabytes took most of the time of `collectstatic`.
    ignore_patterns = [*StaticFilesConfig.ignore_patterns, "redoc"]


class GzippedFiles(CompressedManifestStaticFilesStorage):
    """
    Static files with hashed names, bundled and compressed by gzip.

    Podium doesn't require Brotli, but a package for development installs it. A checkout with Brotli would serve
    different bytes from a production site, and spend most of the time of `collectstatic` on them.
    """

    has_bundles = True

    def post_process(
        self, paths: dict[str, Any], dry_run: bool = False, **options: Any
    ) -> Iterator[tuple[str, str | None, bool]]:
        """Put the parts of each bundle into one file, then hash and compress everything."""
        if not dry_run:
            for bundle, parts in BUNDLES.items():
                self.delete(bundle)
                self.save(bundle, ContentFile(b"\n".join(self._content(part) for part in parts)))
                paths = {**paths, bundle: (self, bundle)}
        yield from super().post_process(paths, dry_run=dry_run, **options)

    def _content(self, name: str) -> bytes:
        with self.open(name) as file:
            return bytes(file.read())

    def create_compressor(self, **options: Any) -> Compressor:
        return super().create_compressor(use_brotli=False, **options)
