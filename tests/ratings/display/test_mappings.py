"""Mappings: displayed ratings are monotone, bounded and rounded once, and stored choices are checked."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.display import (
    Fermi,
    Offset,
    conservative_factor,
    mapping_from_dict,
    raw_threshold,
    show_band,
    sort_score,
    width_of_pool,
    win_probability_from_shown,
)
from ratings.display.scores import DEFAULT_CENTRE, DEFAULT_TEMPERATURE
from ratings.systems import get_system, win_probability

MAPPINGS = [
    Offset(),
    Offset(offset=0, scale=0.37, centre=1512.3, minimum=-500),
    Offset(offset=25, scale=8.3, centre=25, minimum=0),
    Fermi(),
    Fermi(range=100, centre=-20, temperature=0.7),
    Fermi(range=1_000_000, centre=1500, temperature=200),
]
every_mapping = pytest.mark.parametrize("mapping", MAPPINGS, ids=repr)
scores = st.floats(min_value=-1e9, max_value=1e9, allow_nan=False)
near_scores = st.floats(min_value=-3000, max_value=6000, allow_nan=False)


@every_mapping
@given(x=st.lists(scores | near_scores, min_size=2, max_size=50))
def test_a_mapping_never_reorders_players(mapping, x):
    x = np.sort(np.array(x))
    assert np.all(np.diff(mapping.show(x)) >= 0)
    assert np.all(np.diff(mapping.position(x)) >= 0)


@every_mapping
def test_a_mapping_never_reorders_neighbouring_doubles(mapping):
    # A carelessly rounded Fermi curve falls at about one in 100,000 neighbours, so the test needs many of them.
    top = mapping.range if isinstance(mapping, Fermi) else 5000
    for start in mapping.inverse(np.geomspace(0.001, 0.9, 300) * top):
        neighbours = start + np.arange(3000) * np.spacing(abs(start))
        assert np.all(np.diff(mapping.position(neighbours)) >= 0)


@every_mapping
@given(x=st.lists(scores, min_size=1, max_size=20))
def test_an_array_is_mapped_like_its_elements(mapping, x):
    assert mapping.show(np.array(x)).tolist() == [mapping.show(value) for value in x]
    assert mapping.position(np.array(x)).tolist() == [mapping.position(value) for value in x]


@every_mapping
def test_a_number_gives_plain_python_numbers_and_an_empty_array_an_empty_array(mapping):
    assert type(mapping.show(1500.0)) is int
    assert type(mapping.position(1500.0)) is float
    assert mapping.show(np.array([])).shape == (0,)


@every_mapping
@given(x=near_scores)
def test_the_shown_value_is_the_nearest_integer_to_the_position(mapping, x):
    assert abs(mapping.show(x) - mapping.position(x)) <= 0.5


def test_halves_are_rounded_upwards_on_both_sides_of_zero():
    mapping = Offset(offset=0, centre=0, minimum=-100)
    assert mapping.show(np.array([-2.5, -1.5, -0.5, 0.5, 1.5, 2.5])).tolist() == [-2, -1, 0, 1, 2, 3]
    assert mapping.show(np.nextafter(0.5, 0)) == 0


@pytest.mark.parametrize(("x", "shown"), [(1500, 1500), (1500.49, 1500), (2731.5, 2732), (0.7, 1), (-900, 1)])
def test_the_default_offset_is_the_score_itself_but_never_below_one(x, shown):
    assert Offset().show(x) == shown


def test_an_offset_moves_and_stretches_the_line():
    assert Offset(offset=1000, scale=40, centre=25).show(27.5) == 1100


@pytest.mark.parametrize(
    ("deviations", "share"), [(0, 0.5), (1, 1 / (1 + math.exp(-2))), (-1, 1 / (1 + math.exp(2))), (2, 0.98201379)]
)
def test_a_fermi_rating_is_the_logistic_of_the_distance_in_half_deviations(deviations, share):
    mapping = Fermi(range=10_000, centre=1500, temperature=150)
    assert mapping.position(1500 + 300 * deviations) == pytest.approx(10_000 * share, abs=1e-4)


def test_about_95_percent_of_a_normal_pool_lie_between_250_and_9750():
    # The 95 % of the specification: |ln(0.975/0.025)|/2 = 1.83 deviations hold 93.3 % of a normal distribution.
    pool = np.random.default_rng(7).normal(1400, 310, 20_000)
    centre, temperature = width_of_pool(pool)
    shown = Fermi(centre=centre, temperature=temperature).show(pool)
    assert np.mean((shown >= 250) & (shown <= 9750)) == pytest.approx(0.933, abs=0.01)


@every_mapping
@pytest.mark.parametrize("x", [-1.7e308, -1e9, 0.0, 1e9, 1.7e308])
def test_extreme_scores_saturate_without_a_floating_point_warning(mapping, x):
    with np.errstate(all="raise"):
        shown = mapping.show(np.array([x, 1500.0]))
    assert np.all(np.abs(shown) < 2**53)
    if isinstance(mapping, Fermi):
        assert np.all((shown >= 0) & (shown <= mapping.range))


@every_mapping
@pytest.mark.parametrize("x", [math.nan, math.inf, -math.inf])
def test_nan_and_infinity_are_refused(mapping, x):
    for method in (mapping.show, mapping.position, mapping.inverse):
        with pytest.raises(ValueError, match="finite"):
            method(x)
        with pytest.raises(ValueError, match="finite"):
            method(np.array([1500.0, x]))


@given(x=st.floats(min_value=2, max_value=5000))
def test_the_inverse_of_an_offset_gives_back_the_score(x):
    mapping = Offset(offset=1200, scale=2.5, centre=1500, minimum=-10_000)
    assert mapping.inverse(mapping.position(x)) == pytest.approx(x, abs=1e-9)


@given(x=st.floats(min_value=-10, max_value=10))
def test_the_inverse_of_a_fermi_rating_gives_back_the_score(x):
    mapping = Fermi(centre=1500, temperature=150)
    assert mapping.inverse(mapping.position(1500 + 150 * x)) == pytest.approx(1500 + 150 * x, abs=1e-6)


@every_mapping
def test_the_inverse_is_vectorised(mapping):
    shown = np.array([10.0, 60.0])
    assert mapping.inverse(shown).tolist() == [mapping.inverse(10.0), mapping.inverse(60.0)]


@pytest.mark.parametrize(("mapping", "shown"), [(Offset(), 0.5), (Fermi(), 0), (Fermi(), 10_000), (Fermi(), -3)])
def test_the_inverse_refuses_numbers_without_a_score(mapping, shown):
    with pytest.raises(ValueError, match="shown"):
        mapping.inverse(np.array([shown]))


@every_mapping
@given(shown=st.integers(min_value=3, max_value=97))
def test_the_raw_threshold_is_the_lowest_score_with_the_displayed_number(mapping, shown):
    threshold = raw_threshold(mapping, shown)
    assert mapping.show(threshold) >= shown
    assert mapping.show(np.nextafter(threshold, -np.inf)) < shown


def test_the_raw_threshold_of_a_number_that_everyone_reaches_is_minus_infinity():
    assert raw_threshold(Offset(minimum=1), 1) == -math.inf
    assert raw_threshold(Fermi(), 0) == -math.inf


def test_the_raw_threshold_of_an_unreachable_number_is_an_error():
    with pytest.raises(ValueError, match="10001"):
        raw_threshold(Fermi(), 10_001)


def test_the_band_reaches_one_deviation_to_either_side():
    assert show_band(Offset(), 1500.25, 80.0) == (1420.25, 1580.25)
    lower, upper = show_band(Fermi(centre=0, temperature=1), np.array([0.0]), np.array([math.log(3)]))
    assert (lower[0], upper[0]) == pytest.approx((2500, 7500))


def test_the_sort_score_subtracts_deviations_beyond_the_limit():
    assert sort_score(1500.0, 180.0, k=0, sig_limit=80) == 1500
    assert sort_score(1500.0, 180.0, k=3, sig_limit=80) == 1200
    assert sort_score(np.array([1500.0]), np.array([80.0]), k=3, sig_limit=80).tolist() == [1500]


def test_the_centre_and_width_of_a_pool_are_its_mean_and_half_its_deviation():
    # Kreimeier: variance = 1/(N-1) * Sum((x(i) - mean)^2), display scale = width/2.
    assert width_of_pool([1300, 1500, 1700]) == (1500, 100)


@pytest.mark.parametrize(
    ("pool", "width"),
    [
        ([], (DEFAULT_CENTRE, DEFAULT_TEMPERATURE)),
        ([1320.5], (1320.5, DEFAULT_TEMPERATURE)),
        ([1500.1] * 7, (pytest.approx(1500.1), DEFAULT_TEMPERATURE)),
    ],
)
def test_a_pool_without_a_spread_has_the_default_width(pool, width):
    assert width_of_pool(pool) == width


def test_the_width_of_a_pool_with_nan_is_refused():
    with pytest.raises(ValueError, match="scores must be finite"):
        width_of_pool([1500.0, math.nan])


@given(x=st.floats(min_value=-7, max_value=7), y=st.floats(min_value=-7, max_value=7))
def test_the_win_probability_from_shown_values_is_that_of_the_scores(x, y):
    mapping = Fermi(range=10_000, centre=1500, temperature=150)
    a, b = mapping.position(np.array([1500 + 150 * x, 1500 + 150 * y]))
    assert win_probability_from_shown(a, b) == pytest.approx(1 / (1 + math.exp(y - x)), abs=1e-9)


def test_displayed_values_at_kreimeiers_temperature_predict_as_the_system_does():
    system = get_system("kreimeier", temperature=130.0)
    beliefs = system.new_beliefs(5)
    beliefs.mu[:] = [-310.0, -40.0, 0.0, 95.0, 420.0]
    shown = Fermi(range=10_000, centre=12.0, temperature=130.0).position(beliefs.mu)
    for a, b in itertools.permutations(range(5), 2):
        assert win_probability_from_shown(shown[a], shown[b]) == pytest.approx(
            float(win_probability(system, beliefs, a, b)), abs=1e-12
        )


def test_no_win_is_certain_at_the_ends_of_the_range():
    with np.errstate(all="raise"):
        assert win_probability_from_shown(10_000, 10_000) == pytest.approx(0.5)
        assert win_probability_from_shown(0, 0) == pytest.approx(0.5)
        assert 0 < win_probability_from_shown(0, 10_000) < 1e-8
        assert 1 - 1e-8 < win_probability_from_shown(10_000, 0) < 1
    assert win_probability_from_shown(np.array([50, 75]), 50, range=100).tolist() == pytest.approx([0.5, 0.75])


@pytest.mark.parametrize(("a", "b", "named"), [(-1, 5, "a"), (5, 10_001, "b"), (math.nan, 5, "a")])
def test_shown_values_outside_the_range_are_refused(a, b, named):
    with pytest.raises(ValueError, match=f"^{named} must be"):
        win_probability_from_shown(a, b)


@every_mapping
def test_a_mapping_survives_its_json_form(mapping):
    assert mapping_from_dict(mapping.to_dict()) == mapping


def test_a_stored_fermi_choice_takes_its_width_from_the_run():
    mapping = mapping_from_dict({"mapping": "fermi", "range": 1000, "k": 3}, centre=1444.0, temperature=99.0)
    assert mapping == Fermi(range=1000, centre=1444, temperature=99)
    assert mapping_from_dict({"mapping": "offset"}, centre=1444.0, temperature=99.0) == Offset()


@pytest.mark.parametrize(
    ("stored", "message"),
    [
        ({}, "mapping must be one of fermi, offset, not None"),
        ({"mapping": ["fermi"]}, "mapping must be one of"),
        ({"mapping": "offset", "range": 5}, "unknown parameter 'range' of mapping 'offset'"),
        ({"mapping": "offset", "scale": 0}, "scale must be a number between 0.01 and 1,000, not 0"),
        ({"mapping": "offset", "offset": "1500"}, "offset must be a number"),
        ({"mapping": "offset", "centre": math.nan}, "centre must be a number"),
        ({"mapping": "offset", "minimum": 0.5}, "minimum must be a whole number"),
        ({"mapping": "fermi", "range": True}, "range must be a number between 100 and 1,000,000, not True"),
        ({"mapping": "fermi", "range": 100.5}, "range must be a whole number"),
        ({"mapping": "fermi", "temperature": 0}, "temperature must be a number between 0.001"),
        ({"mapping": "fermi", "k": -1}, "k must be a number between 0 and 10, not -1"),
    ],
)
def test_a_wrong_choice_is_refused_with_the_parameter_and_its_range(stored, message):
    with pytest.raises(ValueError, match=message):
        mapping_from_dict(stored)


def test_the_conservative_factor_is_zero_unless_stored():
    assert conservative_factor({"mapping": "offset"}) == 0
    assert conservative_factor({"mapping": "offset", "k": 3}) == 3
