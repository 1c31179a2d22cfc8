"""The page of a finalized contest for its organizers: its columns."""

import pytest
from django.urls import reverse

from tests.factories import make_contest
from tests.pages import Page

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(("last", "is_shown"), [("ranked", False), ("unofficial", True)])
def test_places_among_all_rows_are_shown_only_where_they_differ_from_ranks(organizer, series, last, is_shown):
    contest = make_contest(series, standings=[("ann", 1, 9.0), ("bob", 2, 8.0, last)])
    head, *rows = Page(organizer.get(reverse("organize:contest", args=[contest.pk]))).tables[0]
    assert ("Place among all rows" in head) == is_shown
    assert [len(row) for row in rows] == [len(head)] * 2
