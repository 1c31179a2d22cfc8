"""Tiers: exact boundaries, validated thresholds and colours, and default thresholds."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.display import Fermi, Offset, raw_threshold
from ratings.display.tier_sets import default_tiers
from ratings.display.tiers import Tier, Tiers, tiers_from_list

DEFAULTS = [Offset(), Fermi(), Offset(offset=0, scale=0.01, minimum=-100), Fermi(range=100)]


def make_tier(name="Low", minimum=None, colour_light="#333333", colour_dark="#dddddd", symbol=None) -> Tier:
    return Tier(name, minimum, colour_light, colour_dark, symbol or name[:3])


THREE = Tiers((make_tier("Low"), make_tier("Middle", 1200), make_tier("High", 1800)))


@pytest.mark.parametrize(
    ("shown", "name"),
    [(-5, "Low"), (1199, "Low"), (1199.999, "Low"), (1200, "Middle"), (1799, "Middle"), (1800, "High"), (1e9, "High")],
)
def test_a_threshold_belongs_to_the_upper_tier(shown, name):
    assert THREE.tier_of(shown).name == name


@given(shown=st.lists(st.integers(min_value=-100, max_value=4000), max_size=30))
def test_tiers_of_many_ratings_equal_those_of_each(shown):
    assert THREE.tiers_of(np.array(shown)) == [THREE.tier_of(value) for value in shown]


@given(shown=st.lists(st.floats(min_value=-1e9, max_value=1e9), min_size=2))
def test_a_higher_rating_never_has_a_lower_tier(shown):
    assert np.all(np.diff(THREE.positions(np.sort(shown))) >= 0)


@pytest.mark.parametrize(
    ("shown", "missing"), [(0, 1200), (1199, 1), (1200, 600), (1799, 1), (1800, None), (9999, None)]
)
def test_the_points_needed_for_the_next_tier(shown, missing):
    assert THREE.to_next(shown) == missing


def test_the_next_tier_is_the_one_above():
    assert THREE.next_tier(1199) == THREE[1]
    assert THREE.next_tier(1800) is None


def test_nan_has_no_tier():
    with pytest.raises(ValueError, match="NaN"):
        THREE.tier_of(math.nan)


@pytest.mark.parametrize("mapping", [Offset(), Fermi(centre=1500, temperature=140)], ids=repr)
def test_cutting_sorted_scores_gives_the_tiers_of_the_shown_values(mapping):
    tiers = default_tiers(mapping)
    cuts = [raw_threshold(mapping, threshold) for threshold in tiers.thresholds]
    edges = [np.nextafter(cut, side) for cut in cuts for side in (-np.inf, np.inf)]
    x = np.sort(np.concatenate([np.random.default_rng(1).normal(1500, 400, 500), cuts, edges]))
    np.testing.assert_array_equal(np.searchsorted(cuts, x, side="right"), tiers.positions(mapping.show(x)))


@pytest.mark.parametrize("mapping", DEFAULTS, ids=repr)
def test_there_are_eight_default_tiers_whatever_the_mapping(mapping):
    tiers = default_tiers(mapping)
    assert len(tiers) == 8
    assert len({tier.symbol for tier in tiers}) == 8


def test_the_default_thresholds_are_in_the_points_of_the_mapping():
    assert default_tiers(Offset()).thresholds == [1000, 1250, 1500, 1750, 2000, 2300, 2600]
    assert default_tiers(Offset(offset=0, scale=2)).thresholds[:3] == [-1000, -500, 0]
    assert default_tiers(Fermi(range=1000)).thresholds[2] == 500


def test_a_newcomer_starts_in_the_fourth_of_the_default_tiers():
    assert default_tiers(Offset()).positions(Offset().show(1500.0)) == 3
    assert default_tiers(Fermi()).positions(Fermi().show(1500.0)) == 3


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"name": ""}, "name must be 1 to 40 printable characters"),
        ({"name": " Low"}, "name must be"),
        ({"name": "a\u202eb"}, "name must be"),
        ({"symbol": "12345"}, "symbol of tier 'Low' must be 1 to 4"),
        ({"minimum": 12.5}, "minimum of tier 'Low' must be a whole number"),
        ({"minimum": True}, "minimum of tier 'Low' must be a whole number"),
        ({"colour_light": "red"}, "colour_light of tier 'Low' must look like #1a2b3c"),
        ({"colour_dark": "#ddd"}, "colour_dark of tier 'Low' must look like"),
        ({"colour_light": "#777777"}, r"contrast of 4\.48:1 on the light page"),
        ({"colour_dark": "#555555"}, "on the dark page"),
    ],
)
def test_the_error_for_an_invalid_tier_names_the_problem(changes, message):
    with pytest.raises(ValueError, match=message):
        make_tier(**changes)


@pytest.mark.parametrize(
    ("tiers", "message"),
    [
        ((), "between 1 and 30 tiers, not 0"),
        ((make_tier("A"), make_tier("a", 5, symbol="x")), "two tiers have the name 'a'"),
        ((make_tier("A", symbol="x"), make_tier("B", 5, symbol="x")), "two tiers have the symbol 'x'"),
        ((make_tier("A", 0),), "lowest tier 'A' must be null"),
        ((make_tier("A"), make_tier("B")), "tier 'B' needs a minimum"),
        ((make_tier("A"), make_tier("B", 5), make_tier("C", 5)), "minimum of tier 'C' must be above 5"),
    ],
)
def test_the_error_for_an_invalid_list_of_tiers_names_the_problem(tiers, message):
    with pytest.raises(ValueError, match=message):
        Tiers(tiers)


@pytest.mark.parametrize("mapping", DEFAULTS, ids=repr)
def test_tiers_survive_json(mapping):
    tiers = default_tiers(mapping)
    assert tiers_from_list(json.loads(json.dumps(tiers.to_list()))) == tiers


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("Low", "tier 2 must be an object"),
        ({**THREE.to_list()[1], "color": "#000000"}, "tier 2: 'color' is unknown"),
        ({"name": "Low"}, "tier 2: 'colour_dark' is missing"),
    ],
)
def test_a_wrong_stored_tier_is_named_by_its_number(entry, message):
    with pytest.raises(ValueError, match=message):
        tiers_from_list([THREE.to_list()[0], entry])
