"""The page of a roll-back: its preview, refusals, and the result."""

from __future__ import annotations

import pytest
from django.urls import reverse

from contests.services.contests import delete_contest
from ratings.models import Rating, Run, RunState, StaleMark
from ratings.publishing.refresh import refresh_series
from ratings.publishing.rolling_back import ask_roll_back
from ratings.publishing.schemes import choose_scheme
from tests.factories import make_contest, rate
from tests.pages import Page
from tests.web.organize.runs.test_runs import address

pytestmark = pytest.mark.django_db


def test_the_preview_of_a_roll_back_says_what_it_does(organizer, two_runs):
    delete_contest(two_runs.contests.get(name="Summer").pk, reason="a rehearsal")
    rate(two_runs)
    before = list(Rating.objects.order_by("pk").values_list("mu"))
    page = Page(organizer.get(address("run-roll-back", two_runs, 1)))
    assert page.headings == ["Roll back to run 1?"]
    assert "1 contest rated since then would no longer count: Autumn." in page.text
    assert "1 contest corrected since then would count as it did before the correction: Spring." in page.text
    assert "1 contest deleted or made unrated since then would count again: Summer." in page.text
    assert {row[0].split(" ")[0] for row in page.tables[0][1:]} == {"ann", "bob", "cem", "eve"}
    assert list(Rating.objects.order_by("pk").values_list("mu")) == before
    assert Run.objects.count() == 3


def test_a_roll_back_is_made_for_a_reason_and_shown_until_results_count_again(organizer, two_runs, ida):
    refused = organizer.post(address("run-roll-back", two_runs, 1), {"reason": " "})
    assert refused.status_code == 422
    text = Page(refused).text
    preview = text.index("Players whose rating or rank changes")
    assert text.index("Nothing was saved.") < preview, "in sight, above the preview"
    answer = organizer.post(address("run-roll-back", two_runs, 1), {"reason": "too early"})
    assert answer["Location"] == address("progress", two_runs)
    waiting = organizer.get(address("progress-json", two_runs)).json()
    assert (waiting["state"], waiting["run"]) == ("waiting", 3)
    run = refresh_series(two_runs.pk)
    assert (run.number, run.state, run.actor) == (3, RunState.PUBLISHED, ida)
    for page in (organizer.get(address("progress", two_runs)), organizer.get(address("runs", two_runs))):
        text = Page(page).text
        assert "Run 3 shows the ratings of run 1 again" in text
        assert "1 contest rated since then does not count: Autumn." in text
    text = Page(organizer.get(address("run", two_runs, 3))).text
    assert "Rolled back to run 1: too early" in text
    offered = [organizer.get(address(*at)).content.decode() for at in (("runs", two_runs), ("run", two_runs, 1))]
    assert address("run-roll-back", two_runs, 2) in offered[0]
    assert not [page for page in offered if address("run-roll-back", two_runs, 1) in page], "shown already"
    history = Page(organizer.get(reverse("organize:series", args=[two_runs]))).text
    assert "ida rolled back to run 1 of Harbour Cup" in history
    autumn = two_runs.contests.get(name="Autumn")
    text = Page(organizer.get(reverse("contest", args=[autumn.pk]))).text
    assert "count at the moment: the organizers restored the ratings of update 1" in text
    assert "as of update 1" in Page(organizer.get(reverse("leaderboard", args=[two_runs]))).text
    organizer.post(address("rate-results", two_runs))
    assert StaleMark.objects.count() == 1
    assert refresh_series(two_runs.pk).number == 4
    assert "shows run 1 again" not in Page(organizer.get(address("runs", two_runs))).text


def test_an_impossible_roll_back_is_explained(organizer, two_runs):
    for number, words in ((2, "already see the ratings of run 2"), (1, "")):
        answer = organizer.get(address("run-roll-back", two_runs, number))
        assert answer.status_code == (409 if words else 200)
        assert words in Page(answer).text
    make_contest(two_runs, standings=[("ann", 1), ("bob", 2)])
    answer = organizer.post(address("run-roll-back", two_runs, 1), {"reason": "too early"})
    assert answer.status_code == 409
    assert "Results have changed and are not rated yet" in Page(answer).text
    assert Run.objects.count() == 2
    assert organizer.get(address("run-roll-back", two_runs, 9)).status_code == 404


def test_a_roll_back_to_another_system_explains_which_scheme_rates_next(organizer, two_runs):
    choose_scheme(two_runs.pk, system="elo")
    rate(two_runs)
    text = Page(organizer.get(address("run-roll-back", two_runs, 1))).text
    assert "with the current scheme instead of the scheme of run 1" in text


def test_pressing_twice_rolls_back_once(organizer, two_runs):
    ask_roll_back(two_runs.pk, 1, reason="too early")
    answer = organizer.post(address("run-roll-back", two_runs, 1), {"reason": "too early"})
    assert answer.status_code == 409
    assert "Run 3 is not finished" in Page(answer).text


def test_a_failed_roll_back_is_explained(organizer, two_runs, monkeypatch):
    choose_scheme(two_runs.pk, system="kreimeier", parameters={"decay": 0.5})
    rate(two_runs)
    make_contest(two_runs, standings=[("ann", 1), ("bob", 2)])
    rate(two_runs)
    two_runs.contests.filter(name="Spring").update(weight=3.0)
    answer = organizer.get(address("run-roll-back", two_runs, 3))
    assert answer.status_code == 409
    assert "Run 3 cannot be shown again. With the Kreimeier system" in Page(answer).text
    monkeypatch.setattr("web.organize.runs.rolling_back.TRIED_PLAYERS", 0)
    assert organizer.get(address("run-roll-back", two_runs, 3)).status_code == 200
    organizer.post(address("run-roll-back", two_runs, 3), {"reason": "too early"})
    refresh_series(two_runs.pk)
    numbers = organizer.get(address("progress-json", two_runs)).json()
    assert (numbers["state"], numbers["is_over"], numbers["run"]) == ("refused", True, 5)
    page = Page(organizer.get(address("progress", two_runs)))
    assert page.headings == ["Roll-back to run 3 not completed"]
    assert "Run 3 cannot be shown again. With the Kreimeier system" in page.text
    cancelled = ask_roll_back(two_runs.pk, 2, reason="then this")
    organizer.post(address("run-cancel", two_runs, cancelled.number))
    assert "Run 6 was cancelled by ida" in Page(organizer.get(address("progress", two_runs))).text
