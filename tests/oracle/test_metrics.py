"""Pair inversion and rank deviation against the figures that the paper authors' own implementation reached."""

from typing import Any

import pytest

from ratings.systems import SYSTEMS, get_system
from ratings.systems.evaluate.metrics import Judge, Scores
from tests.oracle.shared import decided, load_contests, needs_shared, oracle_cases

CASES = oracle_cases(*SYSTEMS)

# The index prints percentages with six decimals.
TOLERANCE = 1e-6

# Here the reference counts pairs of players who tied in every contest. Apart from rounding, its beliefs about the two
# are the same: their means are equal to the eight decimals of the file.
ROUNDED = [case for case in CASES if (case["data"], case["system"]) == ("synthetic-edge", "trueskill-spb")]

pytestmark = needs_shared


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["file"].removesuffix(".jsonl.gz"))
def test_both_figures_are_those_of_the_reference_implementation(case: dict[str, Any]) -> None:
    contests, _, handles = load_contests(case["data"], case["contests"])
    system = get_system(case["system"], **case["parameters"])
    beliefs, experienced, everyone = system.new_beliefs(len(handles)), Judge(system, 5), Judge(system, 1)
    for contest in (contests[position] for position in decided(contests)):
        experienced.judge(beliefs, contest)
        everyone.judge(beliefs, contest)
        system.rate_round(beliefs, contest)
    assert _figures(experienced.scores()) == _expected(case, "experienced")
    if case not in ROUNDED:
        assert _figures(everyone.scores()) == _expected(case, "everyone")


@pytest.mark.parametrize("case", ROUNDED, ids=lambda case: case["file"].removesuffix(".jsonl.gz"))
def test_where_the_reference_orders_equals_its_figures_lie_between_those_of_the_best_and_worst_order(
    case: dict[str, Any],
) -> None:
    contests, _, handles = load_contests(case["data"], case["contests"])
    system = get_system(case["system"], **case["parameters"])
    beliefs, best, worst = system.new_beliefs(len(handles)), Judge(system, 1), Judge(system, 1)
    for contest in (contests[position] for position in decided(contests)):
        best.judge(beliefs, contest)
        doubted = beliefs.copy()
        doubted.mu[contest.players] += 1e-7 * contest.group
        worst.judge(doubted, contest)
        system.rate_round(beliefs, contest)
    high, low = _figures(best.scores()), _figures(worst.scores())
    assert low[0] < case["pair_inversion_everyone"] < high[0]
    assert high[1] < case["rank_deviation_everyone"] < low[1]


def _figures(scores: Scores) -> list[Any]:
    return [scores.pair_inversion, scores.rank_deviation]


def _expected(case: dict[str, Any], whom: str) -> Any:
    figures = [case[f"pair_inversion_{whom}"], case[f"rank_deviation_{whom}"]]
    return figures if None in figures else pytest.approx(figures, rel=0, abs=TOLERANCE)
