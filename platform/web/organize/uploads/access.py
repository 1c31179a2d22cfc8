"""Access to the pages of a review, and redirects back to it."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext, ngettext

from contests.errors import ContestError
from contests.uploads.review_work import begin_review
from contests.uploads.save_work import saved_as
from contests.uploads.staging import PASTED, find_staged, is_token, write_choices
from contests.wording import grouped
from web.shared.access import organizer_page, own_contest

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.http import HttpRequest

    from contests.models import Contest
    from contests.uploads.staging import Choices, Staged

    ReviewView = Callable[[HttpRequest, Contest, Staged], HttpResponse]


def review_page(view: ReviewView) -> Callable[..., HttpResponse]:
    """Restrict a view to organizers of the draft's series; redirect to the draft if the file is gone."""

    @organizer_page
    @wraps(view)
    def checked(request: HttpRequest, pk: int, token: str) -> HttpResponse:
        contest = own_contest(request, pk)
        if not is_token(token):
            raise Http404
        if not contest.is_draft:
            messages.error(
                request,
                gettext("“%(name)s” is finalized. Correct its rows instead of uploading a file.")
                % {"name": contest.name},
            )
            return redirect("organize:contest", contest.pk)
        staged = find_staged(token)
        if staged is None and (saved := saved_as(token, contest)) is not None:
            messages.success(request, saved_in_words(contest, saved.filename))
            return redirect("organize:contest", contest.pk)
        if staged is None or staged.contest_id != contest.pk:
            messages.info(
                request,
                gettext(
                    "This file is no longer stored: someone saved or discarded it, or Podium deleted it after two "
                    "days. If it wasn’t saved, upload it again."
                ),
            )
            return redirect("organize:contest", contest.pk)
        try:
            return view(request, contest, staged)
        except ContestError as error:
            messages.error(request, str(error))
            return redirect("organize:review", contest.pk, staged.token)

    return checked


def saved_in_words(contest: Contest, filename: str) -> str:
    """Return the message that the rows or games of a file were saved as this draft."""
    if contest.is_event:
        number = contest.game_count
        text = ngettext(
            "Saved %(number)s game of %(file)s as a draft event.",
            "Saved %(number)s games of %(file)s as a draft event.",
            number,
        )
    else:
        number = contest.standing_count
        text = ngettext(
            "Saved %(number)s row of %(file)s as draft standings.",
            "Saved %(number)s rows of %(file)s as draft standings.",
            number,
        )
    file = gettext("the pasted table") if filename == PASTED else filename
    return text % {"number": grouped(number), "file": file}


def store_choices(contest: Contest, staged: Staged, choices: Choices, place: str = "") -> HttpResponse:
    """Store the choices, start the review again, and redirect to it."""
    write_choices(staged, choices)
    begin_review(staged)
    return to_review(contest, staged, place)


def to_review(contest: Contest, staged: Staged, place: str = "") -> HttpResponse:
    """Redirect to the review, or to a place on its page."""
    address = redirect("organize:review", contest.pk, staged.token)
    address["Location"] += place
    return address
