"""What a file would do to a draft and to ratings, before anything of it is saved."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib import messages
from django.http import Http404
from django.shortcuts import redirect, render

from contests.errors import ContestError
from contests.formats import ParseError
from contests.services.uploading import read_upload
from contests.views.organize_access import organizer_page, own_contest, own_upload, primary_key
from ratings.shown import as_it_will_be
from ratings.views.organize_rows import table_of_file

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

    from contests.formats import ParsedContest
    from contests.models import Contest


@organizer_page
def preview(request: HttpRequest, pk: int) -> HttpResponse:
    """Show the standings of a kept file with the would-be rating changes."""
    kept = own_upload(request, pk)
    contest = own_contest(request, primary_key(request.GET.get("contest", "")))
    if contest.series_id != kept.series_id:
        raise Http404
    if not contest.is_draft:
        messages.error(request, f"“{contest.name}” is finalized; correct its rows one by one.")
        return redirect("organize:contest", contest.pk)
    try:
        parsed, report = read_upload(kept)
    except (ContestError, ParseError) as error:
        messages.error(request, str(error))
        return redirect("organize:upload", contest.pk)
    view = as_it_will_be(contest.series)
    context = {
        "upload": kept,
        "contest": contest,
        "series": contest.series,
        "report": report,
        "shown": view,
        "table": table_of_file(contest, parsed, view, whole="whole" in request.GET),
        "whole_address": f"?contest={contest.pk}&whole",
        "differences": _differences(contest, parsed),
    }
    return render(request, "organize/preview.html", context)


def _differences(contest: Contest, parsed: ParsedContest) -> list[tuple[str, object, object]]:
    """Return what the file says of the contest otherwise than the draft, as (what, draft, file); the draft counts."""
    said = [
        ("end", contest.ends_at, parsed.ends_at),
        ("start", contest.starts_at, parsed.starts_at),
        ("weight", contest.weight, parsed.weight if parsed.key and parsed.weight != 1 else None),
        ("performance ceiling", contest.perf_ceiling, parsed.perf_ceiling),
    ]
    return [(what, draft, file) for what, draft, file in said if file is not None and draft != file]
