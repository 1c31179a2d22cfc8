"""Large files are saved by a worker: all of a file or nothing, once, and by someone who may."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from contests.models import AuditEntry, Upload
from contests.tasks import save_upload_task
from contests.uploads import save_work
from contests.uploads.save_work import work_on
from contests.uploads.staging import find_staged, read_choices, write_choices
from tests.factories import make_contest, make_player
from tests.pages import Page
from tests.web.organize.broker import Broker
from tests.web.organize.forms import press, save, upload
from tests.web.organize.reviewing import handles, stored

pytestmark = pytest.mark.django_db

TABLE = "rank,handle\n1,ann\n2,bob\n"


@pytest.fixture
def draft(series):
    return make_contest(series, finalized=False)


@pytest.fixture
def broker(monkeypatch) -> Broker:
    """The broker, on a site where every file counts as slow to save."""
    broker = Broker(save_upload_task.name)
    monkeypatch.setattr(save_work, "current_app", broker)
    monkeypatch.setattr(save_work, "AT_ONCE_SECONDS", 0)
    return broker


def address(review, name: str = "review") -> str:
    return reverse(f"organize:{name}", args=[review.context["contest"].pk, review.context["staged"].token])


def silent_for(review, seconds: float) -> None:
    row = Upload.objects.staged().get(token=review.context["staged"].token)
    row.saving["progress"]["at"] = (timezone.now() - timedelta(seconds=seconds)).isoformat()
    row.save()


def test_a_worker_saves_once_and_the_page_leads_to_the_contest(organizer, draft, broker):
    review = upload(organizer, draft, TABLE)
    before = stored()
    waiting = save(organizer, review)
    assert Page(waiting).headings == ["Saving standings.csv"]
    assert '<noscript><meta http-equiv="refresh"' in waiting.content.decode()
    assert "data-late hidden" in waiting.content.decode()
    assert Page(save(organizer, review)).headings == ["Saving standings.csv"]
    assert len(broker.sent) == 1, "pressed twice, saved once"
    asked = organizer.get(address(review, "review-progress"), {"saving": ""}).json()
    assert (asked["words"], asked["is_over"]) == ("Waiting to start", False)
    assert stored() == before

    save_upload_task(*broker.sent[0])
    assert handles(draft) == ["ann", "bob"]
    assert find_staged(broker.sent[0][0]) is None
    entries = AuditEntry.objects.filter(action="contest.standings")
    assert [entry.actor.username for entry in entries] == ["ida"]
    after = organizer.get(address(review, "review-progress"), {"saving": ""}, follow=True)
    assert after.redirect_chain, "the script of the page then loads it again"
    page = organizer.get(address(review), follow=True)
    assert page.redirect_chain[-1][0] == reverse("organize:contest", args=[draft.pk])
    assert "Saved 2 rows of standings.csv as draft standings." in Page(page).text
    after = stored()
    assert not work_on(*broker.sent[0][:2]), "a message delivered again causes no work"
    assert stored() == after


def test_the_same_file_again_leads_to_the_contest_as_well(organizer, draft, broker):
    for _ in range(2):
        review = upload(organizer, draft, TABLE)
        save(organizer, review)
        assert work_on(*broker.sent[-1][:2])
        assert "Saved 2 rows" in Page(organizer.get(address(review), follow=True)).text
    assert Upload.objects.count() == 1


def test_small_files_are_saved_at_once(organizer, draft, broker, monkeypatch):
    monkeypatch.setattr(save_work, "AT_ONCE_SECONDS", 0.5)
    assert "Saved 2 rows" in Page(save(organizer, upload(organizer, draft, TABLE))).text
    assert broker.sent == []
    rows = "".join(f"{i},p{i}\n" for i in range(1, 4_001))
    save(organizer, upload(organizer, draft, f"rank,handle\n{rows}"))
    assert len(broker.sent) == 1, "4,000 new players take half a second"


def test_two_simultaneous_deliveries_do_the_work_once(organizer, draft, broker, monkeypatch):
    save(organizer, upload(organizer, draft, TABLE))
    again = []
    whole = save_work.save_staged

    def delivered_again(*args, **kwargs):
        again.append(work_on(*broker.sent[0][:2]))
        return whole(*args, **kwargs)

    monkeypatch.setattr(save_work, "save_staged", delivered_again)
    assert work_on(*broker.sent[0][:2])
    assert again == [False]
    assert AuditEntry.objects.filter(action="contest.standings").count() == 1


@pytest.mark.parametrize(("stage", "patience"), [("waiting", 15), ("reading", 15), ("saving", 120)])
def test_without_a_worker_the_page_offers_to_save_here(organizer, draft, broker, stage, patience):
    broker.is_away = True
    review = upload(organizer, draft, TABLE)
    save(organizer, review)
    row = Upload.objects.staged().get()
    row.saving["progress"]["stage"] = stage
    row.save()
    silent_for(review, patience - 1)
    assert "data-late hidden" in organizer.get(address(review)).content.decode()
    silent_for(review, patience + 1)
    late = organizer.get(address(review))
    assert "There has been no progress for a while" in Page(late).text
    done = press(organizer, late, "save", now=1, version=late.context["version"], stamp=late.context["stamp"])
    assert "Saved 2 rows" in Page(done).text
    assert handles(draft) == ["ann", "bob"]


def test_a_worker_that_fails_stores_nothing_and_says_why(organizer, draft, broker, monkeypatch, stored_files):
    review = upload(organizer, draft, TABLE)
    before, files = stored(), sorted(stored_files())
    save(organizer, review)

    def fail(*_args: object, **_kwargs: object) -> None:
        raise RuntimeError("power cut")

    with monkeypatch.context() as broken:
        broken.setattr("contests.uploads.saving.save_standings", fail)
        with pytest.raises(RuntimeError):
            work_on(*broker.sent[0][:2])
    assert stored() == before
    assert sorted(stored_files()) == files
    failed = organizer.get(address(review))
    assert "Nothing was saved: An unexpected error occurred on the server." in Page(failed).text
    save(organizer, failed)
    assert work_on(*broker.sent[1][:2])
    assert handles(draft) == ["ann", "bob"]


def test_changes_made_while_the_file_waits_are_not_overwritten(organizer, client, draft, broker):
    review = upload(organizer, draft, TABLE)
    save(organizer, review)
    type(draft).objects.filter(pk=draft.pk).update(version=draft.version + 1)
    assert work_on(*broker.sent[0][:2])
    failed = organizer.get(address(review))
    assert "while you were editing it" in Page(failed).text
    assert "Save as draft standings anyway" in Page(failed).text
    save(organizer, failed)
    staged = find_staged(broker.sent[1][0])
    write_choices(staged, read_choices(staged))
    assert work_on(*broker.sent[1][:2])
    assert draft.standings.count() == 0
    assert "Someone changed the review at the same time" in Page(organizer.get(address(review))).text


def test_someone_who_lost_the_right_meanwhile_saves_nothing(organizer, ida, series, draft, broker):
    save(organizer, upload(organizer, draft, TABLE))
    series.organizers.remove(ida)
    assert work_on(*broker.sent[0][:2])
    assert draft.standings.count() == 0
    assert "no longer organizes" in Upload.objects.staged().get().saving["progress"]["error"]


def test_players_chosen_when_saving_are_saved(organizer, series, draft, broker):
    make_contest(series, standings=[("alexander_k", 1)], day=-9)
    known = make_player("alexander_k")
    review = upload(organizer, draft, "rank,handle\n1,alexanderk\n2,bob\n")
    asked = press(organizer, review, "save", version=review.context["version"])
    said = {"asked": 1, "version": asked.context["version"], "stamp": asked.context["stamp"]}
    waiting = press(organizer, review, "save", **said, handle_0="alexanderk", who_0=f"player-{known.pk}")
    assert Page(waiting).headings == ["Saving standings.csv"]
    assert work_on(*broker.sent[0][:2])
    assert handles(draft) == ["alexander_k", "bob"]
