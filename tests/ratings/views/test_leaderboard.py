"""The leaderboard."""

import re

import pytest

from contests.models import Player, StandingStatus
from ratings.models import Rating, StaleMark
from ratings.shown import shown
from ratings.templatetags.show import tier_class, tier_name
from tests.factories import make_contest, make_series, make_user, rate
from tests.pages import Page

pytestmark = pytest.mark.django_db


@pytest.fixture
def cup():
    series = make_series("cup")
    make_contest(series, standings=[("ann", 1), ("bob", 2), ("cid", 2), ("dan", 4)])
    rate(series)
    return series


def table_of(client, query=""):
    return Page(client.get(f"/series/cup/leaderboard/{query}")).tables[0][1:]


def test_players_stand_best_first_and_ties_share_a_rank(client, cup):
    rows = table_of(client)
    assert [row[0] for row in rows] == ["1", "2", "2", "4"]
    assert [row[1] for row in rows] == ["ann", "bob", "cid", "dan"]
    assert [row[4] for row in rows] == ["100.0", "75.0", "75.0", "25.0"]


def test_a_rating_says_its_tier_in_words(client, cup):
    ratings = [row[2] for row in table_of(client)]
    assert re.search(r"\d \((Beacon|Comet|Torch)\)", ratings[0])
    assert re.search(r"\d \((Lantern|Candle|Spark)\)", ratings[3])


def test_the_run_is_named_and_so_is_waiting(client, cup):
    assert "Ratings as of run 1 ·" in Page(client.get("/series/cup/leaderboard/")).text
    assert "being rated" not in Page(client.get("/series/cup/leaderboard/")).text
    make_contest(cup, players=2)
    assert StaleMark.objects.exists()
    assert "Ratings as of run 1 ·" in Page(client.get("/series/cup/leaderboard/")).text
    assert "new results are being rated" in Page(client.get("/series/cup/leaderboard/")).text


def test_search_and_country_keep_the_rank_among_all(client, cup):
    Player.objects.filter(handle__in=["bob", "dan"]).update(country="NO")
    Player.objects.filter(handle="ann").update(country="DE")
    assert [row[:2] for row in table_of(client, "?q=AN")] == [["1", "ann DE"], ["4", "dan NO"]]
    assert [row[:2] for row in table_of(client, "?country=no")] == [["2", "bob NO"], ["4", "dan NO"]]
    assert [row[:2] for row in table_of(client, "?country=NO&q=an")] == [["4", "dan NO"]]


def test_only_countries_that_occur_can_be_chosen(client, cup):
    Player.objects.filter(handle="bob").update(country="NO")
    Player.objects.create(handle="zoe", handle_key="zoe", country="FR")  # has no rating here
    content = client.get("/series/cup/leaderboard/").content.decode()
    assert re.findall(r'<option value="(\w*)"', content) == ["", "NO"]
    assert "Norway" in content


def test_nobody_matching_says_what_to_do(client, cup):
    page = Page(client.get("/series/cup/leaderboard/", {"q": "<b>zz", "country": "QQ"}))
    assert page.status == 200
    assert "No rated player has “<b>zz” in the handle and comes from QQ" in page.text


def test_pages_follow_each_other_without_gap_or_overlap(client):
    series = make_series("cup")
    make_contest(series, players=230)
    rate(series)
    handles = []
    for number in (1, 2, 3):
        handles += [row[1] for row in table_of(client, f"?page={number}")]
    assert handles == [f"p{number}" for number in range(230)]
    assert Page(client.get("/series/cup/leaderboard/?page=4")).status == 404


@pytest.mark.parametrize("query", ["q=%00", "q=" + "x" * 10_000, "country=%00%00", "page=%FF", "country=" + "x" * 999])
def test_odd_queries_give_a_page(client, cup, query):
    assert client.get(f"/series/cup/leaderboard/?{query}").status_code in (200, 404)


@pytest.mark.parametrize("text", ["%", "_", "\\", "'", '"'])
def test_signs_of_sql_are_only_signs(client, cup, text):
    Player.objects.filter(handle="ann").update(handle_key=f"a{text}n", handle=f"a{text}n")
    page = Page(client.get("/series/cup/leaderboard/", {"q": text}))
    assert [row[0] for row in page.tables[0][1:]] == ["1"]


def test_disqualified_players_have_no_rank(client):
    series = make_series("cup")
    make_contest(series, standings=[("ann", 1), ("bob", 2), ("eve", 1, None, StandingStatus.DISQUALIFIED)])
    rate(series)
    assert [row[1] for row in table_of(client)] == ["ann", "bob"]


def test_a_series_without_ratings_says_so(client):
    make_series("cup")
    page = Page(client.get("/series/cup/leaderboard/"))
    assert page.status == 200
    assert "Nobody is rated yet" in page.text


def test_a_private_series_is_not_there_for_others(client):
    ida = make_user("ida")
    make_series("cup", is_public=False, organizer=ida)
    assert client.get("/series/cup/leaderboard/").status_code == 404
    assert client.get("/series/cup/").status_code == 404
    client.force_login(make_user("eve"))
    assert client.get("/series/cup/leaderboard/").status_code == 404
    client.force_login(ida)
    assert client.get("/series/cup/leaderboard/").status_code == 200


def test_numbers_are_those_of_the_mapping_and_add_up(client, cup):
    points = int(re.sub(r"[^\d]", "", table_of(client)[0][2].split("(")[0]))
    # The default mapping shows the mean of the belief itself.
    assert points == round(Rating.objects.get(player__handle="ann").mu)


def test_the_tier_written_is_the_tier_of_the_scheme(cup):
    view = shown(cup)
    for threshold in view.tiers.thresholds:
        for points in (threshold - 1, threshold, threshold + 1):
            assert tier_name(view, points) == view.tiers.tier_of(points).name
            assert tier_class(view, points).endswith(f"-{view.tier_number(points)}")
