"""The migration that moves the state of uploads into their rows, on rows of an earlier version."""

from __future__ import annotations

import pytest
from django.core.management import call_command

from contests.models import Upload
from tests.earlier import earlier
from tests.factories import make_contest, make_series

pytestmark = pytest.mark.django_db(transaction=True)


def test_uploads_of_earlier_versions_are_saved_ones():
    series = make_series("cup")
    contest = make_contest(series)
    try:
        old = earlier("contests", "0007_keyset_pages")
        uploads = old.get_model("contests", "Upload").objects
        made = uploads.create(
            series_id=series.pk, sha256="a" * 64, filename="a.csv", size=3, format="csv", file="uploads/aa/aaa",
            reading={"sheet": "Final"}, decisions={"Ann": 5},
        )  # fmt: skip
        old.get_model("contests", "Contest").objects.filter(pk=contest.pk).update(upload_id=made.pk)
    finally:
        call_command("migrate", verbosity=0)
    kept = Upload.objects.saved().get()
    assert (kept.reading, kept.decisions, kept.token, kept.draft) == ({"sheet": "Final"}, {"Ann": 5}, None, None)
    assert kept.contests.get() == contest
    assert not Upload.objects.staged().exists()
