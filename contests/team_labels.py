"""Labels of teams to which a file gives no name: they tell the teams of one contest apart, and mean nothing else."""

from __future__ import annotations

import re

_GENERATED = re.compile(r"team ([0-9]+)")


def label_of_unnamed(number: int) -> str:
    """Return the label to store for the team of this entry."""
    return f"team {number}"


def number_of_unnamed(label: str) -> str:
    """Return the number in a label from `label_of_unnamed`, empty for the name of a team."""
    found = _GENERATED.fullmatch(label)
    return found[1] if found else ""
