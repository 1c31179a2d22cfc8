"""Series, leaderboards, distributions, runs, players, histories and rating changes."""

from urllib.parse import quote

import pytest

from contests.handles import handle_key
from contests.models import Player, PlayerAlias
from contests.services.contests import delete_contest
from contests.services.correcting import Correction, correct_standing
from contests.services.merging import merge_players
from contests.services.renaming import rename_player
from ratings.models import Rating, RatingChange
from ratings.publishing.schemes import choose_scheme
from tests.factories import make_contest, make_series, rate
from tests.pages import Page

pytestmark = pytest.mark.django_db

HOSTILE = [
    "a/b",
    "a b",
    "50%",
    "what?",
    "#1",
    "Ünïcode",
    "日本語",
    "🦊",
    "<b>x</b>",
    "a+b",
    "..",
    "/etc",
    "x/history",
    "é;ü",
]


@pytest.fixture
def cup():
    series = make_series("cup", name="Harbour Cup")
    make_contest(series, standings=[("ann", 1), ("bob", 2), ("cid", 3), ("dee", 3)], name="First")
    make_contest(series, standings=[("bob", 1), ("ann", 2)], name="Second")
    rate(series)
    return series


def test_a_leaderboard_has_the_ranks_percentiles_and_ratings_of_its_run(get, cup):
    page = get("communities/main/series/cup/leaderboard/")
    assert (page["series"], page["run"], page["count"], page["pages"]) == ("cup", 1, 4, 1)
    rows = page["results"]
    stored = {row.player.handle: row for row in Rating.objects.select_related("player")}
    assert [row["player"]["handle"] for row in rows][:2] == sorted(["ann", "bob"], key=lambda h: -stored[h].score)
    assert [row["rank"] for row in rows] == [1, 2, 3, 3]
    assert [row["percentile"] for row in rows] == [100, 75, 50, 50]
    for row in rows:
        own = stored[row["player"]["handle"]]
        assert (row["mu"], row["sigma"], row["peak_score"]) == (own.mu, own.sigma, own.peak), "full precision"
        assert (row["run"], row["contests"]) == (1, own.contest_count)
        assert abs(row["rating"] - own.mu) <= 0.5
    assert rows[0]["last_contest"]["name"] == "Second"


def test_established_players_have_the_ranks_of_the_page(get, client):
    """Zoe is second among all players after one contest, but pages do not list her by default."""
    series = make_series("cup")
    for day in range(10):
        make_contest(series, standings=[("ann", 1), ("bob", 2), ("cem", 2), ("eve", 4)], day=day)
    make_contest(series, standings=[("zoe", 1), ("ann", 2), ("bob", 3), ("cem", 3), ("eve", 5)], day=20)
    choose_scheme(series.pk, system="glicko2")
    rate(series)
    rows = get("communities/main/series/cup/leaderboard/")["results"]
    ranks = {row["player"]["handle"]: (row["rank"], row["established_rank"]) for row in rows}
    assert ranks == {"ann": (1, 1), "zoe": (2, None), "bob": (3, 2), "cem": (3, 2), "eve": (5, 4)}
    page = Page(client.get("/c/main/series/cup/leaderboard/?show=established"))
    assert [row[0] for row in page.tables[0][1:]] == ["1", "2", "2", "4"]
    (own,) = get("communities/main/players/ann/")["ratings"]
    assert (own["rank"], own["established_rank"]) == (1, 1)
    listed = get("communities/main/series/cup/leaderboard/?established=true")["results"]
    assert [row["established_rank"] for row in listed] == [1, 2, 2, 4]


def test_pages_are_linked_and_ranks_continue(get, client, cup):
    first = get("communities/main/series/cup/leaderboard/", page_size=3)
    second = client.get(first["next"]).json()
    assert [row["rank"] for row in first["results"] + second["results"]] == [1, 2, 3, 3]
    assert (first["previous"], second["next"], second["page"]) == (None, None, 2)
    assert client.get(second["previous"]).json() == first


