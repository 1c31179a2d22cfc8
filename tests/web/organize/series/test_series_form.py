"""The description of a series, edited by one organizer at a time."""

from __future__ import annotations

import re

import pytest
from django.urls import reverse

from contests.models import AuditEntry
from contests.services.series import describe_series, fingerprint
from tests.factories import make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def address(series):
    return reverse("organize:series-edit", args=[series])


def said_of(series, **said):
    return {"name": series.name, "description": series.description, "is_public": "on", **said}


def test_the_whole_description_of_a_series_can_be_changed(organizer, series, address):
    organizer.post(address, {"name": "Zeekamp", "description": "Sails.", "needs_approval": "on"})
    series.refresh_from_db()
    assert (series.name, series.description, series.is_public, series.needs_approval) == (
        "Zeekamp",
        "Sails.",
        False,
        True,
    )
    entry = AuditEntry.objects.get(action="series.describe")
    assert (entry.before["public"], entry.after["public"]) == (True, False)
    assert (entry.before["needs_approval"], entry.after["needs_approval"]) == (False, True)


def test_the_second_of_two_organizers_is_warned_and_nothing_is_lost(organizer, series, address):
    seen = organizer.get(address).context["seen"]
    describe_series(series.pk, name="Renamed", description="", is_public=True, actor=make_user("bo"))
    answer = organizer.post(address, said_of(series, description="Sails.", seen=seen))
    assert answer.status_code == 409
    page = answer.content.decode()
    assert "Someone else changed “Renamed” while you were editing it" in page
    assert "Sails." in page, "what was written is still in the form"
    series.refresh_from_db()
    assert (series.name, series.description) == ("Renamed", "")
    # After the warning, they can still save theirs.
    again = organizer.post(address, said_of(series, description="Sails.", seen=answer.context["seen"]))
    assert again.status_code == 302
    series.refresh_from_db()
    assert series.description == "Sails."


def test_saving_the_same_description_changes_nothing_and_is_not_recorded(organizer, series, address):
    for _ in range(2):
        assert organizer.post(address, said_of(series, seen="an old one")).status_code == 302
    assert not AuditEntry.objects.filter(action="series.describe").exists()


def test_the_fingerprint_of_a_series_changes_with_any_part_of_its_description(series):
    seen = {fingerprint(series)}
    for field, value in (("name", "x"), ("description", "y"), ("is_private", True), ("needs_approval", True)):
        setattr(series, field, value)
        seen.add(fingerprint(series))
    assert len(seen) == 5


def test_a_new_series_can_require_a_second_person(organizer, club):
    said = {"community": "main", "name": "Zeekamp", "slug": "", "is_public": "on", "needs_approval": "on"}
    page = organizer.post(
        reverse("organize:series-create"), {**said, "mapping": "suited", "system": "elo-mmr"}, follow=True
    )
    assert page.context["series"].needs_approval
    assert "so no one else can confirm" in page.content.decode()


def test_the_upper_limit_is_offered_only_for_the_fixed_range(organizer, club):
    address = reverse("organize:series-create")
    assert '<fieldset data-mapping="fermi" hidden disabled>' in " ".join(
        organizer.get(address).content.decode().split()
    )
    said = {"community": "main", "name": "Zeekamp", "mapping": "fermi", "system": "elo-mmr", "show": "parameters"}
    assert '<fieldset data-mapping="fermi" >' in " ".join(organizer.post(address, said).content.decode().split())


def test_the_only_community_of_an_organizer_is_filled_in(organizer, club):
    for query in ("", "?community=", "?community=unknown"):
        page = organizer.get(reverse("organize:series-create") + query)
        assert page.context["form"]["community"].value() == "main", query
        fields = page.content.decode()
        assert re.search(r'<input type="hidden" name="community" value="main"', fields), query
        assert ">Community" not in fields, "a hidden field needs no label"
