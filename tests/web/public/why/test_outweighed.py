"""The sentence for changes that go against the result: better than expected and still lower, or the other way round."""

import pytest

from ratings.publishing.schemes import choose_scheme
from tests.factories import make_contest, make_series, rate
from tests.pages import Page

pytestmark = pytest.mark.django_db

#: Places of the players named by letters, contest by contest.
FELL = [
    {"a": 1, "b": 1, "c": 3, "d": 3, "e": 3, "f": 3},
    {"a": 1, "c": 2, "b": 3, "d": 4, "f": 4, "e": 4},
    {"c": 1, "e": 1, "b": 1, "d": 4, "a": 5, "f": 5},
]
ROSE = [
    {"a": 1, "b": 1, "c": 3, "d": 3, "f": 3, "e": 6},
    {"a": 1, "c": 2, "b": 3, "e": 4, "d": 5, "f": 5},
    {"d": 1, "c": 2, "f": 3, "b": 4, "a": 5, "e": 5},
]
BY_OPPONENTS = "because it also matters which opponents finished ahead and which finished behind."
BY_FACTORS = "because other factors outweighed the result."


def why_page(client, contests, handle, last_day=9, **scheme):
    """Return the page of a player's change in the last of some contests."""
    series = make_series("cup")
    choose_scheme(series.pk, system="elo-mmr", **scheme)
    for number, places in enumerate(contests):
        day = last_day if number == len(contests) - 1 else number
        contest = make_contest(series, standings=list(places.items()), day=day)
    rate(series)
    return Page(client.get(f"/contests/{contest.pk}/why/{handle}/"))


@pytest.mark.parametrize(
    ("contests", "handle", "verb", "places", "sentence"),
    [
        (FELL, "b", "lose", "better", f"The rating still fell, {BY_OPPONENTS}"),
        (ROSE, "e", "gain", "worse", f"The rating still rose, {BY_OPPONENTS}"),
    ],
)
def test_a_shared_place_that_goes_against_the_change_is_explained(client, contests, handle, verb, places, sentence):
    page = why_page(client, contests, handle)
    assert page.headings[0].startswith(f"Why did {handle} {verb}")
    assert f"places {places} than expected. {sentence}" in page.text


def test_changes_in_the_direction_of_the_result_need_no_such_sentence(client):
    text = why_page(client, FELL, "e").text
    assert "places better than expected." in text
    assert "still" not in text


@pytest.mark.parametrize("others", ["b", "bcdefghij"])
def test_uncertainty_after_a_break_can_outweigh_the_result(client, others):
    contests = [{handle: place for place, handle in enumerate("abcdefghij", start=1)}] * 4
    last = {handle: place for place, handle in enumerate("a" + others, start=1)}
    display = {"mapping": "offset", "k": 3.0}
    page = why_page(client, [*contests, last], "a", 900, parameters={"drift_per_day": 10.0}, display=display)
    assert page.headings[0].startswith("Why did a lose")
    assert f"The rating still fell, {BY_FACTORS}" in page.text
