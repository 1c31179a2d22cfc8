"""Tiers: exact boundaries, validated thresholds and colours, and defaults that do not need colour vision."""

from __future__ import annotations

import json
import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.display import Fermi, Offset, raw_threshold
from ratings.display.tiers import DARK_PAGE, LIGHT_PAGE, Tier, Tiers, contrast, default_tiers, tiers_from_list
from tests.ratings.display.colour_vision import VISIONS, ciede2000, difference, lab_as_seen

# CIEDE2000: about 2 is seen at a glance when colours touch; dots far apart in a graph need several times that.
ADJACENT = 12
ANY_PAIR = 8

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
def test_the_points_missing_to_the_next_tier(shown, missing):
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


# WCAG's own example values: black on white 21:1, #777777 just fails and #767676 just passes on white.
@pytest.mark.parametrize(
    ("colour", "ratio"), [("#000000", 21.0), ("#ffffff", 1.0), ("#777777", 4.48), ("#767676", 4.54)]
)
def test_the_contrast_is_that_of_wcag(colour, ratio):
    assert contrast(colour, "#ffffff") == pytest.approx(ratio, abs=0.005)


# Pairs 1, 7, 16, 17 and 25 of the test data of Sharma, Wu, Dalal 2005.
@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ((50.0, 2.6772, -79.7751), (50.0, 0.0, -82.7485), 2.0425),
        ((50.0, 0.0, 0.0), (50.0, -1.0, 2.0), 2.3669),
        ((50.0, 2.5, 0.0), (50.0, 0.0, -2.5), 4.3065),
        ((50.0, 2.5, 0.0), (73.0, 25.0, -18.0), 27.1492),
        ((60.2574, -34.0099, 36.2677), (60.4626, -34.1751, 39.4387), 1.2644),
    ],
)
def test_the_colour_difference_of_these_tests_is_ciede2000(first, second, expected):
    assert ciede2000(np.array(first), np.array(second)) == pytest.approx(expected, abs=1e-4)


def test_the_simulations_confuse_the_right_colours_and_keep_grey():
    assert difference("#c04000", "#607000", "normal") > 30
    assert difference("#c04000", "#607000", "deuteranopia") < 12
    for vision in VISIONS:
        assert lab_as_seen("#808080", vision) == pytest.approx(lab_as_seen("#808080", "normal"), abs=0.2)


@pytest.mark.parametrize("vision", VISIONS)
@pytest.mark.parametrize("theme", ["colour_light", "colour_dark"])
def test_default_colours_stay_apart_for_colour_blind_people(theme, vision):
    colours = [getattr(tier, theme) for tier in default_tiers(Offset())]
    assert min(difference(a, b, vision) for a, b in pairwise(colours)) >= ADJACENT
    everything = [difference(a, b, vision) for i, a in enumerate(colours) for b in colours[i + 1 :]]
    assert min(everything) >= ANY_PAIR


def test_default_colours_are_readable_on_slightly_shaded_panels_too():
    for tier in default_tiers(Offset()):
        assert contrast(tier.colour_light, LIGHT_PAGE) >= 5
        assert contrast(tier.colour_dark, DARK_PAGE) >= 5


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
