"""Weights by duration on the page of a series' scheme: previewed, confirmed, shown again and refused."""

from __future__ import annotations

import pytest
from django.urls import reverse

from contests.changes.base import read_change
from contests.models import AuditEntry
from ratings.systems.duration import DurationWeight
from tests.pages import Page
from tests.web.organize.schemes import newest, send

pytestmark = pytest.mark.django_db

GROWS = {"duration_choice": "duration"}


def test_the_change_is_previewed_confirmed_and_shown_again(organizer, rated):
    answer = send(organizer, rated, **GROWS, duration_hours="5", duration_exponent="1")
    assert answer.status_code == 302
    assert newest(rated).duration_weight == {}
    page = organizer.get(answer.url)
    assert "Weight of contests" in Page(page).text
    assert "grows with the duration" in Page(page).text
    change = read_change(answer.url.partition("change=")[2])
    assert change.moves_ratings
    change.apply(actor=None)
    assert newest(rated).duration_weight == {**DurationWeight().to_dict(), "hours": 5.0, "exponent": 1.0}
    assert rated.stale_marks.exists()
    entry = AuditEntry.objects.filter(action="scheme.choose").order_by("-id")[0]
    assert (entry.before["duration_weight"], entry.after["duration_weight"]["hours"]) == ({}, 5.0)
    page = organizer.get(reverse("organize:scheme", args=[rated]))
    assert "Weight of contests: the same for all durations → grows with the duration" in Page(page).text
    options = page.context["page"].options
    assert options["duration_choice"].value() == "duration"
    assert [field.value() for field in options.duration_fields] == [5.0, 1.0, None, None]
    # A form without the field changes nothing; one with the choice "none" switches the weights off.
    send(organizer, rated, mapping="fermi")
    assert newest(rated).duration_weight["hours"] == 5.0
    read_change(send(organizer, rated, duration_choice="none").url.partition("change=")[2]).apply(actor=None)
    assert newest(rated).duration_weight == {}


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        ({**GROWS, "duration_hours": "0"}, "greater than or equal to 0.01"),
        ({**GROWS, "duration_exponent": "3"}, "less than or equal to 2"),
        ({**GROWS, "duration_minimum": "2"}, "less than or equal to 1"),
        ({**GROWS, "duration_maximum": "half"}, "Enter a number"),
        ({**GROWS, "system": "ladder"}, "This rating system ignores the weights of contests"),
        ({"duration_choice": "always"}, "Select a valid choice"),
    ],
)
def test_wrong_numbers_are_refused_beside_their_fields(organizer, rated, said, problem):
    answer = send(organizer, rated, **said)
    assert answer.status_code == 422
    assert problem in Page(answer).text
    assert newest(rated).duration_weight == {}
