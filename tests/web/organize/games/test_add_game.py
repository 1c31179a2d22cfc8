"""One game in a form: two players, the button of the result and a preview; finalized and audited like a file."""

from __future__ import annotations

from datetime import timedelta
from unittest.mock import patch

import pytest
from django.conf import settings
from django.db import OperationalError
from django.urls import reverse
from django.utils import timezone

from contests.changes.of_games import AddGame
from contests.models import AuditEntry, Contest, Player
from ratings.models import Rating, StaleMark
from ratings.publishing.schemes import choose_scheme
from tests.factories import make_community, make_contest, make_player, make_series, make_user, rate
from tests.pages import Page
from tests.web.organize.forms import confirm, finalize

pytestmark = pytest.mark.django_db


@pytest.fixture
def ida(client):
    user = make_user("ida")
    client.force_login(user)
    return user


@pytest.fixture
def series(ida):
    make_player("Ann")
    return make_series("chess", organizer=ida)


def enter(client, series, **fields):
    said = {"first": "ann", "second": "Bo", "result": "first", "day": "2025-05-01"} | fields
    return client.post(reverse("organize:game-add", args=[series]), said)


def test_the_same_game_can_be_added_any_number_of_times(client, series):
    for number in range(1, 5):
        confirm(client, enter(client, series))
        assert Contest.objects.filter(is_event=False).count() == number


def test_a_button_that_is_pressed_twice_adds_the_game_once(client, series):
    address = enter(client, series)["Location"]
    with patch.object(AddGame, "apply", side_effect=OperationalError), pytest.raises(OperationalError):
        client.post(address)
    first, second = client.post(address), client.post(address)
    assert first["Location"] == second["Location"] == reverse("organize:game-add", args=[series])
    assert Contest.objects.filter(is_event=False).count() == 1


def test_a_bye_is_no_game(client, series):
    answer = enter(client, series, second="Bye")
    page = Page(client.get(answer["Location"]) if answer.status_code == 302 else answer).text
    assert "“Bye” stands for a bye, which is not a game." in page
    assert not Player.objects.filter(handle="Bye").exists()


def test_the_form_begins_with_today_and_leads_through_a_preview_back_to_itself(client, series, ida):
    page = client.get(reverse("organize:game-add", args=[series]))
    assert page.context["form"]["day"].value() == timezone.localdate()
    buttons = page.content.decode().partition('game-form"')[2].split("<button")[1:]
    assert "disabled" in buttons[0], "the Enter key must not choose a result"
    assert "Walkover One side won without playing. Podium lists the result, but does not rate it." in Page(page).text
    answer = enter(client, series)
    shown = Page(client.get(answer["Location"])).text
    assert "Add ann – Bo, 1–0?" in shown
    assert "Played on 1 May 2025." in shown
    assert "Podium does not know “Bo” yet, so it will create a new player." in shown
    assert "“ann” is not known" not in shown
    assert not Player.objects.filter(handle="Bo").exists(), "the preview stores nothing"
    done = confirm(client, answer)
    assert done.redirect_chain[-1][0] == reverse("organize:game-add", args=[series])
    assert "Added ann – Bo, 1–0." in Page(done).text
    game = Contest.objects.get(is_event=False)
    assert (game.event.name, game.event.game_count, game.state, game.is_rated) == (
        "Games of 1 May 2025", 1, "finalized", True,
    )  # fmt: skip
    assert list(game.standings.order_by("rank").values_list("player__handle", flat=True)) == ["Ann", "Bo"]
    entry = AuditEntry.objects.get(action="game.add")
    assert (entry.actor, entry.contest, entry.after["new_players"]) == (ida, game, 1)
    assert StaleMark.objects.get().since == game.ends_at
    rate(series)
    assert Rating.objects.get(player__handle="Ann").mu > Rating.objects.get(player__handle="Bo").mu
    confirm(client, enter(client, series, first="Bo", second="Cy", result="draw"))
    assert Contest.objects.filter(is_event=True).count() == 1


