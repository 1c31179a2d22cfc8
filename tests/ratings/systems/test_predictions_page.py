"""The examples in docs/predictions.md run and return the numbers next to them."""

import ast
import re
from pathlib import Path
from typing import Any

import pytest

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "predictions.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```", PAGE, flags=re.DOTALL | re.MULTILINE)


def test_the_examples_run_and_return_the_documented_numbers() -> None:
    names: dict[str, Any] = {}
    checked = 0
    for line in "".join(BLOCKS).splitlines():
        code, _, comment = line.partition("  # ")
        if not code or not isinstance(ast.parse(code).body[0], ast.Expr):
            exec(code, names)
            continue
        value = eval(code, names)
        number = re.match(r"\d\.\d+", comment)
        if number:
            assert value == pytest.approx(float(number[0]), abs=5e-4), code
            checked += 1
    assert checked == 10
