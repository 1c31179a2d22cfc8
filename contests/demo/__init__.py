"""A seeded generator of a plausible community; pure, for demonstrations and tests."""

from contests.demo.community import generate_community
from contests.demo.records import (
    DemoCommunity,
    DemoContest,
    DemoPlayer,
    DemoRow,
    DemoSeries,
    to_json_lines,
)

__all__ = [
    "DemoCommunity",
    "DemoContest",
    "DemoPlayer",
    "DemoRow",
    "DemoSeries",
    "generate_community",
    "to_json_lines",
]
