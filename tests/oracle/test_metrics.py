"""Pair inversion and rank deviation against the figures that the paper authors' own implementation reached."""

from typing import Any

import pytest

from ratings.systems import SYSTEMS, get_system
from ratings.systems.metrics import Judge, Scores
from tests.oracle.shared import load_contests, needs_shared, oracle_cases

CASES = oracle_cases(*SYSTEMS)

# The index prints six decimals of per cents.
TOLERANCE = 1e-6

pytestmark = needs_shared


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["file"].removesuffix(".jsonl.gz"))
def test_both_figures_are_the_reference_implementations(case: dict[str, Any]) -> None:
    contests, _, handles = load_contests(case["data"], case["contests"])
    system = get_system(case["system"], **case["parameters"])
    beliefs, experienced, everyone = system.new_beliefs(len(handles)), Judge(5), Judge(1)
    for contest in contests:
        experienced.judge(beliefs, contest)
        everyone.judge(beliefs, contest)
        system.rate_round(beliefs, contest)
    assert _figures(experienced.scores()) == _expected(case, "experienced")
    assert _figures(everyone.scores()) == _expected(case, "everyone")


def _figures(scores: Scores) -> list[float | None]:
    return [scores.pair_inversion, scores.rank_deviation]


def _expected(case: dict[str, Any], whom: str) -> Any:
    figures = [case[f"pair_inversion_{whom}"], case[f"rank_deviation_{whom}"]]
    return figures if None in figures else pytest.approx(figures, rel=0, abs=TOLERANCE)
