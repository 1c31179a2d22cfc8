"""The page of a review: what Podium found in a staged file, or the progress of reading or saving it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext

from contests.models import Player
from contests.queries.amendments import FIELDS
from contests.services.describing import is_in_future
from contests.uploads.filling import fillable
from contests.uploads.review_work import current_review, progress_of
from contests.uploads.reviewing import description_differences
from contests.uploads.save_work import requested_version, saving_of
from contests.uploads.staging import PASTED, read_choices
from contests.wording import moment_in_words
from ratings.queries.snapshot import preview_snapshot_of
from web.organize.uploads.access import review_page
from web.organize.uploads.corrections import edited_table
from web.organize.uploads.forms import ReadingForm
from web.organize.uploads.people import people_in
from web.shared.access import actor
from web.shared.projected_rows import as_of, table_of_review
from web.shared.unsent import unsent_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from django.contrib.auth.models import User
    from django.http import HttpRequest, HttpResponse

    from contests.formats import Problem
    from contests.models import Contest
    from contests.uploads.review import Missing, Review
    from contests.uploads.staging import Choices, Staged

#: The most errors, and the most warnings, on the page. It counts all; the file with remarks has up to a thousand.
PROBLEMS_SHOWN = 200
#: The most kinds of errors in the summary above the list.
KINDS_SHOWN = 5
#: More errors of one kind than this are unlikely to be typing errors.
SUSPICIOUS = 4


@dataclass(frozen=True, slots=True)
class Listed:
    """The first of several problems, and the number of all of them."""

    problems: list[Problem]
    count: int

    @property
    def left_out(self) -> int:
        return self.count - len(self.problems)


@dataclass(frozen=True, slots=True)
class ErrorKind:
    """The number of errors with the same message in the same column, which is empty for whole rows."""

    column: str
    message: str
    count: int


def _error_kinds(errors: Sequence[Problem]) -> list[ErrorKind]:
    """Return the most frequent kinds of errors; none if no two errors are of the same kind."""
    counts = Counter((error.column or "", error.message) for error in errors)
    if not any(count > 1 for count in counts.values()):
        return []
    return [ErrorKind(*kind, count) for kind, count in counts.most_common(KINDS_SHOWN)]


def _suspect(kinds: Sequence[ErrorKind], found: Review) -> str:
    """Return the column with the most errors if Podium probably read it as the wrong field; empty otherwise."""
    most = kinds[0] if kinds else None
    return most.column if most is not None and most.count > max(SUSPICIOUS, len(found.errors) / 2) else ""


@review_page
def review(request: HttpRequest, contest: Contest, staged: Staged) -> HttpResponse:
    """Show the review of a staged file, or the progress of reviewing or saving it."""
    choices = read_choices(staged)
    found, progress = current_review(staged, choices), progress_of(staged, choices)
    saving = saving_of(staged, choices)
    context = {
        "contest": contest,
        "series": contest.series,
        "staged": staged,
        "progress": progress,
        "is_pasted": staged.filename == PASTED,
        "is_under_way": progress is not None and not progress.is_over,
        "saving": saving,
    }
    if saving is not None and not saving.is_over:
        context |= {"version": requested_version(staged), "stamp": choices.stamp}
        return render(request, "organize/uploads/review_saving.html", context)
    if found is None:
        return render(request, "organize/uploads/review_waiting.html", context)
    return render(
        request, "organize/uploads/review.html", context | _found(request, contest, staged.token, choices, found)
    )


def _found(request: HttpRequest, contest: Contest, token: str, choices: Choices, found: Review) -> dict[str, object]:
    snapshot = preview_snapshot_of(contest.series)
    reading = unsent_of(request, reverse("organize:review-read", args=[contest.pk, token]))
    edited = edited_table(request, contest, token, choices, found)
    others = found.error_count - len(found.errors) + len(edited.others)
    kinds = _error_kinds(found.errors)
    return {
        **people_in(request, contest, token, found),
        "review": found,
        "edited": edited,
        "other_errors": Listed(edited.others[:PROBLEMS_SHOWN], others),
        "stamp": choices.stamp,
        "snapshot": snapshot,
        "table": table_of_review(found),
        "errors": Listed(found.errors[:PROBLEMS_SHOWN], found.error_count),
        "error_kinds": kinds,
        "suspect": _suspect(kinds, found),
        "errors_in_kinds": len(found.errors) if found.error_count > len(found.errors) else 0,
        "warnings": Listed(found.warnings[:PROBLEMS_SHOWN], found.warning_count),
        # A remark stands beside its row, and a problem with the whole file, such as a PDF, has none.
        "has_remarks": any(problem.row is not None for problem in (*found.errors, *found.warnings)),
        "reading": ReadingForm(reading, columns=found.columns)
        if found.columns.columns or found.columns.sheets
        else None,
        "has_known_players": Player.objects.filter(community_id=contest.series.community_id).exists(),
        "differences": [
            (str(FIELDS[name]), _in_words(draft), _in_words(file))
            for name, (draft, file) in description_differences(contest, found.description).items()
        ],
        "missing": _missing(found, actor(request)),
        "ratings_moved_on": found.preview is not None and found.preview.get("as_of") != as_of(snapshot),
        "contest_changed": contest.version != choices.version,
        "version": contest.version,
        "has_not_ended": is_in_future(contest.ends_at) and (found.games is None or not found.games.has_dates),
    }


def _missing(found: Review, user: User) -> list[tuple[Player, Missing]]:
    """Return the names and countries that the organizer can add to players who have none, with these players."""
    offered = [] if found.error_count else fillable(found.missing, user)
    players = Player.objects.in_bulk([one.player_id for one in offered]) if offered else {}
    return [(players[one.player_id], one) for one in offered if one.player_id in players]


def _in_words(value: object) -> str:
    if isinstance(value, datetime):
        return moment_in_words(value.astimezone(UTC))
    if isinstance(value, float):
        return f"{value:g}"
    return str(value or gettext("none"))
