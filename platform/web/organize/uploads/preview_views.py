"""The review of a standings file: how it was read, what is wrong, who is who, and what it would do to ratings."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from django.core.paginator import Paginator
from django.shortcuts import render
from django.urls import reverse

from contests.queries.amendments import WORDS
from contests.uploads.review import Known
from contests.uploads.review_progress import progress_of
from contests.uploads.reviewing import description_differences, review_of
from contests.uploads.staging import read_choices
from ratings.queries.snapshot import as_it_will_be
from web.organize.uploads.effects import as_of
from web.organize.uploads.forms import ReadingForm, choices_of_people
from web.organize.uploads.review_views import PEOPLE_PER_PAGE, review_page
from web.organize.uploads.views import PASTED
from web.shared.projected_rows import table_of_review
from web.shared.unsent import unsent_of

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse, QueryDict

    from contests.formats import Problem
    from contests.models import Contest
    from contests.uploads.review import Person, Review
    from contests.uploads.staging import Choices, Staged

#: So many problems of each kind are listed; all are counted, and the file with remarks has up to a thousand.
PROBLEMS_SHOWN = 200


@dataclass(frozen=True, slots=True)
class Listed:
    """The first problems of a kind, and how many there are in all."""

    problems: list[Problem]
    count: int

    @property
    def left_out(self) -> int:
        return self.count - len(self.problems)


@review_page
def review(request: HttpRequest, contest: Contest, staged: Staged) -> HttpResponse:
    """Show what is known of a staged file, or how far its review is."""
    choices = read_choices(staged)
    found, progress = review_of(staged, choices), progress_of(staged, choices)
    context = {
        "contest": contest,
        "series": contest.series,
        "staged": staged,
        "progress": progress,
        "is_pasted": staged.filename == PASTED,
        "is_under_way": progress is not None and not progress.is_over,
    }
    if found is None:
        return render(request, "organize/uploads/review_waiting.html", context)
    return render(
        request, "organize/uploads/review.html", context | _found(request, contest, staged.token, choices, found)
    )


def _found(request: HttpRequest, contest: Contest, token: str, choices: Choices, found: Review) -> dict[str, object]:
    snapshot = as_it_will_be(contest.series)
    people = Paginator(found.people, PEOPLE_PER_PAGE).get_page(request.GET.get("people"))
    address = [contest.pk, token]
    typed = unsent_of(request, reverse("organize:review-people", args=address))
    if typed is not None:
        people.object_list = [_as_typed(person, typed) for person in people.object_list]
    reading = unsent_of(request, reverse("organize:review-read", args=address))
    return {
        "review": found,
        "snapshot": snapshot,
        "table": table_of_review(found),
        "errors": Listed(found.errors[:PROBLEMS_SHOWN], found.error_count),
        "warnings": Listed(found.warnings[:PROBLEMS_SHOWN], found.warning_count),
        "reading": ReadingForm(reading, columns=found.columns)
        if found.columns.columns or found.columns.sheets
        else None,
        "people": people,
        "differences": [
            (WORDS[name].removeprefix("the "), _in_words(draft), _in_words(file))
            for name, (draft, file) in description_differences(contest, found.said).items()
        ],
        "ratings_moved_on": found.effects is not None and found.effects.get("as_of") != as_of(snapshot),
        "contest_changed": contest.version != choices.version,
        "version": contest.version,
    }


def _as_typed(person: Person, typed: QueryDict) -> Person:
    """Return the person with what was chosen before the session expired; it is not applied yet."""
    for choice in choices_of_people(typed):
        if choice.handle != person.handle:
            continue
        meant = Known(0, choice.typed) if choice.who == "typed" and choice.typed else None
        if choice.who == "player":
            meant = next((known for known in person.suggestions if known.player_id == choice.player_id), None)
        return replace(person, meant=meant, is_decided=choice.who == "new" or meant is not None,
                       is_alias=choice.is_alias)  # fmt: skip
    return person


def _in_words(value: object) -> str:
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M} UTC"
    if isinstance(value, float):
        return f"{value:g}"
    return str(value or "none")
