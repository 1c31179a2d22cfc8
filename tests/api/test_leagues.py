"""The leagues of a series and the tables of its seasons in the API, compared with pages and with each player's data."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from ratings.derived import derived
from ratings.derived.leagues import DERIVATION
from ratings.models import Derived
from ratings.queries.snapshot import snapshot_of
from tests.factories import make_contest, make_series, make_user, rate
from tests.pages import Page
from tests.ratings.leagues import HANDLES, make_league_series

pytestmark = pytest.mark.django_db

AT = "communities/main/series/cup"
RULES = {"assignment": "moving_average", "contests": 3, "margin": 20, "provisional_contests": 2, "division_size": 3}


@pytest.fixture
def cup():
    return make_league_series(leagues=RULES, season={"length": "year"})


def own(get):
    """Return each player's rating row, by handle: the numbers that other tests compare with the plain twins."""
    return {handle: get(f"communities/main/players/{handle}/")["ratings"][0] for handle in HANDLES}


def test_the_lists_have_the_numbers_of_the_players(get, cup):
    players = own(get)
    answer = get(f"{AT}/leagues/players/")
    assert (answer["community"], answer["series"], answer["run"]) == ("main", "cup", 1)
    rows = {row["player"]["handle"]: row for row in answer["results"]}
    assert rows.keys() == players.keys()
    names = [tier.name for tier in snapshot_of(cup).tiers]
    order = [names.index(row["league"]) if row["league"] else -1 for row in answer["results"]]
    assert order == sorted(order, reverse=True)
    assert len(set(order)) > 2
    minimums = {tier["name"]: tier["minimum"] for tier in get(f"{AT}/")["scheme"]["tiers"]}
    for handle, player in players.items():
        row, league = rows[handle], player["league"]
        assert (row["league"], row["mean"]) == (league["name"], pytest.approx(league["mean"]))
        assert row["division"] == (league["division"] or {"number": None})["number"]
        assert (row["rank"], row["rating"], row["low"], row["high"]) == (player["rank"], player["rating"], None, None)
        if row["league"] and row["league"] != names[-1]:
            following = minimums[names[names.index(row["league"]) + 1]]
            assert row["to_promotion"] == pytest.approx(following - row["mean"])
    overview = get(f"{AT}/leagues/")
    assert overview["is_computed"]
    for league in overview["leagues"]:
        listed = [row for row in rows.values() if row["league"] == league["name"]]
        assert league["players"] == len(listed)
        assert league["divisions"] == max((row["division"] or 0 for row in listed), default=0)
    assert [league["name"] for league in overview["leagues"]] == names[::-1]
    assert overview["provisional"] == sum(row["league"] is None for row in rows.values())
    page = get(f"{AT}/leagues/players/", page_size=5, page=2)
    assert (page["count"], page["pages"], page["results"]) == (14, 3, answer["results"][5:10])
    by_division = {}
    for row in answer["results"]:
        by_division.setdefault((row["league"], row["division"]), []).append(row)
    for (league, division), expected in by_division.items():
        if division:
            assert get(f"{AT}/leagues/players/", league=league.lower(), division=division)["results"] == expected


def test_moves_are_those_of_the_page(get, client, cup):
    overview = get(f"{AT}/leagues/")
    content = derived(snapshot_of(cup), DERIVATION)
    for kind, way in (("promotions", "up"), ("relegations", "down")):
        moves = [(move["player"]["id"], move["contest"]["id"]) for move in overview[kind]]
        assert moves == list(zip(content[f"{way}_player"].tolist(), content[f"{way}_contest"].tolist(), strict=True))
    assert overview["promotions"]
    names = [league["name"] for league in overview["leagues"]][::-1]
    assert all(names.index(move["before"]) < names.index(move["after"]) for move in overview["promotions"])
    assert all(names.index(move["before"]) > names.index(move["after"]) for move in overview["relegations"])


def test_the_tables_of_seasons_have_the_points_of_the_players(get, cup):
    players = own(get)
    seasons = get(f"{AT}/seasons/")["results"]
    assert [season["start"] for season in seasons] == ["2025-01-01", "2024-01-01"]
    assert [season["end"] for season in seasons][1] == "2025-01-01"
    assert sum(season["contests"] for season in seasons) == 12
    rows = get(f"{AT}/seasons/{seasons[0]['number']}/")["results"]
    assert len(rows) == seasons[0]["players"]
    for row in rows:
        season = players[row["player"]["handle"]]["season"]
        for name in (
            "points",
            "rank",
            "points_without_bonus",
            "rank_without_bonus",
            "league",
            "bonus_left",
            "contests",
        ):
            assert row[name] == season[name]
        division = players[row["player"]["handle"]]["league"]["division"]
        assert row["division"] == (division["number"] if division else None)
        assert row["last_contest"]["ends_at"] > "2025"
    bare = get(f"{AT}/seasons/2/", without_bonus="true")["results"]
    assert sorted(bare, key=lambda row: row["player"]["id"]) == sorted(rows, key=lambda row: row["player"]["id"])
    chosen = next(row for row in rows if row["division"])
    found = get(f"{AT}/seasons/2/", league=chosen["league"], division=chosen["division"])["results"]
    assert found == [row for row in rows if (row["league"], row["division"]) == (chosen["league"], chosen["division"])]
    points = [row["points_without_bonus"] for row in bare if row["league"] == chosen["league"]]
    assert points == sorted(points, reverse=True)


