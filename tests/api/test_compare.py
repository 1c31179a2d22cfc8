"""Players side by side in the API."""

import pytest

from contests.models import PlayerAlias
from tests.factories import make_contest, make_player, make_series, rate

pytestmark = pytest.mark.django_db


@pytest.fixture
def cup():
    series = make_series("cup")
    make_contest(series, standings=[("ann", 1), ("bob", 2), ("cid", 2)])
    make_contest(series, standings=[("bob", 1), ("ann", 2)])
    make_contest(series, standings=[("ann", 1), ("bob", 2)])
    rate(series)
    return series


def test_players_have_ratings_and_pairs_in_the_order_of_the_request(get, cup):
    answer = get("compare/", series="cup", players="bob,ann,cid")
    assert (answer["series"], answer["run"]) == ("cup", 1)
    assert [row["player"]["handle"] for row in answer["players"]] == ["bob", "ann", "cid"]
    assert [(row["wins"], row["best_place"]) for row in answer["players"]] == [(1, 1), (2, 1), (0, 2)]
    scores = [
        (pair["player"], pair["opponent"], pair["contests"], pair["wins"], pair["losses"], pair["ties"])
        for pair in answer["pairs"]
    ]
    assert scores == [("bob", "ann", 3, 1, 2, 0), ("bob", "cid", 1, 0, 0, 1), ("ann", "cid", 1, 1, 0, 0)]


def test_a_contest_in_which_all_tied_is_not_a_win(get, cup):
    make_contest(cup, standings=[("ann", 1), ("bob", 1)], day=5)
    rate(cup)
    answer = get("compare/", series="cup", players="bob,ann")
    assert [row["wins"] for row in answer["players"]] == [1, 2]
    (pair,) = answer["pairs"]
    assert (pair["contests"], pair["wins"], pair["losses"], pair["ties"]) == (4, 1, 2, 1)


def test_the_ratings_are_those_of_the_leaderboard(get, cup):
    listed = {row["player"]["handle"]: row for row in get("communities/main/series/cup/leaderboard/")["results"]}
    rows = get("compare/", players="ann,bob")["players"]
    assert {row["player"]["handle"] for row in rows} == {"ann", "bob"}
    for row in rows:
        assert row["rating"] == {
            name: value for name, value in listed[row["player"]["handle"]].items() if name != "player"
        }


def test_the_higher_rated_player_is_expected_to_win(get, cup):
    (pair,) = get("compare/", players="ann,bob")["pairs"]
    (other,) = get("compare/", players="bob,ann")["pairs"]
    assert 0.5 < pair["win_probability"] < 1
    assert pair["win_probability"] + other["win_probability"] == pytest.approx(1)


def test_unknown_unrated_and_left_out_players_are_reported(get, cup):
    other = make_series("other")
    make_contest(other, players=9)
    rate(other)
    answer = get("compare/", series="cup", players="ann,nobody-at-all,p0")
    assert [row["player"]["handle"] for row in answer["players"]] == ["ann"]
    assert [player["handle"] for player in answer["unrated"]] == ["p0"]
    assert answer["unknown"] == ["nobody-at-all"]
    answer = get("compare/", players=",".join(f"p{i}" for i in range(9)))
    assert (answer["series"], len(answer["players"]), answer["left_out"]) == ("other", 8, 1)


@pytest.mark.parametrize("form", ["one list", "lists", "single"])
def test_forty_names_are_all_read_however_long_they_are(client, cup, form):
    other = make_series("other")
    make_contest(other, players=12)
    rate(other)
    names = [*(f"{'x' * 110}{i:02}" for i in range(28)), *(f"p{i}" for i in range(12))]
    query = {"one list": {"players": ",".join(names)}, "lists": {"players": names}, "single": {"player": names}}[form]
    answer = client.get("/api/v1/compare/", {**query, "series": "other"}).json()
    assert answer["unknown"] == names[:28]
    assert (len(answer["players"]), answer["left_out"]) == (8, 4)


def test_a_handle_with_a_comma_has_its_own_parameter(client, cup):
    make_contest(cup, standings=[("Qubit, LLC", 1), ("bob", 2)])
    rate(cup)
    answer = client.get("/api/v1/compare/", {"player": ["Qubit, LLC", "bob"]}).json()
    assert [row["player"]["handle"] for row in answer["players"]] == ["Qubit, LLC", "bob"]


def test_a_former_handle_finds_the_player(get, cup):
    PlayerAlias.objects.create(handle="Robert", handle_key="robert", player=make_player("bob"))
    assert [row["player"]["handle"] for row in get("compare/", players="ROBERT")["players"]] == ["bob"]


@pytest.mark.parametrize(
    ("query", "status"),
    [("", 400), ("players=", 400), ("players=%20,%20", 400), ("players=nobody", 404), ("player=nobody", 404),
     ("players=ann&series=nowhere", 404), ("players=ann&series=%00", 400), ("players=%00", 400), ("player=%00", 404),
     ("players=" + "x," * 5000, 400), ("&".join(["players=ann"] * 41), 400), ("&".join(["player=ann"] * 41), 400)],
)  # fmt: skip
def test_impossible_comparisons_are_explained(client, cup, query, status):
    answer = client.get(f"/api/v1/compare/?{query}")
    assert answer.status_code == status
    assert answer.json()["detail"]


def test_drafts_and_private_series_are_hidden(client, get, cup):
    hidden = make_series("hidden", is_public=False)
    make_contest(hidden, standings=[("secret", 1), ("ann", 2)])
    rate(hidden)
    assert client.get("/api/v1/compare/?players=secret").status_code == 404
    assert client.get("/api/v1/compare/?players=ann&series=hidden").status_code == 404
    assert get("compare/", players="ann")["series"] == "cup"


@pytest.mark.parametrize("contests", [1, 60])
def test_the_number_of_queries_does_not_grow_with_the_contests(client, django_assert_num_queries, contests):
    series = make_series("long")
    for _ in range(contests):
        make_contest(series, players=3)
    rate(series)
    with django_assert_num_queries(14):
        client.get("/api/v1/compare/?players=p0,p1,p2")
