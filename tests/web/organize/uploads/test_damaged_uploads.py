"""Several hundred damaged files, sent to the page: a clear answer to each, nothing stored, never an error page."""

from __future__ import annotations

import time

import pytest
from django.urls import reverse

from contests.models import AuditEntry, Contest, Player, PlayerAlias, Standing, Upload
from contests.uploads import review_work
from ratings.publishing.schemes import scheme_of
from tests.contests.formats.damage import damaged_files
from tests.factories import make_contest
from tests.pages import Page
from tests.web.organize.forms import press, upload

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

STORED = (Contest, Standing, Player, PlayerAlias, AuditEntry)
#: The tests of the readers use all files; here, every third one goes through the pages.
FILES = damaged_files()[::3]
GROUPS = 8
SECONDS = 10


def stored() -> list[int]:
    return [*(model.objects.count() for model in STORED), Upload.objects.saved().count()]


@pytest.fixture
def draft(series, monkeypatch):
    monkeypatch.setattr(review_work, "READ_AT_ONCE", 2**30)
    monkeypatch.setattr(review_work, "PACKED_READ_AT_ONCE", 2**30)
    scheme_of(series.pk)
    return make_contest(series, finalized=False)


def complaint(organizer, draft, name: str, content: bytes) -> str:
    """Send a file as an organizer would; return what is wrong with the answer, "" if nothing is."""
    page = upload(organizer, draft, content, name)
    if "staged" not in page.context:
        text = page.content.decode()
        told = page.status_code in (413, 422) and ("is empty" in text or "at most" in text)
        return "" if told else f"{page.status_code} without a word why"
    if page.status_code != 200 or "errors" not in page.context:
        return f"{page.status_code} without a review"
    errors, table = page.context["errors"], page.context["table"]
    if not errors.count and not table.total:
        return "neither a problem nor a row"
    if any(len(problem.message) < 15 for problem in errors.problems):
        return "a problem without words"
    if errors.count and b"Save as draft standings" in page.content:
        return "it could be saved"
    return ""


def other_complaint(organizer, draft, name: str, content: bytes) -> str:
    """Take the other actions on a file; return what is wrong with the responses."""
    page = upload(organizer, draft, content, name)
    if "staged" not in page.context:
        return ""
    text = Page(page).text  # which reads all of the page, and fails if its markup is broken
    if (
        page.context["errors"].count
        and "Fix the errors listed below" not in text
        and "Correct the rows below" not in text
    ):
        return "no word on its problems"
    token = page.context["staged"].token
    remarks = organizer.get(reverse("organize:review-remarks", args=[draft.pk, token]))
    if remarks.status_code not in (200, 302):
        return f"{remarks.status_code} for the file with remarks"
    form = {"header_row": 2, "decimal_comma": "comma", "sheet": ""}
    for name in [f"column_{i}" for i in range(8)]:
        form[name] = "handle" if name == "column_1" else ""
    again = press(organizer, page, "read", **form)
    if again.status_code != 200:
        return f"{again.status_code} when it is read again"
    if page.context["errors"].count:
        press(organizer, page, "save", version=draft.version)
    return "it was saved" if draft.standings.exists() else ""


def check(files, complain, organizer, draft) -> None:
    before, wrong = stored(), []
    for what, name, content in files:
        started = time.process_time()  # processor time, because other programs also use the machine
        said = complain(organizer, draft, name, content)
        seconds = time.process_time() - started
        if said or seconds > SECONDS or stored() != before:
            wrong.append(f"{what} ({name}): {said}, {seconds:.1f} s, stored {stored()} over {before}")
            before = stored()
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("group", range(GROUPS))
def test_each_damaged_file_gets_a_page_with_a_clear_report_and_stores_nothing(organizer, draft, group):
    check(FILES[group::GROUPS], complaint, organizer, draft)


def test_other_actions_on_a_damaged_file_give_no_error_page_either(organizer, draft):
    check([each for each in FILES if len(each[2]) < 2**20][::20], other_complaint, organizer, draft)


def test_there_are_at_least_three_hundred_of_them():
    assert len({(name, content) for _, name, content in FILES}) >= 300
