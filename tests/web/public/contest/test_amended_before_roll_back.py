"""Pages of a contest whose results were amended after the run that a roll-back restored."""

import pytest

from contests.services.correcting import Correction, correct_standing
from ratings.queries.roll_backs import rates_other_results
from ratings.queries.snapshot import snapshot_of
from tests.factories import make_contest, make_series, rate, roll_back
from tests.pages import Page

pytestmark = pytest.mark.django_db


def correct(contest, handle, status, place):
    standing = contest.standings.get(player__handle=handle)
    correct_standing(standing.pk, correction=Correction(status, place=place), reason="appeal", actor=None)


@pytest.fixture
def amended():
    """A contest that had two winners when it was rated, and a disqualified player who later won an appeal."""
    series = make_series()
    make_contest(series, standings=[("ann", 1), ("bob", 2), ("dan", 3), ("hal", 4)])
    rows = [("bob", 1), ("dan", 1), ("ann", 3), ("eve", 4), ("hal", 5, None, "disqualified")]
    contest = make_contest(series, standings=rows)
    rate(series)
    return contest


def roll_back_after_appeal(contest):
    correct(contest, "hal", "ranked", 1)
    rate(contest.series)
    roll_back(contest.series_id, 1, reason="wrong file")
    contest.refresh_from_db()


def test_the_story_is_left_out_and_favourites_say_how_they_were_rated(client, amended):
    text = Page(client.get(f"/contests/{amended.pk}/")).text
    assert "bob and dan shared first place." in text
    assert "place used for the rating:" not in text
    roll_back_after_appeal(amended)
    text = Page(client.get(f"/contests/{amended.pk}/")).text
    assert "hal" in text[text.index("Podium Place 1") : text.index("Favourites")]
    assert "shared first place" not in text
    assert "The story" not in text
    favourites = text[text.index("Favourites") : text.index("In order of their ratings")]
    assert favourites.count("place used for the rating:") == 3
    assert "finished" not in favourites


def test_the_analysis_says_that_places_are_those_that_were_rated(client, amended):
    page = Page(client.get(f"/contests/{amended.pk}/analysis/"))
    assert "and tied for first place" in page.text or "one of several winners" in page.text
    assert "Place used for the rating" not in page.text
    roll_back_after_appeal(amended)
    page = Page(client.get(f"/contests/{amended.pk}/analysis/"))
    assert "This page is about the results as they were rated." in page.text
    assert "tied for first place" not in page.text
    assert "several winners" not in page.text
    assert page.tables
    for table in page.tables:
        assert "Place" not in table[0]


def test_pages_of_a_player_say_that_the_place_was_rated(client, amended):
    why = f"/contests/{amended.pk}/why/bob/"
    assert "Last contest 1st of 4" in Page(client.get("/c/main/players/bob/")).text
    assert "Actual place 1" in Page(client.get(why)).text
    roll_back_after_appeal(amended)
    assert "Last contest Place used for the rating: 1 of 4" in Page(client.get("/c/main/players/bob/")).text
    text = Page(client.get(why)).text
    assert "Place used for the rating 1" in text
    assert "This page is about the results as they were rated." in text
    assert "ctual" not in text


def test_pages_stay_as_they_are_if_an_amendment_left_all_places(client, amended):
    bob = amended.standings.get(player__handle="bob")
    correction = Correction("ranked", place=1, shares_place=True, score=12)
    correct_standing(bob.pk, correction=correction, reason="typing error", actor=None)
    rate(amended.series, full=True)
    roll_back(amended.series_id, 1, reason="wrong file")
    amended.refresh_from_db()
    assert amended.amended_at
    assert not rates_other_results(snapshot_of(amended.series).run, amended)
    assert "bob and dan shared first place." in Page(client.get(f"/contests/{amended.pk}/")).text
    correct(amended, "hal", "ranked", 5)
    amended.refresh_from_db()
    assert rates_other_results(snapshot_of(amended.series).run, amended)
