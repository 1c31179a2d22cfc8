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
    Return a description, the filename and the content of each damaged file.

    Some are damaged so little that a contest can be read from them; none may cause anything but a contest or a report.
    """
    return list(_all())