def test_filters_do_not_change_ranks(get, cup):
    Player.objects.filter(handle__in=["bob", "dee"]).update(country="DE")
    everyone = {row["player"]["handle"]: row for row in get("communities/main/series/cup/leaderboard/")["results"]}
    germans = get("communities/main/series/cup/leaderboard/", country="de")
    assert germans["count"] == 2
    assert germans["results"] == [
        {**everyone[h], "player": {**everyone[h]["player"], "country": "DE"}} for h in ("bob", "dee")
    ]
    found = get("communities/main/series/cup/leaderboard/", search="B")
    assert [row["player"]["handle"] for row in found["results"]] == ["bob"]
    assert get("communities/main/series/cup/leaderboard/", search="b", country="FR")["results"] == []


def test_a_distribution_counts_every_player_once_in_bins_and_in_tiers(get, cup):
    answer = get("communities/main/series/cup/distribution/")
    ratings = [row["rating"] for row in get("communities/main/series/cup/leaderboard/")["results"]]
    assert (answer["run"], answer["players"]) == (1, 4)
    assert len(answer["bins"]) <= 60
    for one in answer["bins"]:
        assert one["players"] == sum(one["start"] <= rating < one["end"] for rating in ratings)
    assert sum(one["players"] for one in answer["bins"]) == sum(tier["players"] for tier in answer["tiers"]) == 4
    assert [one["end"] for one in answer["bins"]][:-1] == [one["start"] for one in answer["bins"]][1:]


def test_a_series_describes_its_rating_system_and_display(get, cup):
    choose_scheme(cup.pk, display={"mapping": "fermi", "range": 5000})
    answer = get("communities/main/series/cup/")
    assert (answer["name"], answer["run"]["number"], answer["run"]["players"]) == ("Harbour Cup", 1, 4)
    scheme = answer["scheme"]
    assert (scheme["system"], scheme["display"]["mapping"], scheme["display"]["range"]) == ("elo-mmr", "fermi", 5000)
    assert scheme["tiers"][0]["minimum"] is None
    (listed,) = get("series/")["results"]
    assert listed == {key: answer[key] for key in ("community", "slug", "name", "description", "run")}
    assert get("communities/main/series/")["results"] == [listed]


def test_responses_are_empty_before_the_first_run(get):
    make_contest(make_series("new"), players=3)
    assert get("communities/main/series/new/")["run"] is None
    assert get("communities/main/series/new/leaderboard/")["results"] == []
    assert get("communities/main/series/new/leaderboard/", search="p")["run"] is None
    assert get("communities/main/series/new/distribution/")["bins"] == []
    assert get("communities/main/series/new/runs/")["count"] == 0
    assert get("communities/main/series/new/changes/") == {
        "community": "main", "series": "new", "since_run": 0, "run": 0, "next": None, "results": [], "retracted": []
    }  # fmt: skip


def test_a_series_without_contests_has_no_scheme(get):
    make_series("empty")
    assert get("communities/main/series/empty/")["scheme"] is None
    assert get("communities/main/series/empty/leaderboard/")["count"] == 0


def test_runs_are_listed_newest_first_without_failed_ones(get, cup):
    cup.runs.create(number=2, scheme=cup.schemes.get(), state="failed", error="secret")
    make_contest(cup, standings=[("ann", 1), ("dee", 2)])
    rate(cup)
    runs = get("communities/main/series/cup/runs/")["results"]
    assert [(run["number"], run["kind"], run["changes"]) for run in runs] == [(3, "append", 2), (1, "replay", 6)]


