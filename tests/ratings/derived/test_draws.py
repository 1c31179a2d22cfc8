"""The draw rate of a series, compared with counts over its games, and its use in comparisons."""

import pytest

from ratings.derived import draws
from ratings.derived.draws import draw_rate_of, ties_are_rare
from ratings.models import Derived
from ratings.publishing.deriving import derive_series
from ratings.publishing.schemes import choose_scheme
from ratings.queries.snapshot import snapshot_of
from ratings.systems import get_system, outcome_probabilities
from tests.factories import make_contest, make_series, rate

pytestmark = pytest.mark.django_db


def derived_rate(series):
    return draws.compute(snapshot_of(series))


def test_games_of_rated_players_are_counted_by_entry():
    series = make_series()
    choose_scheme(series.pk, system="elo")
    make_contest(series, standings=[("ann", 1), ("bob", 1)])  # newcomers: does not count
    make_contest(series, standings=[("ann", 1), ("bob", 1)])
    make_contest(series, standings=[("ann", 1), ("bob", 2)])
    make_contest(series, standings=[("ann", 1), ("bob", 1), ("new", 1)])  # ann and bob: one pair
    make_contest(series, standings=[("ann", 1), ("bob", 2), ("new", 2)])  # three pairs, one and a half games
    teams = {"ann": "red", "bob": "red", "new": "blue"}
    make_contest(series, standings=[("ann", 1), ("bob", 1), ("new", 1)], teams=teams)  # red and blue
    rate(series)
    found = derived_rate(series)
    assert found["games"] == pytest.approx(1 + 1 + 1 + 1.5 + 1)
    assert found["draws"] == pytest.approx(1 + 0 + 1 + 0.5 + 1)
    # All are nearly equal; half a draw in ten games is added (docs/predictions.md).
    assert found["rate"] == pytest.approx((3.5 + 0.5) / (5.5 + 10), abs=0.01)


def test_a_series_without_draws_or_results_has_the_rate_0():
    series = make_series()
    assert draw_rate_of(snapshot_of(series)) == 0.0
    for _ in range(3):
        make_contest(series, standings=[("ann", 1), ("bob", 2)])
    rate(series)
    assert derived_rate(series) == {"games": 2.0, "draws": 0.0, "rate": 0.0}
    derive_series(series.pk)
    assert draw_rate_of(snapshot_of(series)) == 0.0


def test_ties_are_rare_if_many_players_have_met_without_any(monkeypatch):
    series = make_series()
    for _ in range(4):  # the first one is between newcomers and does not count
        make_contest(series, standings=[("ann", 1), ("bob", 2)])
    rate(series)
    monkeypatch.setattr(draws, "ENOUGH_GAMES", 3)
    assert not ties_are_rare(snapshot_of(series)), "not yet computed"
    derive_series(series.pk)
    assert ties_are_rare(snapshot_of(series))
    monkeypatch.setattr(draws, "ENOUGH_GAMES", 4)
    assert not ties_are_rare(snapshot_of(series))
    make_contest(series, standings=[("ann", 1), ("bob", 1)])
    rate(series)
    Derived.objects.all().delete()
    derive_series(series.pk)
    assert not ties_are_rare(snapshot_of(series))


def test_only_the_newest_contests_count_if_there_are_many(monkeypatch):
    monkeypatch.setattr(draws, "MOST_PAIRS", 2)
    series = make_series()
    for place in (1, 1, 1, 2, 1):
        make_contest(series, standings=[("ann", 1), ("bob", place)])
    rate(series)
    assert (derived_rate(series)["games"], derived_rate(series)["draws"]) == (2, 1)


@pytest.mark.parametrize("system", ["elo-mmr", "trueskill"])
def test_comparisons_have_the_three_probabilities(client, system):
    series = make_series("cup")
    choose_scheme(series.pk, system=system)
    for place in (1, 2, 1, 2, 2, 1, 2):
        make_contest(series, standings=[("ann", 1), ("bob", place)])
    rate(series)
    derive_series(series.pk)
    snapshot = snapshot_of(series)
    assert draw_rate_of(snapshot) > 0.1
    answer = client.get("/api/v1/compare/?players=ann,bob").json()
    (pair,) = answer["pairs"]
    beliefs = get_system(system).new_beliefs(2)
    for number, row in enumerate(answer["players"]):
        beliefs.mu[number], beliefs.sigma[number] = row["rating"]["mu"], row["rating"]["sigma"]
    expected = outcome_probabilities(get_system(system), beliefs, 0, 1, draw_rate_of(snapshot))
    given = [pair[f"{name}_probability"] for name in ("win", "draw", "loss")]
    assert given == pytest.approx([float(part) for part in expected], abs=1e-6)
    assert 0 < pair["match_quality"] < 1
    text = client.get("/compare/?players=ann,bob").content.decode()
    assert f"The probability that they tie is {round(100 * given[1])}" in text
    assert "Match quality" in text
