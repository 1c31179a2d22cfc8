"""Leagues and season points on the page of a series' scheme."""

from __future__ import annotations

import re

import pytest
from django.urls import reverse

from contests.changes.base import read_change
from contests.errors import ContestError
from contests.models import AuditEntry
from ratings.models import Run
from ratings.publishing.schemes import choose_scheme
from tests.factories import make_contest, rate
from tests.pages import Page
from tests.web.organize.schemes import newest, send

pytestmark = pytest.mark.django_db

LEAGUES = {"league_choice": "moving_average"}
USUAL_LEAGUES = {
    "assignment": "moving_average",
    "contests": 10,
    "margin": None,
    "provisional_contests": 5,
    "provisional_sigma": None,
}


def beside(answer, field):
    """Return the part of a page between a field's label and the next one."""
    return answer.content.decode().split(f'for="id_{field}"')[1].split("<label")[0]


def test_leagues_are_chosen_without_rating_anything(organizer, rated):
    runs = Run.objects.count()
    answer = send(organizer, rated, **LEAGUES)
    assert answer.status_code == 302
    assert newest(rated).leagues == USUAL_LEAGUES
    assert newest(rated).season == {}
    assert not rated.stale_marks.exists()
    assert Run.objects.count() == runs
    page = organizer.get(reverse("organize:scheme", args=[rated]))
    assert "Promotion and relegation: immediate → leagues" in Page(page).text


def test_numbers_of_leagues_are_kept_and_shown_again(organizer, rated):
    send(organizer, rated, **LEAGUES, league_contests="4", league_margin="0", league_provisional_sigma="120.5")
    assert newest(rated).leagues == {**USUAL_LEAGUES, "contests": 4, "margin": 0, "provisional_sigma": 120.5}
    form = organizer.get(reverse("organize:scheme", args=[rated])).context["page"].options
    assert form["league_choice"].value() == "moving_average"
    assert [field.value() for field in [*form.average_fields, *form.league_fields]] == [4, 0, None, 120.5]


def test_a_form_without_these_fields_leaves_both_as_they_are(organizer, rated):
    choose_scheme(rated.pk, leagues=USUAL_LEAGUES, season={"length": "month"})
    send(organizer, rated, mapping="fermi")
    assert newest(rated).display["mapping"] == "fermi"
    assert newest(rated).leagues == USUAL_LEAGUES
    assert newest(rated).season["length"] == "month"


def test_both_can_be_switched_off_again(organizer, rated):
    choose_scheme(rated.pk, leagues=USUAL_LEAGUES, season={"length": "month"})
    send(organizer, rated, league_choice="instant", season_choice="none")
    assert newest(rated).leagues == newest(rated).season == {}


def test_saving_the_same_again_makes_no_version(organizer, rated):
    said = {**LEAGUES, "season_choice": "starts", "season_starts": "2025-01-01\n2024-01-01", "season_k": "20"}
    send(organizer, rated, **said)
    version = newest(rated).version
    answer = send(organizer, rated, **said)
    assert answer.status_code == 302
    assert newest(rated).version == version


def test_custom_season_dates_are_sorted_and_deduplicated(organizer, rated):
    send(organizer, rated, season_choice="starts", season_starts=" 2025-06-01, 2024-01-01;2025-06-01\n")
    assert newest(rated).season["starts"] == ["2024-01-01", "2025-06-01"]


@pytest.mark.parametrize(
    ("said", "field", "message"),
    [
        ({**LEAGUES, "league_contests": "0"}, "league_contests", "greater than or equal to 1"),
        ({**LEAGUES, "league_contests": "ten"}, "league_contests", "Enter a whole number."),
        ({**LEAGUES, "league_margin": "-1"}, "league_margin", "greater than or equal to 0"),
        ({**LEAGUES, "league_provisional_sigma": "80"}, "league_provisional_sigma", "Enter more than 80"),
        ({**LEAGUES, "league_provisional_sigma": "nan"}, "league_provisional_sigma", "Enter a number."),
        ({"season_choice": "starts"}, "season_starts", "Enter the first day of the first season."),
        (
            {"season_choice": "starts", "season_starts": "2024-13-01"},
            "season_starts",
            "“2024-13-01” is not a valid date",
        ),
        ({"season_choice": "starts", "season_starts": "0999-01-01"}, "season_starts", "between the years 1900"),
        ({"season_choice": "year", "season_k": "0"}, "season_k", "greater than or equal to 0.01"),
        ({"season_choice": "year", "season_bonus": "-1"}, "season_bonus", "greater than or equal to 0"),
        (
            {"system": "elo", **LEAGUES, "league_provisional_sigma": "80"},
            "league_provisional_sigma",
            "has no uncertainty",
        ),
    ],
)
def test_invalid_options_have_an_error_at_the_field(organizer, rated, said, field, message):
    answer = send(organizer, rated, **said)
    assert answer.status_code == 422
    assert message in beside(answer, field)
    assert newest(rated).version == 1


