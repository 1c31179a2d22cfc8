"""The rating distribution, the places of players in it, and invalid queries."""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from ratings.derived import _content
from ratings.models import Rating
from ratings.publishing.deriving import derive_series
from ratings.publishing.schemes import choose_scheme
from ratings.queries.snapshot import snapshot_of
from tests.factories import make_contest, make_player, make_series, make_user, rate

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _nothing_kept():
    _content.cache_clear()


@pytest.fixture
def cup():
    series = make_series("cup")
    for number in range(4):
        make_contest(series, players=12 - number, day=100 * number)
    rate(series)
    derive_series(series.pk)
    return series


def page(client, query="", slug="cup", status=200):
    response = client.get(f"/c/main/series/{slug}/distribution/{query}")
    assert response.status_code == status
    return re.sub(r"\s+", " ", response.content.decode())


def text_of(html):
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html))


def test_every_player_is_in_a_bar_in_a_tier_and_in_the_table(client, cup):
    text = page(client)
    titles = re.findall(r"<title>[\d,]+ to [\d,]+: (\d+) players? \(", text)
    assert sum(map(int, titles)) == 12
    table = text.split("The same numbers as a table")[1].split("</table>")[0]
    assert sum(map(int, re.findall(r'</th><td class="num">(\d+)</td>', table))) == 12
    tiers = text.split('id="tiers"')[1].split("</table>")[0]
    assert sum(map(int, re.findall(r'<td class="num">(\d+)</td>', tiers))) == 12
    assert "style=" not in text


def test_a_player_is_marked_with_rating_rank_percentile_and_tier(client, cup):
    snapshot, rating = snapshot_of(cup), Rating.objects.get(player__handle="p3")
    text = page(client, "?player=P3")
    points = snapshot.rating(rating.score)
    here = text_of(text.split('id="here"')[1].split("</section>")[0])
    assert f"Rating {snapshot.tier(points).symbol} {points:,} ({snapshot.tier(points).name})" in here
    rank = snapshot.index.rank(rating.score)
    assert f"Rank {rank} of 12 players" in here
    assert f"Percentile {1000 * (13 - rank) // 12 / 10} % of players have this rating or lower" in here
    assert here.count("%") == 1, "no other share of the same player"
    assert "dist-marker" in text


def test_the_best_is_at_the_very_top(client, cup):
    best = Rating.objects.order_by("-score").first().player
    assert "is at the very top" in page(client, f"?player={best.handle}")


def test_a_rating_is_described_in_words(client, cup):
    points = sorted((snapshot_of(cup).rating(score) for score in snapshot_of(cup).index.scores), reverse=True)
    text = text_of(page(client, f"?rating={points[5]:,}"))
    below = sum(other < points[5] for other in points)
    assert f"is higher than that of {1000 * below // 12 / 10} % of the players" in text
    assert "No player has a lower rating than" in page(client, "?rating=-5").replace("&#x27;", "'")
    assert "would be the highest" in page(client, "?rating=999999").replace("&#x27;", "'")


@pytest.mark.parametrize("text", ["abc", "1.5e3", "12345678901", "%00", "²", "--5", "<b>", "%E2%80%AE12", "x" * 10_000])
def test_invalid_ratings_get_a_message(client, cup, text):
    if text == "%00":
        assert "dist-reading" not in page(client, "?rating=%00")
    else:
        assert "is not a valid rating" in page(client, f"?rating={text}", status=400)


def test_unknown_handles_get_suggestions_of_players_rated_here(client, cup):
    make_player("p77")
    text = page(client, "?player=p7x", status=404)
    assert "?player=p7" in text
    assert "p77" not in text.split("Did you mean")[1].split("</div>")[0]


@pytest.mark.parametrize("handle", ["<script>alert(1)</script>", "%E2%80%AEabc", "%00", "x" * 10_000, "%F0%9F%98%80"])
def test_hostile_handles_are_shown_as_text(client, cup, handle):
    response = client.get(f"/c/main/series/cup/distribution/?player={handle}")
    assert response.status_code in (200, 404)
    assert b"<script>alert" not in response.content


def test_a_player_without_a_rating_here_gets_a_message(client, cup):
    make_contest(make_series("other"), standings=[("stranger", 1), ("p0", 2)])
    assert "has no rating in" in page(client, "?player=stranger")


