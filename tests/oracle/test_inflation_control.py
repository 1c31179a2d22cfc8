"""Codeforces with inflation control compared with the changes that codeforces.com itself made."""

import numpy as np
import pytest

from ratings.systems import Contest, get_system
from tests.oracle.shared import SHARED, needs_shared, read_lines

OFFICIAL = SHARED / "data" / "codeforces" / "official.jsonl.gz"

pytestmark = needs_shared


@pytest.mark.parametrize(("contest", "share"), [("cf908", 0.96), ("cf917", 0.93)])
def test_inflation_control_comes_within_two_points_of_the_changes_on_codeforces(contest: str, share: float) -> None:
    # Codeforces also gives tied players the worst of their places, leaves players out of the field in the search for
    # their own performance, and truncates to integers. With these rules too, nearly all changes would be the same.
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
