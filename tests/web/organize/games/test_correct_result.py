"""The result of a game, corrected in one step: the winner, or the scores of a game that has some."""

from __future__ import annotations

import pytest
from django.urls import reverse

from contests.models import AuditEntry, Contest, StandingStatus
from contests.queries.games import game_rows
from ratings.models import Rating
from tests.factories import make_contest, make_series, make_user, rate
from tests.pages import Page
from tests.web.organize.forms import confirm, finalize, save, upload

pytestmark = pytest.mark.django_db

GAMES = "date,white,black,result\n2025-05-01,ann,bo,1-0\n2025-05-01,eve,flo,+:-\n2025-05-01,ann + bo,cy + di,1-0\n"
SCORES = "date,home,away,result\n2025-05-01,ann,bo,1-0\n2025-05-01,cy,di,3-1\n"


@pytest.fixture
def series(client):
    user = make_user("ida")
    client.force_login(user)
    return make_series("chess", organizer=user)


@pytest.fixture
def draft(client, series):
    contest = make_contest(series, finalized=False)
    save(client, upload(client, contest, GAMES))
    contest.refresh_from_db()
    assert contest.game_count == 3
    return contest


@pytest.fixture
def event(client, series, draft):
    finalize(client, draft)
    rate(series)
    draft.refresh_from_db()
    return draft


def event_of_scores(client, series):
    contest = make_contest(series, finalized=False)
    save(client, upload(client, contest, SCORES))
    finalize(client, contest)
    return contest


def game_of(event, name):
    return event.games.get(name=name)


def result_of(game):
    return game_rows([Contest.objects.get(pk=game.pk)])[0].result


def places_of(game):
    return dict(game.standings.values_list("player__handle", "place")), dict(
        game.standings.values_list("player__handle", "rank")
    )


def correct(client, game, **fields):
    return client.post(reverse("organize:game-result", args=[game.pk]), {"reason": "a typing error"} | fields)


def ratings_of(series):
    series.refresh_from_db()
    found = Rating.objects.filter(series=series, player__handle__in=["ann", "bo"]).order_by("-mu")
    return list(found.values_list("player__handle", flat=True))


def rated_games(series, handle):
    series.refresh_from_db()
    found = Rating.objects.filter(series=series, player__handle=handle).first()
    return found.contest_count if found is not None else 0


@pytest.mark.parametrize(
    ("said", "result", "ranks"),
    [("second", "0–1", {"ann": 2, "bo": 1}), ("draw", "½–½", {"ann": 1, "bo": 1})],
)
def test_one_form_corrects_the_winner_of_a_game_and_shows_the_effect_first(client, event, said, result, ranks):
    game = game_of(event, "ann – bo")
    page = client.get(reverse("organize:game-result", args=[game.pk]))
    shown = Page(page).text
    assert "The result is 1–0." in shown
    for choice in ("ann won", "Draw", "bo won"):
        assert choice in shown
    assert page.context["form"]["result"].value() == "first"
    answer = correct(client, game, result=said)
    preview = Page(client.get(answer["Location"])).text
    assert f"Correct ann – bo to {result}?" in preview
    assert result_of(game) == "1–0", "the preview stores nothing"
    done = confirm(client, answer)
    assert f"Corrected ann – bo to {result}." in Page(done).text
    assert result_of(game) == result
    assert places_of(game) == (ranks, ranks)
    entries = AuditEntry.objects.filter(action="standing.correct", contest=game)
    assert {entry.reason for entry in entries} == {"a typing error"}
    game.refresh_from_db()
    assert game.amended_at is not None


def test_the_players_swap_their_ratings_once_the_series_is_rated_again(client, series, draft):
    draft.games.exclude(name="ann – bo").delete()
    finalize(client, draft)
    rate(series)
    assert ratings_of(series) == ["ann", "bo"]
    before = dict(Rating.objects.filter(series=series).values_list("player__handle", "mu"))
    confirm(client, correct(client, game_of(draft, "ann – bo"), result="second"))
    rate(series)
    assert ratings_of(series) == ["bo", "ann"]
    after = dict(Rating.objects.filter(series=series).values_list("player__handle", "mu"))
    assert after["ann"] == pytest.approx(before["bo"])
    assert after["bo"] == pytest.approx(before["ann"])


