"""Rolling a series back to an earlier run: the preview, and what to undo with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext

from accounts.confirming import reauthenticated
from contests.changes.base import propose
from contests.errors import ContestError
from ratings.database import consistent_read
from ratings.models import Run
from ratings.publishing.engine import estimate_seconds
from ratings.publishing.rolling_back import ask_roll_back, read_restoration, restorable
from ratings.publishing.undoing import MOST_CAUSES, UndoCauses, causes_since
from ratings.queries.roll_backs import roll_back_effect
from ratings.systems import get_system
from web.organize.runs.comparison import compared_runs, moves_of
from web.shared.access import actor, organizer_page, own_series
from web.shared.form_fields import ReasonForm

if TYPE_CHECKING:
    from django.http import HttpRequest

    from contests.models import Series
    from web.shared.params import SeriesPath


#: Largest changes in a preview; the page of the comparison has all of them.
LARGEST = 20
#: For systems that move absent players, the preview tries out the restoration only up to this many players.
TRIED_PLAYERS = 5_000


@organizer_page
@reauthenticated
def roll_back(request: HttpRequest, at: SeriesPath, number: int) -> HttpResponse:
    """Show the effect of a roll-back; roll back on POST."""
    series = own_series(request, at)
    form = ReasonForm(request.POST or None)
    problem = ""
    if request.method == "POST" and form.is_valid():
        keys = request.POST.getlist("undo")[:MOST_CAUSES]
        try:
            if keys:
                return propose(UndoCauses(series.pk, number, keys, reason=form.cleaned_data["reason"]))
            ask_roll_back(series.pk, number, reason=form.cleaned_data["reason"], actor=actor(request))
        except ContestError as error:
            if keys:
                form.add_error(None, str(error))
            else:
                problem = str(error)
        else:
            return redirect("organize:progress", series)
    with consistent_read():
        context = _roll_back_context(series, number)
    context |= {"series": series, "number": number, "form": form, "undo": request.POST.getlist("undo")}
    context["problem"] = problem or context["problem"]
    status = 409 if context["problem"] else 422 if form.errors else 200
    return render(request, "organize/runs/roll_back.html", context, status=status)


def _roll_back_context(series: Series, number: int) -> dict[str, object]:
    """Return the effect of a roll-back, or the reason why it is not possible."""
    current = Run.objects.current(series.pk)
    if number >= 2**31 or not Run.objects.filter(series=series, number=number).exists():
        raise Http404(f"{series.slug} has no run {number}.")
    try:
        restored = restorable(series.pk, number)
        _try_out(restored)
    except ContestError as error:
        return {"problem": str(error), "current": current}
    if current is None:
        return {"problem": gettext("Nothing has been published yet."), "current": current}
    compared = compared_runs(series, current, restored, current)
    effect, causes = roll_back_effect(series, restored), causes_since(restored)
    return {
        "problem": "",
        "current": current,
        "restored": restored,
        "effect": effect,
        "causes": causes[:MOST_CAUSES],
        "causes_left_out": max(0, len(causes) - MOST_CAUSES),
        "compared": compared,
        "moves": moves_of(compared, compared.rows()[:LARGEST]),
        "seconds": estimate_seconds(series.pk, 0, changes=effect.changes),
        "forgets_scheme": restored.scheme_id != current.scheme_id and not restored.scheme.rates_alike(current.scheme),
    }


def _try_out(restored: Run) -> None:
    """Raise ContestError if restoring the numbers would; skip a large pool, where that takes a long time."""
    scheme = restored.scheme
    if get_system(scheme.system, **scheme.parameters).needs_pool and restored.player_count <= TRIED_PLAYERS:
        read_restoration(restored)
