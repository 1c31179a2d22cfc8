"""CSV files for spreadsheets."""

from __future__ import annotations

import csv
import io
import re
from typing import TYPE_CHECKING

from django.http import HttpResponse
from django.utils.cache import patch_vary_headers

from contests.formats.table.escape import csv_row

if TYPE_CHECKING:
    from collections.abc import Iterable

#: Characters that are not safe in file names; they become hyphens.
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")


def csv_file(rows: Iterable[Iterable[object]], name: str) -> HttpResponse:
    """
    Return rows as a file: plain numbers, and texts that no spreadsheet runs as formulas.

    Caches treat it as they treat the pages that link to it.
    """
    file = io.StringIO(newline="")
    csv.writer(file, lineterminator="\n").writerows(map(csv_row, rows))
    headers = {"Content-Disposition": f'attachment; filename="{name}.csv"', "Cache-Control": "private, no-cache"}
    response = HttpResponse(file.getvalue(), content_type="text/csv; charset=utf-8", headers=headers)
    patch_vary_headers(response, ["Cookie"])
    return response


def file_name(text: str, otherwise: object) -> str:
    """Return a text as a part of a file name, or something else if none of its characters are safe."""
    return _UNSAFE.sub("-", text).strip("-.") or str(otherwise)
