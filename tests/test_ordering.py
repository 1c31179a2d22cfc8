"""Slow tests begin first, however pytest-xdist splits the list."""

from types import SimpleNamespace

import pytest

from tests.ordering import long_first


def made(file, count, *fixtures):
    return [SimpleNamespace(nodeid=f"{file}::test_{number}", fixturenames=fixtures) for number in range(count)]


@pytest.mark.parametrize("processes", [1, 2, 3, 5])
def test_each_process_begins_with_its_share_of_long_tests_and_files_stay_together(processes):
    items = [
        *made("quick.py", 41, "db"), *made("browser.py", 6, "browser"), *made("more.py", 20),
        *made("guide.py", 4, "machine"), *made("faults.py", 5, "db", "workers"), *made("demo.py", 2, "demo"),
    ]  # fmt: skip
    ordered = long_first(items, processes)
    assert sorted(map(id, ordered)) == sorted(map(id, items))
    cut, first = ordered, []
    for left in range(processes, 0, -1):
        stretch, cut = cut[: len(cut) // left], cut[len(cut) // left :]
        is_long = [bool({"browser", "machine", "workers", "demo"} & set(item.fixturenames)) for item in stretch]
        assert is_long == sorted(is_long, reverse=True)
        first.append({item.nodeid.partition("::")[0] for item, long in zip(stretch, is_long, strict=True) if long})
    assert sum(map(len, first)) == len(set.union(*first)) == 4, "no file is split"
    if processes < 5:
        assert all(first)
