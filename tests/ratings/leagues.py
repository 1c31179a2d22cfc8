"""Series with leagues and seasons, and what they must show according to the plain twins."""

from __future__ import annotations

import random
from datetime import UTC, datetime

from ratings.derived import derived
from ratings.models import RatingChange
from ratings.publishing.deriving import derive_series
from ratings.publishing.schemes import choose_scheme
from ratings.queries.snapshot import snapshot_of
from tests.factories import make_contest, make_series, rate
from tests.reference.leagues import leagues_of_player
from tests.reference.season import Entry, Season

LEAGUES = {"assignment": "moving_average", "contests": 3, "margin": 20, "provisional_contests": 2}
HANDLES = [f"p{number:02}" for number in range(14)]


def make_league_series(slug="cup", *, contests=12, leagues=LEAGUES, season=None, days=40, **scheme):
    """A rated and derived series: 14 players of rising strength, of whom about ten take part each time."""
    series = make_series(slug)
    chance = random.Random(7)
    for number in range(contests):
        strength = {handle: place + chance.gauss(0, 4) for place, handle in enumerate(HANDLES)}
        field = sorted(chance.sample(HANDLES, 10), key=strength.__getitem__)
        rows = [(handle, 3 if place == 4 else place) for place, handle in enumerate(field, start=1)]
        make_contest(series, standings=rows, day=days * number, name=f"Round {number + 1}")
    choose_scheme(series.pk, leagues=leagues, season=season or {}, **scheme)
    rate(series)
    derive_series(series.pk)
    return series


def content_of(series, derivation):
    snapshot = snapshot_of(series)
    return snapshot, derived(snapshot, derivation)


def plain_histories(series):
    """Each player's changes in the order of time."""
    histories = {}
    for change in (
        RatingChange.objects.current()
        .filter(series=series)
        .select_related("contest")
        .order_by("contest__ends_at", "contest__sequence", "contest_id")
    ):
        histories.setdefault(change.player_id, []).append(change)
    return histories


def plain_leagues(snapshot, changes, rules):
    """The leagues of one player after each contest, by the twin; None while provisional."""
    return leagues_of_player(
        [snapshot.rating_of(change.mu, change.sigma) for change in changes],
        [change.sigma for change in changes],
        snapshot.tiers.thresholds,
        contests=rules["contests"], margin=rules["margin"],
        provisional_contests=rules["provisional_contests"], provisional_sigma=rules.get("provisional_sigma"),
    )  # fmt: skip


def plain_points(series, snapshot, *, year, floors, teams=None, leagues=None, k=60.0, bonus=1.0):
    """Points and bonus spent by player id at the end of a calendar year, by the twin."""
    histories = plain_histories(series)
    rules = leagues
    of_player = {player: plain_leagues(snapshot, rows, rules) for player, rows in histories.items()} if rules else {}
    entries = {}
    for player, rows in histories.items():
        for number, change in enumerate(rows):
            before = snapshot.mapping.position(snapshot.score(change.mu_before, change.sigma_before))
            tier = snapshot.tier_number(snapshot.rating_of(change.mu_before, change.sigma_before))
            league = of_player[player][number - 1] if rules and number else None
            floor = floors[tier if league is None else league]
            team = (teams or {}).get(change.contest_id, {}).get(player)
            entries.setdefault(change.contest, []).append(Entry(player, change.rank, before, floor, team))
    season = Season(k, 400.0, bonus)
    start = datetime(year, 1, 1, tzinfo=UTC)
    for contest in sorted(entries, key=lambda one: (one.ends_at, one.sequence, one.pk)):
        if contest.ends_at.year == year:
            season.play((contest.ends_at - start).total_seconds() / 86_400, contest.weight, entries[contest])
    return season.points, season.spent
