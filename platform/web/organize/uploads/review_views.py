"""Actions on a file under review: change how it is read, choose players, save it, discard it."""

from __future__ import annotations

from dataclasses import replace
from functools import wraps
from typing import TYPE_CHECKING

from django.contrib import messages
from django.http import Http404, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_POST

from contests.errors import ChangedMeanwhile, ContestError
from contests.formats import ParseError, annotated
from contests.uploads.decisions import all_new, decide
from contests.uploads.reading import options_in_use
from contests.uploads.review_progress import Progress, ask_worker, begin_review, progress_of
from contests.uploads.reviewing import description_differences, offered_players, review_of, review_staged
from contests.uploads.saving import apply_file_description, save_staged
from contests.uploads.staging import discard_staged, find_staged, is_token, open_content, read_choices, write_choices
from web.organize.uploads.forms import ReadingForm, choices_of_people
from web.shared.access import actor, organizer_page, own_contest, primary_key

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.http import HttpRequest

    from contests.models import Contest
    from contests.uploads.staging import Choices, Staged

    ReviewView = Callable[[HttpRequest, Contest, Staged], HttpResponse]

#: A form of the people of a file names up to this many of them on a page.
PEOPLE_PER_PAGE = 25


def review_page(view: ReviewView) -> Callable[..., HttpResponse]:
    """Let only organizers of the draft's series at a staged file; one that is gone leads back to the draft."""

    @organizer_page
    @wraps(view)
    def checked(request: HttpRequest, pk: int, token: str) -> HttpResponse:
        contest = own_contest(request, pk)
        if not is_token(token):
            raise Http404
        if not contest.is_draft:
            messages.error(request, f"“{contest.name}” is finalized; correct its rows one by one.")
            return redirect("organize:contest", contest.pk)
        staged = find_staged(token)
        if staged is None or staged.contest_id != contest.pk:
            messages.info(request, "That file is no longer kept: it was saved, discarded, or deleted after two days.")
            return redirect("organize:contest", contest.pk)
        try:
            return view(request, contest, staged)
        except ContestError as error:
            messages.error(request, str(error))
            return redirect("organize:review", contest.pk, staged.token)

    return checked


@require_POST
@review_page
def read(request: HttpRequest, contest: Contest, staged: Staged) -> HttpResponse:
    """Read the staged file again, as the form says; what was decided of people stays."""
    choices = read_choices(staged)
    review = review_of(staged, choices)
    if review is None:
        return _to_review(contest, staged)
    form = ReadingForm(request.POST, columns=review.columns)
    if not form.is_valid():
        for name, errors in form.errors.items():
            messages.error(request, f"{form.fields[name].label or name}: {' '.join(map(str, errors))}")
        return _to_review(contest, staged)
    return _chosen(contest, staged, replace(choices, options=form.options()))


@require_POST
@review_page
def decide_people(request: HttpRequest, contest: Contest, staged: Staged) -> HttpResponse:
    """Keep the decisions on the people of the file."""
    choices = read_choices(staged)
    if "all_new" in request.POST:
        review = review_of(staged, choices)
        return _chosen(contest, staged, all_new(choices, review.people if review else ()))
    said = choices_of_people(request.POST)
    decided, problems = decide(choices, said, offered=offered_players(staged), actor=actor(request))
    for problem in problems:
        messages.error(request, problem)
    page = primary_key(request.POST.get("page", ""))
    return _chosen(contest, staged, decided, f"?people={page}#people" if page else "#people")


@require_POST
@review_page
def apply_description(request: HttpRequest, contest: Contest, staged: Staged) -> HttpResponse:
    """Describe the draft as the file does."""
    choices = read_choices(staged)
    review = review_of(staged, choices)
    if review is None:
        return _to_review(contest, staged)
    said = {name: value for name, (_, value) in description_differences(contest, review.said).items()}
    described = apply_file_description(contest, said, version=choices.version, actor=actor(request))
    messages.success(request, f"“{described.name}” is described as the file says.")
    return _chosen(described, staged, replace(choices, version=described.version))


@require_POST
@review_page
def read_now(request: HttpRequest, contest: Contest, staged: Staged) -> HttpResponse:
    """Review the file within this request, because no worker does; or ask one for what was left out."""
    if "ratings" in request.POST:
        ask_worker(staged)
    else:
        review_staged(staged)
    return _to_review(contest, staged)


@require_POST
@review_page
def save(request: HttpRequest, contest: Contest, staged: Staged) -> HttpResponse:
    """Give the draft the standings of the file; a second time changes nothing."""
    choices = read_choices(staged)
    version = primary_key(request.POST.get("version", ""))
    try:
        saved = save_staged(staged, choices=choices, version=version, actor=actor(request))
    except ParseError as error:
        messages.error(request, f"Nothing was saved: {error.problems[0]}")
        return _to_review(contest, staged)
    except ChangedMeanwhile:
        if find_staged(staged.token) is None:  # the button was pressed twice, and the first time did it
            return redirect("organize:contest", contest.pk)
        raise
    messages.success(request, f"Saved {saved.standing_count:,} rows of {staged.filename} as draft standings.")
    return redirect("organize:contest", contest.pk)


@require_POST
@review_page
def discard(request: HttpRequest, contest: Contest, staged: Staged) -> HttpResponse:
    """Forget a staged file."""
    discard_staged(staged.token)
    messages.success(request, f"Discarded {staged.filename}; the contest is as it was.")
    return redirect("organize:contest", contest.pk)


@review_page
def remarks(request: HttpRequest, contest: Contest, staged: Staged) -> HttpResponse:
    """Give the file back with a column of remarks."""
    choices = read_choices(staged)
    review = review_of(staged, choices)
    if review is None:
        return _to_review(contest, staged)
    options = options_in_use(staged, choices)
    try:
        with open_content(staged) as content:
            body, filename = annotated(
                content.read(), filename=staged.filename, report=review.report(), options=options
            )
    except ParseError as error:
        messages.error(request, f"Remarks cannot be written into this file: {error.problems[0]}")
        return _to_review(contest, staged)
    answer = HttpResponse(body, content_type="application/octet-stream")
    answer["Content-Disposition"] = content_disposition_header(as_attachment=True, filename=filename)
    return answer


@review_page
def progress_json(request: HttpRequest, contest: Contest, staged: Staged) -> HttpResponse:
    """Say how far the review is, for the page to ask again and again."""
    now = progress_of(staged, read_choices(staged)) or Progress("", "done")
    return JsonResponse(now.to_dict())


def _chosen(contest: Contest, staged: Staged, choices: Choices, place: str = "") -> HttpResponse:
    """Keep the choices, look at the file by them, and show what comes of it."""
    write_choices(staged, choices)
    begin_review(staged)
    return _to_review(contest, staged, place)


def _to_review(contest: Contest, staged: Staged, place: str = "") -> HttpResponse:
    address = redirect("organize:review", contest.pk, staged.token)
    address["Location"] += place
    return address
