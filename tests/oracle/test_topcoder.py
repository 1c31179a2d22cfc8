"""TopCoder against the numbers of the paper authors' own implementation."""

from typing import Any

import numpy as np
import pytest

from ratings.systems import get_system, replay
from tests.oracle.shared import SHARED, load_contests, needs_shared, oracle_cases, read_lines

CASES = oracle_cases("topcoder")

# The promise is 1e-4; after hundreds of contests the error functions used show in the seventh decimal.
TOLERANCE = 1e-6

pytestmark = needs_shared


def test_the_oracle_has_all_its_topcoder_cases() -> None:
    assert len(CASES) == 5


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["file"].removesuffix(".jsonl.gz"))
def test_every_number_is_the_reference_implementations(case: dict[str, Any]) -> None:
    contests, ids, handles = load_contests(case["data"], case["contests"])
    expected = read_lines(SHARED / "oracle" / case["file"])
    history = replay(get_system(case["system"], **case["parameters"]), contests, len(handles))
    keys = [[ids[c], handles[p], r] for c, p, r in zip(history.contest, history.player, history.rank, strict=True)]
    assert keys == [row[:3] for row in expected]
    ours = np.column_stack([history.mu, history.sigma, history.performance])
    np.testing.assert_allclose(ours, np.array([row[3:] for row in expected]), rtol=0, atol=TOLERANCE)
