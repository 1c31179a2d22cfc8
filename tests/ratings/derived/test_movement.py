"""Players in tiers over time: the fast count agrees with a slow one."""

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from contests.models import Contest
from ratings.derived import derived
from ratings.derived.movement import DERIVATION, compute
from ratings.models import RatingChange
from ratings.publishing.deriving import derive_series
from ratings.publishing.schemes import choose_scheme
from ratings.queries.snapshot import snapshot_of
from tests.factories import make_contest, make_series, rate

pytestmark = pytest.mark.django_db


def play(series, days, players=9):
    """Add contests on these days, each with other players and ranks."""
    for number, day in enumerate(days):
        handles = [f"p{(number * 5 + i * (number % 3 + 1)) % players}" for i in range(players - number % 4)]
        make_contest(series, standings=list(zip(dict.fromkeys(handles), range(1, players + 1), strict=False)), day=day)
    rate(series)
    return snapshot_of(series)


def slow_movement(snapshot):
    """Count every player in every period."""
    changes = RatingChange.objects.current().filter(series=snapshot.series).select_related("contest")
    histories = {}
    for change in changes.order_by("contest__ends_at", "contest__sequence", "contest_id"):
        tier = snapshot.tier_number(snapshot.rating_of(change.mu, change.sigma))
        histories.setdefault(change.player_id, []).append((change.contest.ends_at, tier))
    now = {
        player: snapshot.tier_number(snapshot.rating(score))
        for player, score in zip(snapshot.index.player_ids.tolist(), snapshot.index.scores.tolist(), strict=True)
    }
    until = max(history[-1][0] for history in histories.values())
    flows = np.zeros((len(snapshot.tiers) + 1, len(snapshot.tiers)), dtype=int)
    for player, history in histories.items():
        if history[-1][0] > until - timedelta(days=365):
            before = [tier for at, tier in history if at <= until - timedelta(days=365)]
            flows[before[-1] if before else len(snapshot.tiers), now[player]] += 1
    return histories, now, flows


def first_moment(month):
    return datetime(month // 12, month % 12 + 1, 1, tzinfo=UTC)


@pytest.mark.parametrize("days", [[0], [0, 3, 20, 45, 300], [0, 40, 90, 200, 500, 700], range(0, 5000, 190)])
def test_counts_equal_those_of_a_slow_count(days):
    snapshot = play(make_series(), days)
    found = compute(snapshot)
    histories, now, flows = slow_movement(snapshot)
    starts = [*found["starts"].tolist(), found["starts"][-1] + found["months"]]
    for period, end in enumerate(starts[1:]):
        counts = np.zeros(len(snapshot.tiers), dtype=int)
        for player, history in histories.items():
            so_far = [tier for at, tier in history if at < first_moment(end)]
            if so_far:
                counts[now[player] if end == starts[-1] else so_far[-1]] += 1
        assert found["counts"][period].tolist() == counts.tolist()
    assert found["flows"].tolist() == flows.tolist()
    assert found["is_active"].sum() == flows.sum()


@pytest.mark.parametrize(
    ("days", "months", "periods"), [([0, 200], 1, 7), ([0, 1000], 3, 12), ([0, 3000], 12, 9), ([0, 50_000], 120, 15)]
)
def test_periods_are_longer_in_longer_series(days, months, periods):
    found = compute(play(make_series(), days))
    assert (found["months"], len(found["starts"])) == (months, periods)


@pytest.mark.parametrize("system", ["kreimeier", "ladder", "elo"])
def test_the_last_period_agrees_with_the_leaderboard_even_if_players_move_between_contests(system):
    series = make_series()
    choose_scheme(series.pk, system=system)
    snapshot = play(series, range(0, 900, 100))
    tiers = snapshot.tiers.positions(snapshot.mapping.show(snapshot.index.scores))
    assert compute(snapshot)["counts"][-1].tolist() == np.bincount(tiers, minlength=len(snapshot.tiers)).tolist()


def test_a_series_without_rated_results_has_no_players_in_tiers():
    series = make_series()
    contest = make_contest(series, players=3)
    rate(series)
    contest.state = "deleted"
    contest.save()
    Contest.objects.filter(pk=contest.pk).update(is_rated=False)
    rate(series, full=True)
    found = compute(snapshot_of(series))
    assert found["counts"].shape[0] == 0
    assert found["flows"].sum() == 0


def test_a_worker_stores_the_content_with_the_run():
    snapshot = play(make_series(), [0, 30, 60])
    assert derived(snapshot, DERIVATION) is None
    assert "movement" in derive_series(snapshot.series.pk)
    content = derived(snapshot, DERIVATION)
    assert content is not None
    assert content["counts"].tolist() == compute(snapshot)["counts"].tolist()
    assert datetime.fromisoformat(content["until"]) - datetime.fromisoformat(content["since"]) == timedelta(days=365)
