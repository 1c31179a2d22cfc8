"""Several hundred damaged files, the same in every run, for tests of readers and upload pages."""

from __future__ import annotations

from functools import cache

from tests.contests.formats.damage_documents import damaged_documents
from tests.contests.formats.damage_tables import damaged_tables
from tests.contests.formats.damage_workbooks import damaged_workbooks


@cache
def _all() -> tuple[tuple[str, str, bytes], ...]:
    return (*damaged_tables(), *damaged_documents(), *damaged_workbooks())


def damaged_files() -> list[tuple[str, str, bytes]]:
    """
    Return what each damaged file is, in words, its filename and its content.

    Some are damaged so little that a contest can be read from them; none may cause anything but that or a report.
    """
    return list(_all())
