"""Colours of tiers: readable on the real backgrounds, one hue in both themes, distinct for colour-blind people."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from ratings.display import Offset, default_tiers, ladder_tiers
from ratings.display.colours import (
    DARK_PAGES,
    LIGHT_PAGES,
    MINIMUM_CONTRAST,
    contrast,
    for_both_themes,
    readable,
    tier_colours,
)
from ratings.display.tier_sets import TIER_SETS
from tests.ratings.display.colour_vision import VISIONS, ciede2000, difference, lab_as_seen, oklch

TOKENS = Path(__file__).resolve().parents[3] / "static/shared/tokens.css"
# CIEDE2000: about 2 is seen at a glance when colours touch; dots far apart in a graph need several times that.
NEIGHBOURS = 9
ANY_PAIR = 4.5
COUNTS = range(2, 13)


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


def test_the_backgrounds_are_those_of_the_style_sheet():
    found = dict(re.findall(r"--(page|raised|sunken): light-dark\(([^)]*)\);", TOKENS.read_text()))
    themes = zip(*(found[name].split(", ") for name in ("page", "raised", "sunken")), strict=True)
    assert list(themes) == [LIGHT_PAGES, DARK_PAGES]


@pytest.mark.parametrize("vision", VISIONS)
@pytest.mark.parametrize("theme", [0, 1])
def test_tiers_stay_apart_for_colour_blind_people(theme, vision):
    for count in COUNTS:
        colours = [pair[theme] for pair in tier_colours(count)]
        assert min(difference(a, b, vision) for a, b in pairwise(colours)) >= NEIGHBOURS, count
    assert min(difference(a, b, vision) for i, a in enumerate(colours) for b in colours[i + 1 :]) >= ANY_PAIR


def test_every_tier_has_one_hue_in_both_themes_and_none_is_brown_or_yellow():
    for light, dark in tier_colours(12)[1:]:
        (_, chroma, hue), (_, chroma_dark, hue_dark) = oklch(light), oklch(dark)
        assert abs((hue - hue_dark + 180) % 360 - 180) < 4
        assert min(chroma, chroma_dark) > 0.04
        assert not 30 < hue < 130
    assert max(oklch(colour)[1] for colour in tier_colours(12)[0]) < 0.01


def test_the_top_tier_is_the_most_brilliant_red():
    for theme in (0, 1):
        _, chroma, hue = oklch(tier_colours(2)[1][theme])
        assert chroma > 0.2
        assert hue < 30
    assert all(tier_colours(count)[-1] == tier_colours(2)[-1] for count in COUNTS)


def test_tiers_are_readable_on_every_background_of_their_theme():
    for light, dark in tier_colours(12):
        assert min(contrast(light, page) for page in LIGHT_PAGES) >= MINIMUM_CONTRAST
        assert min(contrast(dark, page) for page in DARK_PAGES) >= MINIMUM_CONTRAST


def test_default_tiers_have_these_colours_and_one_shape_each():
    for tiers in (default_tiers(Offset()), ladder_tiers(Offset(offset=10_000))):
        assert [(tier.colour_light, tier.colour_dark) for tier in tiers] == tier_colours(len(tiers))
        assert len({tier.symbol for tier in tiers}) == len(tiers)


def test_more_tiers_than_colours_are_possible():
    assert [len(tier_colours(count)) for count in (0, 1, 13, 30)] == [0, 1, 13, 30]


CUSTOM = ["#ffff00", "#ff0000", "#00ff00", "#0000ff", "#d4af37", "#cd7f32", "#1a7f37", "#ff00ff", "#404040", "#00ffff"]


@pytest.mark.parametrize("colour", CUSTOM)
def test_a_colour_of_an_organizer_keeps_its_hue_and_becomes_readable(colour):
    _, chroma, hue = oklch(colour)
    for made, pages in zip(for_both_themes(colour), (LIGHT_PAGES, DARK_PAGES), strict=True):
        assert min(contrast(made, page) for page in pages) >= MINIMUM_CONTRAST
        if chroma > 0.04:
            assert abs((oklch(made)[2] - hue + 180) % 360 - 180) < 2
        else:
            assert oklch(made)[1] < 0.01


def test_the_nearest_readable_lightness_is_chosen():
    assert readable("#b3360b", LIGHT_PAGES) == "#b3360b", "a readable colour stays"
    for colour in CUSTOM:
        for made, pages in zip(for_both_themes(colour), (LIGHT_PAGES, DARK_PAGES), strict=True):
            if made != colour:
                assert min(contrast(made, page) for page in pages) < MINIMUM_CONTRAST + 0.1


def test_text_on_a_wash_of_its_own_colour_is_readable_too():
    for colour in CUSTOM:
        made = readable(colour, LIGHT_PAGES, wash=0.08)
        shares = zip(*(([int(text[at : at + 2], 16) for at in (1, 3, 5)]) for text in ("#ffffff", made)), strict=True)
        wash = "#" + "".join(f"{round(one + (two - one) * 0.08):02x}" for one, two in shares)
        assert contrast(made, wash) >= MINIMUM_CONTRAST


# The table of sRGB colours in OKLCH of CSS Color 4 (examples of section 9 and the conformance tests of browsers).
@pytest.mark.parametrize(
    ("colour", "expected"),
    [("#ffffff", (1.0, 0.0, None)), ("#ff0000", (0.62796, 0.25768, 29.23)), ("#0000ff", (0.45201, 0.31321, 264.05))],
)
def test_the_lightness_chroma_and_hue_of_these_tests_are_those_of_oklch(colour, expected):
    lightness, chroma, hue = oklch(colour)
    assert (lightness, chroma) == pytest.approx(expected[:2], abs=1e-4)
    if expected[2] is not None:
        assert hue == pytest.approx(expected[2], abs=0.01)


@pytest.mark.parametrize("name", TIER_SETS)
def test_named_sets_are_readable_and_their_neighbours_differ(name):
    tiers = TIER_SETS[name].tiers(range(1, len(TIER_SETS[name].names)))
    assert len({tier.symbol for tier in tiers}) == len(tiers)
    for tier in tiers:
        assert min(contrast(tier.colour_light, page) for page in LIGHT_PAGES) >= MINIMUM_CONTRAST
        assert min(contrast(tier.colour_dark, page) for page in DARK_PAGES) >= MINIMUM_CONTRAST
        chroma, hues = oklch(tier.colour_light)[1], [oklch(c)[2] for c in (tier.colour_light, tier.colour_dark)]
        assert chroma < 0.02 or abs((hues[0] - hues[1] + 180) % 360 - 180) < 6, tier
    # Belts have the colours of their names: yellow and orange are closer than free colours would be.
    for one, other in pairwise(tiers):
        for vision in VISIONS:
            assert difference(one.colour_light, other.colour_light, vision) >= 6.5
            assert difference(one.colour_dark, other.colour_dark, vision) >= 6.5
