"""The parts of a change: they add up to the engine's change and equal the terms of the papers' formulas."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.systems import SYSTEMS, Beliefs, Contest, RatingSystem, RoundChanges, get_system
from ratings.systems.explain import Explanation, explain, strongest_pulls
from ratings.systems.situation import PastPerformances, Result
from tests.ratings.systems.contract import every_system
from tests.ratings.systems.strategies import elo_mmr_parameters, random_series, series, steady
from tests.ratings.systems.team_series import team_series
from tests.reference import elo as plain_elo
from tests.reference import elo_mmr as twin
from tests.reference import prediction as plain

# In rating points: the error of the engine's root finding.
TOLERANCE = 1e-6
WITH_PULLS = [name for name in SYSTEMS if name not in {"trueskill", "trueskill-spb", "ladder"}]
WITHOUT_PULLS = [name for name in SYSTEMS if name not in WITH_PULLS]
Rated = list[tuple[Contest, Beliefs, RoundChanges, list[Explanation]]]


def explained(system: RatingSystem, made: list[Contest], n_players: int) -> Rated:
    """Rate contests with the engine, and explain every participation from the numbers that a database stores."""
    beliefs, found = system.new_beliefs(n_players), []
    kept: list[list[tuple[float, ...]]] = [[] for _ in range(n_players)]
    for contest in made:
        before = beliefs.copy()
        changes = system.rate_round(beliefs, contest)
        if changes is None:
            continue
        before.mu[contest.players] = changes.mu_before
        columns = [changes.performance, changes.mu, changes.sigma]
        explanations = []
        for row, player in enumerate(contest.players.tolist()):
            past = PastPerformances(*np.array(kept[player], dtype=np.float64).reshape(-1, 5).T)
            result = Result(changes.mu[row], changes.sigma[row], changes.performance[row])
            explanations.append(explain(system, before, contest, row, result, past))
        for row, player in enumerate(contest.players.tolist()):
            kept[player].append((contest.weight, contest.day, *(column[row] for column in columns)))
        found.append((contest, before, changes, explanations))
    return found


def check_sums(rated: Rated, *, rest: bool = False) -> None:
    for contest, _, changes, explanations in rated:
        for row, explanation in enumerate(explanations):
            wanted = changes.mu[row] - changes.mu_before[row]
            assert explanation.change == pytest.approx(wanted, abs=TOLERANCE * max(1.0, abs(wanted)))
            assert rest or {part.kind for part in explanation.parts} <= {"contest", "past", "prior"}
            weights = [part.weight for part in explanation.parts if part.weight is not None]
            if len(weights) > 1:
                assert math.fsum(weights) == pytest.approx(1.0)
            if explanation.pulls is not None:
                assert explanation.pulls.sum() == pytest.approx(explanation.part("contest"), abs=TOLERANCE)
                assert explanation.pulls[explanation.situation.own] == pytest.approx(0.0, abs=TOLERANCE)
            assert explanation.situation.place == changes.rank[row]
            assert contest.n_entries == len(explanation.situation)


@pytest.mark.parametrize("name", [name for name in SYSTEMS if name != "elo-mmr"])
@steady(15)
@given(made=series(n_players=8, most=5))
def test_the_parts_add_up_to_the_change(name: str, made: list[Contest]) -> None:
    check_sums(explained(get_system(name), made, 8), rest=name == "topcoder")


@steady(40)
@given(parameters=elo_mmr_parameters(), made=series(n_players=8))
def test_the_parts_of_elo_mmr_add_up_to_the_change_under_any_parameters(
    parameters: dict[str, Any], made: list[Contest]
) -> None:
    check_sums(explained(get_system("elo-mmr", **parameters), made, 8))


@pytest.mark.parametrize("name", ["elo-mmr-infinity", "elo-mmx"])
@steady(15)
@given(parameters=elo_mmr_parameters(with_transfer_speed=False), made=series(n_players=8, most=5))
def test_the_parts_of_its_relatives_add_up_under_any_parameters(
    name: str, parameters: dict[str, Any], made: list[Contest]
) -> None:
    check_sums(explained(get_system(name, **parameters), made, 8))


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("codeforces", {"inflation_control": True}),
        ("elo", {"curve": "gaussian"}),
        ("kreimeier", {"decay": 0.2, "period_days": 3.0}),
        ("topcoder", {"mu_noob": 2400.0, "sig_noob": 1500.0}),
    ],
)
def test_corrections_and_bounds_are_parts_of_their_own(name: str, parameters: dict[str, Any]) -> None:
    rated = explained(get_system(name, **parameters), random_series(3, 30, 20, 9), 20)
    check_sums(rated, rest=True)
    kinds = {part.kind for *_, explanations in rated for each in explanations for part in each.parts}
    assert ("pool" in kinds) == (name == "codeforces")
    assert ("limit" in kinds) == (name == "topcoder")


@pytest.mark.parametrize("name", ["elo", "kreimeier", "trueskill"])
@steady(20)
@given(made=team_series())
def test_the_parts_add_up_for_members_of_teams(name: str, made: list[Contest]) -> None:
    check_sums(explained(get_system(name), made, 12))


def test_a_long_history_adds_up_although_the_engine_has_folded_most_of_it() -> None:
    contest, _, changes, explanations = explained(get_system("elo-mmr"), random_series(7, 200, 6, 5), 6)[-1]
    check_sums([(contest, _, changes, explanations)])
    assert all(sum(part.kind == "past" for part in each.parts) > 120 for each in explanations)


@steady(25)
@given(parameters=elo_mmr_parameters(), made=series(n_players=6, least=3))
def test_weights_are_those_of_equation_7(parameters: dict[str, Any], made: list[Contest]) -> None:
    pool: dict[int, twin.Player] = {}
    for contest, _, _, explanations in explained(get_system("elo-mmr", **parameters), made, 6):
        players = contest.players.tolist()
        terms = {"weight": contest.weight, "perf_ceiling": contest.perf_ceiling, "day": contest.day}
        twin.rate_round(twin.Parameters(**parameters), pool, players, contest.ranks.tolist(), **terms)
        for player, explanation in zip(players, explanations, strict=True):
            weights = equation_7(pool[player])
            new, *past, prior = explanation.parts
            found = [part.weight for part in (prior, *past, new)]
            assert found == pytest.approx(weights, abs=1e-6)
            assert [part.level for part in (*past, new)] == pytest.approx(pool[player].p[1:], abs=1e-5)


def equation_7(player: twin.Player) -> list[float]:
    """Shares of the Gaussian factor and of each performance, from the factors that the twin keeps for ever."""
    weights = [player.w[0]]
    for p, w, beta in list(zip(player.p, player.w, player.beta, strict=True))[1:]:
        x = (player.mu - p) / (2.0 * twin.bar(beta))
        damping = math.tanh(x) / x if abs(x) > 1e-7 else 1.0
        weights.append(w * beta**2 / (2.0 * twin.bar(beta) ** 2) * damping)
    return [weight / math.fsum(weights) for weight in weights]


@pytest.mark.parametrize("name", WITH_PULLS)
def test_entries_behind_pull_up_and_entries_ahead_pull_down(name: str) -> None:
    for *_, explanations in explained(get_system(name), random_series(5, 25, 12, 8), 12):
        for explanation in explanations:
            assert explanation.pulls is not None
            score = explanation.situation.score
            assert (explanation.pulls[score == 1.0] >= 0.0).all()
            assert (explanation.pulls[score == 0.0] <= 0.0).all()


@pytest.mark.parametrize("name", WITH_PULLS)
def test_beating_a_stronger_player_counts_no_less(name: str) -> None:
    system = get_system(name)
    beliefs = system.new_beliefs(5)
    beliefs.mu[:] += np.array([0.0, -2.0, -1.0, 1.0, 2.0]) * 0.5 * float(beliefs.sigma[0])
    contest = Contest(range(5), range(5))
    changes = system.rate_round(beliefs.copy(), contest)
    assert changes is not None
    result = Result(changes.mu[0], changes.sigma[0], changes.performance[0])
    empty = PastPerformances(*np.empty((5, 0)))
    pulls = explain(system, beliefs, contest, 0, result, empty).pulls
    assert pulls is not None
    assert (np.diff(pulls[1:]) > 0.0).all()


@pytest.mark.parametrize("name", WITHOUT_PULLS)
def test_a_change_that_cannot_be_split_is_one_part(name: str) -> None:
    for *_, explanations in explained(get_system(name), random_series(5, 12, 12, 8), 12):
        assert all(each.pulls is None and len(each.parts) == 1 for each in explanations)


def test_pulls_of_elo_are_the_duels_of_the_plain_reference() -> None:
    system = get_system("elo")
    for contest, before, _, explanations in explained(system, random_series(9, 10, 9, 6), 9):
        ratings = dict(enumerate(before.mu.tolist()))
        players, ranks = contest.players.tolist(), contest.ranks.tolist()
        for row, explanation in enumerate(explanations):
            for other in range(len(players)):
                if other == row:
                    continue
                pair = [players[row], players[other]]
                alone = plain_elo.duels(
                    ratings, pair, [ranks[row], ranks[other]], None, lambda d: plain_elo.logistic(d, 400.0), 24.0
                )
                assert explanation.pulls is not None
                assert explanation.pulls[other] == pytest.approx(alone[0] / (len(players) - 1), abs=1e-9)


@pytest.mark.parametrize("name", ["elo-mmr", "elo", "trueskill", "topcoder"])
def test_the_expected_place_adds_up_the_plain_probabilities_of_being_ahead(name: str) -> None:
    system = get_system(name)
    contest, before, _, explanations = explained(system, random_series(2, 8, 7, 5), 7)[-1]
    model = system.performance_model(before.mu[contest.players], before.sigma[contest.players])
    twins = plain.players_of(model.shape, model.location.tolist(), model.scale.tolist())
    for row, explanation in enumerate(explanations):
        others = [each for number, each in enumerate(twins) if number != row]
        ahead = [plain.win_probability(other, twins[row]) for other in others]
        assert explanation.situation.expected_place == pytest.approx(1.0 + math.fsum(ahead), abs=1e-7)


@steady(30)
@given(made=series(n_players=9), data=st.data())
def test_expected_places_add_up_to_the_sum_of_places(made: list[Contest], data: st.DataObject) -> None:
    for contest, _, _, explanations in explained(get_system("elo-mmr"), made, 9):
        n = len(contest)
        assert math.fsum(each.situation.expected_place for each in explanations) == pytest.approx(n * (n + 1) / 2)
        assert math.fsum(each.situation.middle_place for each in explanations) == pytest.approx(n * (n + 1) / 2)


def test_a_ceiling_replaces_the_opponents() -> None:
    system = get_system("elo-mmr")
    beliefs, contest = system.new_beliefs(3), Contest([0, 1, 2], [1, 2, 3], perf_ceiling=1510.0)
    changes = system.rate_round(beliefs.copy(), contest)
    assert changes is not None
    assert changes.performance[0] == 1510.0
    results = [Result(*each) for each in zip(changes.mu, changes.sigma, changes.performance, strict=True)]
    empty = PastPerformances(*np.empty((5, 0)))
    assert explain(system, beliefs, contest, 0, results[0], empty).pulls is None
    assert explain(system, beliefs, contest, 2, results[2], empty).pulls is not None


def test_surprising_performances_keep_less_of_their_weight() -> None:
    rated = explained(get_system("elo-mmr"), random_series(4, 30, 10, 8), 10)
    far = [(abs(c.performance[r] - c.mu[r]), e.damping) for _, _, c, each in rated for r, e in enumerate(each)]
    dampings = [damping for _, damping in sorted(far)]
    assert all(damping is not None and 0.0 < damping <= 1.0 for damping in dampings)
    assert dampings[0] > dampings[-1]


def test_only_the_strongest_pulls_are_named() -> None:
    assert strongest_pulls(np.array([0.5, -0.1, 0.0, 2.0, -3.0, 1.0]), 2) == ([3, 5], [4, 1])
    assert strongest_pulls(np.array([0.5, 1.0]), 5) == ([1, 0], [])


def test_elo_mmr_needs_the_past_and_every_system_a_valid_row() -> None:
    system, contest, result = get_system("elo-mmr"), Contest([0, 1], [1, 2]), Result(1500.0, 100.0, 1500.0)
    with pytest.raises(ValueError, match="give their past"):
        explain(system, system.new_beliefs(2), contest, 0, result)
    with pytest.raises(ValueError, match="row 2 is outside the contest of 2 rows"):
        explain(system, system.new_beliefs(2), contest, 2, result)


@every_system
def test_large_fields_are_explained_like_small_ones(name: str) -> None:
    system = get_system(name)
    beliefs = system.new_beliefs(3000)
    contest = Contest(range(3000), np.argsort(np.random.default_rng(1).random(3000)))
    changes = system.rate_round(beliefs.copy(), contest)
    assert changes is not None
    before = beliefs.copy()
    before.mu[:] = changes.mu_before
    result = Result(changes.mu[5], changes.sigma[5], changes.performance[5])
    explanation = explain(system, before, contest, 5, result, PastPerformances(*np.empty((5, 0))))
    assert explanation.change == pytest.approx(changes.mu[5] - changes.mu_before[5], abs=TOLERANCE * 1000)
    assert explanation.situation.expected_place == pytest.approx(1500.5)
