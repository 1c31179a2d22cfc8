"""Leagues derived from a run, compared with a reference, after changes of the display and corrections."""

from __future__ import annotations

import numpy as np
import pytest

from contests.services.correcting import Correction, correct_standing
from ratings.derived.leagues import DERIVATION
from ratings.derived.season import DERIVATION as SEASON
from ratings.display.leagues import PROVISIONAL
from ratings.models import Derived, Run, Scheme
from ratings.publishing.deriving import derive_series
from ratings.publishing.schemes import choose_scheme
from tests.factories import make_contest, make_series, rate
from tests.ratings.leagues import LEAGUES, content_of, make_league_series, plain_histories, plain_leagues
from tests.reference.divisions import Row, divisions

pytestmark = pytest.mark.django_db


def by_player(view, content):
    leagues = content["league"].tolist()
    return dict(zip(view.index.player_ids.tolist(), leagues, strict=True))


@pytest.mark.parametrize("display", [None, {"mapping": "fermi", "range": 10_000}])
@pytest.mark.parametrize("sigma", [None, 130.0])
def test_leagues_equal_those_of_the_reference(display, sigma):
    rules = {**LEAGUES, "provisional_sigma": sigma}
    series = make_league_series(leagues=rules, display=display)
    view, content = content_of(series, DERIVATION)
    expected = {player: plain_leagues(view, rows, rules)[-1] for player, rows in plain_histories(series).items()}
    assert by_player(view, content) == {p: PROVISIONAL if league is None else league for p, league in expected.items()}
    assert len(set(expected.values())) > 2


def test_promotions_and_relegations_equal_those_of_the_reference_newest_first():
    series = make_league_series()
    view, content = content_of(series, DERIVATION)
    moves = []
    for player, rows in plain_histories(series).items():
        leagues = plain_leagues(view, rows, LEAGUES)
        for before, after, row in zip(leagues, leagues[1:], rows[1:], strict=False):
            if before is not None and after is not None and before != after:
                moves.append((row.contest.ends_at, player, row.contest_id, before, after))
    for way, wanted in (("up", [m for m in moves if m[4] > m[3]]), ("down", [m for m in moves if m[4] < m[3]])):
        found = list(zip(*(content[f"{way}_{n}"].tolist() for n in ("player", "contest", "from", "to")), strict=True))
        assert sorted(found) == sorted(m[1:] for m in wanted)
        when = {m[2]: m[0] for m in wanted}
        days = [when[contest] for _, contest, _, _ in found]
        assert days == sorted(days, reverse=True)
        assert found


def test_mean_and_window_cover_the_latest_displayed_ratings():
    series = make_league_series()
    view, content = content_of(series, DERIVATION)
    for row, player in enumerate(view.index.player_ids.tolist()):
        changes = plain_histories(series)[player]
        last = [view.rating_of(change.mu, change.sigma) for change in changes][-3:]
        assert content["mean"][row] == pytest.approx(sum(last) / len(last))
        assert content["window"][row] == len(last)
        assert content["leaving"][row] == (last[0] if len(last) == 3 else 0)


def test_another_display_changes_leagues_at_once_without_a_run():
    series = make_league_series()
    _, before = content_of(series, DERIVATION)
    runs = Run.objects.filter(series=series).count()
    choose_scheme(series.pk, display={"mapping": "offset", "offset": 1900.0})
    assert content_of(series, DERIVATION)[1] is None
    derive_series(series.pk)
    view, after = content_of(series, DERIVATION)
    assert Run.objects.filter(series=series).count() == runs
    assert not series.stale_marks.exists()
    # The tiers depend on the rating of newcomers, so both thresholds and ratings have moved by 400.
    np.testing.assert_allclose(after["mean"], before["mean"] + 400, atol=1e-9)
    choose_scheme(
        series.pk,
        tiers=[{**tier, "minimum": tier["minimum"] and tier["minimum"] - 400} for tier in view.tiers.to_list()],
    )
    derive_series(series.pk)
    view, higher = content_of(series, DERIVATION)
    assert (higher["league"] >= after["league"]).all()
    assert (higher["league"] > after["league"]).any()