def test_a_game_with_scores_asks_for_scores(client, series):
    game = game_of(event_of_scores(client, series), "cy – di")
    page = client.get(reverse("organize:game-result", args=[game.pk]))
    shown = Page(page).text
    assert "Score of cy" in shown
    assert "cy won" not in shown
    assert (page.context["form"]["first"].value(), page.context["form"]["second"].value()) == (3, 1)
    confirm(client, correct(client, game, first="2", second="2"))
    assert result_of(game) == "2–2"
    assert places_of(game)[1] == {"cy": 1, "di": 1}
    confirm(client, correct(client, game, first="0", second="2"))
    assert result_of(game) == "0–2"
    assert places_of(game)[1] == {"cy": 2, "di": 1}


def test_where_games_have_scores_one_to_nil_is_a_score_as_well(client, series):
    game = game_of(event_of_scores(client, series), "ann – bo")
    page = client.get(reverse("organize:game-result", args=[game.pk]))
    assert (page.context["form"]["first"].value(), page.context["form"]["second"].value()) == (1, 0)
    confirm(client, correct(client, game, first="1", second="1"))
    assert result_of(game) == "1–1"


def test_a_player_can_join_a_team_but_not_a_game_of_two(client, event):
    for name, expected in (("ann – bo", False), ("ann + bo – cy + di", True)):
        game = game_of(event, name)
        page = client.get(reverse("organize:contest", args=[game.pk])).content.decode()
        assert (reverse("organize:standing-add", args=[game.pk]) in page) == expected, name


def test_all_members_of_a_team_get_its_result(client, event):
    game = game_of(event, "ann + bo – cy + di")
    assert places_of(game) == ({"ann": 1, "bo": 1, "cy": 3, "di": 3}, {"ann": 1, "bo": 1, "cy": 2, "di": 2})
    confirm(client, correct(client, game, result="second"))
    assert places_of(game) == ({"ann": 3, "bo": 3, "cy": 1, "di": 1}, {"ann": 2, "bo": 2, "cy": 1, "di": 1})
    history = Page(client.get(reverse("organize:contest", args=[game.pk]))).text
    assert [f"corrected the row of {team} in {game.name}" in history for team in ("ann + bo", "cy + di")] == [True] * 2
    confirm(client, correct(client, game, result="draw"))
    assert set(places_of(game)[1].values()) == {1}
    assert result_of(game) == "½–½"


def test_either_side_or_neither_wins_a_walkover(client, event):
    game = game_of(event, "eve – flo")
    shown = Page(client.get(reverse("organize:game-result", args=[game.pk]))).text
    assert "The result is + : −. The game was not played, so it is not rated." in shown
    confirm(client, correct(client, game, result="second", is_walkover="on"))
    assert result_of(game) == "− : +"
    confirm(client, correct(client, game, result="neither", is_walkover="on"))
    assert result_of(game) == "− : −"
    refused = correct(client, game, result="draw", is_walkover="on")
    assert (refused.status_code, "A walkover can’t be a draw" in Page(refused).text) == (422, True)


def test_a_game_that_was_played_becomes_a_walkover_that_is_not_rated(client, series, event):
    game = game_of(event, "ann – bo")
    assert rated_games(series, "ann") == 2
    answer = correct(client, game, result="second", is_walkover="on")
    preview = Page(client.get(answer["Location"])).text
    assert "Correct ann – bo to − : +?" in preview
    assert "The result was awarded without play, so the game is no longer rated." in preview
    confirm(client, answer)
    rate(series)
    assert result_of(game) == "− : +"
    assert rated_games(series, "ann") == 1
    public = Page(client.get(game.get_absolute_url())).text
    assert "This result was awarded without play, so it doesn’t change ratings." in public
    assert "awarded without play no → yes" in public


def test_a_walkover_becomes_a_game_that_is_rated(client, series, event):
    game = game_of(event, "eve – flo")
    assert rated_games(series, "eve") == 0
    refused = correct(client, game, result="neither")
    assert (refused.status_code, "“Neither side won” is for walkovers only" in Page(refused).text) == (422, True)
    answer = correct(client, game, result="draw")
    assert "The game was played, so it is rated." in Page(client.get(answer["Location"])).text
    confirm(client, answer)
    rate(series)
    assert result_of(game) == "½–½"
    assert rated_games(series, "eve") == 1


