"""The default display and tiers of each system have readable numbers."""

from __future__ import annotations

import numpy as np
import pytest

from ratings.default_display import default_display, suitable_display, suitable_tiers
from ratings.descriptions import description_of
from ratings.display import MAPPINGS, Offset, conservative_factor, default_tiers, mapping_from_dict, sort_score
from ratings.systems import SYSTEMS, Contest, get_system, replay


def shown_after(name: str, contests: int, **parameters: float) -> list[int]:
    """The displayed ratings of eight players who always finish in the same order, the best first."""
    system = get_system(name, **parameters)
    ranks = list(range(1, 9))
    history = replay(system, [Contest(ranks, ranks, day=float(day)) for day in range(contests)], 9)
    display = default_display(name, system.parameters())
    mu, sigma = history.beliefs.mu[1:], history.beliefs.sigma[1:]
    limit = float(system.parameters().get("sig_limit", 0.0))
    return mapping_from_dict(display).show(sort_score(mu, sigma, conservative_factor(display), limit)).tolist()


@pytest.mark.parametrize("name", SYSTEMS)
def test_parameters_at_their_defaults_may_be_named_or_left_out(name):
    assert default_display(name, {}) == default_display(name, get_system(name).parameters())


@pytest.mark.parametrize("contests", [1, 30])
@pytest.mark.parametrize("name", SYSTEMS)
def test_players_of_every_strength_have_readable_distinct_numbers(name, contests):
    shown = shown_after(name, contests)
    assert shown == sorted(shown, reverse=True)
    assert len(set(shown)) == 8
    assert min(shown) >= 1
    assert max(shown) <= 10_000


@pytest.mark.parametrize("name", SYSTEMS)
def test_the_display_of_every_system_has_tiers_that_strong_and_weak_players_do_not_share(name):
    display = default_display(name, {})
    tiers = suitable_tiers(name, {}, display)
    thresholds = tiers.thresholds
    assert thresholds == sorted(set(thresholds))
    assert len(tiers) == 8
    shown = shown_after(name, 30)
    assert tiers.positions(shown[0]) > tiers.positions(shown[-1])


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_system_has_a_name_and_a_description(name):
    described = description_of(name)
    assert described.title != name
    assert len(described.good_for) > 30
    assert described.good_for.endswith(".")


@pytest.mark.parametrize("name", [n for n in ("elo-mmr", "elo-mmr-infinity", "elo", "glicko2") if n in SYSTEMS])
def test_rating_points_of_the_familiar_scale_are_shown_as_they_are(name):
    assert default_display(name, {}) == {"mapping": "offset"}
    assert mapping_from_dict(default_display(name, {"mu_noob": 1200.0})).show(1200.0) == 1200


def test_a_pool_around_zero_is_shown_around_the_familiar_start():
    mapping = mapping_from_dict(default_display("elo", {"mu_noob": 0.0}))
    assert mapping.show(np.array([-24.0, 0.0, 24.0])).tolist() == [1476, 1500, 1524]


def test_a_small_scale_is_multiplied_to_whole_numbers():
    display = default_display("elo", {"mu_noob": 25.0, "sig_noob": 25 / 3, "k_factor": 1.0})
    assert display == {"mapping": "offset", "offset": 1500.0, "scale": 100.0, "centre": 25.0}


def test_trueskill_is_shown_three_deviations_below_the_mean():
    display = default_display("trueskill", {})
    assert display["k"] == 3.0
    mapping = mapping_from_dict(display)
    assert mapping.show(25.0 - 3 * 25 / 3) == 1000
    assert mapping.show(40.0 - 3 * 1.5) - mapping.show(30.0 - 3 * 1.5) == 1000


def test_trueskill_spb_shows_three_deviations_below_the_mean_too():
    mapping = mapping_from_dict(default_display("trueskill-spb", {}))
    assert mapping.show(2000.0 - 3 * 60.0) == 1820


def test_kreimeier_has_a_fixed_range_before_the_first_run():
    mapping = mapping_from_dict(default_display("kreimeier", {"temperature": 2.0}))
    # His Fermi function at one temperature above the mean: 1/(1 + 1/e).
    assert mapping.show(np.array([0.0, 2.0])).tolist() == [5000, 7311]


def test_a_ladder_shows_one_point_less_for_each_position():
    mapping = mapping_from_dict(default_display("ladder", {}))
    assert mapping.show(np.array([-1.0, -2.0, -500.0])).tolist() == [10_000, 9_999, 9_501]
    assert mapping.show(-50_000.0) == 1


def test_the_tiers_of_a_ladder_are_positions():
    mapping = mapping_from_dict(default_display("ladder", {}))
    tiers = suitable_tiers("ladder", {}, default_display("ladder", {}))
    places = {1: "Leader", 2: "Top 3", 3: "Top 3", 4: "Top 10", 1000: "Top 1,000", 1001: "Below 1,000"}
    assert {place: tiers.tier_of(mapping.show(-float(place))).name for place in places} == places


@pytest.mark.parametrize("name", [n for n in ("trueskill", "trueskill-spb") if n in SYSTEMS])
def test_newcomers_begin_in_the_lowest_tier_with_a_conservative_display(name):
    display = default_display(name, {})
    mapping, tiers = mapping_from_dict(display), suitable_tiers(name, {}, display)
    beliefs = get_system(name).new_beliefs(1)
    mu, sigma = float(beliefs.mu[0]), float(beliefs.sigma[0])
    assert tiers.positions(mapping.show(mu - 3 * sigma)) == 0
    # A player of average skill whose deviation is a tenth of a newcomer's.
    assert tiers.positions(mapping.show(mu - 3 * sigma / 10)) == 4


def test_unreachable_tiers_are_left_out():
    assert len(suitable_tiers("ladder", {}, {"mapping": "offset", "offset": 50.0, "centre": -1.0})) == 5
    assert len(suitable_tiers("elo", {"sig_noob": 1e-3}, {"mapping": "offset"})) == 2


def test_the_tiers_of_the_familiar_scale_stay_the_familiar_ones():
    assert suitable_tiers("elo-mmr", {}, {"mapping": "offset"}) == default_tiers(Offset())


@pytest.mark.parametrize("name", SYSTEMS)
def test_the_fixed_range_suits_every_system_before_the_first_run(name):
    mu = float(get_system(name).new_beliefs(1).mu[0]) if name != "ladder" else -1.0
    assert mapping_from_dict(suitable_display("fermi", name, {})).show(mu) == 5000


@pytest.mark.parametrize("name", SYSTEMS)
def test_parameters_at_the_ends_of_their_ranges_have_a_display_too(name):
    for parameter in SYSTEMS[name].PARAMETERS:
        if parameter.kind != "number":
            continue
        for end, allowed in zip((parameter.minimum, parameter.maximum), parameter.inclusive, strict=True):
            if allowed:
                for mapping in MAPPINGS:
                    display = suitable_display(mapping, name, {parameter.name: end})
                    assert np.isfinite(mapping_from_dict(display).show(float(end)))
                    assert len(suitable_tiers(name, {parameter.name: end}, display)) >= 1
