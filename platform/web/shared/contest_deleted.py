"""The page in place of a deleted contest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.shortcuts import render

from ratings.models import RatingChange

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

    from contests.models import Contest


def deleted_page(request: HttpRequest, contest: Contest) -> HttpResponse:
    """
    Say that a contest is gone, and whether the published ratings still count it.

    They do until the next run, and after a roll-back to a run that rated the contest.
    """
    still_counts = RatingChange.objects.current().filter(contest=contest).exists()
    context = {"contest": contest, "still_counts": still_counts}
    return render(request, "shared/contest_deleted.html", context, status=410)