def test_a_correction_gives_the_leagues_of_the_corrected_results():
    series = make_league_series()
    first = series.contests.in_order().first()
    winner = first.standings.get(rank=1)
    correct_standing(winner.pk, correction=Correction("disqualified", place=1), reason="two accounts")
    rate(series)
    derive_series(series.pk)
    view, content = content_of(series, DERIVATION)
    expected = {player: plain_leagues(view, rows, LEAGUES)[-1] for player, rows in plain_histories(series).items()}
    assert by_player(view, content) == {p: PROVISIONAL if league is None else league for p, league in expected.items()}
    assert Derived.objects.filter(series=series, kind=DERIVATION.stored_kind).count() == 1


def by_confidence(view, rows, rules):
    """Return the leagues of one player after each contest by confidence, None while provisional."""
    found, league, thresholds = [], None, view.tiers.thresholds
    for number, change in enumerate(rows, start=1):
        low, high = (view.mapping.show(change.mu + sign * rules["k"] * change.sigma) for sign in (-1, 1))
        up, down = (sum(end >= threshold for threshold in thresholds) for end in (low, high))
        if number < rules["provisional_contests"]:
            league = None
        elif league is None or league < up:
            league = up
        else:
            league = min(league, down)
        found.append((league, low, high))
    return found


@pytest.mark.parametrize("display", [None, {"mapping": "fermi", "range": 10_000}])
def test_leagues_by_confidence_and_their_divisions_equal_those_of_the_references(display):
    rules = {"assignment": "confidence", "k": 0.5, "provisional_contests": 2, "division_size": 3}
    series = make_league_series(leagues=rules, display=display, season={"length": "year"})
    view, content = content_of(series, DERIVATION)
    histories = {player: rows for player, rows in plain_histories(series).items()}
    expected = {player: by_confidence(view, rows, rules) for player, rows in histories.items()}
    order = {pk: number for number, pk in enumerate(series.contests.in_order().values_list("pk", flat=True))}
    rows = [
        Row(
            player,
            order[change.contest_id],
            change.contest.ends_at.year,
            league,
            view.rating_of(change.mu, change.sigma),
        )
        for player, changes in histories.items()
        for change, (league, _, _) in zip(changes, expected[player], strict=True)
    ]
    division = divisions(rows, 3)
    leagues = set()
    for row, player in enumerate(view.index.player_ids.tolist()):
        league, low, high = expected[player][-1]
        assert content["league"][row] == (PROVISIONAL if league is None else league)
        assert (content["low"][row], content["high"][row]) == (low, high)
        last = histories[player][-1]
        is_current = last.contest.ends_at.year == 2025
        assert content["division"][row] == (division[player, order[last.contest_id]] if is_current else 0)
        leagues.add(league)
    assert len(leagues) > 2
    assert content["division"].max() > 1
    _, seasons = content_of(series, SEASON)
    for number, year in enumerate((2024, 2025)):
        begin, end = seasons["offsets"][number : number + 2].tolist()
        for at in range(begin, end):
            player = int(view.index.player_ids[seasons["place"][at]])
            last = [change for change in histories[player] if change.contest.ends_at.year == year][-1]
            assert seasons["division"][at] == division[player, order[last.contest_id]]


def test_a_series_with_one_contest_has_only_provisional_players():
    series = make_series("one")
    make_contest(series, players=3)
    choose_scheme(series.pk, leagues={"assignment": "moving_average"})
    rate(series)
    derive_series(series.pk)
    _, content = content_of(series, DERIVATION)
    assert content["league"].tolist() == [PROVISIONAL] * 3
    assert len(content["up_player"]) == len(content["down_player"]) == 0


def test_a_series_without_league_rules_derives_no_leagues():
    series = make_league_series(leagues={})
    assert not Derived.objects.filter(series=series, kind=DERIVATION.stored_kind).exists()


@pytest.mark.parametrize("system", ["ladder", "kreimeier", "topcoder", "trueskill"])
def test_other_systems_have_leagues_too(system):
    series = make_league_series(system=system)
    view, content = content_of(series, DERIVATION)
    assert Scheme.objects.newest(series.pk).system == system
    assert (content["league"] >= 0).any()
    expected = {player: plain_leagues(view, rows, LEAGUES)[-1] for player, rows in plain_histories(series).items()}
    assert by_player(view, content) == {p: PROVISIONAL if league is None else league for p, league in expected.items()}
