"""Previews that take a long time: a worker computes them while the page waits, or the page does without one."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from celery import current_app, states
from django.db import OperationalError

from contests.models import Contest
from ratings import tasks
from ratings.models import StaleMark
from ratings.publishing import change_previews
from tests.pages import Page
from tests.processes import until
from tests.web.organize.changes.test_change import address_of, disqualification

pytestmark = pytest.mark.django_db


def test_a_long_preview_is_computed_by_a_worker_while_the_page_waits(organizer, contest, worker, monkeypatch):
    monkeypatch.setattr(change_previews, "AT_ONCE_SECONDS", -1.0)
    address = address_of(disqualification(contest))
    first = organizer.get(address)
    page = Page(first)
    assert "Wait for it, or confirm without seeing it." in page.text
    assert "Computing the effect on ratings" in page.text.partition("Disqualify without the preview")[0]
    progress = address.replace("/change/?", "/change/progress.json?")
    until(lambda: organizer.get(progress).json()["is_over"], seconds=60, what="the preview is computed")
    page = organizer.get(address)
    assert page.context["preview"].content["series"][0]["contests_rated"] == 2
    assert contest.standings.get(player__handle="ann").status == "ranked"
    assert not StaleMark.objects.exists()


def test_a_refusal_by_the_worker_reaches_the_page(organizer, contest, worker, monkeypatch):
    monkeypatch.setattr(change_previews, "AT_ONCE_SECONDS", -1.0)
    change = disqualification(contest)
    Contest.objects.filter(pk=contest.pk).update(version=7)
    address = address_of(change)
    organizer.get(address)
    progress = address.replace("/change/?", "/change/progress.json?")
    until(lambda: organizer.get(progress).json()["state"] == "refused", seconds=60, what="the worker has refused")
    assert "was changed from the command line" in organizer.get(address).content.decode()


def test_without_a_worker_the_page_can_compute_the_preview(organizer, contest, monkeypatch):
    monkeypatch.setattr(change_previews, "AT_ONCE_SECONDS", -1.0)
    monkeypatch.setattr(change_previews, "PATIENCE_SECONDS", -1)
    address = address_of(disqualification(contest))
    page = organizer.get(address)
    assert page.context["preview"].is_late
    assert "Compute it on this page" in page.content.decode()
    here = organizer.get(f"{address}&here")
    assert here.context["preview"].state == "ready"


@pytest.fixture
def failure(monkeypatch):
    """Let the worker fail with this error; its result can be forgotten."""
    error = OperationalError('connection to server at "10.0.0.7" failed')
    result = SimpleNamespace(state=states.FAILURE, info=error)
    result.forget = lambda: setattr(result, "state", states.PENDING)
    monkeypatch.setattr(change_previews, "AT_ONCE_SECONDS", -1.0)
    monkeypatch.setattr(change_previews, "AsyncResult", lambda _key: result)
    monkeypatch.setattr(current_app, "send_task", lambda *_args, **_options: None)
    return error


def test_the_text_of_an_unexpected_error_is_only_in_the_log(organizer, contest, failure, caplog):
    page = organizer.get(address_of(disqualification(contest)))
    assert "The preview could not be computed: An unexpected error occurred on the server." in Page(page).text
    assert "10.0.0.7" not in page.content.decode()
    assert "10.0.0.7" in caplog.text


def test_the_page_shows_the_failure_that_its_script_has_been_told(organizer, contest, failure):
    address = address_of(disqualification(contest))
    assert organizer.get(address.replace("/change/?", "/change/progress.json?")).json()["state"] == "failed"
    page = organizer.get(address)  # the script reloads the page
    assert "The preview could not be computed" in Page(page).text


def test_a_worker_computes_the_preview_in_the_language_of_the_page(organizer, contest, monkeypatch):
    monkeypatch.setattr(change_previews, "AT_ONCE_SECONDS", -1.0)
    sent = []
    monkeypatch.setattr(current_app, "send_task", lambda _, args, **options: sent.append((args, options["task_id"])))
    change = disqualification(contest)
    address = address_of(change)
    organizer.get(address)
    organizer.get(address, headers={"Accept-Language": "de"})
    (_, key), (german, german_key) = sent
    assert key != german_key
    Contest.objects.filter(pk=contest.pk).update(version=7)
    assert "geändert" in tasks.preview_task(*german)["refusal"]
