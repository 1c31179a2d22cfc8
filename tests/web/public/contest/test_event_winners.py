"""The winners of events in lists, which agree with the pages of the events."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from contests.models import Contest, Player, Standing
from contests.queries.event_winners import winners_with_events, winning_rows
from contests.queries.games import ScoreRow
from contests.services.contests import delete_contest
from contests.services.merging import merge_players
from contests.uploads.importing import import_file
from tests.factories import make_contest, make_series, make_user, rate
from tests.pages import Page

pytestmark = pytest.mark.django_db

# In each event, the winners are found by hand.
KNOCK_OUT = [
    ("2025-05-01", "Ann", "Hal", "1-0", "Quarterfinal"), ("2025-05-01", "Bo", "Gus", "0-1", "Quarterfinal"),
    ("2025-05-01", "Cy", "Fay", "1-0", "Quarterfinal"),
    ("2025-05-02", "Di", "Gus", "0-1", "Semifinal"), ("2025-05-02", "Ann", "Cy", "1-0", "Semifinal"),
    ("2025-05-03", "Di", "Cy", "1-0", "Third place"), ("2025-05-03", "Gus", "Ann", "1-0", "Final"),
]  # fmt: skip
#: Di had no game in the first round and wins both of hers; Ann, who wins two as well, loses the final.
LATE_START = [
    ("2025-05-01", "Ann", "Hal", "1-0", "Quarterfinal"), ("2025-05-01", "Bo", "Gus", "0-1", "Quarterfinal"),
    ("2025-05-01", "Cy", "Fay", "1-0", "Quarterfinal"),
    ("2025-05-02", "Di", "Gus", "1-0", "Semifinal"), ("2025-05-02", "Ann", "Cy", "1-0", "Semifinal"),
    ("2025-05-03", "Di", "Ann", "1-0", "Final"),
]  # fmt: skip
#: Ann has 3 points, but Bo, who has 2½, wins the final.
GROUP_AND_FINAL = [
    ("2025-05-01", "Ann", "Bo", "1-0", "Group"), ("2025-05-01", "Cy", "Di", "½-½", "Group"),
    ("2025-05-01", "Ann", "Cy", "1-0", "Group"), ("2025-05-01", "Bo", "Di", "½-½", "Group"),
    ("2025-05-01", "Ann", "Di", "1-0", "Group"), ("2025-05-01", "Bo", "Cy", "1-0", "Group"),
    ("2025-05-02", "Ann", "Bo", "0-1", "FINAL"),
]  # fmt: skip
#: Two games in the last round, although it is called the final.
TWO_FINALS = [
    *GROUP_AND_FINAL[:-1],
    ("2025-05-02", "Ann", "Bo", "½-½", "Final"),
    ("2025-05-02", "Cy", "Di", "1-0", "Final"),
]
ALL_PLAY_ALL = [
    ("2025-05-01", "Ann", "Bo", "1-0", "1"), ("2025-05-01", "Cy", "Di", "½-½", "1"),
    ("2025-05-02", "Ann", "Cy", "1-0", "2"), ("2025-05-02", "Bo", "Di", "1-0", "2"),
    ("2025-05-03", "Ann", "Di", "½-½", "3"), ("2025-05-03", "Bo", "Cy", "1-0", "3"),
]  # fmt: skip
#: Ann and Bo have 2½ points of 3 each, Cy has 1, Di has 0.
SHARED = [
    ("2025-05-01", "Ann", "Bo", "½-½", "1"), ("2025-05-01", "Cy", "Di", "1-0", "1"),
    ("2025-05-02", "Ann", "Cy", "1-0", "2"), ("2025-05-02", "Bo", "Di", "1-0", "2"),
    ("2025-05-03", "Ann", "Di", "1-0", "3"), ("2025-05-03", "Bo", "Cy", "1-0", "3"),
]  # fmt: skip
#: Bo has 3 points from four games, Ann 2 from two.
FREE_PLAY = [
    ("2025-05-01", "Ann", "Bo", "1-0", ""), ("2025-05-02", "Ann", "Cy", "1-0", ""),
    ("2025-05-03", "Bo", "Di", "1-0", ""), ("2025-05-04", "Bo", "Cy", "1-0", ""), ("2025-05-05", "Bo", "Di", "1-0", ""),
]  # fmt: skip
TEAMS = [
    ("2025-05-01", "Ann + Bo", "Cy + Di", "1-0", "1"), ("2025-05-02", "Cy + Di", "Eve + Fay", "1-0", "2"),
    ("2025-05-03", "Eve + Fay", "Ann + Bo", "½-½", "3"),
]  # fmt: skip
MATCH = [(f"2025-05-0{day}", "Ann", "Bo", result, "") for day, result in enumerate(("1-0", "½-½", "0-1", "1-0"), 1)]
LEVEL_MATCH = MATCH[:3]
CROWD = [("2025-05-01", f"winner{i}", f"loser{i}", "1-0", "") for i in range(7)]

EVENTS = {
    "a knock-out": (KNOCK_OUT, ["Gus"], "Gus won the final against Ann."),
    "a knock-out with a late start": (LATE_START, ["Di"], "Di won the final against Ann."),
    "a group and a final": (GROUP_AND_FINAL, ["Bo"], "Bo won the final against Ann."),
    "a last round called the final": (TWO_FINALS, ["Ann"], "Ann won with 3½ points from 4 games, without a loss."),
    "all play all": (ALL_PLAY_ALL, ["Ann"], "Ann won with 2½ points from 3 games"),
    "a shared first place": (SHARED, ["Ann", "Bo"], "Ann and Bo shared first place with 2½ points each."),
    "free play": (FREE_PLAY, [], "Bo scored the most points, 3."),
    "teams": (TEAMS, ["Ann", "Bo"], "Ann and Bo shared first place with 1½ points each."),
    "a match": (MATCH, ["Ann"], "Ann won with 2½ points from 4 games."),
    "one game": (MATCH[:1], ["Ann"], "Ann won with 1 point from 1 game."),
    "one round": (CROWD[:2], ["winner0", "winner1"], "winner0 and winner1 shared first place with 1 point each."),
    "a level match": (LEVEL_MATCH, [], ""),
    "a crowd of winners": (CROWD, [], "winner0, winner1 and 5 others shared first place."),
}


def event_of(tmp_path, rows, *, series=None, name="cup") -> Contest:
    series = series or make_series("darts")
    path = tmp_path / f"{name}.csv"
    lines = ["date,white,black,result,round", *(",".join(row) for row in rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    import_file(series.pk, path=path)
    rate(series)
    return Contest.objects.get(is_event=True, name=name)


def names_of(event: Contest) -> list[str]:
    found = winners_with_events([Contest.objects.get(pk=event.pk)]).get(event.pk)
    return sorted(player.handle for player in found.players) if found else []


@pytest.mark.parametrize("kind", EVENTS)
def test_the_winners_are_those_of_the_page(client, tmp_path, kind):
    rows, winners, story = EVENTS[kind]
    event = event_of(tmp_path, rows)
    assert names_of(event) == winners
    answer = client.get(event.get_absolute_url())
    assert story in Page(answer).text
    assert ("The story" in Page(answer).text) == bool(story)
    podium = [sorted(row.player.handle for row in placed) for rank, placed in answer.context["podium"] if rank == 1]
    assert podium == ([winners] if winners and event.standing_count >= 4 else [])
    listed = [row.score.player_id for row in answer.context["rows"]]
    for _, placed in answer.context["podium"]:
        places = [listed.index(row.score.player_id) for row in placed]
        assert places == sorted(places), "in the order of the table"


@pytest.mark.parametrize("kind", ["a knock-out", "a group and a final", "all play all"])
@pytest.mark.parametrize("query", ["", "?all"])
def test_places_by_points_do_not_contradict_a_final(client, tmp_path, kind, query):
    event = event_of(tmp_path, EVENTS[kind][0])
    tables = Page(client.get(event.get_absolute_url() + query)).tables
    table = next(rows for rows in tables if "Points" in rows[0] and "#" not in rows[0])
    assert ("Place" in table[0]) == (kind == "all play all")


def test_a_player_who_left_early_does_not_take_the_first_place_from_the_winner():
    rows = [ScoreRow(1, 7.0, wins=7, losses=2, place=1), ScoreRow(2, 4.0, wins=4, place=2), ScoreRow(3, place=3)]
    assert [row.player_id for row in winning_rows(rows)] == [1], "4 of 4 games are fewer than half of 9"
    rows[1].points, rows[1].wins = 5.0, 5
    assert winning_rows(rows) == [], "5 of 5 games are more than half of 9"
    rows[1].points, rows[1].wins, rows[1].draws = 6.5, 6, 1
    assert winning_rows(rows) == [], "6½ of 7 games are a higher share than 7 of 9"
    rows[1].losses = 1
    assert [row.player_id for row in winning_rows(rows)] == [1], "only one round was missed"
    assert winning_rows([]) == []


def test_lists_show_the_winners_of_events(client, tmp_path):
    event = event_of(tmp_path, KNOCK_OUT)
    series = event.series
    addresses = [reverse("contests"), reverse("contests", query={"series": "darts"}), series.get_absolute_url()]
    for address in addresses:
        text = Page(client.get(address)).text
        assert "Contest Winners Games Participants Date" in text.replace("Series ", ""), address
        # The list of all contests also names the series of each.
        assert "cup Event Winner: Gus" in text.replace(f"Event {series.name} Winner", "Event Winner"), address
    for address in (reverse("home"), "/c/main/"):
        assert "cup Event Winner Gus Participants 7 · 7 games" in Page(client.get(address)).text, address
    event_of(tmp_path, LEVEL_MATCH, series=series, name="level")
    make_contest(series, standings=[("Ann", 1), ("Bo", 2)], name="Alone", day=10_000)
    for address in addresses:
        text = Page(client.get(address)).text
        assert "Contest Winners Participants Date" in text.replace("Series ", ""), address
        assert "Gus 7 games 7" in text, address


def test_feeds_and_calendars_name_the_winners_of_events(client, tmp_path):
    event = event_of(tmp_path, KNOCK_OUT)
    event_of(tmp_path, LEVEL_MATCH, series=event.series, name="level")
    for address in ("/feeds/results.atom", "/feeds/contests.ics"):
        text = client.get(address).content.decode().replace("\r\n ", "")
        assert "Winner: Gus. 7 participants. 7 games." in text, address
        assert ("2 participants. 3 games." in text, "Winner: Ann" in text) == (True, False), address
    german = client.get("/feeds/results.atom", headers={"accept-language": "de"}).content.decode()
    assert "7 Teilnehmer. 7 Partien." in german


def test_a_filtered_list_counts_events_and_games_as_the_page_of_the_series_does(client, tmp_path):
    event = event_of(tmp_path, KNOCK_OUT)
    event_of(tmp_path, MATCH, series=event.series, name="match")
    assert "Events 2 11 games" in Page(client.get(event.series.get_absolute_url())).text
    listed = reverse("contests")
    assert "Results 2 events, 11 games" in Page(client.get(f"{listed}?series=darts")).text
    assert "Results 1 event, 4 games" in Page(client.get(f"{listed}?series=darts&q=match")).text
    make_contest(event.series, players=2, day=10_000)
    assert "Results 1 contest, 2 events, 11 games" in Page(client.get(f"{listed}?series=darts")).text
    make_contest(make_series("other"), players=2, day=490)
    assert "Results 1 contest, 2 events, 11 games" in Page(client.get(f"{listed}?year=2025")).text


def test_changes_of_games_and_players_change_the_winners(tmp_path):
    event = event_of(tmp_path, MATCH)
    assert names_of(event) == ["Ann"]
    ann, other = Player.objects.get(handle="Ann"), make_contest(event.series, standings=[("Old", 1), ("Bo", 2)])
    merge_players(other.standings.get(rank=1).player_id, ann.pk, reason="the same person")
    assert names_of(event) == ["Old"]
    delete_contest(event.games.in_order().last().pk, reason="never played")
    assert names_of(event) == []
    delete_contest(event.games.in_order().first().pk, reason="never played")
    # Only the draw and Bo's win are left.
    found = list(event.games.existing().in_order())
    assert len(found) == 2
    assert names_of(event) == ["Bo"]


def test_winners_are_computed_once(tmp_path):
    events = [event_of(tmp_path, KNOCK_OUT), event_of(tmp_path, MATCH, series=make_series("other"), name="match")]
    with CaptureQueriesContext(connection) as queries:
        first = winners_with_events(events)
    assert len(queries) <= 9, "at most two more for games of finals, and one for their rows"
    with CaptureQueriesContext(connection) as queries:
        assert winners_with_events(events) == first
    assert len(queries) == 2, "the versions of the series, and the players"


@pytest.mark.parametrize("page", ["/contests/", "/contests/?series=darts", "/", "/c/main/series/darts/"])
def test_queries_do_not_grow_with_the_events(client, tmp_path, page):
    series = event_of(tmp_path, KNOCK_OUT).series

    def queries() -> tuple[int, int]:
        counts = []
        for _ in range(2):
            with CaptureQueriesContext(connection) as captured:
                assert client.get(page).status_code == 200
            counts.append(len(captured))
        return counts[0], counts[1]

    client.get(page)
    _, few = queries()
    rest = [rows for rows, _, _ in EVENTS.values()]
    for number, rows in enumerate(rest):
        moved = [(row[0].replace("2025", str(2010 + number)), *row[1:]) for row in rows]
        event_of(tmp_path, moved, series=series, name=f"cup-{number}")
    _, many = queries()
    assert many == few


def test_hidden_series_show_nothing(client, tmp_path):
    event = event_of(tmp_path, KNOCK_OUT)
    event.series.is_private = True
    event.series.save()
    for address in (reverse("contests"), reverse("contests", query={"series": "darts"}), reverse("home"), "/c/main/"):
        assert "Gus" not in client.get(address).content.decode(), address
    client.force_login(make_user("ida", is_staff=True))
    assert "Gus" in client.get(reverse("contests", query={"series": "darts"})).content.decode()


def test_drafts_and_deleted_games_do_not_count(tmp_path):
    event = event_of(tmp_path, MATCH)
    last = event.games.in_order().last()
    Contest.objects.filter(pk=last.pk).update(state="deleted", ends_at=last.ends_at + timedelta(days=1))
    assert Standing.objects.filter(contest=last).count() == 2
    assert names_of(event) == []
