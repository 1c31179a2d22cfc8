"""Files that wait for their organizer: found by their token alone, with the newest choices, swept after two days."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from django.core.files.base import ContentFile
from django.urls import reverse
from django.utils import timezone

from contests.formats import ReadingOptions
from contests.models import Upload
from contests.uploads.files import sweep_staged, sweep_uploads
from contests.uploads.staging import (
    Choices,
    Decision,
    discard_staged,
    find_staged,
    open_content,
    read_choices,
    read_progress,
    read_review,
    stage,
    write_choices,
    write_progress,
    write_review,
)
from tests.factories import make_contest
from tests.web.organize.forms import save, upload

pytestmark = pytest.mark.django_db


@pytest.fixture
def draft(series):
    return make_contest(series, finalized=False)


@pytest.fixture
def staged(draft, ida):
    return stage(ContentFile(b"rank,handle\n1,ann\n"), filename="round.csv", contest=draft, actor=ida)


def test_a_staged_file_is_found_by_its_token_with_its_details(staged, draft, ida):
    found = find_staged(staged.token)
    assert found == staged
    assert (found.series_id, found.contest_id, found.user_id) == (draft.series_id, draft.pk, ida.pk)
    assert (found.filename, found.size, found.lines) == ("round.csv", 18, 2)
    with open_content(found) as content:
        assert content.read() == b"rank,handle\n1,ann\n"
    assert len(staged.token) == 32, "128 bits"


@pytest.mark.parametrize(
    "token",
    ["", "..", "../uploads", "0" * 31, "0" * 33, "A" * 32, "0" * 31 + "/", "0" * 32, "0" * 31 + "\n", "\0" * 32],
)
def test_no_other_text_leads_to_a_file(staged, token, stored_files):
    before = stored_files()
    assert find_staged(token) is None
    discard_staged(token)
    assert stored_files() == before


def test_choices_are_kept_and_the_last_ones_count(staged):
    first = read_choices(staged)
    assert (first.options, dict(first.decisions)) == (None, {})
    said = Choices(
        7, ReadingOptions({0: "rank", 1: ""}, "Sheet 1", 2, True), {"bob": Decision("Bob", 5, is_alias=True)}
    )
    stamps = [write_choices(staged, replace(said, stamp=read_choices(staged).stamp)).stamp for _ in range(3)]
    kept = read_choices(staged)
    assert (kept.version, kept.options, dict(kept.decisions)) == (7, said.options, dict(said.decisions))
    assert kept.stamp == stamps[-1]
    assert len(set(stamps)) == 3
    assert kept.known_players == {"bob": 5}


def test_progress_and_reviews_count_only_while_their_choices_are_the_newest(staged):
    older = read_choices(staged).stamp
    assert write_review(staged, {"stamp": older}, stamp=older)
    assert write_progress(staged, {"rows": 1}, stamp=older)
    newer = write_choices(staged, Choices(8, stamp=older)).stamp
    assert not write_review(staged, {"stamp": "late"}, stamp=older)
    assert not write_progress(staged, {"rows": 2}, stamp=older)
    assert (read_review(staged), read_progress(staged)) == ({"stamp": older}, {"rows": 1})
    assert write_progress(staged, {"rows": 3}, stamp=newer)
    assert read_progress(staged) == {"rows": 3}


def test_the_order_of_decisions_and_odd_characters_survive_the_database(staged):
    said = {key: Decision(key.upper(), number) for number, key in enumerate(("zoe", "b", "ann", "kimberly"))}
    write_choices(staged, Choices(1, None, said, read_choices(staged).stamp))
    assert list(read_choices(staged).decisions.items()) == list(said.items())
    stamp = read_choices(staged).stamp
    assert write_review(staged, {"name": "a\0b\ud800", "rating": float("inf")}, stamp=stamp)
    assert read_review(staged) == {"name": "a\ufffdb\ufffd", "rating": None}


def test_the_state_of_a_staged_file_is_in_its_row_and_only_the_content_on_the_disk(staged, stored_files):
    row = Upload.objects.get(token=staged.token)
    assert (row.state, row.draft_id, row.file.name) == ("staged", staged.contest_id, f"staging/{staged.token}/content")
    assert [path.name for path in stored_files()] == ["content"]


def test_saving_turns_the_staged_row_into_the_saved_one_and_clears_its_review(organizer, draft):
    review = upload(organizer, draft, "rank,handle\n1,ann\n2,bob\n")
    row = Upload.objects.get()
    assert (row.state, row.review["counts"]["total"]) == ("staged", 2)
    save(organizer, review)
    saved = Upload.objects.get()
    assert (saved.pk, saved.state, saved.token, saved.draft_id) == (row.pk, "saved", row.token, None)
    assert (saved.choices, saved.review, saved.progress, saved.saving, saved.stamp) == (None, None, None, None, "")
    assert saved.contests.get() == draft


def test_the_page_of_the_draft_leads_back_to_an_open_review(organizer, draft):
    page = reverse("organize:contest", args=[draft.pk])
    review = upload(organizer, draft, "rank,handle\n1,ann\n2,bob\n", name="round.csv")
    address = review.redirect_chain[-1][0]
    of_series = reverse("organize:series", args=[draft.series])
    pages = [page, reverse("organize:upload", args=[draft.pk]), of_series]
    shown = [organizer.get(each).content.decode() for each in pages]
    assert all(f'href="{address}">Continue its review' in text for text in shown[:2])
    assert f'href="{address}">Continue review' in shown[2]
    upload_again = f'{pages[1]}">Upload standings'
    assert upload_again not in shown[2] + shown[0], "it would look as if the file were lost"
    save(organizer, review)
    for each in pages:
        assert address not in organizer.get(each).content.decode()


def test_the_page_of_the_draft_leaves_out_files_older_than_the_saved_one(organizer, draft):
    page = reverse("organize:contest", args=[draft.pk])
    upload(organizer, draft, "rank,handle\n1,ann\n2,bo\n", name="first.csv")
    second = upload(organizer, draft, "rank,handle\n1,ann\n2,bob\n", name="second.csv")
    save(organizer, second)
    assert "first.csv" not in organizer.get(page).content.decode()
    upload(organizer, draft, "rank,handle\n1,ann\n2,bert\n", name="third.csv")
    assert "third.csv</bdi>, uploaded on" in organizer.get(page).content.decode()


def test_a_staged_file_is_no_longer_found_without_its_draft(staged, draft):
    draft.delete()
    assert find_staged(staged.token) is None
    assert sweep_staged(timezone.now() + timedelta(days=3)) == 1


def test_names_of_files_are_harmless(draft, ida):
    name = "../../\0etc/\u202epasswd" + "x" * 300 + ".csv"
    staged = stage(ContentFile(b"x"), filename=name, contest=draft, actor=ida)
    assert find_staged(staged.token).filename.endswith(".csv")
    assert len(staged.filename) <= 125
    assert "\0" not in stage(ContentFile(b"x"), filename="a\0b.csv", contest=draft, actor=ida).filename


def test_a_discarded_file_leaves_nothing_and_may_be_discarded_twice(staged, stored_files):
    for _ in range(2):
        discard_staged(staged.token)
        assert find_staged(staged.token) is None
    assert stored_files() == []


def test_the_sweep_deletes_staged_files_unused_for_two_days(draft, ida, staged, tmp_path):
    old = stage(ContentFile(b"old"), filename="old.csv", contest=draft, actor=ida)
    two_days_ago = timezone.now() - timedelta(days=2, minutes=1)
    Upload.objects.filter(token=old.token).update(touched_at=two_days_ago)
    (tmp_path / "files" / "staging" / "not-a-token").mkdir()
    assert sweep_staged() == 1
    assert find_staged(old.token) is None
    assert find_staged(staged.token) == staged
    assert (tmp_path / "files" / "staging" / "not-a-token").exists()
    assert sweep_staged(timezone.now() + timedelta(days=3)) == 1


def test_the_sweep_deletes_uploads_that_no_contest_refers_to_with_their_files(
    organizer, draft, stored_files, django_capture_on_commit_callbacks
):
    save(organizer, upload(organizer, draft, "rank,handle\n1,ann\n2,bob\n"))
    save(organizer, upload(organizer, draft, "rank,handle\n1,bob\n2,ann\n"))
    assert Upload.objects.count() == 2
    assert len(stored_files()) == 2
    assert sweep_uploads() == 0, "they are not old yet"
    with django_capture_on_commit_callbacks(execute=True):
        assert sweep_uploads(timezone.now() + timedelta(days=3)) == 1
    kept = Upload.objects.get()
    assert kept.contests.get() == draft
    assert [path.read_bytes() for path in stored_files()] == [b"rank,handle\n1,bob\n2,ann\n"]
