"""A standings file on its way in: received within its limits, and put where its review finds it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings
from django.contrib import messages
from django.core.exceptions import RequestDataTooBig
from django.core.files.base import ContentFile
from django.core.files.uploadhandler import FileUploadHandler, StopUpload
from django.shortcuts import redirect, render
from django.views.decorators.csrf import csrf_exempt, csrf_protect

from contests.formats import example_files
from contests.uploads.review_progress import begin_review
from contests.uploads.staging import find_staged, open_content, stage
from web.organize.uploads.forms import UploadForm
from web.shared.access import actor, organizer_page, own_contest

if TYPE_CHECKING:
    from typing import Any

    from django.core.files.base import File
    from django.http import HttpRequest, HttpResponse

    from contests.models import Contest

#: Beyond this, what is still to come of a refused file is not even read to say so; the connection is closed.
_DRAINED_BYTES = 2**30
_DRAINED_AT_ONCE = 2**16
#: What a pasted table is called in place of a file name.
PASTED = "pasted table"
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
        return _page(
            request, contest, UploadForm(initial={"text": request.POST.get("text") or _pasted_before(request, contest)})
        )
    form = UploadForm(request.POST, request.FILES)
    if limit.refused:
        limit.drain(request)
        return _page(request, contest, UploadForm(), status=413, refusal=_too_large(limit.length))
    if not form.is_valid():
        return _page(request, contest, form, status=422)
    content, filename = _content(form)
    staged = stage(content, filename=filename, contest=contest, actor=actor(request))
    begin_review(staged)
    return redirect("organize:review", contest.pk, staged.token)


def _content(form: UploadForm) -> tuple[File[bytes], str]:
    file = form.cleaned_data["file"]
    if file:
        return file, file.name
    return ContentFile(form.cleaned_data["text"].encode("utf-8", "surrogatepass")), PASTED


def _pasted_before(request: HttpRequest, contest: Contest) -> str:
    """Return the table that was pasted and is to be changed, if the address names one."""
    staged = find_staged(request.GET.get("mend", ""))
    if staged is None or staged.contest_id != contest.pk or staged.filename != PASTED:
        return ""
    with open_content(staged) as content:
        return content.read(settings.DATA_UPLOAD_MAX_MEMORY_SIZE).decode("utf-8", "replace")


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
    context["examples"] = example_files()
    context["limit_mb"] = settings.PODIUM_UPLOAD_LIMIT // 2**20
    return render(request, "organize/uploads/upload.html", context, status=status)
