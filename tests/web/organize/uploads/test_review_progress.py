"""Large files are reviewed by a worker; the page shows how far it is, and what to do when no worker is running."""

from __future__ import annotations

import gzip
from dataclasses import asdict
from datetime import timedelta
from pathlib import Path

import pytest
from django.urls import reverse
from django.utils import timezone

from contests import progress as work_progress
from contests.matching import known_names
from contests.tasks import review_upload_task
from contests.uploads import review_work
from contests.uploads.review import review_of
from contests.uploads.review_work import Progress, progress_of, work_on
from contests.uploads.staging import discard_staged, read_choices, write_choices, write_progress
from tests.factories import make_contest, make_player, rate
from tests.pages import Page
from tests.web.organize.broker import Broker
from tests.web.organize.forms import press, save, upload
from web.shared import projected_rows as organize_rows

pytestmark = pytest.mark.django_db

TABLE = "rank,handle\n1,ann\n2,bob\n"
WORKBOOK = Path(__file__).parents[4] / "static/examples/standings.xlsx"


@pytest.fixture
def draft(series):
    return make_contest(series, finalized=False)


@pytest.fixture
def broker(monkeypatch) -> Broker:
    broker = Broker(review_upload_task.name)
    monkeypatch.setattr(review_work, "current_app", broker)
    return broker


@pytest.fixture
def is_large(monkeypatch, broker):
    """Every file counts as a large one."""
    monkeypatch.setattr(review_work, "READ_AT_ONCE", 10)


def address(review) -> str:
    return reverse("organize:review", args=[review.context["contest"].pk, review.context["staged"].token])


def silent_for(staged, seconds: float) -> None:
    """Make the last report of a review as old as this."""
    progress = progress_of(staged, read_choices(staged))
    at = (timezone.now() - timedelta(seconds=seconds)).isoformat()
    write_progress(staged, {**asdict(progress), "at": at}, stamp=progress.stamp)


def test_small_files_are_reviewed_at_once(organizer, draft, broker):
    assert "table" in upload(organizer, draft, TABLE).context
    assert broker.sent == []


def test_a_small_file_has_no_progress_to_wait_for(organizer, draft):
    token = upload(organizer, draft, TABLE).context["staged"].token
    answer = organizer.get(reverse("organize:review-progress", args=[draft.pk, token]))
    assert answer.status_code == 200
    assert answer.json()["is_over"]


def test_a_large_file_waits_for_a_worker_and_is_shown_when_the_review_is_done(organizer, draft, broker, is_large):
    page = upload(organizer, draft, TABLE)
    staged = page.context["staged"]
    assert broker.sent == [(staged.token, "en")]
    assert Page(page).headings == ["Reading standings.csv"]
    assert "Waiting to start" in Page(page).text
    assert '<noscript><meta http-equiv="refresh"' in page.content.decode()
    asked = organizer.get(reverse("organize:review-progress", args=[draft.pk, staged.token])).json()
    assert asked == {
        "stage": "waiting", "words": "Waiting to start", "percent": 0, "is_over": False, "is_late": False
    }  # fmt: skip

    review_upload_task(staged.token)
    assert organizer.get(reverse("organize:review-progress", args=[draft.pk, staged.token])).json()["is_over"]
    review = organizer.get(address(page))
    assert [row.handle for row in review.context["table"].rows] == ["ann", "bob"]
    assert review.context["table"].moves_ratings
    assert "<noscript>" not in review.content.decode()
    save(organizer, review)
    assert draft.standings.count() == 2


def test_packed_files_are_large_sooner(organizer, draft, broker, monkeypatch):
    monkeypatch.setattr(review_work, "PACKED_READ_AT_ONCE", 10)
    upload(organizer, draft, TABLE)
    assert broker.sent == []
    upload(organizer, draft, gzip.compress(TABLE.encode()), "standings.csv.gz")
    assert len(broker.sent) == 1