def test_causes_of_runs_name_nothing_that_is_gone_and_no_reason(client, get, cup):
    contest = make_contest(cup, standings=[("ann", 1), ("zoltan", 2)], name="Hidden final")
    rate(cup)
    row = contest.standings.get(player__handle="zoltan")
    correct_standing(row.pk, correction=Correction.of(row, status="disqualified"), reason="a secret")
    rate(cup)
    delete_contest(contest.pk, reason="a secret")
    rate(cup)
    causes = [run["cause"] for run in get("communities/main/series/cup/runs/")["results"]]
    assert causes == ["A contest was deleted.", "Results were corrected.", *causes[2:]]
    for address in ("communities/main/series/cup/runs/", "communities/main/series/cup/", "communities/main/series/"):
        text = client.get(f"/api/v1/{address}").content.decode()
        assert not [word for word in ("secret", "Hidden", "zoltan") if word in text], address


@pytest.mark.parametrize(
    ("stored", "shown"),
    [
        ("New rating scheme: Elo: a secret", "The series got a new rating scheme."),
        ("New version of the rating engine", "A new version of the rating library rated all contests again."),
        ("Merged dee into ann: a secret; and 2 more", "Players were merged."),
        ("Imported 3 contests from secret.json", "Contests were imported."),
        ("a secret", "Results changed."),
    ],
)
def test_each_kind_of_cause_has_its_own_words(client, get, cup, stored, shown):
    cup.runs.update(cause=stored)
    assert get("communities/main/series/cup/")["run"]["cause"] == shown


def test_a_player_has_the_same_numbers_as_the_leaderboard(get, cup):
    entries = get("communities/main/series/cup/leaderboard/")["results"]
    assert len(entries) == 4
    for entry in entries:
        player = get(f"communities/main/players/{entry['player']['handle']}/")
        (rating,) = player["ratings"]
        assert rating.pop("series") == {"community": "main", "slug": "cup", "name": "Harbour Cup"}
        assert rating.pop("players") == 4
        assert (rating.pop("league"), rating.pop("season")) == (None, None)
        assert {**rating, "player": {key: player[key] for key in entry["player"]}} == entry


def test_each_change_in_a_history_begins_where_the_previous_one_ended(get, cup):
    other = make_series("league")
    make_contest(other, standings=[("ann", 1), ("zoe", 2)], name="Elsewhere")
    rate(other)
    history = get("communities/main/players/ann/history/", series="cup")["results"]
    assert [row["contest"]["name"] for row in history] == ["First", "Second"]
    first, second = history
    assert (first["mu_before"], first["sigma_before"], first["field_size"]) == (1500.0, 350.0, 4)
    for name in ("mu", "sigma", "rating"):
        assert second[f"{name}_before"] == first[name]
    assert first["rating_before"] + first["change"] == first["rating"]
    assert second["mu"] == get("communities/main/players/ann/")["ratings"][0]["mu"]
    everything = get("communities/main/players/ann/history/")["results"]
    assert sorted(row["contest"]["name"] for row in everything) == ["Elsewhere", "First", "Second"]
    assert {row["series"]: row["run"] for row in everything} == {"cup": 1, "league": 1}


def test_the_changes_of_a_contest_are_those_of_its_players(get, cup):
    contest = cup.contests.get(name="First")
    page = get(f"contests/{contest.pk}/rating-changes/")
    assert (page["run"], page["count"]) == (1, 4)
    assert [row["rank"] for row in page["results"]] == [1, 2, 3, 3]
    for row in page["results"]:
        own = RatingChange.objects.get(contest=contest, player__handle=row["player"]["handle"])
        assert (row["mu"], row["performance"]) == (own.mu, own.performance)
        assert get(f"communities/main/players/{row['player']['handle']}/history/")["results"][0] == row


@pytest.mark.parametrize("handle", HOSTILE)
def test_any_handle_works_percent_encoded(get, handle):
    series = make_series("cup")
    make_contest(series, standings=[(handle, 1), ("other", 2)])
    rate(series)
    assert get(f"communities/main/players/{quote(handle, safe='')}/")["handle"] == handle
    assert get(f"communities/main/players/{quote(handle)}/")["handle"] == handle
    (change,) = get(f"communities/main/players/{quote(handle, safe='')}/history/")["results"]
    assert change["player"]["handle"] == handle
    assert handle in [row["handle"] for row in get("players/", search=handle)["results"]]


