"""Everyone's points through a season, compared with a plain reference, and properties of every season."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.derived.season import wins_against_others
from ratings.display import Fermi, Offset, default_tiers
from ratings.display.season import Field, SeasonRules, SeasonTable, league_floors
from tests.reference.season import Entry, Season

PLAYERS = 6
DISPLAYS = {"line": Offset(), "fermi": Fermi()}
TIERS = {name: default_tiers(mapping) for name, mapping in DISPLAYS.items()}
every_display = pytest.mark.parametrize("display", DISPLAYS)


@st.composite
def contests(draw):
    """A contest of some of the players: ranks with ties, hidden ratings, leagues, perhaps teams."""
    who = draw(st.lists(st.integers(0, PLAYERS - 1), min_size=2, max_size=PLAYERS, unique=True))
    n = len(who)
    teams = draw(st.none() | st.lists(st.integers(0, 2), min_size=n, max_size=n))
    ranks = draw(st.lists(st.integers(1, n), min_size=n, max_size=n))
    if teams is not None:
        if len(set(teams)) < 2:
            teams[0] = 7
        ranks = [teams.index(team) // 2 for team in teams]
    hidden = draw(st.lists(st.floats(1, 9999), min_size=n, max_size=n))
    league = draw(st.lists(st.integers(0, 7), min_size=n, max_size=n))
    weight = draw(st.sampled_from([0.5, 1.0, 3.0]))
    return weight, who, ranks, hidden, league, teams


def begin(display, rules=None, start=100.0, players=PLAYERS):
    rules = rules or SeasonRules("year")
    return SeasonTable(rules, TIERS[display], DISPLAYS[display], start=start, players=players, wins=wins_against_others)


def field(day, weight, who, ranks, hidden, league, teams, order=None):
    order = np.arange(len(who)) if order is None else order
    numbers = [np.asarray(column)[order] for column in (who, ranks, hidden, league)]
    return Field(day, weight, *numbers, None if teams is None else np.asarray(teams)[order])


@every_display
@given(
    season=st.lists(contests(), min_size=1, max_size=6), bonus=st.sampled_from([0.0, 1.0, 30.0]), in_level=st.booleans()
)
def test_points_of_a_field_equal_those_from_single_duels(display, season, bonus, in_level):
    rules = SeasonRules("year", bonus_per_day=bonus, bonus_in_level=in_level)
    mapping = DISPLAYS[display]
    table = begin(display, rules)
    fermi = 10_000.0 if display == "fermi" else None
    twin = Season(rules.k_in(mapping), rules.scale, bonus, fermi, in_level)
    without = Season(rules.k_in(mapping), rules.scale, 0.0, fermi)
    floors = league_floors(TIERS[display], mapping)
    for number, (weight, who, ranks, hidden, league, teams) in enumerate(season):
        table.play(field(100.0 + number, weight, who, ranks, hidden, league, teams))
        labels = teams or [None] * len(who)
        rows = zip(who, ranks, hidden, league, labels, strict=True)
        entries = [Entry(p, r, h, floors[league], t) for p, r, h, league, t in rows]
        for plain in (twin, without):
            plain.play(float(number), weight, entries)
    points, spent, bare = (
        [plain.get(player, 0.0) for player in range(PLAYERS)] for plain in (twin.points, twin.spent, without.points)
    )
    np.testing.assert_allclose(table.points, points, atol=1e-6)
    np.testing.assert_allclose(table.spent, spent, atol=1e-6)
    np.testing.assert_allclose(table.bare, bare, atol=1e-6)


@every_display
@given(season=st.lists(contests(), min_size=1, max_size=6), random=st.randoms())
def test_the_order_of_rows_does_not_matter(display, season, random):
    one, other = begin(display), begin(display)
    for number, contest in enumerate(season):
        order = list(range(len(contest[1])))
        random.shuffle(order)
        one.play(field(110.0 + number, *contest))
        other.play(field(110.0 + number, *contest, order=order))
    np.testing.assert_allclose(one.points, other.points, atol=1e-9)


@every_display
@given(season=st.lists(contests(), min_size=1, max_size=8))
def test_points_and_bonus_never_fall_below_zero(display, season):
    table = begin(display)
    per_day = table.rules.bonus_in(table.mapping)
    for number, contest in enumerate(season):
        settled = table.play(field(100.0 + number, *contest))
        assert (table.points >= 0).all()
        assert (table.spent <= per_day * number + 1e-9).all()
        assert (settled.bonus <= np.maximum(settled.gain, 0) / 2 + 1e-9).all()


def test_a_first_win_between_equals_gives_half_of_k_doubled_by_the_bonus():
    # Both play at 0 + 1,500 against 1,500: a half is expected, so the winner gains 60 / 2 and as much bonus.
    table = begin("line")
    settled = table.play(field(140.0, 1.0, [0, 1], [1, 2], [1500.0, 1500.0], [3, 3], None))
    assert settled.points.tolist() == pytest.approx([60, 0])
    assert settled.bonus.tolist() == pytest.approx([30, 0])
    assert table.bonus_left(140.0, np.array([0, 1, 2])).tolist() == pytest.approx([10, 40, 40])


def test_a_bonus_that_is_nearly_spent_doubles_part_of_the_gain():
    table = begin("line")
    settled = table.play(field(107.0, 1.0, [0, 1], [1, 2], [1500.0, 1500.0], [3, 3], None))
    assert settled.points.tolist() == pytest.approx([37, 0])


def test_a_separate_bonus_has_no_effect_on_later_steps():
    # The first win brings 30 and 30 bonus. The second is won at 1,530 and not at 1,560 against 1,500.
    table = begin("line", SeasonRules("year", bonus_in_level=False))
    contest = (1.0, [0, 1], [1, 2], [1500.0, 1500.0], [3, 3], None)
    assert table.play(field(140.0, *contest)).points.tolist() == pytest.approx([60, 0])
    expected = 1 / (1 + 10 ** (-30 / 400))
    settled = table.play(field(140.0, *contest))
    assert settled.points[0] == pytest.approx(60 + 60 * (1 - expected) + 10)
    assert table.bare[0] == pytest.approx(30 + 60 * (1 - expected))


def test_members_of_a_team_gain_alike():
    table = begin("line", SeasonRules("year", bonus_per_day=0))
    contest = (1.0, [0, 1, 2, 3], [1, 1, 2, 2], [1900.0, 1100.0, 1500.0, 1500.0], [5, 1, 3, 3], [8, 8, 9, 9])
    settled = table.play(field(100.0, *contest))
    # The means of both teams' floors and ratings are 1,500.
    assert settled.points.tolist() == pytest.approx([30, 30, 0, 0])


def test_a_field_of_thousands_gives_no_more_than_a_field_of_ten():
    gains = []
    for size in (10, 4000):
        table = begin("line", SeasonRules("year", bonus_per_day=0), players=size)
        contest = (1.0, np.arange(size), np.arange(size), np.full(size, 1500.0), np.full(size, 3), None)
        gains.append(table.play(field(100.0, *contest)).points[0])
    assert gains == pytest.approx([30, 30])


def test_points_settle_where_points_and_threshold_add_up_to_the_rating():
    # Against a field as strong as oneself, half of the contests won and half lost: the pull is towards 1,620 - 1,500.
    table = begin("line", SeasonRules("year", k=20, bonus_per_day=0))
    for number in range(400):
        ranks = [1, 2] if number % 2 else [2, 1]
        table.play(field(100.0 + number, 1.0, [0, 1], ranks, [1620.0, 1620.0], [3, 3], None))
    assert table.points[:2] == pytest.approx([120, 120], abs=10)


def test_a_contest_without_opponents_gives_no_points():
    table = begin("line")
    settled = table.play(field(200.0, 1.0, [0], [1], [1500.0], [3], None))
    assert settled.points.tolist() == [0]
    one_team = table.play(field(200.0, 1.0, [0, 1], [1, 1], [1500.0, 1500.0], [3, 3], [5, 5]))
    assert one_team.points.tolist() == [0, 0]
