"""Codeforces against the numbers of the paper authors' own implementation."""

from typing import Any

import numpy as np
import pytest

from ratings.systems import Contest, get_system, replay
from tests.oracle.shared import SHARED, load_contests, needs_shared, oracle_cases, read_lines

CASES = oracle_cases("codeforces")
OFFICIAL = SHARED / "data" / "codeforces" / "official.jsonl.gz"

# The promise is 1e-5; half of the last of eight decimals is 5e-9.
TOLERANCE = 2e-8

pytestmark = needs_shared


def test_the_oracle_has_all_its_codeforces_cases() -> None:
    assert len(CASES) == 6


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["file"].removesuffix(".jsonl.gz"))
def test_every_number_is_the_reference_implementations(case: dict[str, Any]) -> None:
    contests, ids, handles = load_contests(case["data"], case["contests"])
    expected = read_lines(SHARED / "oracle" / case["file"])
    history = replay(get_system(case["system"], **case["parameters"]), contests, len(handles))
    keys = [[ids[c], handles[p], r] for c, p, r in zip(history.contest, history.player, history.rank, strict=True)]
    assert keys == [row[:3] for row in expected]
    ours = np.column_stack([history.mu, history.sigma, history.performance])
    np.testing.assert_allclose(ours, np.array([row[3:] for row in expected]), rtol=0, atol=TOLERANCE)


@pytest.mark.parametrize(("contest", "share"), [("cf908", 0.96), ("cf917", 0.93)])
def test_inflation_control_comes_within_two_points_of_the_sites_own_changes(contest: str, share: float) -> None:
    # The site also gives all who tie the worst of their places, leaves a player out of the field that their own
    # performance is sought in, and truncates to integers: with that, nearly all changes are exactly its own.
    rows = next(line for line in read_lines(OFFICIAL) if line["id"] == contest)["rows"]
    before, after, ranks = (np.array([row[column] for row in rows], dtype=np.float64) for column in (1, 2, 4))
    near = {}
    for inflation_control in (False, True):
        system = get_system("codeforces", inflation_control=inflation_control)
        beliefs = system.new_beliefs(len(rows))
        beliefs.mu[:] = before
        changes = system.rate_round(beliefs, Contest(range(len(rows)), ranks))
        assert changes is not None
        near[inflation_control] = float((np.abs(changes.mu - after) <= 2.0).mean())
    assert near[True] >= share
    assert near[False] < 0.5