def test_an_address_that_could_mean_two_players_is_the_history_of_the_shorter_handle(get):
    make_contest(make_series(), standings=[("x", 1), ("x/history", 2)])
    assert "results" in get("communities/main/players/x/history/")
    assert get("communities/main/players/x/history/history/")["results"] == []


def test_a_former_handle_that_ends_in_history_redirects(client):
    make_contest(make_series(), standings=[("cyd", 1), ("bo", 2)])
    cyd = Player.objects.get(handle="cyd")
    PlayerAlias.objects.create(handle="Cyd2/history", handle_key=handle_key("Cyd2/history"), player=cyd)
    for address in ("Cyd2/history", "Cyd2%2Fhistory"):
        moved = client.get(f"/api/v1/communities/main/players/{address}/?series=main")
        assert (moved.status_code, moved["Location"]) == (308, "/api/v1/communities/main/players/cyd/"), address
        assert client.get(moved["Location"]).json()["handle"] == "cyd"


def test_case_does_not_matter_and_former_handles_redirect(client, cup):
    ann = Player.objects.get(handle="ann")
    PlayerAlias.objects.create(handle="Ann/Old", handle_key=handle_key("Ann/Old"), player=ann)
    assert client.get("/api/v1/communities/main/players/ANN/").json()["handle"] == "ann"
    moved = client.get("/api/v1/communities/main/players/ann%2Fold/")
    assert (moved.status_code, moved["Location"]) == (308, "/api/v1/communities/main/players/ann/")
    moved = client.get("/api/v1/communities/main/players/Ann/Old/history/?series=cup")
    assert (moved.status_code, moved["Location"]) == (308, "/api/v1/communities/main/players/ann/history/?series=cup")
    assert client.get(moved["Location"]).status_code == 200


def test_a_player_is_found_by_id_after_renaming(client, get, cup):
    ann = Player.objects.get(handle="ann")
    assert get(f"players/{ann.pk}/") == get("communities/main/players/ann/")
    assert get(f"players/{ann.pk}/history/", series="cup") == {
        **get("communities/main/players/ann/history/", series="cup"), "next": None, "previous": None
    }  # fmt: skip
    rename_player(ann.pk, handle="anna", reason="a test")
    assert get(f"players/{ann.pk}/")["handle"] == "anna"


def test_the_id_of_a_merged_player_redirects_to_the_other_player(client, cup):
    make_contest(cup, standings=[("annie", 1), ("bob", 2)])
    kept, merged = Player.objects.get(handle="ann"), Player.objects.get(handle="annie")
    merge_players(kept.pk, merged.pk, reason="a test")
    moved = client.get(f"/api/v1/players/{merged.pk}/")
    assert (moved.status_code, moved["Location"]) == (308, f"/api/v1/players/{kept.pk}/")
    moved = client.get(f"/api/v1/players/{merged.pk}/history/?series=cup")
    assert moved["Location"] == f"/api/v1/players/{kept.pk}/history/?series=cup"
    assert client.get(moved["Location"]).status_code == 200


def test_players_without_a_public_result_are_not_found_by_id(client, cup):
    hidden = make_series("hidden", is_public=False)
    make_contest(hidden, standings=[("secret", 1), ("ann", 2)])
    make_contest(cup, standings=[("drafted", 1), ("ann", 2)], finalized=False)
    rate(hidden)
    for handle in ("secret", "drafted"):
        player = Player.objects.get(handle=handle)
        for part in ("", "history/"):
            assert client.get(f"/api/v1/communities/main/players/{handle}/{part}").status_code == 404
            assert client.get(f"/api/v1/players/{player.pk}/{part}").status_code == 404
