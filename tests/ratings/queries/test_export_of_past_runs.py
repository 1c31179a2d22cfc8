"""Exports of an earlier run do not change when contests change later."""

from dataclasses import replace
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import call_command

from contests.services.describing import ContestDescription, describe_contest, description_as_json
from tests.factories import make_contest, make_series, rate


@pytest.fixture
def exported(tmp_path):
    """Return a function that runs export_ratings with options and returns the file."""

    def export(*options):
        call_command("export_ratings", "--series", "cup", "--output", tmp_path / "file", *options, stderr=StringIO())
        return (tmp_path / "file").read_text()

    return export


@pytest.mark.django_db
def test_a_contest_moved_later_keeps_its_place_in_an_earlier_run(exported):
    series = make_series("cup")
    first = make_contest(series, standings=[("ann", 1), ("bob", 2), ("cid", 3)])
    make_contest(series, standings=[("cid", 1), ("ann", 2), ("bob", 3)])
    rate(series)
    then = exported()
    description = replace(ContestDescription(**description_as_json(first)), ends_at=first.ends_at + timedelta(days=9))
    describe_contest(first.pk, description=description, reason="a test")
    rate(series)
    assert exported() != then
    assert exported("--run", "1") == then
