"""Causes of runs: REST has a kind, and pages have German words, for each cause that the code writes."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from django.utils import translation

from ratings.api.series import _CAUSES
from web.shared.stored_texts import cause_in_words

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
#: Stands for every value in a cause.
VALUE = "7"
#: In these modules, a cause begins with the variable `words`.
PUT_TOGETHER = {"contests/services/merging.py", "contests/services/participants.py"}


def texts(node: ast.expr) -> Iterator[str]:
    """Yield each text that an expression can have."""
    match node:
        case ast.Constant(value=str(text)):
            yield text
        case ast.JoinedStr(values=parts):
            yield "".join(part.value if isinstance(part, ast.Constant) else value_in(part) for part in parts)
        case ast.IfExp(body=body, orelse=orelse):
            yield from texts(body)
            yield from texts(orelse)
        case ast.BinOp(left=left, op=ast.Add()):
            yield from texts(left)


def value_in(part: ast.expr) -> str:
    """Return the first choice of an ending such as the plural's, a field for `what`, and VALUE for any other value."""
    match part:
        case ast.FormattedValue(value=ast.IfExp(body=ast.Constant(value=str(text)))):
            return text
        case ast.FormattedValue(value=ast.Name(id="what")):
            return "the weight"
    return VALUE


def causes_in(path: Path) -> Iterator[str]:
    """Yield the causes that a module assigns or passes, and whole ones for the beginnings that it puts together."""
    puts_together = path.relative_to(ROOT).as_posix() in PUT_TOGETHER
    for node in ast.walk(ast.parse(path.read_text())):
        match node:
            case ast.keyword(arg="cause", value=value):
                yield from texts(value)
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if name.lower() == "cause":
                yield from texts(value)
            case ast.Assign(targets=[ast.Name(id="words")], value=value) if puts_together:
                yield from (f"{text} {VALUE}: {VALUE}" for text in texts(value))


def written() -> list[str]:
    paths = [path for folder in ("contests", "ratings") for path in sorted((ROOT / folder).rglob("*.py"))]
    found = {cause for path in paths for cause in causes_in(path)}
    return sorted(cause for cause in found if not cause.startswith(VALUE))


def test_causes_are_found():
    verbs = {cause.split()[0] for cause in written()}
    assert {"Finalized", "Corrected", "Changed", "Added", "Removed", "Moved", "Merged", "Split", "Imported"} <= verbs
    assert len(written()) >= 17


@pytest.mark.parametrize("cause", written())
def test_a_cause_has_a_kind_and_german_words(cause):
    assert cause.startswith(tuple(_CAUSES))
    with translation.override("de"):
        assert cause_in_words(cause) != cause
