"""From a file to a draft's standings: receive, report every problem, keep, save, discard."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings
from django.contrib import messages
from django.core.exceptions import RequestDataTooBig
from django.core.files.base import ContentFile
from django.core.files.uploadhandler import FileUploadHandler, StopUpload
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_POST

from contests.errors import ContestError
from contests.formats import ParseError
from contests.forms import UploadForm
from contests.models import Contest
from contests.services.drafting import save_standings
from contests.services.uploading import discard_upload, keep_upload, read_one_contest, read_upload
from contests.views.organize_access import actor, organizer_page, own_contest, own_upload, primary_key

if TYPE_CHECKING:
    from typing import Any

    from django.core.files.base import File
    from django.http import HttpRequest, HttpResponse

    from contests.formats import Report

#: Beyond this, what is still to come of a refused file is not even read to say so; the connection is closed.
_DRAINED_BYTES = 2**30
_DRAINED_AT_ONCE = 2**16
#: What a multipart request adds to its file.
_ENVELOPE_BYTES = 2**16


class SizeLimit(FileUploadHandler):
    """Refuses a file that is too large before any of it is stored; `refused` tells the view."""

    def __init__(self, request: HttpRequest) -> None:
        super().__init__(request)
        self.refused = False
        self.length = 0

    def handle_raw_input(
        self, input_data: Any, META: dict[str, Any], content_length: int, boundary: str, encoding: str | None = None
    ) -> None:
        self.length = content_length

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        super().new_file(*args, **kwargs)
        if self.length > settings.PODIUM_UPLOAD_LIMIT + _ENVELOPE_BYTES:
            self.refused = True
            # Left to itself, Django would read on line by line, and a file may be a single line.
            raise StopUpload(connection_reset=True)

    def drain(self, request: HttpRequest) -> None:
        """Read what is still to come, or browsers report a broken connection in place of the answer."""
        left = min(self.length, _DRAINED_BYTES)
        while left > 0 and request.read(_DRAINED_AT_ONCE):
            left -= _DRAINED_AT_ONCE

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes:
        return raw_data

    def file_complete(self, file_size: int) -> None:
        return None


@csrf_exempt  # the check is in `_receive`: an upload handler must be in place before anything reads the form
@organizer_page
def upload(request: HttpRequest, pk: int) -> HttpResponse:
    """Take a standings file for a draft."""
    contest = own_contest(request, pk)
    if not contest.is_draft:
        messages.error(request, f"“{contest.name}” is finalized; correct its rows one by one.")
        return redirect("organize:contest", contest.pk)
    limit = SizeLimit(request)
    request.upload_handlers.insert(0, limit)
    try:
        return _receive(request, contest, limit)
    except RequestDataTooBig:
        text = f"The pasted table is larger than {settings.DATA_UPLOAD_MAX_MEMORY_SIZE // 2**20} MB; send it as a file."
        return _page(request, contest, UploadForm(), status=413, refusal=text)


@csrf_protect
def _receive(request: HttpRequest, contest: Contest, limit: SizeLimit) -> HttpResponse:
    if request.method != "POST":
        return _page(request, contest, UploadForm())
    form = UploadForm(request.POST, request.FILES)
    if limit.refused:
        limit.drain(request)
        return _page(request, contest, UploadForm(), status=413, refusal=_too_large(limit.length))
    if not form.is_valid():
        return _page(request, contest, form, status=422)
    content, filename = _content(form)
    try:
        _, report = read_one_contest(content, filename=filename)
    except ParseError as error:
        _by_line(error.report)
        return _page(request, contest, form, status=422, report=error.report, filename=filename)
    kept = keep_upload(contest.series_id, content=content, filename=filename, report=report, actor=actor(request))
    return redirect(f"{reverse('organize:preview', args=[kept.pk])}?contest={contest.pk}")


@require_POST
@organizer_page
def save(request: HttpRequest, pk: int) -> HttpResponse:
    """Give the draft the standings of a kept file; a second time changes nothing."""
    kept = own_upload(request, pk)
    contest = _contest_of(request, kept.series_id)
    try:
        parsed, _ = read_upload(kept)
        save_standings(contest.pk, parsed=parsed, upload=kept, actor=actor(request))
    except (ContestError, ParseError) as error:
        messages.error(request, str(error))
        return redirect("organize:contest", contest.pk)
    messages.success(request, f"Saved {len(parsed.standings):,} rows of {kept.filename} as draft standings.")
    return redirect("organize:contest", contest.pk)


@require_POST
@organizer_page
def discard(request: HttpRequest, pk: int) -> HttpResponse:
    """Forget a kept file that nothing was made from."""
    kept = own_upload(request, pk)
    contest = _contest_of(request, kept.series_id)
    discard_upload(kept.pk)
    messages.success(request, f"Discarded {kept.filename}; the contest is as it was.")
    return redirect("organize:contest", contest.pk)


def _contest_of(request: HttpRequest, series_id: int) -> Contest:
    """Return the contest that a form names, which must be of the file's series."""
    pk = primary_key(request.POST.get("contest", ""))
    return get_object_or_404(Contest.objects.existing(), pk=pk, series_id=series_id)


def _content(form: UploadForm) -> tuple[File[bytes], str]:
    file = form.cleaned_data["file"]
    if file:
        return file, file.name
    return ContentFile(form.cleaned_data["text"].encode("utf-8", "surrogatepass")), "pasted table"


def _by_line(report: Report) -> None:
    """Put problems in the order of the file, in which they are mended; first what is about all of it."""
    for problems in (report.errors, report.warnings):
        problems.sort(key=lambda problem: problem.row or 0)


def _too_large(size: int) -> str:
    allowed = settings.PODIUM_UPLOAD_LIMIT // 2**20
    return (
        f"The file has {size / 2**20:,.0f} MB and at most {allowed} MB are taken. "
        "Compress it with gzip, leave out columns that are not needed, or have it read by the command import_contests."
    )


def _page(
    request: HttpRequest, contest: Contest, form: UploadForm, *, status: int = 200, **context: object
) -> HttpResponse:
    context |= {"contest": contest, "series": contest.series, "form": form}
    context["limit_mb"] = settings.PODIUM_UPLOAD_LIMIT // 2**20
    return render(request, "organize/upload.html", context, status=status)
