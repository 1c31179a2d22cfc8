"""The preview of a scheme: real players, with exactly the numbers that are displayed after saving."""

from __future__ import annotations

import re

import pytest
from django.urls import reverse

from contests.changes.base import read_change, token_of
from contests.changes.of_contests import DeleteContest
from ratings.derived.league_tables import leagues_content
from ratings.models import Rating
from ratings.publishing.deriving import derive_series
from ratings.queries.snapshot import snapshot_of
from tests.factories import make_contest, rate
from tests.pages import Page
from tests.web.organize.forms import confirm
from tests.web.organize.schemes import TWO_TIERS, newest, rows, send
from web.shared.tiers import tier_counts

pytestmark = pytest.mark.django_db


def preview_of(answer):
    """Return the tables of players and of tiers, as visitors read them."""
    tiers, players = Page(answer).tables
    return {row[1]: row[2:] for row in players[1:]}, {row[0]: row[1:] for row in tiers[1:]}


def test_the_preview_shows_real_players_before_and_after_without_any_script(organizer, rated):
    answer = send(organizer, rated, mapping="offset", offset="0", minimum="-5000", show="preview", **rows(TWO_TIERS))
    assert answer.status_code == 200
    players, tiers = preview_of(answer)
    snapshot = snapshot_of(rated)
    now = {row.player.handle: snapshot.rating(row.score) for row in ratings(rated)}
    assert set(players) == {*now, "new player"}
    for handle, rating in now.items():
        before, after, tier = players[handle]
        assert f"{rating:,}" in before
        # Rounding x - 1500 half up gives the same as rounding x half up and then subtracting 1500.
        assert after == f"{rating - 1500:,}".replace("-", "\u2212")
        assert tier.endswith("Low")
    assert players["new player"][1] == "0"
    new, removed = dict(list(tiers.items())[:2]), dict(list(tiers.items())[2:])
    assert new == {"★ ★ High": ["1,500", "new", "0"], "○ ○ Low": ["lowest", "new", "8"]}
    assert {row[2] for row in removed.values()} == {"removed"}
    assert sum(int(row[1]) for row in removed.values()) == 8, "everyone is counted before, too"
    assert "8 of 8 players would be in another tier" in Page(answer).text
    assert newest(rated).version == 1


def test_a_tier_with_a_new_name_keeps_its_players(organizer, rated):
    tiers = [{**tier, "name": tier["name"].upper(), "minimum": tier["minimum"] or ""} for tier in newest(rated).tiers]
    answer = send(organizer, rated, show="preview", **rows(tiers))
    assert "All 8 players would stay in their tiers" in Page(answer).text
    _, shown = preview_of(answer)
    assert len(shown) == len(tiers)
    assert [row[1] for row in shown.values()] == [row[2] for row in shown.values()]


def ratings(series):
    return Rating.objects.filter(series=series).select_related("player")


def test_the_fragment_for_scripts_is_the_preview_of_the_page_and_nothing_else(organizer, rated):
    said = {"mapping": "fermi", "range": "1000"}
    whole = send(organizer, rated, **said, show="preview")
    fragment = send(organizer, rated, **said, show="fragment")
    assert fragment.status_code == 200
    assert "<html" not in fragment.content.decode()
    assert preview_of(fragment) == preview_of(whole)
    wrong = send(organizer, rated, mapping="fermi", range="5", show="fragment").content.decode()
    assert "There is no preview yet" in wrong
    assert "greater than or equal to 100" in wrong


def test_what_the_preview_shows_is_what_is_shown_after_saving(organizer, rated):
    for said in ({"mapping": "fermi", "range": "1000"}, {"mapping": "offset", "scale": "3"}):
        players, tiers = preview_of(send(organizer, rated, **said, show="fragment"))
        send(organizer, rated, **said)
        snapshot = snapshot_of(rated)
        assert ratings(rated).count() == 8
        for row in ratings(rated):
            assert players[row.player.handle][1] == f"{snapshot.rating(row.score):,}"
        positions = snapshot.tiers.positions([snapshot.rating(row.score) for row in ratings(rated)]).tolist()
        counts = {tier.name: positions.count(i) for i, tier in enumerate(snapshot.tiers)}
        assert {name.split()[-1]: int(row[-1]) for name, row in tiers.items()} == counts


@pytest.mark.parametrize(
    ("said", "provisional"),
    [
        ({"league_choice": "moving_average"}, 8),
        ({"league_choice": "moving_average", "league_provisional_contests": "2", "league_contests": "1"}, 2),
        ({"league_choice": "confidence", "league_provisional_contests": "2"}, 2),
    ],
)
def test_a_preview_of_leagues_is_what_the_leagues_then_are(organizer, rated, said, provisional):
    make_contest(rated, standings=[("p0", 1), ("new", 2), ("newer", 3)] if provisional == 2 else [("p0", 1), ("p1", 2)])
    rate(rated)
    answer = send(organizer, rated, **said, show="fragment")
    players, tiers = preview_of(answer)
    text, total = Page(answer).text, 10 if provisional == 2 else 8
    assert f"{provisional} players would be provisional and in no league, because they have fewer than" in text
    assert "contests. The current number is 0." in text
    assert ("All others would stay" in text or "would be in another tier" in text) == (provisional < total)
    assert f"All {total} players would stay" not in text
    assert tiers["Provisional"][1:] == ["0", str(provisional)]
    assert sum(tier == "provisional" for _, _, tier in players.values()) == provisional + 1, "and the new player"
    send(organizer, rated, **said)
    derive_series(rated.pk)
    snapshot = snapshot_of(rated)
    leagues = leagues_content(snapshot)["league"].tolist()
    assert {name.split()[-1]: int(row[-1]) for name, row in tiers.items()} == {
        "Provisional": leagues.count(-1), **{tier.name: leagues.count(i) for i, tier in enumerate(snapshot.tiers)}
    }  # fmt: skip
    players, tiers = preview_of(send(organizer, rated, league_choice="instant", show="fragment"))
    assert tiers["Provisional"][1:] == [str(provisional), "0"]
    assert sum(now.endswith("provisional") for now, *_ in players.values()) == provisional


