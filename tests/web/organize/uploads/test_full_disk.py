"""A full disk, and files that nothing refers to: a clear response, and nothing is left behind."""

from __future__ import annotations

import json
import os
import resource
import tempfile
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.db import OperationalError
from django.urls import reverse
from django.utils import timezone

from contests.models import Upload
from contests.uploads.files import sweep_files
from contests.uploads.save_work import work_on
from contests.uploads.staging import KEPT, find_staged, stage
from tests.factories import make_contest
from tests.web.organize.forms import save, upload
from tests.web.organize.reviewing import stored

pytestmark = pytest.mark.django_db
#: Between a table of a few rows and one of thousands.
ROOM = 50_000


@contextmanager
def no_room_beyond(size):
    """Let this process write no file larger than a size, which is like a full disk and needs no special rights."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.fixture
def draft(series):
    return make_contest(series, finalized=False)


@pytest.fixture
def large():
    return b"rank,handle\n" + b"".join(b"%d,player%d\n" % (i, i) for i in range(1, 9_000))


def test_an_upload_without_room_gets_a_page_that_says_so_and_leaves_nothing(organizer, draft, large, stored_files):
    organizer.raise_request_exception = False
    before = stored()
    with no_room_beyond(ROOM):
        answer = organizer.post(
            reverse("organize:upload", args=[draft.pk]), {"file": SimpleUploadedFile("round.csv", large)}
        )
    assert answer.status_code == 507
    page = answer.content.decode()
    assert "The disk is full" in page
    assert "what you sent was not saved" in page
    assert "there is space" in page
    assert (stored(), stored_files()) == (before, [])
    assert upload(organizer, draft, large.decode()).status_code == 200, "once there is room, the file is accepted"


def test_a_file_that_cannot_be_kept_stays_staged_and_can_be_saved_later(
    organizer, draft, large, stored_files, monkeypatch
):
    organizer.raise_request_exception = False
    review = upload(organizer, draft, large.decode())
    names, before = stored_files(), stored()
    save(organizer, review)
    request = Upload.objects.staged().get().saving["progress"]["stamp"]
    with no_room_beyond(ROOM):
        work_on(review.context["staged"].token, request)
    answer = organizer.get(reverse("organize:review", args=[draft.pk, review.context["staged"].token]))
    assert "The server’s disk is full" in answer.content.decode()
    monkeypatch.setattr("contests.uploads.save_work.AT_ONCE_SECONDS", 60)
    with no_room_beyond(ROOM):
        answer = save(organizer, review)
    assert answer.status_code == 507
    assert (stored(), stored_files()) == (before, names)
    save(organizer, review)
    draft.refresh_from_db()
    assert draft.standing_count == 8_999


def test_a_file_without_room_leaves_neither_a_row_nor_a_part_of_it(draft, ida, large, stored_files):
    with no_room_beyond(ROOM), pytest.raises(OSError, match="File too large"):
        stage(ContentFile(large), filename="round.csv", contest=draft, actor=ida)
    assert (Upload.objects.count(), stored_files()) == (0, [])


def test_a_row_without_room_leaves_no_file(draft, ida, stored_files, monkeypatch):
    def full(*_args: object, **_fields: object) -> None:
        raise OperationalError("database or disk is full")

    monkeypatch.setattr("contests.uploads.staging.Upload.objects.create", full)
    with pytest.raises(OperationalError):
        stage(ContentFile(b"rank,handle\n1,ann\n"), filename="round.csv", contest=draft, actor=ida)
    assert stored_files() == []


def test_files_that_nothing_leads_to_go_after_two_days_and_all_others_stay(
    organizer, draft, ida, stored_files, tmp_path, settings, monkeypatch
):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    save(organizer, upload(organizer, draft, "rank,handle\n1,ann\n"))
    used = Upload.objects.get().file.name
    waiting = stage(ContentFile(b"rank,handle\n1,ann\n"), filename="round.csv", contest=draft, actor=ida)
    root = Path(default_storage.location)
    made = {}
    for age in ("old", "new"):
        made[age] = [root / "uploads" / "ab" / f"orphan-{age}", root / "uploads" / "ab" / f"half-{age}.part"]
        made[age] += [
            root / "staging" / (("a" if age == "old" else "b") * 32) / "content",
            tmp_path / f"pymp-{age}" / "x",
        ]
        for path in made[age]:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("x")
    past = (timezone.now() - KEPT - timedelta(hours=1)).timestamp()
    empty = root / "staging" / ("c" * 32)
    empty.mkdir()
    for path in (*made["old"], made["old"][2].parent, made["old"][3].parent, root / used):
        os.utime(path, (past, past))
    assert sweep_files() == {"staged": 1, "uploads": 0, "without_a_row": 2, "of_processes": 1}
    assert not any(path.exists() for path in made["old"])
    assert all(path.exists() for path in (*made["new"], root / used, empty))
    assert find_staged(waiting.token) == waiting
    assert sweep_files() == {"staged": 0, "uploads": 0, "without_a_row": 0, "of_processes": 0}


def test_the_command_says_what_it_deleted(capsys, organizer):
    call_command("sweep_files", "--json")
    assert json.loads(capsys.readouterr().out)["without_a_row"] == 0
