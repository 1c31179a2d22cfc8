"""Let tests request pages without collecting static files first."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def static_files_from_their_sources(settings):
    settings.WHITENOISE_AUTOREFRESH = True
