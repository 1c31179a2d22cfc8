"""
Corrections of the rows of a staged table, made in its review.

The review shows the rows with problems as they are in the file. Podium stores the organizer's changes with the other
choices, and applies them whenever it reads the file. The file stays as it is.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from django.utils.translation import gettext

from contests.errors import ContestError
from contests.formats.table.corrections import LONGEST, MOST_CHARACTERS, MOST_ROWS, Correction
from contests.uploads.reading import read_file_rows
from contests.uploads.review import review_of
from contests.wording import grouped

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from contests.formats import ReadingOptions, Report
    from contests.formats.reader import FileRow, FileRows
    from contests.uploads.review import Review
    from contests.uploads.staging import Choices, Staged

#: A review offers this many rows for correction, with this many characters in all.
ROWS_OFFERED = 200
_MOST_OFFERED = 200_000
#: Rows with more cells than this cannot be corrected in the review.
_WIDEST = 40


@dataclass(frozen=True, slots=True)
class RowInput:
    """
    The organizer's input about one row.

    cells
        0-based position -> text.
    is_left_out
        Whether to leave out the row.
    is_right
        Whether the cells are right as they are shown, for a row with too many or too few cells.
    seen
        The digest of the row that the organizer saw (`digest_of`).
    """

    row: int
    seen: str
    cells: Mapping[int, str] = field(default_factory=dict)
    is_left_out: bool = False
    is_right: bool = False


def offered_rows(staged: Staged, choices: Choices, report: Report, options: ReadingOptions | None) -> FileRows | None:
    """
    Return the rows of the file that the review offers for correction; None if the file is not a table.

    They are the rows with errors, the rows that the errors mention, the corrected rows, and then those with warnings
    about a cell or about two rows, as many as fit.

    options
        The options with which the file was read.
    """
    wanted: dict[int, None] = {}
    for problem in sorted(report.errors, key=lambda problem: problem.row or 0):
        wanted.update({row: None for row in (problem.row, problem.other_row) if row is not None})
    wanted.update(dict.fromkeys(sorted(choices.corrections)))
    for problem in report.warnings:
        if problem.column or problem.other_row is not None:
            wanted.update({row: None for row in (problem.row, problem.other_row) if row is not None})
    numbers = list(wanted)[:ROWS_OFFERED]
    found = read_file_rows(staged, options, numbers) if numbers else None
    if found is None:
        return None
    rows, left = [], _MOST_OFFERED
    for row in found.rows:
        left -= sum(map(len, row.cells))
        if left >= 0 and _is_offered(row):
            rows.append(row)
    return replace(found, rows=rows)


def _is_offered(row: FileRow) -> bool:
    return not row.is_whole or (len(row.cells) <= _WIDEST and all(is_short(cell) for cell in row.cells))


def is_short(cell: str) -> bool:
    """Whether a cell is short enough to be corrected in the review."""
    return len(cell) <= LONGEST


def one_line(cell: str) -> str:
    """Return a cell as a field of a form shows it."""
    return " ".join(cell.split())


def digest_of(row: FileRow, correction: Correction | None) -> str:
    """Return a digest of a row with its correction, which identifies the version that a form showed."""
    now = None if correction is None else (sorted(correction.cells.items()), correction.is_left_out)
    return hashlib.sha256(repr((row.cells, now)).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def correct(choices: Choices, offered: FileRows, inputs: Iterable[RowInput]) -> tuple[Choices, list[str]]:
    """
    Return the choices with the corrections of the inputs, and messages about those that were rejected.

    Cells that are the same as in the file are not corrections. Inputs about other rows and cells than those offered are
    ignored, and those about a row that someone else has corrected meanwhile are rejected. Raises ContestError if there
    are too many corrections.
    """
    rows, problems = {row.number: row for row in offered.rows}, []
    corrections = dict(choices.corrections)
    for said in inputs:
        row = rows.get(said.row)
        if row is None:
            continue
        if said.seen != digest_of(row, corrections.get(row.number)):
            text = gettext(
                "Someone else has corrected row %(row)s in the meantime, so Podium did not apply your entry. Check the "
                "row, and correct it again if it is still wrong."
            )
            problems.append(text % {"row": grouped(row.number)})
            continue
        width = max(len(offered.names), len(row.cells) if row.is_whole else 0)
        said = replace(said, cells={position: text for position, text in said.cells.items() if position < width})
        too_long = [position for position, text in said.cells.items() if not is_short(text)]
        if too_long:
            column = offered.names[too_long[0]] if too_long[0] < len(offered.names) else ""
            column = column or gettext("cell %(number)s") % {"number": too_long[0] + 1}
            text = gettext("Row %(row)s, %(column)s: a cell can have at most %(most)s characters.")
            problems.append(text % {"row": grouped(row.number), "column": column, "most": LONGEST})
            continue
        correction = _correction(row, said, corrections.pop(row.number, None))
        if correction is not None:
            corrections[row.number] = correction
    characters = sum(correction.characters for correction in corrections.values())
    if len(corrections) > MOST_ROWS or characters > MOST_CHARACTERS:
        raise ContestError(
            gettext(
                "You can correct at most %(most_rows)s rows of a file here. Nothing was changed. Correct the "
                "file, and upload it again."
            )
            % {"most_rows": grouped(MOST_ROWS)}
        )
    return replace(choices, corrections=corrections), problems


def undo(choices: Choices, rows: Iterable[int] | None = None) -> Choices:
    """Return the choices without the corrections of these rows; None undoes all."""
    undone = set(choices.corrections if rows is None else rows)
    return replace(choices, corrections={row: each for row, each in choices.corrections.items() if row not in undone})


def _correction(row: FileRow, said: RowInput, earlier: Correction | None) -> Correction | None:
    """Return the correction of a row, None if nothing differs from the file."""
    was = dict(enumerate(row.cells))
    if said.is_left_out:
        return Correction({}, {position: text for position, text in was.items() if is_short(text)}, is_left_out=True)
    if earlier is not None and earlier.is_left_out:
        return earlier  # only undoing brings the row back
    before = dict(enumerate(row.cells if earlier is None else earlier.apply(row.cells)))
    changed = {position: text for position, text in said.cells.items() if text != one_line(before.get(position, ""))}
    if row.is_whole:
        if not changed and not (said.is_right and earlier is None):
            return earlier
        cells = {position: said.cells.get(position, text) for position, text in before.items()} | dict(said.cells)
        return Correction(cells, was)
    cells = {**(earlier.cells if earlier is not None else {}), **changed}
    cells = {position: text for position, text in cells.items() if text != one_line(was.get(position, ""))}
    return Correction(cells, {position: was[position] for position in cells if position in was}) if cells else None


def corrections_in_words(staged: Staged, choices: Choices) -> list[str]:
    """Return the corrections by row, in words, with the names of the columns as the review knows them."""
    if not choices.corrections:
        return []
    review: Review | None = review_of(staged, choices)
    names: Sequence[str] = review.offered.names if review is not None and review.offered is not None else ()
    return [f"row {row}: {correction.words(names)}" for row, correction in sorted(choices.corrections.items())]
