"""Correct places: those that the page shows count, and the preview names the players with whom a place is shared."""

from __future__ import annotations

import pytest
from django.urls import reverse

from tests.factories import make_contest, rate
from tests.pages import Page
from tests.web.organize.contests.test_correct_times import correct
from tests.web.organize.forms import confirm

pytestmark = pytest.mark.django_db

ROWS = [("ann", 1), ("bob", 2), ("cy", 3), ("di", 3), ("ed", 5), ("flo", 6, None, "disqualified")]


@pytest.fixture
def regatta(organizer, series):
    contest = make_contest(series, standings=ROWS)
    rate(series)
    return contest


def row_of(contest, handle):
    return contest.standings.get(player__handle=handle)


def places(organizer, contest) -> dict[str, str]:
    """The places in the organizer's table, by handle."""
    head, *rows = Page(organizer.get(reverse("organize:contest", args=[contest.pk]))).tables[0]
    column = head.index("Place among all rows")
    name = head.index("Player")
    return {row[name].split(" ")[0]: row[column] for row in rows}


def test_the_preview_says_with_whom_a_place_is_shared(organizer, regatta):
    proposal = correct(organizer, row_of(regatta, "di"), place="1")
    assert "di: place 3 → 1, shared with ann" in Page(organizer.get(proposal["Location"])).text
    proposal = correct(organizer, row_of(regatta, "di"), place="1", shares_place="")
    text = Page(organizer.get(proposal["Location"])).text
    assert ("di: place 3 → 1" in text, "shared with" in text) == (True, False)
    added = {"handle": "gil", "status": "ranked", "place": "2", "shares_place": "on", "reason": "forgotten"}
    proposal = organizer.post(reverse("organize:standing-add", args=[regatta.pk]), added)
    assert "→ 2, shared with bob" in Page(organizer.get(proposal["Location"])).text


def test_the_preview_has_the_place_that_the_row_gets(organizer, regatta):
    """Two rows that leave make the place typed a better one."""
    proposal = correct(organizer, row_of(regatta, "ann"), place="3", shares_place="on")
    assert "ann: place 1 → 2, shared with cy and di" in Page(organizer.get(proposal["Location"])).text
    confirm(organizer, proposal)
    assert row_of(regatta, "ann").rank == 2


def test_a_new_member_of_a_team_gets_its_place_in_the_preview(organizer, series):
    teams = {"ann": "reds", "bob": "reds", "cy": "blues", "di": "blues"}
    contest = make_contest(series, standings=[("ann", 1), ("bob", 1), ("cy", 2), ("di", 2)], teams=teams)
    rate(series)
    added = {"handle": "eve", "team": "blues", "status": "ranked", "place": "1", "reason": "forgotten"}
    proposal = organizer.post(reverse("organize:standing-add", args=[contest.pk]), added)
    assert "→ 2 " in Page(organizer.get(proposal["Location"])).text
    assert "shared with" not in Page(organizer.get(proposal["Location"])).text
    confirm(organizer, proposal)
    assert row_of(contest, "eve").rank == 2


@pytest.mark.parametrize(("label", "name"), [("Reds", "Reds"), ("team 3", "ann + bob")])
def test_a_correction_of_a_team_names_the_team(organizer, series, label, name):
    teams = {"ann": label, "bob": label, "cy": "Blues", "di": "Blues"}
    contest = make_contest(series, standings=[("ann", 1), ("bob", 1), ("cy", 2), ("di", 2)], teams=teams)
    rate(series)
    form = organizer.get(reverse("organize:correct", args=[row_of(contest, "ann").pk]))
    assert f"All values except status and share apply to the whole team, {name}." in Page(form).text
    proposal = correct(organizer, row_of(contest, "ann"), place="2", shares_place="")
    preview = Page(organizer.get(proposal["Location"])).text
    assert f"Correct the results of {name} in {contest.name}?" in preview
    assert f"{name}: place 1 → 2" in preview
    confirm(organizer, proposal)
    assert (
        f"corrected the row of {name} in {contest.name}"
        in Page(organizer.get(reverse("organize:series", args=[series]))).text
    )
    assert rate(series).cause.startswith(f"Corrected {name} in {contest.name}: ")
    amended = Page(organizer.get(contest.get_absolute_url())).text
    assert f"{name}: place 1 → 2" in amended
    confirm(organizer, correct(organizer, row_of(contest, "ann"), status="disqualified"))
    assert rate(series).cause.startswith(f"Corrected ann in {contest.name}: "), "the others stay"


def test_after_a_tie_the_places_shown_count(organizer, regatta):
    confirm(organizer, correct(organizer, row_of(regatta, "di"), place="1"))
    shown = {"ann": "1", "bob": "3", "cy": "4", "di": "1", "ed": "5", "flo": "6"}
    assert places(organizer, regatta) == shown
    ed = row_of(regatta, "ed")
    assert organizer.get(reverse("organize:correct", args=[ed.pk])).context["form"]["place"].value() == 5
    proposal = correct(organizer, ed, place="3", shares_place="on")
    assert "ed: place 5 → 3, shared with bob" in Page(organizer.get(proposal["Location"])).text
    confirm(organizer, proposal)
    assert places(organizer, regatta) == shown | {"cy": "5", "ed": "3"}
    confirm(organizer, correct(organizer, row_of(regatta, "flo"), status="ranked"))
    assert row_of(regatta, "flo").rank == 6
