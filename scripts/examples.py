"""
Make the example workbook, static/examples/standings.xlsx, from standings.csv beside it: `python scripts/examples.py`.

The bytes are the same each time, so that they change only if the example does.
"""

from __future__ import annotations

import csv
import io
import re
import zipfile
from datetime import datetime
from pathlib import Path

import openpyxl
from openpyxl.styles import Font

EXAMPLES = Path(__file__).resolve().parents[1] / "static" / "examples"
NUMBERS = ("rank", "score")
# The time of saving, in the document properties.
SAVED = re.compile(rb"(?<=<dcterms:modified xsi:type=\"dcterms:W3CDTF\">)[^<]+")
WRITTEN = "2025-05-01T00:00:00Z"
FIRST_MOMENT = (1980, 1, 1, 0, 0, 0)


def main() -> None:
    with (EXAMPLES / "standings.csv").open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    book = openpyxl.Workbook()
    book.properties.created = datetime.fromisoformat(WRITTEN).replace(tzinfo=None)
    sheet = book.active
    sheet.title = "Standings"
    sheet.append(header)
    for row in rows:
        sheet.append([int(cell) if name in NUMBERS else cell or None for name, cell in zip(header, row, strict=True)])
    for cell in sheet[1]:
        cell.font = Font(bold=True)
    for letter, width in zip("ABCDEF", (8, 18, 18, 10, 10, 14), strict=True):
        sheet.column_dimensions[letter].width = width
    sheet.freeze_panes = "A2"
    out = io.BytesIO()
    book.save(out)
    (EXAMPLES / "standings.xlsx").write_bytes(without_times(out.getvalue()))


def without_times(content: bytes) -> bytes:
    """Return the archive with the earliest possible date, and the document with the date of the example."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as made, zipfile.ZipFile(out, "w") as kept:
        for name in made.namelist():
            part = SAVED.sub(WRITTEN.encode(), made.read(name))
            kept.writestr(zipfile.ZipInfo(name, FIRST_MOMENT), part, zipfile.ZIP_DEFLATED)
    return out.getvalue()


if __name__ == "__main__":
    main()
