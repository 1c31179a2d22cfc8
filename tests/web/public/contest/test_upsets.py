"""The odds of results, against exact distributions of places and published tables."""

import numpy as np
import pytest

from ratings.systems import SYSTEMS, get_system
from ratings.systems.forecast.prediction import place_probabilities
from ratings.systems.performance_model import PerformanceModel, mean_places, probability_to_beat
from web.public.contest.field import ContestField, Entries, entries_of
from web.public.contest.upsets import EXACT_FIELD, TOP, best_against_odds, odds_of, upsets_of


def entries(location, *, scale=None, rank=None, known=None, shape="logistic"):
    location = np.asarray(location, dtype=np.float64)
    size = len(location)
    model = PerformanceModel(shape, location, np.full(size, 100.0) if scale is None else np.asarray(scale, dtype=float))
    ranks = np.arange(1, size + 1) if rank is None else np.asarray(rank)
    is_known = np.ones(size, dtype=bool) if known is None else np.asarray(known)
    return Entries(model, location, ranks, is_known, np.arange(size), np.ones(size, dtype=int))


def made_up(size, seed=1, shape="logistic"):
    rng = np.random.default_rng(seed)
    return entries(rng.normal(1500, 300, size), scale=rng.uniform(90, 260, size), shape=shape)


@pytest.mark.parametrize("shape", ["normal", "logistic", "gumbel"])
@pytest.mark.parametrize("size", [2, 3, 40])
def test_chances_to_win_and_expected_places_are_those_of_the_exact_distributions(shape, size):
    field = made_up(size, shape=shape)
    odds = odds_of(field)
    looked_at = np.unique([0, 1, size - 2, size - 1])
    exact = np.array([place_probabilities(field.model, each) for each in looked_at])
    np.testing.assert_allclose(odds.win[looked_at], exact[:, 0], atol=2e-5)
    np.testing.assert_allclose(odds.expected, mean_places(field.model), atol=1e-3)
    assert odds.win.sum() == pytest.approx(1, abs=2e-4)
    if size > 30:  # in smaller fields, this approximation only selects results for a closer look
        above = (odds.middle < odds.expected)[looked_at]
        assert above.tolist() == [True, True, False, False]
        chances = [p[: i + 1].sum() if up else p[i:].sum() for i, p, up in zip(looked_at, exact, above, strict=True)]
        np.testing.assert_allclose(odds.surprise[looked_at], chances, atol=0.005)


@pytest.mark.parametrize("shape", ["normal", "logistic", "gumbel"])
@pytest.mark.parametrize("size", [10, EXACT_FIELD + 1])
@pytest.mark.parametrize("is_better", [True, False])
def test_the_least_likely_places_have_exact_chances(shape, size, is_better):
    field = made_up(size, seed=size, shape=shape)
    found = best_against_odds(field, odds_of(field), 3, is_better=is_better)
    assert found == sorted(found, key=lambda pair: pair[1])
    for position, chance in found:
        places = place_probabilities(field.model, position)
        place = position + 1
        exact = places[:place].sum() if is_better else places[place - 1 :].sum()
        assert chance == pytest.approx(exact, abs=1e-7 if size <= EXACT_FIELD else 1e-3)
    if size > EXACT_FIELD:
        return
    distributions = [place_probabilities(field.model, each) for each in range(size)]
    chances = [p[: i + 1].sum() if is_better else p[i:].sum() for i, p in enumerate(distributions)]
    least = sorted(chance for chance in chances if chance < 0.5)[:3]
    np.testing.assert_allclose([chance for _, chance in found], least, atol=1e-3)


def test_an_unexpected_winner_has_one_chance_in_large_fields_too():
    field = made_up(3 * EXACT_FIELD)
    last = np.argsort(field.strength, kind="stable")[:1]
    rank = np.argsort(np.argsort(-field.strength)) + 2
    rank[last] = 1
    order = np.argsort(rank)
    field = entries(field.strength[order], scale=field.model.scale[order])
    odds = odds_of(field)
    (position, chance), *_ = best_against_odds(field, odds, 3, is_better=True)
    assert position == 0
    assert chance == odds.win[0] == pytest.approx(place_probabilities(field.model, 0)[0], rel=1e-4)


def test_the_least_surprising_of_shared_places_counts():
    field = entries([1500, 1500, 1500, 1500, 1900], rank=[1, 1, 1, 1, 5])
    odds = odds_of(field)
    assert odds.middle.tolist() == [2.5, 2.5, 2.5, 2.5, 5]
    places = place_probabilities(field.model, 0)
    assert best_against_odds(field, odds, 5, is_better=True) == [], "place 4 or better is likely for each of the four"
    ((position, chance),) = best_against_odds(field, odds, 5, is_better=False)
    assert position == 4
    assert chance == pytest.approx(place_probabilities(field.model, 4)[4], abs=1e-7)
    assert places[:4].sum() > 0.5


