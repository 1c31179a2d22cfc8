"""Organizers create and describe series here, and see all that happens in one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.shortcuts import redirect, render

from contests.errors import ContestError
from contests.forms import SeriesForm
from contests.models import ContestState
from contests.services.series import create_series, describe_series
from contests.views.organize_access import actor, organizer_page, own_series
from contests.views.organize_history import history_of
from ratings.descriptions import description_of
from ratings.forms import SchemeForm
from ratings.locks import snapshot
from ratings.models import Run, Scheme
from ratings.services.refresh import wait_state
from ratings.services.schemes import check_choice, choose_scheme

if TYPE_CHECKING:
    from django.contrib.auth.models import User
    from django.http import HttpRequest, HttpResponse

    from contests.models import Series

CONTESTS_PER_PAGE = 50
RUNS_SHOWN = 10


@organizer_page
def create(request: HttpRequest) -> HttpResponse:
    """Create a series; who creates it organizes it."""
    if "show" in request.POST:
        return _form_page(request, *_as_written(request))
    form, scheme_form = SeriesForm(request.POST or None), SchemeForm(request.POST or None)
    if request.method == "POST" and form.is_valid() and scheme_form.is_valid():
        try:
            series = create_series(**form.cleaned_data, actor=actor(request))
            _choose(series, scheme_form, actor(request))
        except ContestError as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, f"Created {series.name}. Next: its first contest.")
            return redirect("organize:series", series.slug)
    return _form_page(request, form, scheme_form)


@organizer_page
def edit(request: HttpRequest, slug: str) -> HttpResponse:
    """Change what people read about a series, how it is rated, and how its ratings are shown."""
    series = own_series(request, slug)
    scheme = Scheme.objects.newest(series.pk)
    if "show" in request.POST:
        return _form_page(request, *_as_written(request, series, scheme), series=series)
    form = SeriesForm(request.POST or None, series=series)
    scheme_form = SchemeForm(request.POST or None, scheme=scheme)
    if request.method == "POST" and form.is_valid() and scheme_form.is_valid() and _is_allowed(series, scheme_form):
        try:
            describe_series(series.pk, **form.cleaned_data, actor=actor(request))
            chosen = _choose(series, scheme_form, actor(request))
        except ContestError as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, _what_changed(scheme, chosen))
            return redirect("organize:series", series.slug)
    return _form_page(request, form, scheme_form, series=series)


@organizer_page
def page(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the contests of a series, drafts first, its runs and its history."""
    series = own_series(request, slug)
    with snapshot():
        is_stale, run = wait_state(series.pk)
        contests = series.contests.existing().newest_first()
        finalized = Paginator(contests.filter(state=ContestState.FINALIZED), CONTESTS_PER_PAGE)
        context = {
            "series": series,
            "is_stale": is_stale,
            "run": run,
            "drafts": list(contests.filter(state=ContestState.DRAFT)),
            "contests": finalized.get_page(request.GET.get("page")),
            "runs": list(Run.objects.filter(series=series).select_related("actor").order_by("-number")[:RUNS_SHOWN]),
            "history": history_of(series.audit_entries),
        }
        return render(request, "organize/series.html", context)


def _choose(series: Series, form: SchemeForm, chooser: User) -> Scheme:
    return choose_scheme(series.pk, **_choice(form), actor=chooser)


def _is_allowed(series: Series, form: SchemeForm) -> bool:
    """Tell whether the series can be rated so; if not, say why beside the system, before anything is saved."""
    try:
        check_choice(series.pk, **_choice(form))
    except ContestError as error:
        form.add_error("system", str(error))
        return False
    return True


def _choice(form: SchemeForm) -> dict[str, Any]:
    return {"system": form.cleaned_data["system"], "parameters": form.parameters(), "display": form.display()}


def _as_written(
    request: HttpRequest, series: Series | None = None, scheme: Scheme | None = None
) -> tuple[SeriesForm, SchemeForm]:
    """Return the forms as somebody has filled them in so far, neither checked nor saved."""
    written = request.POST.dict()
    ticked = {"is_public": "is_public" in written}
    return SeriesForm(initial={**written, **ticked}, series=series), SchemeForm(scheme=scheme, written=written)


def _what_changed(old: Scheme | None, new: Scheme) -> str:
    if old is None or old.pk == new.pk:
        return "Saved."
    if old.rates_alike(new):
        return "Saved. Ratings are shown the new way from now on; nothing had to be rated again."
    return f"Saved. The whole series is being rated again by {description_of(new.system).in_words}."


def _form_page(
    request: HttpRequest, form: SeriesForm, scheme_form: SchemeForm, series: Series | None = None
) -> HttpResponse:
    has_errors = form.is_bound and bool(form.errors or scheme_form.errors)
    context = {"form": form, "scheme_form": scheme_form, "series": series}
    return render(request, "organize/series_form.html", context, status=422 if has_errors else 200)
