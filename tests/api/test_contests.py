"""Contests, standings and the list of players."""

from datetime import timedelta

import pytest

from contests.models import Contest, Player
from contests.services.contests import delete_contest
from contests.services.renaming import rename_player
from tests.factories import FIRST_DAY, make_contest, make_player, make_series, rate

pytestmark = pytest.mark.django_db


def test_pages_near_the_end_continue_the_order_of_the_first_pages(get):
    series = make_series("cup")
    for number in range(23):
        make_contest(series, name=f"c{number:02}", players=1)
    pages = [get("contests/", page_size=5, page=number)["results"] for number in range(1, 6)]
    assert [len(page) for page in pages] == [5, 5, 5, 5, 3]
    assert [contest["name"] for page in pages for contest in page] == [
        f"c{number:02}" for number in reversed(range(23))
    ]


def test_contests_are_listed_newest_first_and_can_be_filtered(get):
    cup, league = make_series("cup"), make_series("league")
    for day, series in enumerate([cup, league, cup]):
        make_contest(series, players=2, day=day, name=f"Day {day}")
    assert [row["name"] for row in get("contests/")["results"]] == ["Day 2", "Day 1", "Day 0"]
    assert [row["name"] for row in get("contests/", series="cup")["results"]] == ["Day 2", "Day 0"]
    moment = (FIRST_DAY + timedelta(days=1)).isoformat()
    assert [row["name"] for row in get("contests/", ended_after=moment)["results"]] == ["Day 2"]
    assert [row["name"] for row in get("contests/", ended_before=moment)["results"]] == ["Day 0"]


def test_standings_have_rank_and_status_of_every_player(get):
    contest = make_contest(
        standings=[("ann", 1, 30), ("bob", 2, 20, "disqualified"), ("cid", 3, 10.5), ("dee", 4, 5, "unofficial")]
    )
    answer = get(f"contests/{contest.pk}/standings/")
    rows = [
        (row["player"]["handle"], row["rank"], row["place"], row["score"], row["status"]) for row in answer["results"]
    ]
    assert rows == [
        ("ann", 1, 1, 30.0, "ranked"),
        ("cid", 2, 3, 10.5, "ranked"),
        ("bob", None, 2, 20.0, "disqualified"),
        ("dee", None, 4, 5.0, "unofficial"),
    ]
    assert get(f"contests/{contest.pk}/")["players"] == 4


def test_drafts_deleted_contests_and_private_series_are_hidden(client, get):
    shown = make_contest(make_series("open"), standings=[("ann", 1), ("bob", 2)])
    draft = make_contest(shown.series, standings=[("drafted", 1), ("ann", 2)], finalized=False)
    gone = make_contest(shown.series, standings=[("erased", 1), ("ann", 2)])
    hidden = make_contest(make_series("hidden", is_public=False), standings=[("secret", 1), ("ann", 2)])
    rate(shown.series)
    rate(hidden.series)
    delete_contest(gone.pk, reason="a test")
    rate(shown.series)
    assert [row["id"] for row in get("contests/")["results"]] == [shown.pk]
    assert [row["slug"] for row in get("series/")["results"]] == ["open"]
    assert [row["handle"] for row in get("players/")["results"]] == ["ann", "bob"]
    assert [row["series"]["slug"] for row in get("communities/main/players/ann/")["ratings"]] == ["open"]
    assert {row["contest"]["id"] for row in get("communities/main/players/ann/history/")["results"]} == {shown.pk}
    for pk in (draft.pk, gone.pk, hidden.pk):
        for part in ("", "standings/", "rating-changes/"):
            assert client.get(f"/api/v1/contests/{pk}/{part}").status_code == 404
    for part in ("", "leaderboard/", "distribution/", "runs/", "changes/"):
        assert client.get(f"/api/v1/communities/main/series/hidden/{part}").status_code == 404
        assert client.get(f"/api/v1/communities/main/series/open/{part}").status_code == 200
    for handle in ("drafted", "erased", "secret"):
        assert client.get(f"/api/v1/communities/main/players/{handle}/").status_code == 404
        assert client.get(f"/api/v1/communities/main/players/{handle}/history/").status_code == 404
    assert client.get("/api/v1/contests/", {"series": "hidden"}).status_code == 404
    assert client.get("/api/v1/communities/main/players/ann/history/", {"series": "hidden"}).status_code == 404


def test_players_are_listed_by_id_in_parts_without_gaps_or_repeats(client, get):
    make_contest(standings=[(handle, 1) for handle in ("Zoe", "ann", "Änne", "anton", "bob", "a/b", "a&b=c", "50%_")])
    make_player("nobody")
    page = get("players/", page_size=3)
    found = page["results"]
    while page["next"]:
        page = client.get(page["next"]).json()
        found += page["results"]
    assert len(page["results"]) <= 3
    assert [row["handle"] for row in found] == list(
        Player.objects.exclude(handle="nobody").order_by("pk").values_list("handle", flat=True)
    )
    assert len(found) == 8


def test_players_renamed_while_a_client_reads_pages_are_listed_once(client, get):
    make_contest(standings=[(f"player{i}", i) for i in range(1, 10)])
    page = get("players/", page_size=2)
    found = [row["id"] for row in page["results"]]
    while page["next"]:
        last, *_, ahead = Player.objects.order_by("pk").values_list("pk", flat=True).filter(pk__gte=found[-1])
        for pk, handle in ((last, f"zzz{last}"), (ahead, f"aaa{len(found)}")):
            rename_player(pk, handle=handle, reason="a test")
        page = client.get(page["next"]).json()
        found += [row["id"] for row in page["results"]]
    assert found == list(Player.objects.order_by("pk").values_list("pk", flat=True))


def test_infinite_numbers_are_null(get):
    contest = make_contest(standings=[("ann", 1, 3), ("bob", 2, 2)])
    Contest.objects.filter(pk=contest.pk).update(perf_ceiling=float("inf"))
    assert get(f"contests/{contest.pk}/")["perf_ceiling"] is None


def test_contests_are_found_by_a_part_of_their_name(client, get):
    cup = make_series("cup")
    for name in ("Grand Final", "Semifinal", "100 % Sprint", "Qualifier_1"):
        make_contest(cup, players=2, name=name)
    make_contest(make_series("secret", is_public=False), players=2, name="Secret final")

    def found(text, **more):
        return {row["name"] for row in get("contests/", search=text, **more)["results"]}

    assert found("FINAL") == {"Grand Final", "Semifinal"}
    assert found("final", series="cup") == {"Grand Final", "Semifinal"}
    assert (found("%"), found("_")) == ({"100 % Sprint"}, {"Qualifier_1"})
    assert found("nothing") == set()
    assert get("contests/", search="final")["count"] == 2
    assert client.get("/api/v1/contests/", {"search": "x" * 129}).status_code == 400
    assert client.get("/api/v1/contests/", {"search": "a\0"}).status_code == 400