def test_all_events_of_a_series_are_named_in_the_language_of_the_first_one(client, series):
    confirm(client, enter(client, series, day="2025-05-01"))
    client.cookies[settings.LANGUAGE_COOKIE_NAME] = "de"
    confirm(client, enter(client, series, day="2025-05-02"))
    assert set(Contest.objects.filter(is_event=True).values_list("name", flat=True)) == {
        "Games of 1 May 2025", "Games of 2 May 2025",
    }  # fmt: skip
    Contest.objects.filter(is_event=True).update(name="Our games")
    confirm(client, enter(client, series, day="2025-05-03"))
    assert Contest.objects.get(slug="games-2025-05-03").name == "Partien vom 3. Mai 2025"
    Contest.objects.filter(slug="games-2025-05-03").update(slug="games-of-may")
    confirm(client, enter(client, series, day="2025-05-04"))
    assert Contest.objects.get(slug="games-2025-05-04").name == "Partien vom 4. Mai 2025"


def test_the_preview_warns_about_a_day_in_the_future(client, series):
    today = timezone.now().date()
    for days, expected in ((-1, False), (0, False), (2, True), (400, True)):
        day = (today + timedelta(days=days)).isoformat()
        shown = Page(client.get(enter(client, series, day=day)["Location"])).text
        assert ("This day is in the future" in shown) == expected, days


@pytest.mark.parametrize("language", ["en", "de"])
def test_the_date_is_written_as_browsers_read_it_in_every_language(client, series, language):
    content = client.get(reverse("organize:game-add", args=[series]), headers={"accept-language": language})
    assert f'<html lang="{language}"' in content.content.decode()
    assert f'value="{timezone.localdate():%Y-%m-%d}"' in content.content.decode()


def test_the_preview_names_a_known_game_a_walkover_and_an_event(client, series):
    confirm(client, enter(client, series))
    again = enter(client, series)
    assert "The series already has a game between these players" in Page(client.get(again["Location"])).text
    confirm(client, again)
    assert Contest.objects.filter(is_event=False).count() == 2, "they played again"
    cup = Contest.objects.get(is_event=True)
    answer = enter(client, series, is_walkover="on", event=cup.pk, round="2", day="2025-06-01")
    assert "not rated" in Page(client.get(answer["Location"])).text
    assert confirm(client, answer).redirect_chain[-1][0].endswith(f"?event={cup.pk}")
    cup.refresh_from_db()
    assert (cup.game_count, f"{cup.ends_at:%m-%d}") == (3, "06-01")
    last = cup.games.in_order().last()
    assert (last.round, last.is_walkover, last.is_rated) == ("2", True, False)


def test_bad_input_says_what_to_do_and_keeps_what_was_typed(client, series):
    for fields, words in (
        ({"second": "ANN"}, "A player cannot play on both sides of a game"),
        ({"second": ""}, "This field is required."),
        ({"result": ""}, "Press the button with the result."),
        ({"day": "2025-13-01"}, "Enter a valid date."),
        ({"day": "1066-10-14"}, "The year must be between 1800 and 2200."),
        ({"second": "a + a"}, "A player is in this team twice"),
        ({"second": "x" * 200}, "the handle has 200 characters"),
        (
            {"is_walkover": "on", "result": "draw"},
            "A walkover can’t be a draw. Choose who won, or untick “Walkover”.",
        ),
        ({"event": "999999"}, "Select a valid choice."),
        ({"handicap_first": "many"}, "Enter a number."),
        ({"handicap_first": "nan"}, "Enter a number."),
        ({"handicap_second": "1e7"}, "less than or equal to 1000000"),
    ):
        answer = enter(client, series, **fields)
        assert answer.status_code == 422, fields
        assert words.lower() in Page(answer).text.lower(), fields
        assert 'value="ann"' in answer.content.decode()
    assert not Contest.objects.exists()


def test_a_series_that_needs_a_second_person_collects_the_games_in_a_draft(client, series, ida):
    series.needs_approval = True
    series.save()
    confirm(client, enter(client, series))
    confirm(client, enter(client, series, first="Bo", second="Cy"))
    event = Contest.objects.get(is_event=True)
    assert (event.state, event.game_count, StaleMark.objects.count()) == ("draft", 2, 0)
    finalize(client, event)
    event.refresh_from_db()
    assert event.asked_by == ida
    page = reverse("organize:contest", args=[event.pk])
    assert "Another organizer of the series has to confirm." in Page(client.get(page)).text
    client.force_login(make_user("bob", is_staff=True))
    finalize(client, event)
    assert set(event.games.values_list("state", flat=True)) == {"finalized"}
    assert "a second organizer has to confirm: check the draft" not in Page(client.get(page)).text


def test_the_event_of_a_day_has_a_name_in_the_language_of_the_organizer(client, series):
    client.defaults["HTTP_ACCEPT_LANGUAGE"] = "de"
    confirm(client, enter(client, series))
    assert Contest.objects.get(is_event=True).name == "Partien vom 1. Mai 2025"