@pytest.mark.parametrize("name", ["round.xlsx", "round.xlsm", "round.csv"])
def test_a_workbook_is_packed_whatever_it_is_called(organizer, draft, broker, monkeypatch, name):
    monkeypatch.setattr(review_work, "PACKED_READ_AT_ONCE", 10)
    upload(organizer, draft, WORKBOOK.read_bytes(), name)
    assert len(broker.sent) == 1


def test_what_a_worker_finds_is_what_the_request_finds(organizer, draft, broker, monkeypatch):
    content = "rank,handle,score\n1,ann,3\n1,bob,3\n3,eve,x\n"
    at_once = upload(organizer, draft, content).context["review"]
    monkeypatch.setattr(review_work, "READ_AT_ONCE", 10)
    page = upload(organizer, draft, content)
    work_on(page.context["staged"].token)
    by_worker = organizer.get(address(page)).context["review"]
    for review in (at_once, by_worker):
        review.stamp, review.seconds = "", 0.0
    assert by_worker.errors
    assert by_worker.to_json() == at_once.to_json()


def test_after_fifteen_seconds_of_silence_the_page_offers_to_read_the_file_itself(organizer, draft, is_large):
    page = upload(organizer, draft, TABLE)
    hidden = "data-late hidden"
    silent_for(page.context["staged"], 14)
    assert hidden in organizer.get(address(page)).content.decode()
    silent_for(page.context["staged"], 16)
    late = organizer.get(address(page))
    assert hidden not in late.content.decode()
    assert "There has been no progress for a while" in Page(late).text
    review = press(organizer, late, "now")
    assert [row.handle for row in review.context["table"].rows] == ["ann", "bob"]


@pytest.mark.parametrize("stage", ["reading", "matching", "rating"])
def test_a_worker_that_died_at_work_is_noticed_as_well(organizer, draft, is_large, stage):
    page = upload(organizer, draft, TABLE)
    staged = page.context["staged"]
    stamp = read_choices(staged).stamp
    write_progress(staged, asdict(Progress(stamp, stage, 1, 2, timezone.now().isoformat())), stamp=stamp)
    assert "data-late hidden" in organizer.get(address(page)).content.decode()
    silent_for(staged, 16)
    assert "data-late hidden" not in organizer.get(address(page)).content.decode()


def test_an_unavailable_broker_gives_no_error_page(organizer, draft, broker, is_large):
    broker.is_away = True
    page = upload(organizer, draft, TABLE)
    assert page.status_code == 200
    assert "Waiting to start" in Page(page).text


def test_a_review_that_fails_says_why_and_can_be_tried_here(organizer, draft, is_large, monkeypatch):
    page = upload(organizer, draft, TABLE)
    token = page.context["staged"].token

    def fail(*_args: object, **_options: object) -> None:
        raise MemoryError("too much")

    with monkeypatch.context() as broken:
        broken.setattr(review_work, "review_staged", fail)
        with pytest.raises(MemoryError):
            review_upload_task(token)
    failed = organizer.get(address(page))
    assert "The review failed: An unexpected error occurred on the server." in Page(failed).text
    assert "too much" not in failed.content.decode()
    assert "<noscript>" not in failed.content.decode()
    assert "table" in press(organizer, failed, "now").context


@pytest.mark.one_database
def test_rows_read_and_stages_move_the_bar_forward(organizer, draft, is_large, monkeypatch):
    told: list[Progress] = []
    monkeypatch.setattr(work_progress, "REPORT_SECONDS", 0.0)
    write = review_work._write
    monkeypatch.setattr(review_work, "_write", lambda staged, now: (told.append(now), write(staged, now)))
    rows = "".join(f"{i},p{i}\n" for i in range(1, 12_001))
    page = upload(organizer, draft, "rank,handle\n" + rows)
    work_on(page.context["staged"].token)
    percents = [progress.percent for progress in told]
    assert percents == sorted(percents)
    assert [stage for stage in ("waiting", "reading", "done") if stage in {each.stage for each in told}] == [
        "waiting", "reading", "done",
    ]  # fmt: skip
    assert told[-1].percent == 100
    assert Progress("", "reading", 6_000, 12_000).percent == pytest.approx(23, abs=2)
    assert Progress("", "reading", 6_000, 12_000).words == "Reading: 6,000 rows"


