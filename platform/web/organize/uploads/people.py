"""The form that matches the new handles of a file with players, and the question before saving."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_POST

from contests.matching.players import PlayerCandidate
from contests.uploads.review import ASKED, DecisionInput, UnmatchedRow, all_new, decide, offered_players, review_of
from contests.uploads.review_work import current_review
from contests.uploads.staging import read_choices
from contests.whole_numbers import number_or_zero
from web.organize.uploads.access import review_page, store_choices, to_review
from web.organize.uploads.forms import choices_of_people
from web.shared.access import actor
from web.shared.unsent import unsent_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from django.http import HttpRequest, HttpResponse

    from contests.models import Contest
    from contests.uploads.review import Review
    from contests.uploads.staging import Choices, Staged

#: New handles on a page of the form.
PEOPLE_PER_PAGE = 25
#: The session's key of rejected choices, and how many are kept until the form is shown again.
_REJECTED, _MOST_REJECTED = "rejected_choices", 50


@dataclass(frozen=True, slots=True)
class PersonRow(UnmatchedRow):
    """A row of the form; `problem` says why the choice shown was rejected."""

    problem: str = ""


@require_POST
@review_page
def decide_people(request: HttpRequest, contest: Contest, staged: Staged) -> HttpResponse:
    """Store the choices of players for the new handles."""
    choices = read_choices(staged)
    if "all_new" in request.POST:
        review = review_of(staged, choices)
        return store_choices(contest, staged, all_new(choices, review.unmatched if review else ()))
    decided, problems = decided_in(request, contest, staged, choices)
    report_rejected(request, staged, problems)
    page = number_or_zero(request.POST.get("page", ""))
    # Errors are at the top of the page, so the browser should not scroll past them.
    anchor = "" if problems else "#people"
    return store_choices(contest, staged, decided, f"?people={page}{anchor}" if page else anchor)


def decided_in(
    request: HttpRequest, contest: Contest, staged: Staged, choices: Choices
) -> tuple[Choices, dict[str, str]]:
    """Return the choices with those of the submitted form, and the problems of rejected ones by handle."""
    return decide(
        choices, choices_of_people(request.POST), community=contest.series.community_id,
        offered=offered_players(staged), actor=actor(request),
    )  # fmt: skip


def report_rejected(request: HttpRequest, staged: Staged, problems: Mapping[str, str]) -> None:
    """Show why choices of the submitted form were rejected, and keep these choices for the next page."""
    for problem in problems.values():
        messages.error(request, problem)
    if problems:
        said = [[asdict(each), problems[each.handle]] for each in choices_of_people(request.POST)
                if each.handle in problems]  # fmt: skip
        request.session[_REJECTED] = {"token": staged.token, "choices": said[:_MOST_REJECTED]}


def people_in(request: HttpRequest, contest: Contest, token: str, found: Review) -> dict[str, Any]:
    """
    Return a page of the form's rows with what was typed but not stored: before a session expired, or with an error.

    `people` is the page; `has_likely` says whether the form selects a player for any undecided row; `someone_else` is
    a rejected choice for a handle that the form doesn't list.
    """
    people = Paginator(found.unmatched, PEOPLE_PER_PAGE).get_page(request.GET.get("people"))
    typed = unsent_of(request, reverse("organize:review-decide-people", args=[contest.pk, token]))
    unsent = [] if typed is None else [(each, "") for each in choices_of_people(typed)]
    rejected = _pop_rejected(request, token)
    kept = {each.handle: (each, problem) for each, problem in (*unsent, *rejected)}
    people.object_list = [
        _as_typed(person, *kept[person.handle]) if person.handle in kept else person for person in people.object_list
    ]
    listed = {person.handle for person in found.unmatched}
    others = (each for each, _ in rejected if each.handle not in listed)
    has_likely = any(person.likely_id and not person.is_decided for person in found.unmatched)
    return {"people": people, "has_likely": has_likely, "someone_else": next(others, None)}


def _pop_rejected(request: HttpRequest, token: str) -> list[tuple[DecisionInput, str]]:
    """Return the choices that were rejected just now, with the reasons; the next request gets none."""
    if request.session.get(_REJECTED, {}).get("token") != token:
        return []
    return [(DecisionInput(**said), problem) for said, problem in request.session.pop(_REJECTED)["choices"]]


def _as_typed(person: UnmatchedRow, choice: DecisionInput, problem: str) -> PersonRow:
    """Return the person with a choice that is not applied yet."""
    meant = PlayerCandidate(0, choice.typed) if choice.who == "typed" else None
    if choice.who == "player":
        meant = next((known for known in person.suggestions if known.player_id == choice.player_id), None)
    row = PersonRow(**{name: getattr(person, name) for name in UnmatchedRow.__slots__}, problem=problem)
    return replace(row, meant=meant, is_decided=choice.who == "new" or meant is not None, is_alias=choice.is_alias)


def asked_about(found: Review | None) -> list[UnmatchedRow]:
    """Return the undecided handles of a review that resemble known players."""
    return [row for row in found.unmatched if row.suggestions and not row.is_decided] if found is not None else []


@review_page
def ask_who(request: HttpRequest, contest: Contest, staged: Staged) -> HttpResponse:
    """Ask once, before saving, whether handles that resemble known players belong to them."""
    choices = read_choices(staged)
    found = current_review(staged, choices)
    people = asked_about(found)
    if not people or (found is not None and found.error_count):
        return to_review(contest, staged)
    context = {
        "contest": contest, "series": contest.series, "staged": staged, "people": people[:ASKED],
        "more": max(0, len(people) - ASKED), "version": contest.version, "stamp": choices.stamp,
    }  # fmt: skip
    return render(request, "organize/uploads/review_ask_who.html", context)