def test_a_handicap_is_stored_previewed_and_respected_by_ratings(client, series):
    make_player("Bo")
    answer = enter(client, series, handicap_second="300")
    assert "“Bo” had a handicap of +300 rating points." in Page(client.get(answer["Location"])).text
    confirm(client, answer)
    game = Contest.objects.get(is_event=False)
    assert game.has_handicaps
    assert dict(game.standings.values_list("player__handle", "handicap")) == {"Ann": None, "Bo": 300.0}
    assert AuditEntry.objects.get(action="game.add").after["handicaps"] == [None, 300.0]
    rate(series)
    even = make_series("even")
    make_contest(even, standings=[("ann", 1), ("bo", 2)])
    rate(even)
    won, plain = (Rating.objects.get(player__handle="Ann", series=each).mu for each in (series, even))
    assert won > plain, "beating someone with an advantage counts more"


def test_the_form_suggests_the_handicap_for_an_even_game_and_adds_nothing(client, series):
    make_contest(series, standings=[("ann", 1), ("bo", 2)])
    rate(series)
    difference = Rating.objects.get(player__handle="Ann").mu - Rating.objects.get(player__handle="bo").mu
    answer = enter(client, series, show="even", result="")
    assert answer.status_code == 200
    form = answer.context["form"]
    assert (form["first"].value(), form["handicap_first"].value()) == ("ann", "")
    assert float(form["handicap_second"].value()) == pytest.approx(difference, abs=0.5)
    assert "Nothing has been saved yet." in Page(answer).text
    turned = enter(client, series, show="even", first="bo", second="Ann").context["form"]
    assert turned["handicap_first"].value() == form["handicap_second"].value()
    for fields, words in (
        ({"second": "Zed"}, "Podium does not know “Zed” yet"),
        ({"second": ""}, "Enter both players first."),
        ({"second": "ann"}, "A player cannot play on both sides"),
    ):
        refused = enter(client, series, show="even", **fields)
        assert (refused.status_code, words.lower() in Page(refused).text.lower()) == (422, True), fields
    assert Contest.objects.count() == 1


def test_ladders_have_no_handicaps(client, ida):
    ladder = make_series("ladder", organizer=ida)
    choose_scheme(ladder.pk, system="ladder")
    assert "handicap" not in Page(client.get(reverse("organize:game-add", args=[ladder]))).text.lower()
    answer = enter(client, ladder, handicap_first="100")
    assert (answer.status_code, "handicap" in Page(answer).text) == (422, True)
    assert not Contest.objects.exists()


def test_outsiders_cannot_add_games_or_use_events_of_others(client, series):
    other = make_series("hidden", community=make_community("club").pk, is_public=False)
    foreign = make_contest(other, finalized=False, is_event=True, is_rated=False)
    assert enter(client, other).status_code == 404
    assert enter(client, series, event=foreign.pk).status_code == 422
    client.logout()
    assert enter(client, series).status_code == 302
    assert Contest.objects.filter(is_event=False).count() == 0


def test_a_new_name_that_resembles_a_known_one_is_asked_about_once(client, series):
    make_player("Katharina", name="Katharina K")
    make_contest(series, standings=[("Katharina", 1), ("Dieter", 2)])
    asked = enter(client, series, second="Katharna")
    assert asked.status_code == 200
    text = Page(asked).text
    assert "No player has the handle “Katharna”, but similar names are known: Katharina Katharina K" in text
    assert '<input type="hidden" name="asked" value="Katharna">' in asked.content.decode()
    assert 'name="use_second" value="Katharina"' in asked.content.decode()
    chosen = client.post(
        reverse("organize:game-add", args=[series]),
        {"first": "ann", "second": "Katharna", "day": "2025-05-01", "use_second": "Katharina"},
    )
    assert [chosen.context["form"][name].value() for name in ("first", "second", "day")] == [
        "ann", "Katharina", "2025-05-01",
    ]  # fmt: skip
    new = enter(client, series, second="Katharna", asked="Katharna")
    text = Page(client.get(new["Location"])).text
    assert "Podium does not know “Katharna” yet, so it will create a new player." in text
    team = enter(client, series, second="Dieter + Katharna", first="ann + Bo")
    assert 'value="Dieter + Katharina"' in team.content.decode()
    assert Contest.objects.count() == 1, "nothing is added"
