"""The leaderboard: its players and their order."""

import re

import pytest

from contests.models import StandingStatus
from ratings.models import Rating, StaleMark
from ratings.publishing.schemes import choose_scheme
from ratings.queries.snapshot import snapshot_of
from tests.factories import make_contest, make_series, make_user, rate
from tests.pages import Page, markup
from web.shared.tags import tier_class, tier_name

pytestmark = pytest.mark.django_db


@pytest.fixture
def cup():
    series = make_series("cup")
    make_contest(series, standings=[("ann", 1), ("bob", 2), ("cid", 2), ("dan", 4)])
    rate(series)
    return series


def table_of(client, query=""):
    return Page(client.get(f"/c/main/series/cup/leaderboard/{query}")).tables[0][1:]


def column(client, heading, query=""):
    """The cells below a heading, by the text in it."""
    table = Page(client.get(f"/c/main/series/cup/leaderboard/{query}")).tables[0]
    return [row[table[0].index(heading)] for row in table[1:]]


def test_players_are_listed_best_first_and_ties_share_a_rank(client, cup):
    assert column(client, "Rank") == ["1", "2", "2", "4"]
    assert column(client, "Player") == ["ann", "bob", "cid", "dan"]
    assert column(client, "Percentile") == ["100.0", "75.0", "75.0", "25.0"]


def test_a_rating_says_its_tier_in_words(client, cup):
    ratings = column(client, "Rating")
    assert re.search(r"\d \((Beacon|Comet|Torch)\)", ratings[0])
    assert re.search(r"\d \((Lantern|Candle|Spark)\)", ratings[3])


def test_the_run_and_waiting_results_are_named(client, cup):
    assert "Updated " in Page(client.get("/c/main/series/cup/leaderboard/")).text
    assert 'title="Update 1"' in markup(client.get("/c/main/series/cup/leaderboard/"))
    assert "being rated" not in Page(client.get("/c/main/series/cup/leaderboard/")).text
    make_contest(cup, players=2)
    assert StaleMark.objects.exists()
    assert "Updated " in Page(client.get("/c/main/series/cup/leaderboard/")).text
    assert "new results are being rated" in Page(client.get("/c/main/series/cup/leaderboard/")).text


def test_pages_follow_each_other_without_gap_or_overlap(client):
    series = make_series("cup")
    make_contest(series, players=230)
    rate(series)
    handles = []
    for number in (1, 2, 3):
        handles += [row[1] for row in table_of(client, f"?page={number}")]
    assert handles == [f"p{number}" for number in range(230)]
    missing = Page(client.get("/c/main/series/cup/leaderboard/?page=4"))
    assert missing.status == 404
    assert missing.text.count("There is no page “4”; this is page 3 of 3.") == 1
    assert missing.text.index("There is no page") < missing.text.index(missing.tables[0][1][1])


def test_disqualified_players_have_no_rank(client):
    series = make_series("cup")
    make_contest(series, standings=[("ann", 1), ("bob", 2), ("eve", 1, None, StandingStatus.DISQUALIFIED)])
    rate(series)
    assert [row[1] for row in table_of(client)] == ["ann", "bob"]


def test_a_series_without_ratings_says_so(client):
    make_series("cup")
    page = Page(client.get("/c/main/series/cup/leaderboard/"))
    assert page.status == 200
    assert "No one is rated yet" in page.text


def test_a_private_series_is_hidden_from_others(client):
    ida = make_user("ida")
    make_series("cup", is_public=False, organizer=ida)
    names = ("leaderboard/", "records/", "countries/", "affiliations/", "")
    assert {client.get(f"/c/main/series/cup/{name}").status_code for name in names} == {404}
    client.force_login(make_user("eve"))
    assert {client.get(f"/c/main/series/cup/{name}").status_code for name in names} == {404}
    client.force_login(ida)
    assert {client.get(f"/c/main/series/cup/{name}").status_code for name in names} == {200}


def test_numbers_are_those_of_the_mapping_and_add_up(client, cup):
    points = int(re.sub(r"[^\d]", "", column(client, "Rating")[0].split("(")[0]))
    # The default mapping displays the mean itself.
    assert points == round(Rating.objects.get(player__handle="ann").mu)


def test_the_tier_written_is_the_tier_of_the_scheme(cup):
    names = [("Sand", None), ("Stone", 1500), ("Iron", 1900)]
    colours = {"colour_light": "#333333", "colour_dark": "#dddddd"}
    choose_scheme(cup.pk, tiers=[{"name": name, "minimum": at, "symbol": name[1], **colours} for name, at in names])
    rate(cup)
    snapshot = snapshot_of(cup)
    for points, number, name in ((0, 0, "Sand"), (1499, 0, "Sand"), (1500, 1, "Stone"), (1501, 1, "Stone"),
                                 (1899, 1, "Stone"), (1900, 2, "Iron"), (9999, 2, "Iron")):  # fmt: skip
        assert tier_name(snapshot, points) == name
        assert tier_class(snapshot, points) == f"tier tier-{snapshot.scheme.pk}-{number}"


def test_players_who_do_not_differ_significantly_are_in_one_group(client):
    # Two who always win against two who always lose: within each pair no one is ahead for long.
    series = make_series("cup")
    for _ in range(40):
        make_contest(series, standings=[("ann", 1), ("bob", 1), ("cid", 3), ("dan", 3)])
    rate(series)
    ratings = column(client, "Rating")
    assert ratings[0].endswith("group 1")
    assert ratings[1].endswith("in group 1")
    assert ratings[2].endswith("group 2")
    assert ratings[3].endswith("in group 2")
    assert 'class="group group-odd"' in markup(client.get("/c/main/series/cup/leaderboard/"))


def test_a_page_begins_in_the_group_that_the_one_before_ends_in(client):
    series = make_series("cup")
    make_contest(series, standings=[(f"p{i}", 1 if i < 120 else 121) for i in range(150)])
    rate(series)
    assert column(client, "Rating", "?page=2")[0].endswith("group 1")
    assert column(client, "Rating", "?page=2")[1].endswith("in group 1")


@pytest.mark.parametrize("system", ["elo", "ladder", "topcoder"])
def test_there_are_no_groups_where_a_deviation_is_not_an_uncertainty(client, system):
    series = make_series("cup")
    choose_scheme(series.pk, system=system)
    make_contest(series, players=4)
    rate(series)
    page = client.get("/c/main/series/cup/leaderboard/").content.decode()
    assert "group-odd" not in page
    assert "who may be as strong as" not in page


def test_players_can_be_chosen_for_a_comparison(client, cup):
    page = markup(client.get("/c/main/series/cup/leaderboard/"))
    assert '<form action="/compare/">' in page
    box = re.search(r'<input type="checkbox" name="player" value="ann" aria-labelledby="(\w+) (\w+)"', page)
    assert [re.search(rf'id="{name}"[^>]*>(?:<a\s[^>]*>)?(\w+)', page)[1] for name in box.groups()] == [
        "Compare",
        "ann",
    ]
    assert '<input type="hidden" name="series" value="cup">' in page
