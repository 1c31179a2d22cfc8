"""A file of games through the organizer's pages: matched at once, saved as one event, finalized with one decision."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from django.core.management import call_command
from django.urls import reverse
from django.utils import timezone

from contests.errors import ContestError
from contests.models import AuditEntry, Contest, ContestState, Player
from contests.queries.games import score_table
from contests.services.contests import delete_contest, finalize_contest, restore_contest
from contests.services.describing import ContestDescription, describe_contest
from contests.services.renaming import add_alias
from contests.uploads.importing import ImportOptions, import_file
from ratings.models import Rating
from ratings.publishing.undoing import causes_since, undo_causes
from tests.factories import make_contest, make_player, make_series, make_user, rate
from tests.pages import Page
from tests.web.organize.forms import confirm, finalize, press, save, upload

pytestmark = pytest.mark.django_db
HEAD = "date,white,black,result,round\n"
ROWS = HEAD + (
    "2025-05-02,Ann,Bo,1-0,2\n2025-05-01,Cy,Di,½-½,1\n2025-05-01,Ann,Cy,0-1,1\n2025-05-02,Bo,bye,,2\n"
    "2025-05-02,Di,Eve,+:-,2\n"
)
MORE = "2025-05-03,Ann,Zoe,1-0,3\n"


@pytest.fixture
def ida(client):
    user = make_user("ida")
    client.force_login(user)
    return user


@pytest.fixture
def series(ida, settings, tmp_path):
    """A series of ida with a known player, whose uploads go to a folder of the test."""
    storage = {"BACKEND": "contests.uploads.files.WholeFiles", "OPTIONS": {"location": str(tmp_path)}}
    settings.STORAGES = {**settings.STORAGES, "default": storage}
    make_player("Ann")
    return make_series("chess", organizer=ida)


@pytest.fixture
def draft(series):
    return make_contest(series, finalized=False, name="May Open")


def ratings(series) -> dict[str, float]:
    rate(series)
    return dict(Rating.objects.filter(series=series).values_list("player__handle", "mu"))


def test_the_review_shows_the_score_table_and_one_decision_saves_and_finalizes_all_games(client, series, draft):
    review = upload(client, draft, ROWS, "may.csv")
    page = Page(review)
    assert "Save 5 games as a draft event" in page.text
    assert "Score table" in page.text
    assert "Dates 1 May 2025 to 2 May 2025" in page.text
    assert [(row.handle, row.score) for row in review.context["table"].rows][:3] == [
        ("Cy", 1.5),
        ("Di", 1.5),
        ("Ann", 1.0),
    ]
    assert {row.handle for row in review.context["people"]} == {"Bo", "Cy", "Di", "Eve"}
    saved = save(client, review)
    assert "Saved 5 games of may.csv as a draft event." in Page(saved).text
    again = Page(client.get(reverse("organize:upload", args=[draft.pk])))
    assert "Games of May Open" in again.headings
    assert "The draft already has 5 games. Saving replaces all of them." in again.text
    assert "Games between two players or teams: one line for each game" in again.text
    event = Contest.objects.get(pk=draft.pk)
    assert (event.is_event, event.is_rated, event.game_count, event.standing_count) == (True, False, 5, 5)
    assert (f"{event.starts_at:%m-%d}", f"{event.ends_at:%m-%d}") == ("05-01", "05-02")
    games = list(event.games.in_order().values_list("name", "round", "is_rated", "is_walkover", "sequence"))
    assert games == [
        ("Cy – Di", "1", True, False, 0), ("Ann – Cy", "1", True, False, 1), ("Ann – Bo", "2", True, False, 0),
        ("Bo – bye", "2", False, True, 1), ("Di – Eve", "2", False, True, 2),
    ]  # fmt: skip
    first = event.games.in_order().first()
    assert list(first.standings.order_by("id").values_list("player__handle", "side")) == [
        ("Cy", "white"),
        ("Di", "black"),
    ]
    shown = Page(client.post(reverse("organize:finalize", args=[event.pk]), follow=True)).text
    assert "3 games between a total of 4 players will be rated." in shown
    assert "2 games, such as walkovers, will be listed but not rated." in shown
    finalize(client, event)
    assert set(event.games.values_list("state", flat=True)) == {ContestState.FINALIZED}
    assert AuditEntry.objects.get(action="contest.finalize").after == {"games": 5}
    rated = ratings(series)
    assert set(rated) == {"Ann", "Bo", "Cy", "Di"}, "walkovers are not rated"
    assert rated["Cy"] > rated["Ann"] > rated["Bo"]


def test_handles_are_matched_over_all_games_at_once_and_the_same_player_cannot_be_on_both_sides(client, series, draft):
    magnus = make_player("Magnus")
    review = upload(client, draft, HEAD + "2025-05-01,Magnuss,Bo,1-0,\n2025-05-02,Magnuss,Magnus,1-0,\n", "may.csv")
    assert [row.handle for row in review.context["people"]] == ["Magnuss", "Bo"]
    decision = {"handle_0": "Magnuss", "who_0": "typed", "typed_0": "Magnus"}
    (problem,) = press(client, review, "decide-people", **decision).context["errors"].problems
    assert problem.row == 3
    assert problem.message.startswith("In this game, “Magnuss” and “Magnus” are the same player under two names.")
    review = upload(client, draft, HEAD + "2025-05-01,Magnuss,Bo,1-0,\n2025-05-02,Cy,Magnus,1-0,\n", "may.csv")
    save(client, press(client, review, "decide-people", **decision))
    assert magnus.standings.count() == 2
    names = set(draft.games.values_list("name", flat=True))
    assert names == {"Magnus – Bo", "Cy – Magnus"}, "games have the names of the players"


def test_undated_games_of_another_event_are_other_games(client, series):
    spring, autumn = (make_contest(series, finalized=False, name=name, day=day) for name, day in (("S", 1), ("A", 90)))
    rows = "round,white,black,result\n1,Ann,Bo,1-0\n1,Cy,Di,1-0\n"
    save(client, upload(client, spring, rows, "spring.csv"))
    finalize_contest(spring.pk)
    review = upload(client, autumn, rows, "autumn.csv")
    assert (review.context["review"].games.known, review.context["warnings"].count) == (0, 0)
    save(client, review)
    assert sorted(autumn.games.values_list("name", flat=True)) == ["Ann – Bo", "Cy – Di"]
    finalize_contest(autumn.pk)
    assert len(ratings(series)) == 4
    # The same event at the same time is the same event.
    again = make_contest(series, finalized=False, name="Again", day=90)
    known = upload(client, again, rows, "autumn.csv")
    assert "The series already has all games of this file." in known.context["errors"].problems[0].message


def similar(review):
    """The row, and the day of the series' game, of each warning about a similar game."""
    found = [(problem.row, problem.message) for problem in review.context["warnings"].problems]
    start = "The series already has a game between these players with the same date or round as this row, played on "
    return [(row, text.removeprefix(start).split(". ")[0]) for row, text in found if text.startswith(start)]


