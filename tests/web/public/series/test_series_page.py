"""The overview of a series."""

from datetime import timedelta

import pytest
from django.utils import timezone

from contests.models import Player
from contests.uploads.importing import import_file
from ratings.models import RatingChange
from ratings.publishing.deriving import derive_series
from ratings.publishing.schemes import choose_scheme
from ratings.queries.events import event_ratings
from ratings.queries.snapshot import snapshot_of
from tests.factories import FIRST_DAY, make_contest, make_series, rate
from tests.pages import Page

pytestmark = pytest.mark.django_db


def page_of(client):
    return Page(client.get("/c/main/series/cup/"))


def test_a_series_leads_to_all_its_pages(client):
    series = make_series("cup")
    make_contest(series, players=3)
    Player.objects.update(country="NO")
    rate(series)
    links = page_of(client).links
    tabs = ("Leaderboard", "Distribution", "Records", "Countries and affiliations", "Forecast")
    for text in (*tabs, "How ratings work here"):
        assert links[text].startswith("/c/main/series/cup/"), text
    assert links["Full leaderboard"] == "/c/main/series/cup/leaderboard/"


def test_the_biggest_movers_of_the_newest_contest_are_named(client):
    series = make_series("cup")
    for number in range(7):
        order = ["ann", "bob", "cid", "dan"] if number < 6 else ["dan", "cid", "bob", "ann"]
        make_contest(series, standings=[(handle, place) for place, handle in enumerate(order, 1)], name=f"R{number}")
    rate(series)
    assert "Biggest movers" not in page_of(client).text
    derive_series(series.pk)
    page, snapshot = page_of(client), snapshot_of(series)
    change = RatingChange.objects.get(contest__name="R6", player__handle="dan")
    gain = snapshot.change(change.mu_before, change.sigma_before, change.mu, change.sigma)
    assert f"Biggest movers R6 ▲+{gain} dan" in page.text


def event_of(series, path, games):
    """Import these games of 1 June 2025 as one event, and rate them."""
    rows = [f"2025-06-01 {10 + number // 60}:{number % 60:02},{game}" for number, game in enumerate(games)]
    path.write_text("\n".join(["date,white,black,result", *rows]) + "\n", encoding="utf-8")
    import_file(series.pk, path=path)
    rate(series)
    derive_series(series.pk)
    return series.contests.get(is_event=True)


def test_the_biggest_movers_of_an_event_are_those_of_all_its_games(client, tmp_path):
    series = make_series("cup")
    for number in range(7):
        make_contest(series, standings=[("ann", 1), ("bob", 2), ("cid", 3), ("dan", 4)], name=f"Regatta {number}")
    # More games than the newest contests that are examined; Ann plays only the first ones.
    event = event_of(series, tmp_path / "open.csv", ["ann,dan,0-1"] * 3 + ["bob,cid,0-1", "bob,dan,0-1"] * 6)
    answer, snapshot = client.get("/c/main/series/cup/"), snapshot_of(series)
    rated = event_ratings(snapshot, event, list(Player.objects.values_list("pk", flat=True)))
    moves = sorted(rated.items(), key=lambda item: -item[1].change)
    handles = dict(Player.objects.values_list("pk", "handle"))
    expected = [(handles[pk], one.before, one.after) for pk, one in moves]
    assert {name for name, before, after in expected if after > before} == {"dan", "cid"}
    page, shown = Page(answer), answer.context["moves"]
    found = [(one.player.handle, one.before, one.after) for one in (*shown.gains, *reversed(shown.losses))]
    assert found == expected
    best = expected[0]
    assert f"Biggest movers {event.name} ▲+{best[2] - best[1]} {best[0]}" in page.text
    assert page.links[event.name] == event.get_absolute_url()
    front = Page(client.get("/")).text
    assert f"Biggest gain ▲+{best[2] - best[1]} {best[0]} Participants 4 · 15 games" in front
    make_contest(series, standings=[("cid", 1), ("ann", 2), ("dan", 3), ("bob", 4)], name="Newest", day=900)
    rate(series)
    derive_series(series.pk)
    assert "Biggest movers Newest" in page_of(client).text


def test_events_of_two_players_have_no_movers(client, tmp_path):
    series = make_series("cup")
    for _ in range(6):
        make_contest(series, standings=[("ann", 1), ("bob", 2)])
    event_of(series, tmp_path / "match.csv", ["ann,bob,0-1"] * 3)
    assert "Biggest movers" not in page_of(client).text, "they would be the two players"


def test_only_announced_drafts_are_upcoming(client):
    series = make_series("cup")
    now = (timezone.now() - FIRST_DAY) / timedelta(days=1)
    make_contest(series, day=now + 9, finalized=False, is_announced=True, name="Next round")
    make_contest(series, day=now + 8, finalized=False, name="Secret round")
    make_contest(series, day=now - 8, finalized=False, is_announced=True, name="Past round")
    text = page_of(client).text
    assert "Next round" in text
    assert "Secret round" not in text
    assert "Past round" not in text


def test_players_of_the_last_year_are_counted_back_from_the_newest_contest(client):
    series = make_series("cup")
    make_contest(series, players=5, day=0)
    make_contest(series, standings=[("p0", 1), ("p1", 2)], day=366)
    rate(series)
    assert "5 2 in the year to 6 Jan 2025" in page_of(client).text
    make_contest(series, players=3, day=500, is_rated=False)
    assert "5 2 in the year to 6 Jan 2025" in page_of(client).text


def test_a_tier_leads_to_its_players(client):
    series = make_series("cup")
    make_contest(series, players=5)
    rate(series)
    page, snapshot = page_of(client), snapshot_of(series)
    best = snapshot.tier(snapshot.rating(snapshot.index.scores[0]))
    address = page.links[f"{best.symbol}{best.name}"]
    assert address == f"/c/main/series/cup/leaderboard/?tier={best.name}"
    assert "p0" in Page(client.get(address)).links


@pytest.mark.parametrize("system", ["elo", "ladder", "trueskill", "kreimeier", "glicko2"])
def test_a_series_with_one_contest_has_a_page_under_each_system(client, system):
    series = make_series("cup")
    choose_scheme(series.pk, system=system)
    make_contest(series, standings=[("ann", 1), ("bob", 2)])
    rate(series)
    derive_series(series.pk)
    assert page_of(client).status == 200
    assert page_of(client).tables[0][1][1] == "ann"


def test_a_series_without_contests_says_so(client):
    make_series("cup")
    page = page_of(client)
    assert page.status == 200
    assert "The first contest is still to come" in page.text
    assert page.tables == [], "no table of empty tiers"
    assert client.get("/c/main/series/nowhere/").status_code == 404
