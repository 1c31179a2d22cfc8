"""The order in which parallel test processes run the tests: slow ones first."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

#: A test that uses one of these starts processes and waits for them.
STARTS_PROCESSES = {"browser", "demo", "machine", "sites", "workers"}


def long_first(items: Sequence[Any], processes: int) -> list[Any]:
    """
    Return the tests in an order in which each process begins with its share of the slow ones.

    Otherwise a browser test may be the last one, and all other processes wait for it. pytest-xdist gives each process
    one stretch of the list, of equal length; tests of one file stay together because they share what they set up.
    """
    long = [item for item in items if STARTS_PROCESSES & set(item.fixturenames)]
    others = [item for item in items if not STARTS_PROCESSES & set(item.fixturenames)]
    shares: list[list[Any]] = [[] for _ in range(processes)]
    files = [list(tests) for _, tests in groupby(sorted(long, key=_file), key=_file)]
    for tests in sorted(files, key=len, reverse=True):
        min(shares, key=len).extend(tests)
    ordered: list[Any] = []
    for number, share in enumerate(shares):
        stretch = (len(items) - len(ordered)) // (processes - number)
        wanted = max(stretch - len(share), 0)
        ordered += share + others[:wanted]
        others = others[wanted:]
    return ordered


def _file(item: Any) -> str:
    return str(item.nodeid).partition("::")[0]