def test_later_versions_of_games_of_the_series_are_remarked_upon(client, series, draft):
    first = "2025-05-01,Ann,Bo,1-0,1\n2025-05-10,Cy,Ann,1-0,2\n2025-05-17,Bo,Cy,1-0,3\n2025-05-18,Ann,Bo,1-0,4\n"
    save(client, upload(client, draft, HEAD + first, "may.csv"))
    finalize_contest(draft.pk)
    again = make_contest(series, finalized=False, name="Again")
    later = (
        "2025-05-01,Ann,Bo,0-1,1\n"  # another result
        "2025-05-10,Cy,Ann,1-0,2\n"  # the same game
        "2025-05-19,Bo,Cy,1-0,3\n"  # another day in the same round
        "2025-05-18,Ann,Bo,0-1,5\n"  # another round on the same day
        "2025-07-30,Bo,Cy,1-0,3\n"  # long afterwards
        "2025-05-17,Bo,Dee,1-0,3\n"  # other players
    )
    review = upload(client, again, HEAD + later, "later.csv")
    assert (review.context["review"].games.known, review.context["errors"].count) == (1, 0)
    assert similar(review) == [(2, "1 May 2025"), (4, "17 May 2025")]


def test_undated_games_that_are_uploaded_twice_are_remarked_upon(client, series):
    rows = "round,white,black,result\n1,Ann,Bo,1-0\n"
    for hour, expected in ((21, []), (22, [(2, "1 Jul 2025")])):
        ends_at = datetime(2025, 7, 1, hour, tzinfo=UTC)
        draft = make_contest(series, finalized=False, name=f"Evening {hour}", ends_at=ends_at)
        review = upload(client, draft, rows, "evening.csv")
        assert similar(review) == expected
        page = Page(review).text
        assert "Dates 1 Jul 2025 The file has no dates, so the games take the date of the contest." in page
        save(client, review)
        finalize_contest(draft.pk)


