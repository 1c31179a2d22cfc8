"""Pages of series under systems that have no performances, no uncertainty, or a scale of their own."""

import re

import pytest

from ratings.models import Rating, RatingChange
from ratings.publishing.schemes import choose_scheme
from ratings.queries.snapshot import snapshot_of
from ratings.systems import SYSTEMS
from tests.factories import make_contest, make_series, rate
from tests.pages import Page

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

WITHOUT_PERFORMANCE = [name for name, system in SYSTEMS.items() if not system.has_performance]
WITHOUT_DEVIATION = [name for name, system in SYSTEMS.items() if system.sigma_means == "nothing"]


@pytest.fixture
def cup(request):
    series = make_series("cup")
    choose_scheme(series.pk, system=request.param)
    make_contest(series, standings=[("ann", 1), ("bob", 2), ("eve", 3)])
    make_contest(series, standings=[("bob", 1), ("ann", 2), ("eve", 3), ("joe", 4)])
    rate(series)
    return series


@pytest.mark.parametrize("cup", WITHOUT_PERFORMANCE, indirect=True)
def test_a_system_without_performances_shows_none(client, cup):
    contest = RatingChange.objects.current().filter(series=cup).order_by("-contest").first().contest
    for address in ("/c/main/players/ann/", f"/contests/{contest.pk}/"):
        page = Page(client.get(address))
        assert "performance" not in page.text.casefold()
    points = client.get("/c/main/players/ann/").context["chart"]["points"]
    assert [point["performance"] for point in points] == [None, None]
    answer = client.get("/api/v1/communities/main/players/ann/history/?series=cup").json()["results"]
    assert {(change["performance"], change["performance_rating"]) for change in answer} == {(None, None)}


@pytest.mark.parametrize("cup", [name for name in SYSTEMS if name not in WITHOUT_PERFORMANCE], indirect=True)
def test_a_system_with_performances_shows_them(client, cup):
    assert "Performance" in client.get("/c/main/players/ann/").content.decode()
    points = client.get("/c/main/players/ann/").context["chart"]["points"]
    assert [point["performance"] is not None for point in points] == [True, True]


@pytest.mark.parametrize("cup", SYSTEMS, indirect=True)
def test_the_uncertainty_is_shown_if_the_system_has_one(client, cup):
    snapshot = snapshot_of(cup)
    means, is_lower = snapshot.sigma_means, snapshot.is_conservative
    has_one = means != "nothing"
    for address in ("/c/main/series/cup/", "/c/main/series/cup/leaderboard/"):
        assert ("±" in Page(client.get(address)).text) == (has_one and not is_lower)
    player = Page(client.get("/c/main/players/ann/")).text
    assert ("±" in player) == has_one
    assert ("± uncertainty" in player) == (means == "uncertainty" and not is_lower)
    assert ("± volatility" in player) == (means == "volatility")
    assert bool(re.search(r"estimate [\d,]+ ± \d", player)) == is_lower
    points = client.get("/c/main/players/ann/").context["chart"]["points"]
    assert len(points) == 2
    for point in points:
        assert (point["low"] < point["rating"] < point["high"]) == (has_one and not is_lower)
        assert (point["rating"] < point["low"] < point["high"]) == is_lower


@pytest.mark.parametrize("cup", SYSTEMS, indirect=True)
def test_first_contests_are_marked_as_such_and_no_others(client, cup):
    page = Page(client.get("/c/main/players/ann/")).text
    assert page.count("First contest") == 1
    newest = cup.contests.newest_first().first()
    rows = Page(client.get(f"/contests/{newest.pk}/")).tables[0]
    assert [row[1].split()[0] for row in rows[1:] if "New player" in " ".join(row)] == ["joe"]


@pytest.mark.parametrize("cup", SYSTEMS, indirect=True)
def test_tooltips_keep_significant_digits_on_small_scales(client, cup):
    sigmas = re.findall(r"σ = ([0-9.,]+)", client.get("/c/main/players/ann/").content.decode())
    assert bool(sigmas) == (SYSTEMS[cup.schemes.get().system].sigma_means != "nothing")
    for sigma in sigmas:
        assert len(sigma.replace(".", "").replace(",", "").lstrip("0")) >= 3


@pytest.mark.parametrize("cup", ["ladder"], indirect=True)
def test_a_ladder_shows_the_position(client, cup):
    page = Page(client.get("/c/main/players/bob/")).text
    assert "9,999" not in page.split("Rank")[0]
    assert "position 1 " in page.split("Rank")[0]
    # Newcomers enter at the bottom, wherever that is.
    how = client.get("/c/main/series/cup/how/").content.decode()
    assert "Vertical axis: the displayed rating" in how
    assert "The dot is a new player" not in how
    assert 'class="newcomer"' not in how


@pytest.mark.parametrize(("system", "said"), [
    ("elo-mmr", "lowered by 2 times the part of its uncertainty above 80."),
    ("glicko", "lowered by 2 times its uncertainty."),
])  # fmt: skip
def test_a_conservative_display_says_which_uncertainty_counts(client, system, said):
    series = make_series("cup")
    choose_scheme(series.pk, system=system, display={"mapping": "offset", "k": 2.0})
    make_contest(series, players=3)
    rate(series)
    assert said in Page(client.get("/c/main/series/cup/how/")).text
    rating, snapshot = Rating.objects.filter(series=series).first(), snapshot_of(series)
    above = rating.sigma - (80.0 if system == "elo-mmr" else 0.0)
    assert snapshot.rating(rating.score) == snapshot.rating(rating.mu - 2.0 * above)


def test_a_series_lists_the_parameters_that_differ_from_defaults(client):
    series = make_series("cup")
    choose_scheme(series.pk, system="elo", parameters={"k_factor": 32.0, "curve": "gaussian", "scale": 400.0})
    make_contest(series, players=3)
    rate(series)
    assert "Elo: K = 32 rating points, Curve = gaussian After" in Page(client.get("/c/main/series/cup/")).text


@pytest.mark.parametrize(("system", "display", "is_conservative"), [
    ("trueskill", None, True),
    ("trueskill", {"mapping": "offset"}, False),
    ("glicko", {"mapping": "offset", "k": 2.0}, True),
    ("elo", None, False),
])  # fmt: skip
def test_pages_say_that_a_conservative_display_is_below_the_best_estimate(client, system, display, is_conservative):
    series = make_series("cup")
    choose_scheme(series.pk, system=system, display=display)
    for pair in ("ab", "bc", "ab", "ca"):
        make_contest(series, standings=list(zip(pair, (1, 2), strict=True)))
    rate(series)
    rating = Rating.objects.get(series=series, player__handle="a")
    lies_below = "the further the displayed rating lies below it"
    how, player = (Page(client.get(f"/c/main/{path}/")).text for path in ("series/cup/how", "players/a"))
    assert [text.count(lies_below) for text in (how, player)] == ([1, 2] if is_conservative else [0, 0])
    assert ("around the best estimate" in how) == is_conservative
    assert (f"of the best estimate, {snapshot_of(series).rating(rating.mu):,}." in player) == is_conservative
    for address in (
        "/compare/?series=cup&players=a,b",
        "/compare/?series=cup&players=a,b,c",
        "/c/main/series/cup/match/?a=a&b=b",
        "/c/main/series/cup/opponents/?player=a&show=everyone",
        "/c/main/series/cup/pairings/?players=a,b,c",
        "/c/main/series/cup/what-if/?player=a",
    ):
        page = Page(client.get(address))
        assert page.status == 200
        said = "a player with a less certain rating can have a better chance than one who is rated higher" in page.text
        assert said == is_conservative, address