def test_the_same_scores_awarded_without_play_are_a_change(client, series):
    game = game_of(event_of_scores(client, series), "cy – di")
    refused = correct(client, game, first="2", second="2", is_walkover="on")
    assert (refused.status_code, "A walkover can’t be a draw" in Page(refused).text) == (422, True)
    confirm(client, correct(client, game, first="3", second="1", is_walkover="on"))
    assert result_of(game) == "+ : −"
    game.refresh_from_db()
    assert (game.is_walkover, game.is_rated) == (True, False)
    # No game with scores is left in this event, so it asks who won.
    confirm(client, correct(client, game, result="draw"))
    assert result_of(game) == "½–½"


def test_a_status_survives_the_correction_of_the_result(client, event):
    game = game_of(event, "ann – bo")
    game.standings.filter(player__handle="bo").update(status=StandingStatus.DISQUALIFIED, rank=None)
    confirm(client, correct(client, game, result="second"))
    assert dict(game.standings.values_list("player__handle", "status")) == {"ann": "ranked", "bo": "disqualified"}


def test_the_same_result_and_missing_values_are_refused_in_the_form(client, event):
    game = game_of(event, "ann – bo")
    answer = correct(client, game, result="first")
    assert answer.status_code == 422
    assert "Nothing changed: the game already has this result." in Page(answer).text
    answer = correct(client, game, result="second", reason=" ")
    assert answer.status_code == 422
    assert "Enter a reason." in Page(answer).text
    assert result_of(game) == "1–0"


def test_wrong_scores_are_refused_in_the_form(client, series):
    game = game_of(event_of_scores(client, series), "cy – di")
    for scores in ({}, {"first": "3"}, {"first": "nan", "second": "1"}, {"first": "1e9", "second": "1"}):
        assert correct(client, game, **scores).status_code == 422, scores
    assert result_of(game) == "3–1"


def test_a_result_that_someone_else_corrected_meanwhile_is_not_overwritten(client, event):
    game = game_of(event, "ann – bo")
    version = game.version
    confirm(client, correct(client, game, result="draw"))
    answer = correct(client, game, result="second", version=version)
    assert answer.status_code == 422
    assert result_of(game) == "½–½"


def test_a_game_of_a_draft_changes_at_once_and_without_a_reason(client, draft):
    game = game_of(draft, "ann – bo")
    page = client.get(reverse("organize:contest", args=[game.pk])).content.decode()
    assert reverse("organize:game-result", args=[game.pk]) in page
    assert "Finalize…" not in page, "the event is finalized as a whole"
    answer = client.post(reverse("organize:game-result", args=[game.pk]), {"result": "second"}, follow=True)
    assert "Corrected the result of “ann – bo”." in Page(answer).text
    assert result_of(game) == "0–1"


def test_the_pages_of_events_and_games_lead_to_the_form_and_contests_without_games_do_not(client, series, event):
    game = game_of(event, "ann – bo")
    address = reverse("organize:game-result", args=[game.pk])
    for page in (reverse("organize:contest", args=[event.pk]), reverse("organize:contest", args=[game.pk])):
        assert f'href="{address}"' in client.get(page).content.decode()
    contest = make_contest(series, players=3)
    address = reverse("organize:game-result", args=[contest.pk])
    assert f'href="{address}"' not in client.get(reverse("organize:contest", args=[contest.pk])).content.decode()
    answer = client.get(address, follow=True)
    assert "Only games have a result to correct." in Page(answer).text
    make_user("mal")
    client.logout()
    client.login(username="mal", password="password")
    assert correct(client, game, result="second").status_code in (302, 403, 404)
    assert result_of(game) == "1–0"


def test_equal_scores_that_do_not_change_leave_the_winner_of_the_tie_break(client, series):
    contest = make_contest(series, finalized=False)
    rows = "date,home,away,result,winner\n2025-05-01,ann,bo,2-2,bo\n2025-05-01,cy,di,3-1,cy\n"
    save(client, upload(client, contest, rows))
    finalize(client, contest)
    game = game_of(contest, "ann – bo")
    before = places_of(game)
    assert before[1] == {"ann": 2, "bo": 1}
    answer = correct(client, game, first="2", second="2")
    page = Page(client.get(answer["Location"]) if answer.status_code == 302 else answer).text
    assert "Nothing changed: the game already has this result." in page
    assert places_of(game) == before
    confirm(client, correct(client, game, first="3", second="2"))
    assert places_of(game)[1] == {"ann": 1, "bo": 2}