def test_markup_in_a_day_is_text(organizer, rated):
    answer = send(organizer, rated, season_choice="starts", season_starts="<b>soon</b>")
    assert "&lt;b&gt;soon&lt;/b&gt;” is not a valid date" in answer.content.decode()


def test_an_unknown_choice_is_refused(organizer, rated):
    assert send(organizer, rated, league_choice="lottery").status_code == 422
    assert send(organizer, rated, season_choice="fortnight").status_code == 422


def test_a_ladder_has_no_season_points(organizer, rated):
    answer = send(organizer, rated, system="ladder", season_choice="year")
    assert answer.status_code == 422
    assert "A ladder has positions but no strengths" in answer.content.decode()


def test_with_another_system_both_options_are_part_of_the_proposal(organizer, rated):
    answer = send(organizer, rated, system="elo", **LEAGUES, season_choice="quarter", season_bonus="0")
    change = read_change(re.search("change=(.*)", answer["Location"]).group(1))
    change.apply(actor=None)
    assert newest(rated).leagues == USUAL_LEAGUES
    assert newest(rated).season == {"length": "quarter", "k": None, "scale": 400.0, "bonus_per_day": 0.0}
    page = Page(organizer.get(answer["Location"]))
    assert page.status == 200


def test_without_a_script_the_numbers_of_a_choice_are_shown_by_a_button(organizer, rated):
    page = send(organizer, rated, **LEAGUES, season_choice="starts", show="parameters").content.decode()
    assert re.search('id="leagues" data-leagues="moving_average confidence"\\s*>', page)
    assert '<fieldset data-season="starts">' in page
    hidden = send(organizer, rated, league_choice="instant", season_choice="none", show="parameters").content.decode()
    assert re.search('data-leagues="moving_average"\\s+hidden disabled>', hidden)
    assert newest(rated).version == 1


def test_a_preview_with_a_wrong_number_names_it(organizer, rated):
    answer = send(organizer, rated, **LEAGUES, league_contests="1000", show="fragment")
    assert "Contests averaged" in answer.content.decode()
    assert "less than or equal to 100" in answer.content.decode()


def test_the_history_says_what_was_changed(organizer, rated):
    send(organizer, rated, **LEAGUES, season_choice="year")
    send(organizer, rated, **LEAGUES, league_margin="5", season_choice="month")
    text = Page(organizer.get(reverse("organize:scheme", args=[rated]))).text
    assert "Season points: none → each calendar year" in text
    assert "Season points: each calendar year → each month" in text
    assert "Margin before relegation: default → 5" in text
    send(organizer, rated, **LEAGUES, season_choice="starts", season_starts="2024-01-01", season_bonus="2")
    text = Page(organizer.get(reverse("organize:scheme", args=[rated]))).text
    assert "Season points: each month → from chosen dates" in text
    assert "First days of the seasons: none → 2024-01-01" in text
    assert "Bonus per day: default → 2" in text
    send(organizer, rated, **LEAGUES, season_choice="none")
    text = Page(organizer.get(reverse("organize:scheme", args=[rated]))).text
    newest_version = text.partition("Version 5")[2].partition("Version 4")[0]
    assert "Season points: from chosen dates → none" in newest_version
    assert "First days of the seasons: 2024-01-01 → none" in newest_version
    assert "Bonus per day" not in newest_version