@pytest.mark.parametrize("said", [{"mapping": "fermi", "range": "1000"}, {"mapping": "offset"}])
def test_a_preview_of_a_cautious_display_is_what_the_run_then_shows(organizer, rated, said):
    make_contest(rated, players=3)  # so that some are known better than others
    rate(rated)
    said = {**said, "k": "2"}
    answer = send(organizer, rated, **said, show="fragment")
    players, _ = preview_of(answer)
    assert "Podium will rate the series again" in Page(answer).text
    location = send(organizer, rated, **said)["Location"]
    read_change(location.partition("change=")[2]).apply(actor=None)
    rate(rated)
    snapshot = snapshot_of(rated)
    assert {row.player.handle: f"{snapshot.rating(row.score):,}" for row in ratings(rated)} == {
        handle: row[1] for handle, row in players.items() if handle != "new player"
    }


def test_the_preview_of_another_scale_shows_no_players(organizer, rated):
    answer = send(organizer, rated, system="elo", show="fragment")
    _, players = Page(answer).tables
    assert [row[0] for row in players[1:]] == ["new player"]
    assert "a different scale of rating points" in Page(answer).text


def players_per_tier(series):
    return {row.tier.name: str(row.players) for row in tier_counts(snapshot_of(series))}


def test_before_another_system_rates_the_series_players_per_tier_are_what_they_then_are(organizer, rated):
    before = players_per_tier(rated)
    proposal = send(organizer, rated, system="elo")
    page = Page(organizer.get(proposal["Location"]))
    head, *shown = next(table for table in page.tables if table[0][0] == "Tier")
    assert head == ["Tier", "Threshold", "Now", "After"]
    confirm(organizer, proposal)
    rate(rated)
    after = players_per_tier(rated)
    counts = {row[0].rpartition(" ")[2]: row[2:] for row in shown}
    assert before != after
    expected = {name: [before.get(name, "new"), after.get(name, "removed")] for name in {**after, **before}}
    assert counts == expected


def test_a_preview_that_leaves_tiers_empty_says_so(organizer, rated):
    for day in range(300, 312):
        make_contest(rated, standings=[(f"p{i}", i) for i in range(1, 121)], day=day)
    rate(rated)
    low, high = TWO_TIERS
    middle = high | {"name": "Middle", "minimum": "1450", "symbol": "◇"}
    tiers = [low, middle, high, high | {"name": "Top", "minimum": "2500", "symbol": "✦"}]
    proposal = send(organizer, rated, system="elo", **rows(tiers))
    page = Page(organizer.get(proposal["Location"]))
    shown = next(table for table in page.tables if table[0][0] == "Tier")[1:]
    after = {row[0].rpartition(" ")[2]: int(row[3]) for row in shown if row[3] != "removed"}
    uneven = [name for name, count in after.items() if not count or count > 0.35 * sum(after.values())]
    assert 0 < len(uneven) < len(after), after
    said = re.findall(r"(\w+): (?:no players|[\d.]+ % of the players)\.", page.text)
    assert ("The tiers would be uneven." in page.text, said) == (True, uneven)
    confirm(organizer, proposal)
    rate(rated)
    page = Page(organizer.get(reverse("organize:series", args=[rated])))
    assert "The tiers are uneven." in page.text
    assert re.findall(r"(\w+): (?:no players|[\d.]+ % of the players)\.", page.text) == uneven


@pytest.mark.parametrize("said", [{"league_choice": "moving_average"}, {}])
def test_other_changes_have_no_table_of_tiers(organizer, rated, said):
    if said:
        send(organizer, rated, **said)
        answer = organizer.get(send(organizer, rated, system="elo", **said)["Location"])
    else:
        contest = rated.contests.first()
        change = DeleteContest(contest.pk, contest.version, reason="entered twice")
        answer = organizer.get(f"{reverse('organize:change')}?change={token_of(change)}")
    assert "Effect on ratings" in Page(answer).text
    assert "Players per tier" not in Page(answer).text


def test_a_large_series_is_shown_from_top_to_bottom_in_eight_players(organizer, series):
    make_contest(series, players=60)
    rate(series)
    _, players = Page(send(organizer, series, show="fragment")).tables
    ranks = [int(row[0]) for row in players[1:-1]]
    assert len(ranks) == 8
    assert (ranks[0], ranks[-1]) == (1, 60)
    assert ranks == sorted(ranks)
