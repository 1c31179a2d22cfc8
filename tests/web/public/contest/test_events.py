"""The page of an event, and lists that show events instead of their games."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from contests.models import Contest, ContestState
from contests.queries.games import plain_points
from contests.services.contests import delete_contest
from contests.uploads.importing import import_file
from ratings.queries.events import performances
from ratings.systems import get_system
from tests.factories import make_contest, make_series, make_user, rate
from tests.pages import Page

pytestmark = pytest.mark.django_db
# Counted by hand: Ann 2½, Cy 2 (one point without play), Bo 1½, Eve 1 (a bye), Di 0.
ROWS = [
    ("2025-05-01", "Ann", "Di", "1-0", "1"), ("2025-05-01", "Bo", "Cy", "½-½", "1"),
    ("2025-05-02", "Cy", "Ann", "½-½", "2"), ("2025-05-02", "Di", "Bo", "0-1", "2"),
    ("2025-05-03", "Ann", "Bo", "1-0", "3"), ("2025-05-03", "Cy", "Di", "+:-", "3"),
    ("2025-05-03", "Eve", "bye", "", "3"),
]  # fmt: skip


def write(path, rows) -> None:
    lines = ["date,white,black,result,round", *(",".join(row) for row in rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


@pytest.fixture
def event(tmp_path):
    series = make_series("chess")
    write(tmp_path / "may-open.csv", ROWS)
    import_file(series.pk, path=tmp_path / "may-open.csv")
    rate(series)
    return Contest.objects.get(is_event=True)


def test_the_page_has_scores_performances_a_crosstable_and_the_games_by_round(client, event):
    answer = client.get(event.get_absolute_url())
    rows = {row.player.handle: row for row in answer.context["rows"]}
    assert {handle: (row.score.place, row.score.shown_points, row.score.games) for handle, row in rows.items()} == {
        "Ann": (1, "2½", 3), "Cy": (2, "2", 2), "Bo": (3, "1½", 3), "Eve": (4, "1", 0), "Di": (5, "0", 2),
    }  # fmt: skip
    assert [[result for _, result in cell or ()] for cell in rows["Cy"].cells] == [["½"], [], ["½"], [], ["+"]]
    assert rows["Ann"].rated.change > rows["Bo"].rated.change > rows["Di"].rated.change
    assert rows["Ann"].rated.performance > rows["Bo"].rated.performance
    assert rows["Di"].rated.performance is None, "lost everything"
    assert rows["Eve"].rated is None, "a bye is not rated"
    assert [(first.contest.round, len(games)) for first, games in answer.context["rounds"]] == [
        ("1", 2),
        ("2", 2),
        ("3", 3),
    ]
    text = Page(answer).text
    assert "The story Ann won with 2½ points from 3 games, without a loss." in text
    assert all(words in text for words in ("Crosstable", "Round 2, 2 May 2025", "½–½", "+ : −", "bye"))


def test_a_round_of_several_days_is_headed_with_its_first_and_last_day(client, event, tmp_path):
    rows = [("2026-05-01", "Ann", "Bo", "1-0", "1"), ("2026-07-02", "Bo", "Di", "1-0", "2"),
            ("2026-07-02", "Cy", "Eve", "1-0", "2"), ("2026-07-03", "Ann", "Cy", "1-0", "2")]  # fmt: skip
    write(tmp_path / "july.csv", rows)
    import_file(event.series_id, path=tmp_path / "july.csv")
    page = Page(client.get(Contest.objects.get(is_event=True, name="july").get_absolute_url()))
    assert "Round 1, 1 May 2026 Ann" in page.text
    assert "Round 2, 2 Jul 2026 – 3 Jul 2026 Bo" in page.text


def test_an_event_names_who_gained_the_most_and_who_shared_first_place(client, event, tmp_path):
    pairs = [("Ann", "Bo"), ("Cy", "Di"), ("Ann", "Cy"), ("Bo", "Di"), ("Ann", "Di"), ("Bo", "Cy")]
    earlier = [(f"2026-04-{day:02}", *pair, "½-½", str(day)) for day in (1, 2) for pair in pairs]
    write(tmp_path / "april-open.csv", earlier)  # After it, no rating is provisional.
    import_file(event.series_id, path=tmp_path / "april-open.csv")
    rows = [("2026-05-01", "Bo", "Ann", "1-0", "1"), ("2026-05-01", "Di", "Cy", "1-0", "1"),
            ("2026-05-02", "Ann", "Cy", "1-0", "2")]  # fmt: skip
    write(tmp_path / "june-open.csv", rows)
    import_file(event.series_id, path=tmp_path / "june-open.csv")
    rate(event.series)
    answer = client.get(Contest.objects.get(is_event=True, name="june-open").get_absolute_url())
    changes = {row.player.handle: row.rated.change for row in answer.context["rows"]}
    best = max(changes, key=changes.get)
    assert re.search(r"(Ann|Bo|Di), (Ann|Bo|Di) and 1 other shared first place\.", Page(answer).text)
    assert f"{best} gained the most: +{changes[best]}, rising to" in Page(answer).text


def test_games_that_were_amended_are_marked(client, event):
    page = client.get(event.get_absolute_url()).content.decode()
    assert "Amended after publication" not in page
    game = event.games.filter(is_walkover=False).first()
    Contest.objects.filter(pk=game.pk).update(amended_at=timezone.now())
    page = client.get(event.get_absolute_url()).content.decode()
    assert "* Amended after publication" in page
    assert page.count("<sup") == 1
    assert f"{game.name}, amended" in page
    Contest.objects.filter(event=event).update(amended_at=timezone.now())
    assert client.get(event.get_absolute_url()).content.decode().count("<sup") == event.game_count, "also byes"


def test_an_event_of_one_day_has_one_date(client, event):
    first = event.ends_at.replace(hour=9)
    Contest.objects.filter(pk=event.pk).update(starts_at=first, ends_at=first.replace(hour=18))
    page = client.get(event.get_absolute_url()).content.decode()
    assert "<dt>Date</dt>" in page
    assert "<dt>Dates</dt>" not in page
    Contest.objects.filter(pk=event.pk).update(starts_at=first - timedelta(days=1))
    assert "<dt>Dates</dt>" in client.get(event.get_absolute_url()).content.decode()


def test_a_performance_is_the_rating_whose_expected_score_is_the_actual_one():
    import numpy as np

    elo = get_system("elo")
    games = np.array([[1500.0, 200.0], [1700.0, 200.0], [1600.0, 200.0], [1500.0, 200.0]])
    found = performances(elo, np.array([7, 7, 7, 9]), games, np.array([1.0, 0.0, 0.5, 1.0]))
    expected = sum(1 / (1 + 10 ** ((mu - found[7]) / 400)) for mu in (1500.0, 1700.0, 1600.0))
    assert expected == pytest.approx(1.5, abs=0.003), "Elo’s formula"
    assert set(found) == {7}, "player 9 won everything"


def test_a_game_names_its_event_and_leads_to_its_neighbours_there(client, event):
    make_contest(event.series, players=2, day=10_000)
    games = list(event.games.in_order())
    answer = client.get(games[1].get_absolute_url())
    page = Page(answer)
    assert "Round 1 · may-open" in page.text
    assert (answer.context["previous"], answer.context["next"]) == (games[0], games[2])
    assert client.get(games[-1].get_absolute_url()).context["next"] is None
    assert "awarded without play" in Page(client.get(games[-1].get_absolute_url())).text
    assert client.get(reverse("contest-analysis", args=[event.pk]))["Location"] == event.get_absolute_url()


def test_lists_feeds_site_maps_and_searches_show_the_event_and_not_its_games(client, event):
    alone = make_contest(event.series, standings=[("Ann", 1), ("Bo", 2)], name="Alone", day=10_000)
    for address in (
        reverse("contests"),
        reverse("contests", query={"series": "chess"}),
        reverse("home"),
        event.series.get_absolute_url(),
        reverse("series-feed-results", args=[event.series]),
        reverse("series-feed-calendar", args=[event.series]),
        reverse("search", query={"q": "may-open"}),
    ):
        content = client.get(address).content.decode()
        assert "may-open" in content, address
        assert "Ann – Di" not in content, address
    listed = client.get(reverse("contests"))
    assert [contest for contest, _ in listed.context["rows"]] == [alone, event]
    assert "7 games" in Page(listed).text
    site_map = client.get(reverse("sitemap-contests", args=[event.series])).content.decode()
    assert site_map.count("<url>") == 2


def test_long_events_are_paged_and_take_a_fixed_number_of_queries(client, tmp_path, django_assert_max_num_queries):
    series = make_series("league")
    rows = [("2025-05-01", f"p{i:03}", f"p{(i + k) % 60:03}", "1-0", str(k)) for k in (1, 2, 3) for i in range(60)]
    write(tmp_path / "league.csv", rows)
    import_file(series.pk, path=tmp_path / "league.csv")
    rate(series)
    event = Contest.objects.get(is_event=True)
    client.get(event.get_absolute_url())
    with django_assert_max_num_queries(12):
        answer = client.get(event.get_absolute_url())
    assert (len(answer.context["rows"]), answer.context["has_crosstable"]) == (30, False)
    assert "Show all 60 players" in Page(answer).text
    second = client.get(event.get_absolute_url() + "?page=2")
    assert [(first.contest.round, len(games)) for first, games in second.context["rounds"]] == [("2", 20), ("3", 60)]
    everyone = client.get(event.get_absolute_url() + "?all")
    assert (len(everyone.context["rows"]), "rounds" in everyone.context) == (60, False)
    assert client.get(event.get_absolute_url() + "?page=99").status_code == 404


def test_the_scores_of_a_large_event_are_cached_until_one_of_its_games_changes(client, event, monkeypatch):
    monkeypatch.setattr("web.public.contest.event.LARGE", 1)
    first = client.get(event.get_absolute_url())
    monkeypatch.setattr("web.public.contest.event.score_table", None)
    again = client.get(event.get_absolute_url())
    assert [row.score for row in again.context["rows"]] == [row.score for row in first.context["rows"]]
    monkeypatch.undo()
    monkeypatch.setattr("web.public.contest.event.LARGE", 1)
    delete_contest(event.games.get(name="Ann – Bo").pk, reason="never played")
    rows = {row.player.handle: row.score.shown_points for row in client.get(event.get_absolute_url()).context["rows"]}
    assert (rows["Ann"], rows["Bo"]) == ("1½", "1½")


def test_a_deleted_or_private_event_is_not_shown(client, event):
    delete_contest(event.pk, reason="wrong")
    assert client.get(event.get_absolute_url()).status_code == 410
    event.series.is_private = True
    event.series.save()
    Contest.objects.filter(pk=event.pk).update(state=ContestState.FINALIZED)
    assert client.get(event.get_absolute_url()).status_code == 404
    client.force_login(make_user("ida", is_staff=True))
    assert client.get(event.get_absolute_url()).status_code == 200


def test_points_are_written_as_in_chess_tables():
    assert [plain_points(points) for points in (0, 0.5, 1, 2.5, 10, 0.25)] == ["0", "½", "1", "2½", "10", "0.25"]


def test_the_interface_lists_events_their_games_and_their_scores(client, event):
    (listed,) = client.get("/api/v1/communities/main/series/chess/events/").json()["results"]
    assert {name: listed[name] for name in ("slug", "is_event", "games", "players", "event")} == {
        "slug": "may-open", "is_event": True, "games": 7, "players": 5, "event": None,
    }  # fmt: skip
    assert [one["id"] for one in client.get("/api/v1/contests/").json()["results"]] == [event.pk]
    games = client.get(f"/api/v1/contests/?event={event.pk}").json()["results"]
    assert [(game["event"], game["round"], game["is_walkover"]) for game in games][:3] == [
        (event.pk, "3", True), (event.pk, "3", True), (event.pk, "3", False),
    ]  # fmt: skip
    rows = client.get(f"/api/v1/contests/{games[2]['id']}/standings/").json()["results"]
    assert [(row["player"]["handle"], row["side"]) for row in rows] == [("Ann", "white"), ("Bo", "black")]
    scores = client.get(f"/api/v1/contests/{event.pk}/scores/").json()["results"]
    assert [(row["player"]["handle"], row["points"], row["walkovers"]) for row in scores] == [
        ("Ann", 2.5, 0), ("Cy", 2.0, 1), ("Bo", 1.5, 0), ("Eve", 1.0, 1), ("Di", 0.0, 1),
    ]  # fmt: skip
    assert client.get(f"/api/v1/contests/{games[0]['id']}/scores/").status_code == 404
    assert client.get(f"/api/v1/contests/?event={games[0]['id']}").status_code == 404
    make_series("other")
    assert client.get(f"/api/v1/contests/?event={event.pk}&series={event.series.slug}").json()["count"] == len(games)
    refused = client.get(f"/api/v1/contests/?event={event.pk}&series=other")
    assert refused.json()["errors"][0]["parameter"] == "event"


def test_a_drawn_score_is_written_as_a_score_and_a_drawn_result_as_points(client, tmp_path):
    (tmp_path / "league.csv").write_text(
        "event,date,player_a,player_b,score_a,score_b\n"
        "League,2025-05-01,Ann,Bo,1,1\nLeague,2025-05-02,Ann,Cy,0,0\nLeague,2025-05-03,Bo,Cy,2,1\n",
        encoding="utf-8",
    )
    series = make_series("football")
    import_file(series.pk, path=tmp_path / "league.csv")
    text = Page(client.get(Contest.objects.get(is_event=True).get_absolute_url())).text
    assert all(score in text for score in ("1–1", "0–0", "2–1"))
    assert "½–½" not in text


def test_no_loser_has_the_best_performance_if_the_winner_won_every_game(client, event, tmp_path):
    rows = [("2026-05-01", "Bo", "Ann", "1-0", "1"), ("2026-05-01", "Di", "Cy", "1-0", "1"),
            ("2026-05-02", "Bo", "Di", "1-0", "2")]  # fmt: skip
    write(tmp_path / "cup.csv", rows)
    import_file(event.series_id, path=tmp_path / "cup.csv")
    rate(event.series)
    answer = client.get(Contest.objects.get(is_event=True, name="cup").get_absolute_url())
    rated = {row.player.handle: row.rated.performance for row in answer.context["rows"]}
    assert rated["Bo"] is None, "won everything"
    assert rated["Di"] is not None
    assert "had the best performance" not in Page(answer).text
