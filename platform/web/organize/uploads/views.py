"""The upload of a standings file, and what an organizer does with it: read it again, save it or discard it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from django.conf import settings
from django.contrib import messages
from django.core.exceptions import RequestDataTooBig
from django.core.files.base import ContentFile
from django.http import HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils.http import content_disposition_header
from django.utils.translation import gettext, ngettext
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_POST

from contests.errors import ChangedMeanwhile, ContestError
from contests.formats import ParseError, annotated, example_files
from contests.handles import handle_key
from contests.uploads.correcting import undo
from contests.uploads.filling import fill_in
from contests.uploads.reading import options_in_use
from contests.uploads.review import review_of
from contests.uploads.review_work import Progress, ask_worker, begin_review, current_review, progress_of
from contests.uploads.reviewing import description_differences, review_staged
from contests.uploads.save_work import ask_to_save, saving_of, takes_long
from contests.uploads.saving import apply_file_description, save_staged
from contests.uploads.staging import (
    PASTED,
    discard_staged,
    find_staged,
    open_content,
    read_choices,
    stage,
    write_choices,
)
from contests.whole_numbers import number_or_zero
from contests.wording import grouped
from web.organize.uploads.access import review_page, saved_in_words, store_choices, to_review
from web.organize.uploads.forms import ReadingForm, UploadForm, handles_asked
from web.organize.uploads.people import asked_about, decided_in
from web.organize.uploads.size_limit import SizeLimit
from web.shared.access import actor, organizer_page, own_contest
from web.shared.open_reviews import open_reviews

if TYPE_CHECKING:
    from django.core.files.base import File
    from django.http import HttpRequest

    from contests.models import Contest
    from contests.uploads.staging import Choices, Staged


@csrf_exempt  # the check is in `_receive`: an upload handler must be in place before anything reads the form
@organizer_page
def upload(request: HttpRequest, pk: int) -> HttpResponse:
    """Receive a standings file for a draft."""
    contest = own_contest(request, pk)
    if not contest.is_draft:
        messages.error(
            request,
            gettext("“%(name)s” is finalized. Correct its rows instead of uploading a file.") % {"name": contest.name},
        )
        return redirect("organize:contest", contest.pk)
    limit = SizeLimit(request)
    request.upload_handlers.insert(0, limit)
    try:
        return _receive(request, contest, limit)
    except RequestDataTooBig:
        limit_mb = settings.DATA_UPLOAD_MAX_MEMORY_SIZE // 2**20
        text = gettext("The pasted table is larger than %(limit)s MB. Upload it as a file instead.")
        text %= {"limit": limit_mb}
        return _page(request, contest, UploadForm(), status=413, refusal=text)


@csrf_protect
def _receive(request: HttpRequest, contest: Contest, limit: SizeLimit) -> HttpResponse:
    if request.method != "POST":
        return _page(
            request, contest, UploadForm(initial={"text": request.POST.get("text") or _pasted_before(request, contest)})
        )
    form = UploadForm(request.POST, request.FILES)
    if limit.refused:
        return _page(request, contest, UploadForm(), status=413, refusal=_too_large(limit.length))
    if not form.is_valid():
        return _page(request, contest, form, status=422)
    content, filename = _content(form)
    try:
        staged = stage(content, filename=filename, contest=contest, actor=actor(request))
    except ContestError as error:
        form.add_error(None, str(error))
        return _page(request, contest, form, status=409)
    begin_review(staged)
    return redirect("organize:review", contest.pk, staged.token)


def _content(form: UploadForm) -> tuple[File[bytes], str]:
    file = form.cleaned_data["file"]
    if file:
        return file, file.name
    return ContentFile(form.cleaned_data["text"].encode("utf-8", "surrogatepass")), PASTED


def _pasted_before(request: HttpRequest, contest: Contest) -> str:
    """Return the pasted table that the address names for editing, if there is one."""
    staged = find_staged(request.GET.get("edit", ""))
    if staged is None or staged.contest_id != contest.pk or staged.filename != PASTED:
        return ""
    with open_content(staged) as content:
        return content.read(settings.DATA_UPLOAD_MAX_MEMORY_SIZE).decode("utf-8", "replace")


def _too_large(size: int) -> str:
    allowed = settings.PODIUM_UPLOAD_LIMIT // 2**20
    return gettext(
        "The file is %(size)s MB, but the limit is %(allowed)s MB. Compress it with gzip, remove columns that are not "
        "needed, or ask the site administrators to import it with the command import_contests."
    ) % {"size": grouped(round(size / 2**20)), "allowed": allowed}


def _page(
    request: HttpRequest, contest: Contest, form: UploadForm, *, status: int = 200, **context: object
) -> HttpResponse:
    context |= {"contest": contest, "series": contest.series, "form": form, **open_reviews(contest)}
    context["examples"] = example_files()
    context["limit_mb"] = settings.PODIUM_UPLOAD_LIMIT // 2**20
    return render(request, "organize/uploads/upload.html", context, status=status)


@require_POST
@review_page
def read(request: HttpRequest, contest: Contest, staged: Staged) -> HttpResponse:
    """Read the staged file again with the options of the form; choices of players stay."""
    choices = read_choices(staged)
    review = review_of(staged, choices)
    if review is None:
        return to_review(contest, staged)
    form = ReadingForm(request.POST, columns=review.columns)
    if not form.is_valid():
        for name, errors in form.errors.items():
            messages.error(request, f"{form.fields[name].label or name}: {' '.join(map(str, errors))}")
        return to_review(contest, staged)
    options = form.options()
    if choices.corrections and options.sheet != review.columns.sheet:
        messages.info(
            request,
            gettext("Podium undid your corrections: they were for the sheet “%(sheet)s”.")
            % {"sheet": review.columns.sheet},
        )
        choices = undo(choices)
    return store_choices(contest, staged, replace(choices, options=options))


@require_POST
@review_page
def apply_description(request: HttpRequest, contest: Contest, staged: Staged) -> HttpResponse:
    """Copy the description of the contest from the file to the draft."""
    choices = read_choices(staged)
    review = review_of(staged, choices)
    if review is None:
        return to_review(contest, staged)
    said = {name: value for name, (_, value) in description_differences(contest, review.description).items()}
    described = apply_file_description(contest, said, version=choices.version, actor=actor(request))
    messages.success(request, gettext("“%(name)s” now has the values of the file.") % {"name": described.name})
    return store_choices(described, staged, replace(choices, version=described.version))


@require_POST
@review_page
def add_missing(request: HttpRequest, contest: Contest, staged: Staged) -> HttpResponse:
    """Add names and countries of the file to known players who have none."""
    choices = read_choices(staged)
    review = review_of(staged, choices)
    if review is None or not contest.series.is_public:
        return to_review(contest, staged)
    number = fill_in(review.missing, contest.series.community_id, actor(request))
    text = ngettext(
        "Added the name or country of %(number)s player.",
        "Added the names or countries of %(number)s players.",
        number,
    )
    messages.success(request, text % {"number": grouped(number)})
    return store_choices(contest, staged, choices)


@require_POST
@review_page
def read_now(request: HttpRequest, contest: Contest, staged: Staged) -> HttpResponse:
    """Review the file in this request, because no worker responds, or ask a worker for the projected ratings."""
    if "ratings" in request.POST:
        ask_worker(staged)
    else:
        review_staged(staged)
    return to_review(contest, staged)


@require_POST
@review_page
def save(request: HttpRequest, contest: Contest, staged: Staged) -> HttpResponse:
    """
    Save the standings of the file in the draft, after asking once about similar names. Saving again does nothing.

    A worker saves a large file, unless the form says that none responds.
    """
    choices, is_here = read_choices(staged), "now" in request.POST
    version = number_or_zero(request.POST.get("version", ""))
    saving = saving_of(staged, choices)
    if saving is not None and saving.is_under_way:
        return to_review(contest, staged)
    if request.POST.get("stamp", choices.stamp) != choices.stamp:
        raise ContestError(
            gettext("The review has changed since you opened it. Nothing was saved. Check it, then save again.")
        )
    if "asked" in request.POST:
        choices, is_decided = _decided(request, contest, staged, choices)
    else:
        is_decided = is_here or not asked_about(current_review(staged, choices))
    if not is_decided:
        return redirect("organize:review-ask-who", contest.pk, staged.token)
    if not is_here and takes_long(staged):
        ask_to_save(staged, choices=choices, version=version, actor=actor(request))
        return to_review(contest, staged)
    return _save_now(request, contest, staged, choices, version)


def _decided(request: HttpRequest, contest: Contest, staged: Staged, choices: Choices) -> tuple[Choices, bool]:
    """Store the choices of players in the form; return them, and whether there is one for every handle in the form."""
    choices, problems = decided_in(request, contest, staged, choices)
    if problems:
        text = gettext("Nothing was saved. %(problems)s")
        raise ContestError(text % {"problems": " ".join(problems.values())})
    if any(handle_key(handle) not in choices.decisions for handle in handles_asked(request.POST)):
        messages.error(request, gettext("Nothing has been saved yet. Choose the right player for each handle."))
        return choices, False
    return write_choices(staged, choices), True


def _save_now(request: HttpRequest, contest: Contest, staged: Staged, choices: Choices, version: int) -> HttpResponse:
    """Save the standings in this request."""
    try:
        saved = save_staged(staged, choices=choices, version=version, actor=actor(request))
    except (ParseError, ContestError) as error:
        if isinstance(error, ChangedMeanwhile) and find_staged(staged.token) is None:
            # The button was pressed twice, and the first request has saved the file.
            return redirect("organize:contest", contest.pk)
        if "asked" in request.POST:
            begin_review(staged)  # with the choices just stored
        if isinstance(error, ContestError):
            raise
        messages.error(request, gettext("Nothing was saved: %(problems)s") % {"problems": error.problems[0]})
        return to_review(contest, staged)
    messages.success(request, saved_in_words(saved, staged.filename))
    return redirect("organize:contest", contest.pk)


@require_POST
@review_page
def discard(request: HttpRequest, contest: Contest, staged: Staged) -> HttpResponse:
    """Discard a staged file."""
    if not discard_staged(staged.token):
        return to_review(contest, staged)  # which says whether someone saved or discarded it
    messages.success(
        request, gettext("Discarded %(filename)s. The contest is unchanged.") % {"filename": staged.filename}
    )
    return redirect("organize:contest", contest.pk)


@review_page
def remarks(request: HttpRequest, contest: Contest, staged: Staged) -> HttpResponse:
    """Return the file with a column of remarks."""
    choices = read_choices(staged)
    review = review_of(staged, choices)
    if review is None:
        return to_review(contest, staged)
    options = options_in_use(staged, choices)
    try:
        with open_content(staged) as content:
            body, filename = annotated(
                content.read(), filename=staged.filename, report=review.report(), options=options
            )
    except ParseError as error:
        messages.error(
            request,
            gettext("Podium cannot write remarks into this file: %(problems)s") % {"problems": error.problems[0]},
        )
        return to_review(contest, staged)
    answer = HttpResponse(body, content_type="application/octet-stream")
    answer["Content-Disposition"] = content_disposition_header(as_attachment=True, filename=filename)
    return answer


@review_page
def progress_json(request: HttpRequest, contest: Contest, staged: Staged) -> HttpResponse:
    """Return the progress of the review, or of saving the file, as JSON, which the page polls."""
    choices = read_choices(staged)
    found = saving_of(staged, choices) if "saving" in request.GET else progress_of(staged, choices)
    return JsonResponse((found or Progress("", "done")).to_dict())
