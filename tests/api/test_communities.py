"""Communities in the REST API: responses name the community, and never reveal what is hidden."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from contests.models import Community, Contest, Player, PlayerAlias, Series, Standing, Visibility
from contests.services.communities import describe_community
from contests.services.contests import delete_contest
from contests.services.renaming import rename_player
from podium.urls_api import urlpatterns
from ratings.models import Rating, RatingChange, Run, Scheme
from ratings.publishing.deriving import derive_series
from ratings.publishing.schemes import choose_scheme
from tests.factories import make_community, make_contest, make_player, make_series, make_user, rate
from tests.ratings.leagues import LEAGUES

pytestmark = pytest.mark.django_db

#: An id that no other row of a test has; the id of a merged player is higher by 100.
FAR = 1_000_003


#: What a hidden community consists of, in an order in which it can be deleted.
MODELS = (RatingChange, Rating, Run, Scheme, Standing, Contest, PlayerAlias, Player, Series, Community)


#: Query strings for operations that need one.
QUERIES = {
    "match": {"a": "ann", "b": "bob"},
    "opponents": {"player": "ann"},
    "pairings": {"players": "ann,bob"},
    "teams": {"players": "ann,bob"},
}


def operations():
    """Return the name and the parameters of every address of one community or of the whole site, except comparisons."""
    # The last two are about events and ladders only.
    left_out = {"unknown", "docs", "schema", "compare", "scores", "challenges"}
    return [(each.name, list(each.pattern.converters)) for each in urlpatterns if each.name not in left_out]


def address_in(name, parameters, series, handle):
    """Return an address of the interface for a series with one contest, or for a player of its community."""
    contest, player = series.contests.get(), Player.objects.get(community=series.community, handle=handle)
    values = {"community": series.community_id, "slug": series.slug, "handle": handle, "number": 1}
    values["pk"] = contest.pk if name in ("contest", "standings", "rating-changes") else player.pk
    return reverse(f"api:{name}", kwargs={key: values[key] for key in parameters}, query=QUERIES.get(name))


def objects_in(value):
    """Yield every object in a JSON document."""
    if isinstance(value, dict):
        yield value
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from objects_in(part)


def rated(community, slug="cup", *, standings=(("ann", 1), ("bob", 2)), has_leagues=False, **fields):
    """Make a rated series with one contest; with leagues and seasons, so that every address has an answer."""
    series = make_series(slug, community=community, **fields)
    make_contest(series, standings=standings, slug="first")
    if has_leagues:
        choose_scheme(series.pk, leagues=LEAGUES, season={"length": "year"})
    rate(series)
    if has_leagues:
        derive_series(series.pk)
    return series


def names(answer, field="slug"):
    return [row[field] for row in answer["results"]]


def test_lists_of_the_site_have_listed_communities_only_and_unlisted_ones_can_be_read(get):
    for visibility in Visibility.values:
        make_community(visibility, visibility=visibility)
        rated(visibility)
    assert names(get("communities/")) == ["public"]
    for address in ("series/", "contests/", "players/"):
        assert {row["community"] for row in get(address)["results"]} == {"public"}, address
    assert names(get("players/", search="ann"), "community") == ["public"]
    assert get("communities/unlisted/")["slug"] == "unlisted"
    assert names(get("communities/unlisted/series/")) == ["cup"]
    assert names(get("communities/unlisted/players/"), "handle") == ["ann", "bob"]
    assert names(get("communities/unlisted/players/", search="BOB"), "handle") == ["bob"]
    assert names(get("contests/", series="unlisted/cup"), "community") == ["unlisted"]
    assert get("compare/", community="unlisted", players="ann,bob")["community"] == "unlisted"


def test_the_lists_of_a_community_leave_out_its_private_series(get):
    rated("club", "open", standings=[("ann", 1), ("bob", 2)])
    rated("club", "secret", standings=[("ann", 1), ("eve", 2)], is_public=False)
    assert names(get("communities/club/series/")) == ["open"]
    assert names(get("communities/club/players/"), "handle") == ["ann", "bob"]
    assert [row["series"]["slug"] for row in get("communities/club/players/ann/")["ratings"]] == ["open"]
    assert names(get("communities/club/players/ann/history/"), "series") == ["open"]


def test_a_community_that_becomes_private_disappears(client, get):
    rated("club")
    assert names(get("communities/")) == ["club"]
    club = Community.objects.get(pk="club")
    describe_community("club", name=club.name, description="", visibility=Visibility.PRIVATE)
    assert get("communities/")["count"] == get("series/")["count"] == get("contests/")["count"] == 0
    assert get("players/")["results"] == []
    assert client.get("/api/v1/communities/club/series/cup/").status_code == 404
    assert client.get("/api/v1/communities/club/players/ann/").status_code == 404


@pytest.fixture
def twins():
    """Two communities with the same series slug and the same handles, but different results."""
    rated("east", name="Eastern Cup", has_leagues=True)
    rated("west", name="Western Cup", standings=[("bob", 1), ("ann", 2), ("cid", 3)], has_leagues=True)
    return {name: Series.objects.get(community=name) for name in ("east", "west")}


def test_series_and_players_of_the_same_name_are_not_mixed_up(client, twins):
    for own, other, count in (("east", "west", 2), ("west", "east", 3)):
        strangers = set(Player.objects.filter(community=other).values_list("pk", flat=True))
        for name, parameters in operations():
            response = client.get(address_in(name, parameters, twins[own], "ann"))
            assert response.status_code == 200, (name, response.content)
            if parameters:
                rows = list(objects_in(response.json()))
                assert {row["community"] for row in rows if "community" in row} <= {own}, name
                assert not {row["id"] for row in rows if "handle" in row} & strangers, name
        assert client.get(f"/api/v1/communities/{own}/series/cup/leaderboard/").json()["count"] == count


def test_every_answer_that_names_a_series_or_a_player_names_the_community(client, twins):
    addresses = [
        address_in(name, parameters, twins["east"], "ann") for name, parameters in operations() if name != "root"
    ]
    addresses += ["/api/v1/compare/?community=east&players=ann,bob,nobody"]
    seen = [row for address in addresses for row in objects_in(client.get(address).json())]
    # Where the series is a slug, the row itself names the community; in a player's ratings, the series is an object.
    named = [row for row in seen if isinstance(row.get("series"), str) or "handle" in row or {"run", "slug"} <= {*row}]
    assert len(named) > 20
    assert [row for row in named if "community" not in row] == []
    references = [row["series"] for row in seen if isinstance(row.get("series"), dict)]
    assert references
    assert all(row["community"] == "east" for row in references)


def test_parameters_name_series_with_their_community(get, client, twins, settings):
    assert [row["name"] for row in get("series/")["results"]] == ["Eastern Cup", "Western Cup"]
    assert names(get("contests/", series="west/cup"), "community") == ["west"]
    assert get("compare/", series="west/cup", players="ann,cid")["community"] == "west"
    assert get("compare/", community="west", series="cup", players="ann")["series"] == "cup"
    settings.PODIUM_COMMUNITY = "east"
    assert names(get("contests/", series="cup"), "community") == ["east"]
    assert get("compare/", players="ann,cid")["unknown"] == ["cid"]
    assert get("compare/", series="cup", players="ann")["community"] == "east"
    answer = client.get("/api/v1/compare/", {"community": "east", "series": "west/cup", "players": "ann"})
    assert answer.status_code == 400
    assert answer.json()["errors"] == [
        {"parameter": "series", "detail": "This series does not belong to the community “east”. Leave out one."}
    ]


def test_a_player_is_not_compared_in_a_series_of_another_community(get, twins):
    answer = get("compare/", community="west", players="cid,ann")
    assert {row["player"]["community"] for row in answer["players"]} == {"west"}
    assert [row["rating"]["rank"] for row in answer["players"]] == [3, 2]
    (history,) = get("communities/east/players/ann/history/", series="cup")["results"]
    assert (history["community"], history["rank"]) == ("east", 1)


@pytest.mark.parametrize("default", ["main", "club"])
def test_the_default_community_may_have_another_slug(get, client, settings, default):
    settings.PODIUM_COMMUNITY = default
    rated(default)
    assert names(get("contests/", series="cup")) == names(get("contests/", series=f"{default}/cup")) == ["first"]
    assert get("compare/", players="ann,bob")["community"] == default
    elsewhere = "club" if default == "main" else "main"
    assert client.get("/api/v1/contests/", {"series": f"{elsewhere}/cup"}).status_code == 404


def private_community():
    make_community("club", visibility=Visibility.PRIVATE, owner=make_user("owner"))
    _fill(make_series("secret", community="club"))


def private_series():
    _fill(make_series("secret", community="club", is_public=False))


def private_series_in_unlisted_community():
    Community.objects.filter(pk="club").update(visibility=Visibility.UNLISTED)
    _fill(make_series("secret", community="club", is_public=False))


def draft():
    make_player("eve", community="club", pk=FAR)
    series = Series.objects.get(community="club")
    make_contest(series, standings=[("eve", 1), ("ann", 2)], pk=FAR, slug="hidden", finalized=False, is_announced=True)


def deleted_contest():
    draft()
    Contest.objects.filter(pk=FAR).update(state="finalized", finalized_at="2024-01-01T00:00:00Z")
    delete_contest(FAR, reason="by mistake")


def _fill(series):
    """Add a rated contest, a player who took part in nothing else, another name and a merged player."""
    eve = make_player("eve", community="club", pk=FAR, country="DE", name="Eve Adams")
    make_contest(series, standings=[("eve", 1), ("ann", 2)], pk=FAR, slug="hidden")
    rate(series)
    rename_player(eve.pk, handle="eve_adams", reason="a test")
    PlayerAlias.objects.create(community_id="club", handle="evie", handle_key="evie", player=eve)
    Player.objects.create(community_id="club", handle="eva", handle_key="eva", merged_into=eve, pk=FAR + 100)


def answers(client):
    """Return all that responses reveal about what may be hidden: status, headers, body and number of queries."""
    addresses = []
    for name, parameters in operations():
        variants = [{}]
        for key, values in (
            ("community", ["club"]),
            ("slug", ["secret", "open"]),
            ("handle", ["eve", "eve_adams", "evie", "eva", "ann"]),
            ("pk", [FAR, FAR + 100]),
            ("number", [1]),
        ):
            if key in parameters:
                variants = [{**each, key: value} for each in variants for value in values]
        addresses += [reverse(f"api:{name}", kwargs=each) for each in variants]
    addresses += [
        f"/api/v1/{address}"
        for address in (
            "contests/?series=club/secret", "contests/?series=club/open", "players/?search=eve", "players/?search=evie",
            "communities/club/players/?search=eve", "communities/club/players/?search=e",
            "compare/?community=club&players=eve,ann", "compare/?series=club/secret&players=ann,bob",
            "compare/?community=club&players=eve", "compare/?community=club&players=evie,eva",
            "communities/club/series/open/leaderboard/?search=eve", "communities/club",
            "communities/club/players/ann/history/?series=secret", "communities/club/series/secret",
            "series/?page=2", "players/?after=1000002",
            "communities/club/series/secret/changes/?since_run=1", f"contests/{FAR}/standings/?page=2",
        )
    ]  # fmt: skip
    found = {}
    for address in addresses:
        for method in ("get", "head", "options"):
            with CaptureQueriesContext(connection) as queries:
                response = getattr(client, method)(address)
            effort = len(queries) if response.status_code == 404 else None
            found[method, address] = response.status_code, dict(response.headers), response.content, effort
    return found


@pytest.mark.parametrize(
    "hidden", [private_community, private_series, private_series_in_unlisted_community, draft, deleted_contest]
)
def test_answers_are_the_same_whatever_is_hidden_and_after_it_is_gone(client, hidden):
    rated("main")
    if hidden is not private_community:
        rated("club", "open")
    if hidden is private_series_in_unlisted_community:
        club = Community.objects.get(pk="club")
        describe_community("club", name=club.name, description="", visibility=Visibility.UNLISTED)
    before = answers(client)
    known = {model: set(model.objects.values_list("pk", flat=True)) for model in MODELS}
    hidden()
    during = answers(client)
    assert differences(before, during) == []
    client.force_login(make_user("staff", is_staff=True))
    assert differences(before, answers(client)) == [], "the interface does not look at sessions"
    Player.objects.filter(pk=FAR + 100).delete()
    for model in MODELS:
        model.objects.exclude(pk__in=known[model]).delete()
    assert differences(before, answers(client)) == []
    statuses = {status for status, *_ in before.values()}
    assert {200, 204, 308, 404} <= statuses


def differences(before, after):
    return [(key, value, after[key]) for key, value in before.items() if value != after[key]]


def test_hidden_things_cannot_be_told_from_missing_ones(client):
    rated("main")
    private_community()
    for hidden, absent in (
        ("communities/club/", "communities/none/"),
        ("communities/club/series/secret/", "communities/none/series/secret/"),
        ("communities/club/players/eve/", "communities/none/players/eve/"),
        ("communities/club/players/eve/", "communities/club/players/eli/"),
        (f"contests/{FAR}/", "contests/1000009/"),
        (f"players/{FAR}/history/", "players/1000009/history/"),
        ("compare/?series=club/secret&players=eve", "compare/?series=none/secret&players=eve"),
    ):
        one, other = client.get(f"/api/v1/{hidden}"), client.get(f"/api/v1/{absent}")
        assert one.status_code == other.status_code == 404, hidden
        said = one.content
        for mine, theirs in ((b"club", b"none"), (str(FAR).encode(), b"1000009")):
            said = said.replace(mine, theirs)
        assert said in (other.content, other.content.replace(b"club", b"none").replace(b"eli", b"eve")), hidden
        assert dict(one.headers) == dict(other.headers), hidden
