"""
The style sheets and scripts in the head of every page, which production sites send as one file of each kind.

Pages show nothing before these files are there. Browsers request at most six at a time over HTTP/1.1, and on a slow
mobile network each request takes half a second.
"""

from __future__ import annotations

from django.contrib.staticfiles.storage import staticfiles_storage

#: The parts of each bundle, in order, in the folder of the bundle: addresses in style sheets are relative.
BUNDLES = {
    "shared/site.css": tuple(
        f"shared/{name}.css" for name in ("fonts", "tokens", "base", "components", "tables", "forms", "pages", "search")
    ),
    "shared/site.js": ("shared/theme.js", "shared/local-time.js"),
}


def files_of(bundle: str) -> tuple[str, ...]:
    """Return the files to link for a bundle: the bundle itself if `collectstatic` makes it, otherwise its parts."""
    return (bundle,) if getattr(staticfiles_storage, "has_bundles", False) else BUNDLES[bundle]