def test_what_was_chosen_is_in_the_audit_log(organizer, rated):
    send(organizer, rated, **LEAGUES, season_choice="month")
    entry = AuditEntry.objects.filter(action="scheme.choose").order_by("-id")[0]
    assert entry.before["leagues"] == {}
    assert entry.after["leagues"] == USUAL_LEAGUES
    assert entry.after["season"]["length"] == "month"


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ({"leagues": {"assignment": "lottery"}}, "assignment must be"),
        ({"leagues": {**USUAL_LEAGUES, "provisional_sigma": 80.0}}, "must be above 80"),
        ({"system": "topcoder", "leagues": {**USUAL_LEAGUES, "provisional_sigma": 80.0}}, "leave it empty"),
        ({"season": {"starts": []}, "system": "ladder"}, "no strengths"),
        ({"season": {"k": -5}}, "k must be a number"),
    ],
)
def test_the_service_refuses_with_a_message_and_changes_nothing(rated, choice, message):
    with pytest.raises(ContestError, match=message):
        choose_scheme(rated.pk, **choice)
    assert newest(rated).version == 1


def test_leagues_lose_a_deviation_limit_that_a_new_scheme_makes_meaningless(rated):
    choose_scheme(rated.pk, leagues={**USUAL_LEAGUES, "provisional_sigma": 120.0}, season={"length": "year"})
    choose_scheme(rated.pk, parameters={"sig_limit": 60.0})
    assert newest(rated).leagues["provisional_sigma"] == 120
    choose_scheme(rated.pk, parameters={"sig_limit": 150.0})
    assert newest(rated).leagues["provisional_sigma"] is None
    choose_scheme(rated.pk, system="ladder")
    assert newest(rated).leagues == USUAL_LEAGUES
    assert newest(rated).season == {}


def test_the_rest_api_returns_both_with_their_defaults(client, rated):
    address = reverse("api:series", args=[rated.community_id, rated.slug])
    assert client.get(address).json()["scheme"]["leagues"] is None
    choose_scheme(rated.pk, leagues={"assignment": "moving_average"}, season={"starts": ["2024-01-31"]})
    scheme = client.get(address).json()["scheme"]
    assert scheme["leagues"] == {**USUAL_LEAGUES, "margin": 50, "k": None, "division_size": None}
    days = {"length": None, "starts": ["2024-01-31"], "bonus_in_level": True}
    assert scheme["season"] == {**days, "k": 60.0, "scale": 400.0, "bonus_per_day": 1.0}
    choose_scheme(rated.pk, display={"mapping": "fermi", "range": 10_000})
    make_contest(rated, players=3)
    rate(rated)
    assert client.get(address).json()["scheme"]["season"] == {**days, "k": 900.0, "scale": None, "bonus_per_day": 15.0}


def test_leagues_by_confidence_with_divisions_and_a_separate_bonus(organizer, rated):
    chosen = {"league_choice": "confidence", "league_k": "2", "league_division_size": "50", "league_margin": "7"}
    send(organizer, rated, **chosen, season_choice="year", season_bonus_apart="on")
    stored = {"assignment": "confidence", "k": 2.0, "provisional_contests": 5, "provisional_sigma": None}
    assert newest(rated).leagues == {**stored, "division_size": 50}
    assert newest(rated).season["bonus_in_level"] is False
    page = organizer.get(reverse("organize:scheme", args=[rated]))
    form = page.context["page"].options
    names = ("league_choice", "league_k", "league_division_size", "league_margin", "season_bonus_apart")
    assert [form[name].value() for name in names] == ["confidence", 2, 50, None, True]
    send(organizer, rated, league_choice="moving_average", season_choice="year")
    assert newest(rated).leagues == USUAL_LEAGUES
    assert "bonus_in_level" not in newest(rated).season
    text = Page(organizer.get(reverse("organize:scheme", args=[rated]))).text
    assert "Promotion and relegation: confidence → moving average" in text
    assert "Players in a division: 50 → none" in text
    assert "Include the bonus when points are compared with ratings: no → yes" in text


def test_confidence_needs_an_uncertainty(organizer, rated):
    answer = send(organizer, rated, system="elo", league_choice="confidence")
    assert answer.status_code == 422
    assert "This rating system has no uncertainty. Choose the average." in Page(answer).text
    with pytest.raises(ContestError, match="choose the moving average"):
        choose_scheme(rated.pk, system="elo", leagues={"assignment": "confidence"})
    choose_scheme(rated.pk, leagues={"assignment": "confidence", "k": 2, "provisional_contests": 7})
    # With a system without uncertainty, leagues stay, by the moving average.
    assert choose_scheme(rated.pk, system="elo").leagues == {**USUAL_LEAGUES, "provisional_contests": 7}
