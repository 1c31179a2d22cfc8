"""Reviews that another version of the site has stored are made again."""

from __future__ import annotations

import pytest
from django.urls import reverse

from contests.models import Upload
from tests.pages import Page
from tests.web.organize.forms import press, upload

pytestmark = pytest.mark.django_db

#: What another version may have done to a stored review.
FORMS = {
    "another name": lambda review: review | {"people": review.pop("unmatched")},
    "a new value": lambda review: review | {"weather": "rain"},
    "another row": lambda review: review | {"rows": [["ann", 1]]},
    "another table": lambda review: review | {"offered": {**(review["offered"] or {}), "fields": ["handle"]}},
    "a missing part": lambda review: {key: value for key, value in review.items() if key != "counts"},
}


@pytest.mark.parametrize("change", FORMS.values(), ids=FORMS)
def test_a_review_of_an_unknown_form_is_made_again(organizer, draft, change):
    page = upload(organizer, draft, "rank,handle\n1,ann\n2,annika\n")
    row = Upload.objects.get()
    row.review = change(row.review)
    row.save(update_fields=["review"])
    address = reverse("organize:review", args=[draft.pk, row.token])
    assert "This file has not been reviewed yet." in Page(organizer.get(address)).text
    for name in ("correct", "decide-people", "read", "apply-description"):
        assert press(organizer, page, name).status_code == 200
    again = press(organizer, page, "now")
    assert [line.handle for line in again.context["people"]] == ["ann", "annika"]
    row.refresh_from_db()
    assert row.review["unmatched_count"] == 2
