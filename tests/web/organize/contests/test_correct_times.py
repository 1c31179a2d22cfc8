"""Correct the time or the penalty in a row, before and after a contest is finalized."""

from __future__ import annotations

import pytest
from django.urls import reverse

from contests.models import AuditEntry
from contests.queries.amendments import amendments_of, differences_of
from ratings.publishing.undoing import causes_since, undo_causes
from tests.factories import make_contest, rate
from tests.pages import Page
from tests.web.organize.forms import confirm, finalize, save, upload

pytestmark = pytest.mark.django_db

RACE = "place,name,time\n1,Ann,40:00\n2,Bo,41:30\n3,Cy,42:02.1234\n"


@pytest.fixture
def race(organizer, series):
    draft = make_contest(series, finalized=False)
    save(organizer, upload(organizer, draft, RACE))
    finalize(organizer, draft)
    rate(series)
    return draft


def correct(organizer, row, **changes):
    address = reverse("organize:correct", args=[row.pk])
    form = organizer.get(address).context["form"]
    said = {name: value for name in form.fields if (value := form[name].value()) not in (None, False)}
    return organizer.post(address, {**said, "reason": "timing error", **changes})


def test_a_time_is_corrected_with_the_place(organizer, client, series, race):
    cy = race.standings.get(player__handle="Cy")
    assert organizer.get(reverse("organize:correct", args=[cy.pk])).context["form"]["penalty"].value() == "42:02.123"
    proposal = correct(organizer, cy, penalty="41:00", place="2")
    shown = Page(organizer.get(proposal["Location"])).text
    assert "Cy: time 42:02.123 → 41:00" in shown
    assert "changes, but not the place" not in shown
    confirm(organizer, proposal)
    rows = race.standings.order_by("rank").values_list("player__handle", "rank", "penalty")
    assert list(rows) == [("Ann", 1, 2400.0), ("Cy", 2, 2460.0), ("Bo", 3, 2490.0)]
    page = Page(client.get(race.get_absolute_url())).text
    assert "Time 41:00" in page
    race.refresh_from_db()
    (amendment,) = amendments_of(race)
    assert ("time", "42:02.123", "41:00") in amendment.differences
    entry = AuditEntry.objects.get(action="standing.correct")
    assert ("time", "42:02.123", "41:00") in differences_of(entry)


def test_a_roll_back_takes_out_the_correction_with_its_time(organizer, series, race):
    restored, cy = series.runs.get(), race.standings.get(player__handle="Cy")
    confirm(organizer, correct(organizer, cy, penalty="43:00"))
    rate(series)
    (cause,) = causes_since(restored)
    undo_causes(restored, [cause.key], reason="wrong after all")
    cy.refresh_from_db()
    assert (cy.place, cy.penalty) == (3, 2522.1234)


def test_a_place_is_shared_only_with_someone(organizer, race):
    cy = race.standings.get(player__handle="Cy")
    answer = correct(organizer, cy, place="4", shares_place="on")
    assert (answer.status_code, "No other player has place 4." in Page(answer).text) == (422, True)
    proposal = correct(organizer, cy, place="2", shares_place="on")
    confirm(organizer, proposal)
    assert list(race.standings.order_by("rank", "id").values_list("rank", flat=True)) == [1, 2, 2]


def test_a_time_alone_is_corrected_with_a_warning_about_the_place(organizer, race):
    bo = race.standings.get(player__handle="Bo")
    proposal = correct(organizer, bo, penalty="1:02:33")
    assert "The time of Bo changes, but not the place." in Page(organizer.get(proposal["Location"])).text
    confirm(organizer, proposal)
    bo.refresh_from_db()
    assert (bo.place, bo.penalty) == (2, 3753.0)


def test_another_correction_keeps_the_time_exactly(organizer, race):
    cy = race.standings.get(player__handle="Cy")
    exact = cy.penalty
    confirm(organizer, correct(organizer, cy, status="disqualified"))
    cy.refresh_from_db()
    assert (cy.status, cy.penalty) == ("disqualified", exact)


@pytest.mark.parametrize("text", ["fast", "1:2:3:4", "nan", "9e999", "1:75:00", "12:75", "-5", "1e9"])
def test_a_wrong_time_is_refused_with_an_example(organizer, race, text):
    answer = correct(organizer, race.standings.get(player__handle="Bo"), penalty=text)
    assert (answer.status_code, "Enter a time such as 58:12 or 1:02:33." in Page(answer).text) == (422, True)


def test_an_added_finisher_has_a_time(organizer, race):
    address = reverse("organize:standing-add", args=[race.pk])
    form = {"handle": "Di", "status": "ranked", "place": "4", "penalty": "45:00", "reason": "missing"}
    confirm(organizer, organizer.post(address, form))
    assert race.standings.get(player__handle="Di").penalty == 2700.0


def test_a_penalty_moves_the_row_where_scores_decide(organizer, series):
    draft = make_contest(series, finalized=False)
    save(organizer, upload(organizer, draft, "handle,score,penalty\nbob,8,468\nann,8,387\n"))
    correct(organizer, draft.standings.get(player__handle="ann"), penalty="500")
    rows = draft.standings.order_by("rank").values_list("player__handle", "penalty")
    assert list(rows) == [("bob", 468.0), ("ann", 500.0)]
    correct(organizer, draft.standings.get(player__handle="ann"), penalty="")
    assert draft.standings.get(player__handle="ann").rank == 1


def test_a_penalty_breaks_a_tie_of_scores(organizer, series):
    draft = make_contest(series, finalized=False)
    save(organizer, upload(organizer, draft, "handle,score\nbob,8\nann,8\neve,7\n"))
    assert set(draft.standings.filter(score=8).values_list("rank", flat=True)) == {1}
    correct(organizer, draft.standings.get(player__handle="bob"), penalty="1")
    assert list(draft.standings.order_by("rank").values_list("player__handle", "rank")) == [
        ("ann", 1), ("bob", 2), ("eve", 3),
    ]  # fmt: skip


def test_contests_with_places_alone_have_no_penalties(organizer, series):
    draft = make_contest(series, finalized=False)
    save(organizer, upload(organizer, draft, "rank,handle\n1,bob\n2,ann\n"))
    row = draft.standings.get(player__handle="ann")
    assert "penalty" not in organizer.get(reverse("organize:correct", args=[row.pk])).context["form"].fields
