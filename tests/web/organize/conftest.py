"""Fixtures of an organizer and a series."""

from __future__ import annotations

import pytest

from contests.models import Role
from contests.services.communities import set_role
from contests.services.correcting import Correction, correct_standing
from tests.factories import make_community, make_contest, make_series, make_user, rate


@pytest.fixture(autouse=True)
def files_of_this_test(settings, tmp_path):
    """Keep uploads and locks below a folder of the test's own."""
    settings.STORAGES = {
        "default": {
            "BACKEND": "contests.uploads.files.WholeFiles",
            "OPTIONS": {"location": str(tmp_path / "files")},
        },
        "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
    }
    settings.WHITENOISE_AUTOREFRESH = True  # there is no folder of collected static files


@pytest.fixture
def stored_files(tmp_path):
    """Return a function that lists the files kept at this moment."""
    return lambda: [path for path in (tmp_path / "files").rglob("*") if path.is_file()]


@pytest.fixture
def ida(db):
    return make_user("ida")


@pytest.fixture
def club(ida):
    """The community in which the organizer may create series."""
    community = make_community()
    set_role(community.slug, ida, Role.ORGANIZER)
    return community


@pytest.fixture
def series(ida):
    return make_series("harbour-cup", organizer=ida)


@pytest.fixture
def organizer(client, ida):
    """Return a client in which the organizer of the series is logged in."""
    client.force_login(ida)
    return client


@pytest.fixture
def rated(series):
    """The series with eight players after two contests, p0 the best."""
    for _ in range(2):
        make_contest(series, players=8)
    rate(series)
    return series


@pytest.fixture
def two_runs(series):
    """The series with two runs: between them, one player was disqualified and another one joined."""
    first = make_contest(series, standings=[("ann", 1), ("bob", 2), ("cem", 3)], name="Spring")
    make_contest(series, standings=[("bob", 1), ("ann", 2)], name="Summer")
    rate(series)
    correct_standing(
        first.standings.get(rank=1).pk, correction=Correction("disqualified", place=1), reason="two accounts"
    )
    make_contest(series, standings=[("eve", 1), ("bob", 2)], name="Autumn")
    rate(series)
    return series


@pytest.fixture
def contest(series):
    """The first of two rated contests."""
    made = make_contest(series, standings=[("ann", 1), ("bob", 2), ("eve", 3)])
    make_contest(series, standings=[("bob", 1), ("ann", 2), ("eve", 3)])
    rate(series)
    return made