def test_an_upset_has_the_chance_of_the_elo_tables():
    # 400 points are odds of 10 to 1, 200 points an expectation of 0.24 (FIDE Handbook B.02, table 8.1b: 193 to 201).
    system = get_system("elo")
    for difference, chance in ((400, 1 / 11), (200, 0.24)):
        mu = np.array([1500.0, 1500.0 + difference])
        field = entries_of(field_of(mu, [1, 2]), system)
        (upset,) = upsets_of(field, 5)
        assert (upset.winner, upset.loser) == (0, 1)
        assert upset.probability == pytest.approx(chance, abs=5e-4)


def test_pairs_list_each_entry_once_per_side_least_likely_first():
    field = made_up(30, seed=3)
    found = upsets_of(field, 6)
    assert len({upset.winner for upset in found}) == len({upset.loser for upset in found}) == len(found) == 6
    chances = [upset.probability for upset in found]
    assert chances == sorted(chances)
    first, second = np.triu_indices(30, 1)
    assert chances[0] == pytest.approx(probability_to_beat(field.model, first, second).min())
    assert all(upset.winner < upset.loser for upset in found)


def test_tied_entries_are_not_an_upset():
    assert upsets_of(entries([1200, 1800], rank=[1, 1]), 5) == []
    assert upsets_of(entries([1800, 1200]), 5) == [], "what was likely is no upset"


def test_only_results_with_a_chance_of_at_most_1_in_4_are_upsets():
    """Under Elo, the expectation is 1/4 at 400 lg 3 = 190.85 points."""
    system = get_system("elo")
    for difference, count in ((190.8, 0), (190.9, 1)):
        field = entries_of(field_of(np.array([1500.0, 1500.0 + difference]), [1, 2]), system)
        assert len(upsets_of(field, 5)) == count


def test_newcomers_are_in_no_list_and_count_as_opponents():
    known = np.array([False, True, True, False, True, False])
    with_them = entries([1000, 1200, 1500, 1500, 1900, 2000], known=known)
    without = entries([1200, 1500, 1900])
    found = upsets_of(with_them, 5)
    assert {upset.winner for upset in found} | {upset.loser for upset in found} <= {1, 2, 4}
    odds = odds_of(with_them)
    for is_better in (True, False):
        assert {each for each, _ in best_against_odds(with_them, odds, 9, is_better=is_better)} <= {1, 2, 4}
    assert odds.expected[1] > odds_of(without).expected[0]


def test_in_large_fields_pairs_come_from_the_top():
    field = made_up(1_000, seed=5)
    strongest = set(np.argsort(-field.strength)[:TOP].tolist())
    upsets = upsets_of(field, 50)
    assert len(upsets) > 10
    for upset in upsets:
        assert upset.winner < TOP
        assert upset.loser in strongest


@pytest.mark.parametrize("name", sorted(SYSTEMS))
def test_every_system_has_odds(name):
    system = get_system(name)
    beliefs = system.new_beliefs(6)
    rng = np.random.default_rng(0)
    spread = 0.1 * np.abs(beliefs.mu) + 1
    field = entries_of(field_of(beliefs.mu + spread * rng.normal(size=6), range(1, 7), sigma=beliefs.sigma), system)
    odds = odds_of(field)
    assert odds.win.sum() == pytest.approx(1, abs=1e-3)
    assert odds.expected.sum() == pytest.approx(21, abs=1e-2)


@pytest.mark.parametrize("name", ["trueskill", "elo", "kreimeier"])
def test_a_team_has_the_strength_that_its_system_defines(name):
    system = get_system(name)
    mu = np.array([20.0, 30.0, 40.0])
    field = entries_of(field_of(mu, [1, 1, 2], entry=[0, 0, 1], new=[False, True, False]), system)
    assert field.strength.tolist() == [50.0 if system.teams_add_up else 25.0, 40.0]
    assert field.rank.tolist() == [1, 2]
    assert field.is_known.tolist() == [False, True], "a team with a newcomer is not known"
    assert field.first.tolist() == [0, 2]


def field_of(mu, rank, *, sigma=None, entry=None, new=None):
    mu = np.asarray(mu, dtype=np.float64)
    size = len(mu)
    sigma = np.full(size, 100.0) if sigma is None else sigma
    return ContestField(
        np.arange(size), np.asarray(list(rank)), mu, sigma, mu, sigma,
        np.zeros(size, dtype=bool) if new is None else np.asarray(new),
        np.arange(size) if entry is None else np.asarray(entry),
        np.ones(size, dtype=bool),
    )  # fmt: skip