def test_errors_name_what_is_wrong_or_missing(get, client, cup):
    plain = make_series("plain")
    make_contest(plain, standings=[("ann", 1), ("bob", 2)])
    rate(plain)
    make_series("empty")
    for path, status, words in (
        (f"{AT}/leagues/players/?league=Nowhere", 400, "no league “Nowhere”"),
        (f"{AT}/leagues/players/?division=1", 400, "Name the league"),
        (f"{AT}/leagues/players/?devision=1", 400, "Did you mean “division”"),
        (f"{AT}/leagues/?league=Torch", 400, "Unknown parameter"),
        (f"{AT}/seasons/2/?league=Nowhere", 400, "no league “Nowhere”"),
        (f"{AT}/seasons/2/?division=0&league=Torch", 400, "division"),
        (f"{AT}/seasons/9/", 404, "no season 9"), (f"{AT}/seasons/{10**30}/", 404, "no season 1"),
        *((f"communities/main/series/{slug}/{name}/", 404, "has no") for slug in ("plain", "empty")
          for name in ("leagues", "leagues/players", "seasons")),
        ("communities/main/series/plain/seasons/1/", 404, "no season points"),
    ):  # fmt: skip
        answer = client.get(f"/api/v1/{path}")
        assert answer.status_code == status, path
        assert words in str(answer.json()), path
    assert get(f"{AT}/leagues/players/", league="Torch", division=99)["results"] == []
    Derived.objects.all().delete()
    assert get(f"{AT}/leagues/players/")["results"] == get(f"{AT}/seasons/")["results"] == []
    assert get(f"{AT}/leagues/")["is_computed"] is False


def test_outsiders_get_the_same_response_as_for_a_missing_series(client, cup):
    type(cup).objects.filter(pk=cup.pk).update(is_private=True, is_public=False, is_listed=False)
    client.force_login(make_user("eve"))
    for name in ("leagues", "leagues/players", "seasons", "seasons/2"):
        hidden, missing = (client.get(f"/api/v1/communities/main/series/{slug}/{name}/") for slug in ("cup", "c00"))
        assert hidden.status_code == missing.status_code == 404
        assert hidden.content.replace(b"cup", b"c00") == missing.content


def test_responses_are_conditional_and_take_a_bounded_number_of_queries(client, cup):
    for name in ("leagues", "leagues/players", "seasons", "seasons/2"):
        address = f"/api/v1/{AT}/{name}/"
        first = client.get(address)
        assert client.get(address, headers={"If-None-Match": first["ETag"]}).status_code == 304
        with CaptureQueriesContext(connection) as queries:
            client.get(address)
        assert len(queries) <= 10, [query["sql"] for query in queries]


def test_the_leaderboard_lists_a_league_or_a_division(client, get, cup):
    rows = get(f"{AT}/leagues/players/")["results"]
    names = [tier.name for tier in snapshot_of(cup).tiers]
    chosen = next(row for row in rows if row["division"])
    league = names.index(chosen["league"]) + 1

    def listed(query):
        page = Page(client.get(f"/c/main/series/cup/leaderboard/?show=everyone&{query}"))
        assert page.status == 200
        return {handle for row in page.tables[0][1:] for handle in HANDLES if handle in " ".join(row)}, page

    expected = {row["player"]["handle"] for row in rows if row["league"] == chosen["league"]}
    assert listed(f"league={league}")[0] == expected
    inside = {row["player"]["handle"] for row in rows
              if (row["league"], row["division"]) == (chosen["league"], chosen["division"])}  # fmt: skip
    found, page = listed(f"league={league}&division={chosen['division']}")
    assert found == inside
    assert "Division of the league" in page.text
    for query, words in (
        (f"league={league}&division=99", "There is no division “99” in this league."),
        ("division=1", "Choose the league that the division belongs to."),
        ("league=<b>", "There is no league “<b>” in this series."),
    ):
        answer = client.get(f"/c/main/series/cup/leaderboard/?{query}")
        assert answer.status_code == 404
        assert words in Page(answer).text