def test_games_in_the_future_are_remarked_upon(client, draft):
    today = timezone.now().date()
    rows = f"{today},Ann,Bo,1-0,1\n2099-05-02,Cy,Bo,1-0,2\n2099-05-03,Di,Bo,+:-,2\n"
    review = upload(client, draft, HEAD + rows, "may.csv")
    found = [(problem.row, problem.message) for problem in review.context["warnings"].problems]
    rest = "Check the date, because Podium rates games in date order."
    assert found == [(row, f"This day is in the future: {row - 1} May 2099. {rest}") for row in (3, 4)]
    assert "has not ended yet" not in Page(review).text, "the games decide when the event ends"
    describe_contest(draft.pk, description=ContestDescription(draft.name, datetime(2099, 5, 1, tzinfo=UTC)))
    undated = upload(client, draft, "white,black,result\nAnn,Bo,1-0\n", "undated.csv")
    assert not undated.context["warnings"].count
    assert "This contest has not ended yet. Its end is set to 1 May 2099 00:00 UTC." in Page(undated).text


def test_names_of_games_that_differ_only_in_spelling_are_remarked_upon(client, draft):
    rows = '2025-05-01,"Müller, Hans",Bo,1-0,\n2025-05-02,Hans Muller,Bo,1-0,\n2025-05-03,Ann / Cy,Di & Eve,1-0,\n'
    review = upload(client, draft, HEAD + rows + "2025-05-03,Fay / Gil,Hal & Ivy,1-0,\n", "may.csv")
    texts = [problem.message for problem in review.context["warnings"].problems]
    assert [text.endswith("correct the name so that it is the same in all games.") for text in texts].count(True) == 1
    assert [text.startswith("Many sides seem to name several people, such as “Ann / Cy”.") for text in texts].count(
        True
    ) == 1


def test_similar_new_names_in_games_are_remarked_upon(client, draft):
    rows = (
        "2025-05-01,Jon Smith,Bo,1-0,\n2025-05-02,John Smith,Cy,1-0,\n2025-05-03,Ann Meier,Anna Meier,1-0,\n"
        "2025-05-04,Ann,Lena Vogt,1-0,\n2025-05-05,Ann,Lena Vogtt,1-0,\n2025-05-06,Müller,Eva Ott,1-0,\n"
        "2025-05-07,Mueller,Bo,1-0,\n2025-05-08,Eva Ott1,Eva Ott2,1-0,\n"
    )
    make_player("Lena Vogt")
    review = upload(client, draft, HEAD + rows, "may.csv")
    start = "“John Smith” is new and similar to “Jon Smith” in row 2, which is also new: handles differ by one letter."
    remedy = "If they are the same person, correct the name so that it is the same in all games."
    found = [problem for problem in review.context["warnings"].problems if "which is also new" in problem.message]
    assert [(problem.row, problem.other_row) for problem in found] == [(3, 2)]
    assert found[0].message == f"{start} {remedy}"
    decided = press(client, review, "decide-people", handle_0="John Smith", who_0="new")
    assert "which is also new" not in Page(decided).text


def test_a_known_player_under_a_second_name_is_proposed(client, draft):
    lena = make_player("lena", name="Lena Vogt")
    make_contest(draft.series, standings=[("lena", 1), ("Bo", 2)])
    review = upload(client, draft, HEAD + "2025-05-01,lena,Bo,1-0,\n2025-05-02,Lena Vogt,Cy,1-0,\n", "may.csv")
    texts = [problem.message for problem in review.context["warnings"].problems]
    assert [text for text in texts if "use the same name in all games" in text] == []
    proposed = {row.handle: row.likely_id for row in review.context["review"].unmatched}
    assert proposed == {"Lena Vogt": lena.pk, "Cy": None}
    save(client, review)
    assert set(draft.games.values_list("standings__player__handle", flat=True)) == {"lena", "Bo", "Cy"}


def test_a_known_player_with_the_name_of_an_opponent_is_remarked_upon(client, draft):
    make_player("lena", name="Lena Vogt")
    review = upload(client, draft, HEAD + "2025-05-01,lena,Lena Vogt,1-0,\n2025-05-02,Lena Vogt,Cy,1-0,\n", "may.csv")
    texts = [problem.message for problem in review.context["warnings"].problems]
    said = "“Lena Vogt” is new, but “lena” in row 2 is a known player of that name."
    assert f"{said} If they are the same person, use the same name in all games." in texts


