"""Rows of a table that the organizer corrects in its review."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from django.contrib import messages
from django.core.paginator import Paginator
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_POST

from contests.uploads.correcting import RowInput, correct, digest_of, is_short, one_line, undo
from contests.uploads.review import review_of
from contests.uploads.staging import read_choices
from contests.whole_numbers import number_or_zero, whole_number_of
from web.organize.uploads.access import review_page, store_choices, to_review
from web.organize.uploads.forms import choices_of_people
from web.organize.uploads.people import decided_in, report_rejected
from web.shared.unsent import unsent_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from django.core.paginator import Page
    from django.http import HttpRequest, HttpResponse, QueryDict

    from contests.formats import FileRow, FileRows, Problem
    from contests.formats.table.corrections import Correction
    from contests.models import Contest
    from contests.uploads.review import Review
    from contests.uploads.staging import Choices, Staged

#: Rows on a page, fewer if they have many cells; a form can have 1,000 fields.
ROWS_PER_PAGE = 25


@dataclass(frozen=True, slots=True)
class CellField:
    """A cell as a field of the form; `was` is the cell of the file if it was corrected."""

    name: str
    label: str
    value: str
    is_editable: bool = True
    problems: list[Problem] = field(default_factory=list)
    was: str | None = None

    @property
    def has_errors(self) -> bool:
        return any(problem.severity == "error" for problem in self.problems)


@dataclass(frozen=True, slots=True)
class EditedRow:
    """
    A row of the form, with the problems of its cells and of the whole row.

    seen
        The digest of the row that the form shows (`digest_of`).
    is_whole
        Whether the row has too many or too few cells in the file, so that the form shows all of them.
    is_corrected, is_left_out
        Whether the organizer has corrected the row, and whether the correction leaves it out.
    is_leaving
        Whether the box that leaves out the row was ticked in a form that could not be stored.
    """

    number: int
    seen: str
    cells: list[CellField]
    problems: list[Problem]
    is_whole: bool
    is_corrected: bool = False
    is_left_out: bool = False
    is_leaving: bool = False

    @property
    def has_errors(self) -> bool:
        own = any(problem.severity == "error" for problem in self.problems)
        return own or any(cell.has_errors for cell in self.cells)

    @property
    def filled(self) -> list[CellField]:
        """The cells that have content."""
        return [cell for cell in self.cells if cell.value.strip()]

    @property
    def group(self) -> str:
        """The group that lists the row: "wrong", "corrected" or "remarks"."""
        return "wrong" if self.has_errors else "corrected" if self.is_corrected else "remarks"


@dataclass(frozen=True, slots=True)
class EditedTable:
    """The form on a page: the columns, the rows, and the errors that no row of the form shows."""

    columns: list[str]
    page: Page[EditedRow]
    corrected: int
    others: list[Problem]

    @property
    def has_errors(self) -> bool:
        return any(row.has_errors for row in self.page.object_list)


def edited_table(request: HttpRequest, contest: Contest, token: str, choices: Choices, found: Review) -> EditedTable:
    """Return the rows of a review that can be corrected on this page, those with errors first."""
    offered = found.offered
    typed = unsent_of(request, reverse("organize:review-correct", args=[contest.pk, token]))
    shown = _positions(offered, found.errors) if offered is not None else []
    rows = [] if offered is None else [
        _row(row, offered, shown, choices.corrections.get(row.number), found, typed) for row in offered.rows
    ]  # fmt: skip
    listed = {row.number for row in rows}
    rows.sort(key=lambda row: (not row.has_errors, not row.is_corrected))
    widest = max((len(row.cells) for row in rows), default=1)
    page = Paginator(rows, max(1, min(ROWS_PER_PAGE, 700 // (widest + 3)))).get_page(request.GET.get("rows"))
    names = [_label(offered, position) for position in shown] if offered is not None else []
    others = [problem for problem in found.errors if problem.row not in listed]
    return EditedTable(names, page, len(choices.corrections), others)


def _positions(offered: FileRows, errors: Iterable[Problem]) -> list[int]:
    """Return the columns that the form shows: those that are read, and those with errors."""
    named = {name: position for position, name in reversed(list(enumerate(offered.names)))}
    rows = {row.number for row in offered.rows}
    wrong = {named[problem.column] for problem in errors if problem.column in named and problem.row in rows}
    return sorted({*offered.fields, *wrong})


def _label(offered: FileRows, position: int) -> str:
    name = offered.names[position] if position < len(offered.names) else ""
    return name or gettext("cell %(number)s") % {"number": position + 1}


def _row(
    row: FileRow, offered: FileRows, shown: list[int], correction: Correction | None, found: Review,
    typed: QueryDict | None,
) -> EditedRow:  # fmt: skip
    positions = list(range(max(len(row.cells), len(offered.names)))) if row.is_whole else shown
    problems = [each for each in (*found.errors, *found.warnings) if each.row == row.number]
    if not row.is_whole:
        mentioned = [each for each in found.errors if each.other_row == row.number]
        problems += [each for each in mentioned if each not in problems and each.row != row.number]
    place_of = {_label(offered, position): position for position in reversed(positions)}
    by_place: dict[int | None, list[Problem]] = {}
    for problem in problems:
        place = place_of.get(problem.column or "") if problem.row == row.number else None
        by_place.setdefault(place, []).append(problem)
    now = row.cells if correction is None or correction.is_left_out else correction.apply(row.cells)
    cells = []
    for position in positions:
        name, cell = f"cell_{row.number}_{position}", now[position] if position < len(now) else ""
        value = one_line(cell)
        if typed is not None and name in typed:
            value = str(typed[name])
        was = correction.was.get(position, "") if correction is not None and position in correction.cells else None
        was = None if was is None or one_line(was) == one_line(cell) else was
        cells.append(CellField(name, _label(offered, position), value, is_short(cell), by_place.get(position, []), was))
    return EditedRow(
        row.number,
        digest_of(row, correction),
        cells,
        by_place.get(None, []),
        is_whole=row.is_whole,
        is_corrected=correction is not None,
        is_left_out=correction is not None and correction.is_left_out,
        is_leaving=typed is not None and f"leave_{row.number}" in typed,
    )


@require_POST
@review_page
def correct_rows(request: HttpRequest, contest: Contest, staged: Staged) -> HttpResponse:
    """
    Apply the corrections of the form, or undo some, and read the file again.

    If players were chosen on the same page, a script sends these choices too.
    """
    choices = read_choices(staged)
    found = review_of(staged, choices)
    if found is None or found.offered is None:
        return to_review(contest, staged)
    if choices_of_people(request.POST):
        choices, rejected = decided_in(request, contest, staged, choices)
        report_rejected(request, staged, rejected)
    undone = request.POST.get("undo", "")
    if undone == "all":
        return store_choices(contest, staged, undo(choices), "#rows")
    # Entries in other rows count too, even if the button belongs to one row.
    row = number_or_zero(undone) if undone else 0
    inputs = [each for each in _inputs(request.POST, found.offered.rows) if each.row != row]
    said, problems = correct(choices, found.offered, inputs)
    for problem in problems:
        messages.error(request, problem)
    if row:
        return store_choices(contest, staged, undo(said, [row]), "#rows")
    page = number_or_zero(request.POST.get("page", ""))
    address = store_choices(contest, staged, said, f"?rows={page}#rows" if page > 1 else "#rows")
    again = review_of(staged, read_choices(staged))
    # Without errors, the next step is to save, at the top of the page.
    return address if problems or again is None or again.errors else to_review(contest, staged)


def _inputs(posted: Mapping[str, str], rows: Iterable[FileRow]) -> list[RowInput]:
    """Return the input about each row that the form had."""
    cells: dict[int, dict[int, str]] = {}
    for name, text in posted.items():
        kind, _, rest = name.partition("_")
        number, _, position = rest.partition("_")
        row, place = whole_number_of(number), whole_number_of(position)
        if kind == "cell" and row is not None and place is not None:
            cells.setdefault(row, {})[place] = one_line(text.replace("\0", ""))
    inputs = []
    for each in rows:
        said = cells.get(each.number, {})
        leave, is_right = f"leave_{each.number}" in posted, f"right_{each.number}" in posted
        if said or leave or is_right:
            inputs.append(RowInput(each.number, posted.get(f"seen_{each.number}", ""), said, leave, is_right))
    return inputs
