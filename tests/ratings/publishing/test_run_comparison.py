"""Comparisons of two runs agree with a plain comparison of their rating changes."""

from __future__ import annotations

import numpy as np
import pytest

from contests.services.contests import delete_contest
from contests.services.correcting import Correction, correct_standing
from ratings.models import RatingChange, Run, Scheme
from ratings.publishing.schemes import choose_scheme
from ratings.queries import run_comparison as comparing
from ratings.queries.run_comparison import NONE, compare
from ratings.queries.snapshot import as_of
from ratings.systems import SYSTEMS
from tests.factories import make_contest, make_series, rate, roll_back

pytestmark = pytest.mark.django_db


def view_of(series, number):
    run = Run.objects.select_related("scheme").get(series=series, number=number)
    return as_of(series, run, Scheme.objects.newest(series.pk))


def compared(series, first, second):
    comparison = compare(view_of(series, first), view_of(series, second), Run.objects.current(series.pk))
    columns = (
        comparison.player_ids, comparison.rating_before, comparison.rating_after,
        comparison.rank_before, comparison.rank_after,
    )  # fmt: skip
    rows = {row[0]: row[1:] for row in zip(*(column.tolist() for column in columns), strict=True)}
    return comparison, rows


def plainly(series, number):
    """Rating and rank of each player as of a run, found one by one."""
    view = view_of(series, number)
    changes = RatingChange.objects.as_of(number).filter(series=series)
    scores = {}
    for row in changes.order_by("contest__ends_at", "contest__sequence", "contest_id"):
        scores[row.player_id] = float(view.score(row.mu, row.sigma))
    return {
        player: (view.rating(score), 1 + sum(other > score for other in scores.values()))
        for player, score in scores.items()
    }


def plainly_compared(series, first, second):
    before, after = plainly(series, first), plainly(series, second)
    nobody = (NONE, NONE)
    rows = {p: (before.get(p, nobody), after.get(p, nobody)) for p in before.keys() | after.keys()}
    return {p: (a[0], b[0], a[1], b[1]) for p, (a, b) in rows.items() if a != b}


def lively(system="elo-mmr"):
    """A series of five runs: appended, corrected, deleted, rolled back, and rated once more."""
    series = make_series()
    choose_scheme(series.pk, system=system)
    for start in range(4):
        make_contest(series, standings=[(f"p{(start * 5 + i * 3) % 11}", i + 1) for i in range(6)])
    rate(series)
    make_contest(series, standings=[("p10", 1), ("new", 2), ("p2", 2), ("p3", 4)])
    rate(series)
    second = series.contests.in_order()[1]
    correct_standing(
        second.standings.order_by("rank").first().pk, correction=Correction("disqualified", place=1), reason="robot"
    )
    delete_contest(series.contests.in_order().first().pk, reason="rehearsal")
    rate(series)
    roll_back(series.pk, 1, reason="too early")
    make_contest(series, standings=[("late", 1), ("p1", 2)])
    rate(series)
    return series


@pytest.mark.parametrize("few", [0.0, 100.0])
@pytest.mark.parametrize("system", SYSTEMS)
def test_any_two_runs_are_compared_as_one_would_by_hand(system, few, monkeypatch):
    monkeypatch.setattr(comparing, "_FEW", few)
    series = lively(system)
    differing = 0
    for first in range(1, 6):
        for second in range(1, 6):
            _, rows = compared(series, first, second)
            assert rows == plainly_compared(series, first, second), (first, second)
            differing += len(rows)
    assert differing > 40


def test_a_run_that_shows_another_again_does_not_differ_from_it():
    comparison, rows = compared(lively(), 1, 4)
    assert rows == {}
    assert set(comparison.counts.values()) == {0}
    assert comparison.total_before == comparison.total_after == 11


def test_runs_of_two_systems_are_each_displayed_by_the_mapping_of_their_own_system():
    series = lively()
    choose_scheme(series.pk, system="elo")
    rate(series)
    assert compared(series, 2, 6)[1] == plainly_compared(series, 2, 6)
    assert len(compared(series, 2, 6)[1]) >= 11


def test_another_sort_score_moves_everyone_though_no_change_was_written():
    series = lively()
    display = Scheme.objects.newest(series.pk).display
    choose_scheme(series.pk, display={**display, "k": 2.0})
    assert rate(series).changed_count == 0
    _, rows = compared(series, 5, 6)
    assert rows == plainly_compared(series, 5, 6)
    assert len(rows) == Run.objects.current(series.pk).player_count


def test_the_largest_changes_come_first_then_players_who_came_or_went_and_moved_ranks():
    series = lively()
    comparison, _ = compared(series, 2, 5)
    group = {"up": 0, "down": 0, "entered": 1, "left": 2, "rank": 3}
    groups = [
        next(group[kind] for kind in group if comparison.kinds[kind][i]) for i in range(len(comparison.player_ids))
    ]
    assert groups == sorted(groups)
    moved = np.array(groups) == 0
    sizes = np.abs(comparison.rating_after - comparison.rating_before)[moved].tolist()
    assert len(sizes) > 3
    assert sizes == sorted(sizes, reverse=True)
    counts = comparison.counts
    assert counts["moved"] == counts["up"] + counts["down"] == len(sizes)
    assert counts["moved"] + counts["entered"] + counts["left"] + counts["rank"] == len(groups)
    assert counts["entered"] == 1


def test_tier_changes_are_those_of_players_in_both_runs():
    series = lively()
    comparison, rows = compared(series, 1, 3)
    before, after = comparison.before, comparison.after
    expected = {
        player
        for player, (a, b, _, _) in rows.items()
        if NONE not in (a, b) and before.tier_number(a) != after.tier_number(b)
    }
    found = comparison.player_ids[comparison.rows(kind="tier")].tolist()
    assert set(found) == expected
    assert expected


def test_rows_can_be_asked_for_by_kind_and_by_player():
    comparison, rows = compared(lively(), 2, 3)
    assert len(comparison.rows()) == len(rows)
    for kind, chosen in comparison.kinds.items():
        assert comparison.rows(kind=kind).tolist() == np.flatnonzero(chosen).tolist()
    one = comparison.player_ids[2:3]
    assert comparison.rows(among=one).tolist() == [2]
    assert comparison.rows(kind="no such kind").tolist() == comparison.rows().tolist()


def test_a_second_look_reads_no_rating_change(django_assert_num_queries):
    series = lively()
    before, after, current = view_of(series, 1), view_of(series, 3), Run.objects.current(series.pk)
    first = compare(before, after, current)
    with django_assert_num_queries(0):
        second = compare(before, after, current)
    assert first.player_ids.tolist() == second.player_ids.tolist()


def tiers(**minima):
    colours = {"colour_light": "#333333", "colour_dark": "#dddddd"}
    return [
        {"name": name, "minimum": minimum or None, "symbol": name[0], **colours} for name, minimum in minima.items()
    ]


def test_a_tier_that_only_has_another_position_is_no_change_of_tier():
    series = make_series()
    make_contest(series, standings=[("ann", 1), ("bob", 2)])
    choose_scheme(series.pk, tiers=tiers(Low="", High=100))
    rate(series)
    choose_scheme(series.pk, system="glicko2", tiers=tiers(Low="", Middle=50, High=100))
    rate(series)
    numbers = Run.objects.filter(series=series).order_by("-number").values_list("number", flat=True)
    last, first = numbers[:2]
    comparison, rows = compared(series, first, last)
    assert len(rows) == 2
    assert (comparison.tier_before != comparison.tier_after).all()
    assert comparison.counts["tier"] == 0, "both players are High before and after"