def test_a_known_player_is_proposed_for_a_second_spelling_but_not_for_an_opponent(client, series, draft):
    carl, lena = make_player("Carl Oster"), make_player("Lena Moss")
    make_contest(series, standings=[("Carl Oster", 1), ("Lena Moss", 2)])
    games = HEAD + "2025-05-01,Carl Oster,Lena Moss,1-0,1\n2025-05-02,OSTER Carl,Di,1-0,2\n"
    games += "2025-05-03,MOSS Lena,Lena Moss,1-0,3\n"
    review = upload(client, draft, games.replace("OSTER Carl", '"Oster, Carl"'), "may.csv")
    proposed = {row.handle: row.likely_id for row in review.context["review"].unmatched}
    assert proposed == {"Oster, Carl": carl.pk, "MOSS Lena": None, "Di": None}
    suggested = {one.player_id for row in review.context["review"].unmatched for one in row.suggestions}
    assert suggested == {carl.pk}, lena


def test_a_bye_has_no_result_to_correct(client, series, draft):
    save(client, upload(client, draft, ROWS, "may.csv"))
    for state in ("draft", "finalized"):
        for name, has_result in (("Bo – bye", False), ("Cy – Di", True)):
            page = client.get(reverse("organize:contest", args=[draft.games.get(name=name).pk])).content.decode()
            assert ("/result/" in page) == has_result, (state, name)
        finalize_contest(draft.pk) if state == "draft" else None


def test_games_that_the_series_has_are_reported_and_left_out(client, series, draft, ida):
    save(client, upload(client, draft, ROWS, "may.csv"))
    finalize_contest(draft.pk)
    again = make_contest(series, finalized=False, name="Again")
    review = upload(client, again, ROWS, "may.csv")
    assert review.context["errors"].problems[0].message == (
        "The series already has all games of this file. There is nothing to save."
    )
    review = upload(client, again, ROWS.replace("1.5.", "2025-05-01") + MORE, "more.csv")
    assert (review.context["review"].games.known, review.context["errors"].count) == (5, 0)
    assert "If it is a different game, give it a different round." in Page(review).text
    assert "Saved 1 game of more.csv as a draft event." in Page(save(client, review)).text
    assert [game.name for game in again.games.all()] == ["Ann – Zoe"]
    save(client, upload(client, again, HEAD + "2025-05-09,Cy,Bo,1-0,1\n", "other.csv"))
    assert [game.name for game in again.games.all()] == ["Cy – Bo"], "the games of a draft are replaced"
    save(client, upload(client, again, "rank,handle\n1,Ann\n2,Bo\n", "table.csv"))
    again.refresh_from_db()
    assert (again.is_event, again.games.count(), again.standings.count(), again.is_rated) == (False, 0, 2, True)


def test_an_event_is_deleted_and_restored_with_its_games_but_not_with_those_deleted_before(client, series, draft, ida):
    before = make_contest(series, standings=[("Ann", 1), ("Bo", 2)], day=1)
    alone = ratings(series)
    save(client, upload(client, draft, ROWS, "may.csv"))
    finalize_contest(draft.pk, actor=ida)
    all_games = ratings(series)
    run = series.runs.get(number=1)
    wrong = draft.games.get(name="Ann – Bo")
    delete_contest(wrong.pk, reason="played with the wrong clock", actor=ida)
    draft.refresh_from_db()
    assert draft.game_count == 4
    without_one = ratings(series)
    assert without_one != all_games
    delete_contest(draft.pk, reason="wrong file", actor=ida)
    assert ratings(series) == alone
    restore_contest(draft.pk, reason="it was right", actor=ida)
    assert ratings(series) == without_one
    restore_contest(wrong.pk, reason="the clock was right", actor=ida)
    assert ratings(series) == all_games
    (cause,) = causes_since(run)
    assert cause.words == "Finalized May Open", "one cause, not one for each game"
    undo_causes(run, [cause.key], reason="back", actor=ida)
    assert ratings(series) == alone
    assert before.standings.count() == 2