def test_only_one_of_two_deliveries_does_the_work(organizer, draft, is_large):
    token = upload(organizer, draft, TABLE).context["staged"].token
    assert work_on(token) is not None
    assert work_on(token) is None


def test_a_small_review_is_in_the_language_of_each_reader_with_the_same_ratings(organizer, series, draft, monkeypatch):
    make_contest(series, standings=[("alexanderk", 1)], day=-9)
    page = upload(organizer, draft, "rank,handle\n1,alexander_k\n2,bob\n")
    english = page.context["review"]
    monkeypatch.setattr("contests.uploads.reviewing.ratings_preview", lambda *_args, **_more: pytest.fail("known"))
    for _ in range(2):
        german = organizer.get(address(page), headers={"accept-language": "de"}).context["review"]
        assert german.unmatched[0].suggestions[0].why != english.unmatched[0].suggestions[0].why
        assert (german.stamp, german.preview, german.language) == (english.stamp, english.preview, "de")
    monkeypatch.setattr(review_work, "READ_AT_ONCE", 10)
    assert organizer.get(address(page)).context["review"].language == "de", "a large one stays as it is"


def test_many_names_in_a_large_community_are_compared_by_a_worker(organizer, draft, monkeypatch):
    make_player("zoe")
    assert upload(organizer, draft, TABLE).context["progress"] is None
    monkeypatch.setattr(known_names, "FEW_NAMES", 1)
    monkeypatch.setattr(known_names, "COMPARED_IN_A_SECOND", 2)
    assert upload(organizer, draft, TABLE).context["progress"].stage == "waiting"


def test_a_discarded_file_causes_no_work(organizer, draft, is_large, stored_files):
    token = upload(organizer, draft, TABLE).context["staged"].token
    discard_staged(token)
    assert work_on(token) is None
    assert stored_files() == []


def test_a_review_by_choices_that_were_changed_meanwhile_is_not_shown(organizer, draft, is_large, monkeypatch):
    page = upload(organizer, draft, TABLE)
    staged = page.context["staged"]
    old = read_choices(staged)

    def choose_meanwhile(stage: str, _rows: int) -> None:
        if stage == "rating":
            write_choices(staged, old)
            review_work.ask_worker(staged)

    monkeypatch.setattr(work_progress.Reporter, "tell", lambda _reporter, stage, rows: choose_meanwhile(stage, rows))
    work_on(staged.token)
    newer = read_choices(staged)
    assert newer.stamp != old.stamp
    assert review_of(staged, newer) is None
    assert progress_of(staged, newer).stage == "waiting", "reports on the old review do not hide the new one"
    assert "Waiting to start" in Page(organizer.get(address(page))).text


def test_ratings_that_need_a_long_replay_come_later_and_the_rest_at_once(organizer, series, broker, monkeypatch):
    monkeypatch.setattr(organize_rows, "REPLAYED_AT_ONCE", 3)
    for day in (0, 1, 5):
        make_contest(series, standings=[("ann", 1), ("bob", 2)], day=day)
    rate(series)
    draft = make_contest(series, day=2, finalized=False)
    page = upload(organizer, draft, "rank,handle\n1,bob\n2,ann\n")
    assert [row.handle for row in page.context["table"].rows] == ["bob", "ann"]
    assert not page.context["table"].moves_ratings
    assert "Waiting to start" in Page(page).text
    assert "Save as draft standings" in Page(page).text, "nobody has to wait for the ratings"
    assert len(broker.sent) == 1
    work_on(page.context["staged"].token)
    review = organizer.get(address(page))
    assert review.context["table"].moves_ratings
    assert review.context["table"].preview.later_contests == 1
    again = press(organizer, review, "now", ratings=1)
    assert again.status_code == 200
