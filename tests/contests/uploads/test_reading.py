"""Staged files are read once for each review, and once more to be saved."""

from __future__ import annotations

import pytest
from django.core.files.base import ContentFile
from django.db import connection

from contests.formats import sketch
from contests.models import Upload
from contests.uploads import reading
from contests.uploads.reviewing import review_staged
from contests.uploads.saving import save_staged
from contests.uploads.staging import read_choices, stage
from tests.factories import make_contest, make_user

pytestmark = pytest.mark.django_db(transaction=True)


def test_the_columns_are_detected_once_and_before_the_series_is_locked(monkeypatch):
    sketched = []

    def count(*args, **options):
        sketched.append("locked" if connection.in_atomic_block else "before")
        return sketch(*args, **options)

    monkeypatch.setattr(reading, "sketch", count)
    contest, ida = make_contest(finalized=False), make_user("ida")
    content = b"rank,handle,country,remarkable\n1,ann,Atlantis,x\n2,bob,FR,y\n"
    staged = stage(ContentFile(content), filename="round.csv", contest=contest, actor=ida)
    review = review_staged(staged)
    assert [row.number for row in review.offered.rows] == [2]
    assert sketched == ["before"]
    save_staged(staged, choices=read_choices(staged), version=contest.version, actor=ida)
    assert sketched == ["before", "before"]
    assert Upload.objects.saved().get().reading["ignores_unknown"] is True
