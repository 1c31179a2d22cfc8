"""Divisions of a fixed size: filled from the first, kept for the season, and freed by those who leave."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ratings.display.divisions import divisions_of
from ratings.display.leagues import PROVISIONAL
from tests.reference.divisions import Row, divisions

CONTESTS_IN_SEASON = 4


@st.composite
def seasons(draw):
    """Rows of some players in up to twelve contests, in three seasons, with leagues 0 to 2 or None."""
    rows = []
    for player in range(draw(st.integers(1, 9))):
        for contest in sorted(draw(st.sets(st.integers(0, 11), min_size=1))):
            league = draw(st.none() | st.integers(0, 2))
            rows.append(Row(player, contest, contest // CONTESTS_IN_SEASON, league, draw(st.integers(1000, 1003))))
    return rows


def fast(rows, size):
    columns = [
        np.array([PROVISIONAL if row.league is None else row.league for row in rows], dtype=np.int16),
        *(np.array([getattr(row, name) for row in rows], dtype=np.int64) for name in ("season", "contest", "shown")),
    ]
    first = np.unique([row.player for row in rows], return_index=True)[1]
    found = divisions_of(size, *columns, first).tolist()
    return {(row.player, row.contest): number for row, number in zip(rows, found, strict=True)}


@given(seasons(), st.integers(1, 4))
def test_divisions_equal_those_of_the_reference(rows, size):
    assert fast(rows, size) == divisions(rows, size)


@given(seasons(), st.integers(1, 3))
def test_no_division_is_too_large_and_no_one_moves_within_a_league(rows, size):
    found = fast(rows, size)
    now = {}
    for contest in sorted({row.contest for row in rows}):
        now = {player: place for player, place in now.items() if place[0] == contest // CONTESTS_IN_SEASON}
        for row in (row for row in rows if row.contest == contest):
            place = (row.season, row.league, found[row.player, contest])
            if row.player in now and now[row.player][1] == row.league:
                assert now[row.player] == place
            now[row.player] = place
        held = [place for place in now.values() if place[1] is not None]
        assert all(held.count(place) <= size for place in held)


def test_players_fill_divisions_by_rating_and_take_places_that_others_leave():
    # Two places a division. Ann, Bob and Eve enter league 1 with one contest; the strongest two are division 1.
    ann, bob, eve, joe = range(4)
    rows = [
        Row(ann, 0, 0, 1, 1500), Row(ann, 1, 0, 2, 1900),
        Row(bob, 0, 0, 1, 1700),
        Row(eve, 0, 0, 1, 1600), Row(eve, 2, 0, 1, 1650), Row(eve, 4, 1, 1, 1650),
        Row(joe, 2, 0, 1, 1300),
    ]  # fmt: skip
    found = fast(rows, 2)
    assert [found[player, 0] for player in (bob, eve, ann)] == [1, 1, 2]
    assert found[ann, 1] == 1, "the first of league 2"
    assert found[joe, 2] == 2, "the place that Ann left"
    assert found[eve, 2] == found[eve, 4] == 1, "kept for the season, and the first of the next one"
