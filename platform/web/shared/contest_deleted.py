"""The page in place of a deleted contest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.http import Http404
from django.shortcuts import render

from contests.models import Contest, ContestState
from contests.queries.visibility import visible_contest
from ratings.models import RatingChange

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse


def contest_or_page(request: HttpRequest, pk: int) -> Contest | HttpResponse:
    """Return the contest, or the page in place of a deleted one; Http404 for one that the visitor may not see."""
    try:
        contest = visible_contest(pk, request.user)
    except (Contest.DoesNotExist, OverflowError) as error:
        raise Http404(f"There is no contest {pk}.") from error
    return deleted_page(request, contest) if contest.state == ContestState.DELETED else contest


def deleted_page(request: HttpRequest, contest: Contest) -> HttpResponse:
    """
    Say that a contest is gone, and whether the published ratings still include it.

    They do until the next run, and after a roll-back to a run that rated the contest.
    """
    still_counts = RatingChange.objects.current().filter(contest=contest).exists()
    context = {"contest": contest, "still_counts": still_counts}
    return render(request, "shared/contest_deleted.html", context, status=410)
