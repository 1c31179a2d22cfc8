"""Large files, reviewed by real workers that may die."""

from __future__ import annotations

from contextlib import nullcontext
from datetime import timedelta

import pytest
from django.core.files.base import ContentFile
from django.db import connection, transaction
from django.utils import timezone

from contests.models import Contest, Player
from contests.progress import PATIENCE_SECONDS
from contests.uploads.review import review_of
from contests.uploads.review_work import ask_worker, progress_of
from contests.uploads.reviewing import review_staged
from contests.uploads.save_work import ask_to_save, saving_of
from contests.uploads.saving import save_staged
from contests.uploads.staging import discard_staged, find_staged, read_choices, stage
from tests.factories import make_contest, make_user
from tests.faults.watching import rated_series
from tests.processes import until

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def staged():
    """A file of 40,000 rows, which takes a worker several seconds."""
    draft = make_contest(rated_series(), finalized=False)
    rows = "".join(f"{i},player-{i * 7919}\n" for i in range(1, 40_001))
    staged = stage(ContentFile(f"rank,handle\n{rows}".encode()), filename="r.csv", contest=draft, actor=make_user())
    yield staged
    discard_staged(staged.token)


def stage_of(staged) -> str:
    progress = progress_of(staged, read_choices(staged))
    return progress.stage if progress else ""


def test_a_worker_reviews_a_large_file_and_stores_no_row(worker, staged):
    players = Player.objects.count()
    ask_worker(staged)
    until(lambda: stage_of(staged) == "done", seconds=120, what="the worker reviews the file")
    review = review_of(staged, read_choices(staged))
    assert (review.counts.total, review.counts.new_players) == (40_000, 40_000)
    assert review.preview["by_handle"]
    assert Player.objects.count() == players


@pytest.mark.one_database
def test_a_worker_killed_during_a_review_or_a_save_is_noticed_and_leaves_nothing(workers, staged, monkeypatch):
    first = workers()
    ask_worker(staged)
    until(lambda: stage_of(staged) in ("reading", "matching", "rating"), seconds=60, what="the worker begins")
    first.kill()
    assert review_of(staged, read_choices(staged)) is None
    second = workers()
    progress = progress_of(staged, read_choices(staged))
    assert not progress.is_over
    later = timezone.now() + timedelta(seconds=PATIENCE_SECONDS + 1)
    monkeypatch.setattr("contests.progress.timezone.now", lambda: later)
    assert progress.is_late
    monkeypatch.undo()
    assert first.said("contests.review_upload[")
    assert not second.said("contests.review_upload["), "a file that kills a worker is not given to the next worker"
    review = review_staged(staged)
    assert review.counts.total == 40_000

    contest, actor = Contest.objects.get(pk=staged.contest_id), make_user("staff", is_staff=True)
    players = Player.objects.count()
    ask_to_save(staged, choices=read_choices(staged), version=contest.version, actor=actor)
    # On PostgreSQL, the worker waits for the contest, so that it cannot be done before this test looks.
    with transaction.atomic() if connection.vendor == "postgresql" else nullcontext():
        Contest.objects.select_for_update().filter(pk=contest.pk).first()
        until(lambda: saving_of(staged, read_choices(staged)).stage == "saving", seconds=60, what="the worker saves")
        second.kill()
    assert find_staged(staged.token) is not None
    assert (contest.standings.count(), Player.objects.count()) == (0, players)
    saved = save_staged(staged, choices=read_choices(staged), version=contest.version, actor=actor)
    assert saved.standing_count == 40_000