def test_a_game_is_corrected_on_its_own_page_and_ratings_follow(client, series, draft):
    save(client, upload(client, draft, ROWS, "may.csv"))
    game = draft.games.get(name="Ann – Bo")
    with pytest.raises(ContestError, match="Finalize that event with its games"):
        finalize_contest(game.pk)
    finalize_contest(draft.pk)
    before = ratings(series)
    row = game.standings.get(player__handle="Ann")
    fields = {"status": "ranked", "score": "-1", "reason": "the scores were swapped", "version": game.version + 1}
    confirm(client, client.post(reverse("organize:correct", args=[row.pk]), fields))
    assert list(game.standings.order_by("rank").values_list("player__handle", flat=True)) == ["Bo", "Ann"]
    assert ratings(series)["Bo"] > before["Bo"]
    draft.refresh_from_db()
    described = {name: getattr(draft, name) for name in ContestDescription.__slots__} | {"weight": 2.0}
    heavier = ContestDescription(**described)
    with pytest.raises(ContestError, match="so change the weight in its games"):
        describe_contest(draft.pk, description=heavier, reason="more")
    fields = {"name": "May Cup", "url": "", "reason": "renamed"}
    edited = client.post(reverse("organize:contest-edit", args=[draft.pk]), fields, follow=True)
    assert "May Cup" in Page(edited).text
    assert client.get(reverse("organize:contest", args=[draft.pk])).status_code == 200


def test_the_series_page_shows_events_and_not_their_games(client, series, draft):
    save(client, upload(client, draft, ROWS, "may.csv"))
    drafts = Page(client.get(reverse("organize:series", args=[series]))).text
    assert ("May Open" in drafts, "Ann – Bo" in drafts) == (True, False)
    finalize_contest(draft.pk)
    delete_contest(draft.games.get(name="Cy – Di").pk, reason="never played")
    shown = Page(client.get(reverse("organize:series", args=[series]))).text
    assert ("5 games" in shown or "4 games" in shown, "Ann – Bo" in shown, "Cy – Di" in shown) == (True, False, True)


def test_the_command_imports_games_by_event_and_skips_known_ones(series, tmp_path):
    path = tmp_path / "league.csv"
    head = "date,player_a,player_b,result,event\n"
    path.write_text(
        head + "2025-05-01,Ann,Bo,1-0,Spring Cup\n2025-05-01,Cy,Di,1-0,Spring Cup\n2025-06-01,Ann,Cy,=,June\n"
    )
    call_command("import_contests", str(path), series="chess", stdout=None)
    events = Contest.objects.filter(is_event=True).order_by("slug")
    assert list(events.values_list("slug", "name", "game_count", "state")) == [
        ("june", "June", 1, "finalized"), ("spring-cup", "Spring Cup", 2, "finalized"),
    ]  # fmt: skip
    again = import_file(series.pk, path=path)
    assert (again.created, again.skipped) == (0, 3)
    path.write_text(path.read_text() + "2025-05-01,Bo,Ann,0-1,Spring Cup\n2025-05-02,Bo,Zoe,0-1,Spring Cup\n")
    more = import_file(series.pk, path=path)
    assert (more.created, more.skipped, len(more.warnings)) == (2, 3, 1)
    assert list(events.values_list("game_count", flat=True)) == [1, 4]
    undated = tmp_path / "night.csv"
    undated.write_text("winner,loser\nAnn,Bo\n")
    with pytest.raises(ContestError, match="does not say when the games of “night” were played"):
        import_file(series.pk, path=undated)
    assert import_file(series.pk, path=undated, options=ImportOptions(ends_at=events[0].ends_at)).created == 1
    call_command("import_contests", str(path), series="other", name="spring-cup", stdout=None)
    assert Contest.objects.get(series__slug="other", is_event=True).game_count == 5


def test_the_score_table_of_the_review_has_one_row_for_a_player_with_two_names(client, series, draft):
    add_alias(Player.objects.get(handle="Ann").pk, handle="Annie")
    review = upload(
        client, draft, HEAD + "2025-05-01,Annie,Bo,1-0,1\n2025-05-02,Ann,Bo,½-½,2\n2025-05-02,Cy,Di,1-0,2\n"
    )
    shown = [(row.handle, row.rank, row.score) for row in review.context["table"].rows]
    assert shown == [("Annie", 1, 1.5), ("Cy", 2, 1.0), ("Bo", 3, 0.5), ("Di", 4, 0.0)]
    assert (review.context["table"].total, review.context["table"].new_players) == (4, 3)
    save(client, review)
    draft.refresh_from_db()
    handles = dict(Player.objects.values_list("pk", "handle"))
    assert [(handles[row.player_id], row.points) for row in score_table(draft)][:2] == [("Ann", 1.5), ("Cy", 1.0)]