def test_players_of_private_series_are_unknown(client, cup):
    hidden = make_series("hidden", is_public=False)
    make_contest(hidden, standings=[("secret", 1), ("p0", 2)])
    rate(hidden)
    assert "No player called" in page(client, "?player=secret", status=404)
    assert client.get("/c/main/series/hidden/distribution/").status_code == 404


def test_a_private_series_is_shown_to_its_organizers(client):
    organizer = make_user()
    hidden = make_series("hidden", is_public=False, organizer=organizer)
    make_contest(hidden, players=3)
    rate(hidden)
    client.force_login(organizer)
    assert "3 players" in page(client, slug="hidden")


def test_movement_counts_players_who_rose_fell_and_joined(client, cup):
    make_contest(cup, players=13, day=400)
    rate(cup)
    derive_series(cup.pk)
    text = text_of(page(client))
    assert "Tier changes in the last year" in text
    assert "Rated for the first time 1 " in text
    assert "25%" not in text
    assert "75 %" in page(client, "?as=shares")


def test_a_series_of_one_period_has_no_movement_to_show(client):
    series = make_series("new")
    make_contest(series, players=5)
    rate(series)
    derive_series(series.pk)
    text = text_of(page(client, slug="new"))
    assert "Percentiles" in text
    assert "The tiers over time" not in text
    assert "Tier changes in the last year" not in text
    assert "is being computed" not in text
    make_contest(series, players=5, day=40)
    rate(series)
    derive_series(series.pk)
    text = text_of(page(client, slug="new"))
    assert "The tiers over time" in text
    assert "Tier changes in the last year" not in text, "no one was rated a year earlier"


def test_until_the_movement_is_computed_the_page_says_so(client):
    series = make_series("fresh")
    make_contest(series, players=4)
    rate(series)
    text = page(client, "?active=1", slug="fresh")
    assert "is being computed" in text
    assert "4 players" in text


def test_only_active_players_count_if_requested(client):
    series = make_series("cup")
    make_contest(series, standings=[("old", 1), ("ann", 2)], day=0)
    make_contest(series, standings=[("bob", 1), ("ann", 2), ("cid", 3)], day=500)
    rate(series)
    derive_series(series.pk)
    assert "All 4 players" in page(client)
    assert "3 players who competed in the year up to" in page(client, "?active=1")


@pytest.mark.parametrize("system", ["elo-mmr", "elo", "ladder", "trueskill", "topcoder", "kreimeier", "glicko2"])
def test_the_page_makes_sense_for_every_kind_of_system(client, system):
    series = make_series("cup")
    choose_scheme(series.pk, system=system)
    for _ in range(3):
        make_contest(series, players=6)
    rate(series)
    derive_series(series.pk)
    assert "6 players" in page(client, "?player=p0&rating=1500")


def test_a_fermi_display_with_a_single_contest_of_two(client):
    series = make_series("cup")
    choose_scheme(series.pk, display={"mapping": "fermi", "range": 10000})
    make_contest(series, standings=[("ann", 1), ("bob", 2)])
    rate(series)
    derive_series(series.pk)
    assert "All 2 players" in page(client, "?player=ann")


def test_a_series_without_ratings_says_so(client):
    make_series("empty")
    assert "No one is rated yet" in page(client, "?player=ann&rating=5", slug="empty")
    page(client, slug="nowhere", status=404)


@pytest.mark.parametrize("players", [2, 200])
def test_the_number_of_queries_is_fixed(client, players):
    series = make_series("cup")
    make_contest(series, players=players)
    make_contest(series, players=players)
    rate(series)
    derive_series(series.pk)
    with CaptureQueriesContext(connection) as queries:
        page(client, "?player=p0&rating=1500")
    assert len(queries) == 12


def test_the_page_is_the_same_each_time(client, cup):
    assert page(client, "?player=p0") == page(client, "?player=p0")


def test_german_pages_have_german_numbers(client, cup):
    response = client.get("/c/main/series/cup/distribution/?rating=1500", headers={"Accept-Language": "de"})
    drawing = re.findall(r'(?:x|y|width|height)="([^"]*)"', response.content.decode().split('class="dist-plot"')[1])
    assert drawing
    assert all("," not in number for number in drawing)
