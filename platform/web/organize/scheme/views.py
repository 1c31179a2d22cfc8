"""The rating scheme of a series: the form, its preview with real players, and earlier versions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from django.contrib import messages
from django.shortcuts import redirect, render
from django.utils.translation import gettext

from contests.changes.base import LONGEST_TOKEN, propose, token_of
from contests.errors import ChangedMeanwhile, ContestError
from contests.models import AuditEntry
from contests.whole_numbers import number_or_zero
from ratings.database import consistent_read
from ratings.descriptions import description_of
from ratings.display import mapping_from_dict
from ratings.display.tier_sets import TIER_SETS
from ratings.models import Run, Scheme
from ratings.publishing.scheme_changes import ChooseScheme, differences
from ratings.publishing.schemes import previewed_scheme
from ratings.queries.snapshot import as_of, snapshot_of
from ratings.systems import SYSTEMS, get_system
from web.organize.scheme.forms import OptionsForm
from web.organize.scheme.preview import SchemePreview, preview_scheme
from web.organize.scheme.proposals import proposal, proposed_tiers, tiers_of_set
from web.organize.scheme.recommending import recommendation_for
from web.organize.scheme.tier_forms import as_written, has_rows, tier_rows, written_rows
from web.shared.access import actor, organizer_page, own_series
from web.shared.scheme_form import SchemeForm
from web.shared.tiers import uneven

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

    from contests.models import Series
    from ratings.publishing.scheme_changes import Difference
    from web.shared.params import SeriesPath

VERSIONS_SHOWN = 20
LONGEST_REASON = 500


@dataclass(frozen=True, slots=True)
class Version:
    """One version of the scheme in the history."""

    scheme: Scheme
    changes: list[Difference]
    reason: str

    @property
    def is_by_command(self) -> bool:
        """Whether the version was chosen from the command line, without an account."""
        return self.scheme.created_by is None and not self.scheme.created_by_name

    @property
    def system(self) -> str:
        return description_of(self.scheme.system).title


@dataclass(slots=True)
class SchemePage:
    """The forms of the page, and the scheme in them if they are valid."""

    series: Series
    old: Scheme | None
    form: SchemeForm
    rows: Any
    options: OptionsForm
    #: The current run, which has measured the pool.
    run: Run | None = None
    #: Whether the forms show unchecked input.
    is_sketch: bool = False
    #: The version that the organizer edits.
    version: int = 0
    reason: str = ""
    problem: str = ""

    @property
    def systems_with_sigma(self) -> str:
        """The systems with a standard deviation, separated by spaces."""
        return " ".join(name for name, system in SYSTEMS.items() if system.sigma_means != "nothing")

    def is_valid(self) -> bool:
        """Check the forms and whether the series can be rated with them; add errors to the fields."""
        if not self.form.is_valid():
            return False
        if self.form.has_own_tiers():
            greatest = mapping_from_dict(self.form.display()).greatest
            if self.rows.is_valid() and greatest is not None:
                self.rows.refuse_above(greatest)
            if not self.rows.is_valid():
                return False
        if self.options.is_valid():
            self.options.check(get_system(self.form.cleaned_data["system"], **self.form.parameters()))
        if not self.options.is_valid():
            return False
        try:
            self.scheme()
        except ContestError as error:
            self.form.add_error("system", str(error))
            return False
        return True

    def choice(self) -> dict[str, Any]:
        """Return the scheme in valid forms, as `choose_scheme` takes it."""
        form = self.form
        return {
            "system": form.cleaned_data["system"],
            "parameters": form.parameters(),
            "display": form.display(),
            "tiers": self.rows.tiers().to_list() if form.has_own_tiers() else form.suited_tiers(),
            "leagues": self.options.leagues(),
            "season": self.options.season(),
            "duration_weight": self.options.duration_weight(),
        }

    def scheme(self) -> Scheme:
        return previewed_scheme(self.series.pk, **self.choice())


@organizer_page
def page(request: HttpRequest, at: SeriesPath) -> HttpResponse:
    """Show the scheme with its versions; a POST previews the form if it has `show`, else saves it."""
    series = own_series(request, at)
    show = request.POST.get("show", "")
    if show in ("suited-tiers", "proposed-tiers", "tier-set"):
        return _page(request, _with_other_tiers(request, series, show))
    wants_rows = request.POST.get("tier_choice") == "own" and not has_rows(request.POST)
    if request.method != "POST" or wants_rows or show in ("parameters", "tier"):
        return _page(request, _unchecked(request, series, more=int(show == "tier")))
    checked = _checked(request, series)
    if show == "fragment":
        return _fragment(request, checked)
    if show or not checked.is_valid():
        return _page(request, checked)
    return _choose(request, checked)


def _choose(request: HttpRequest, page: SchemePage) -> HttpResponse:
    """Save a scheme that moves no ratings; for any other, continue with a preview."""
    change = ChooseScheme(page.series.pk, page.version, **page.choice(), reason=page.reason)
    try:
        if change.moves_ratings:
            return propose(_short(change))
        change.apply(actor=actor(request))
    except ChangedMeanwhile as error:
        again = gettext("Your settings are still in the form. Save again to replace the newer version.")
        page.problem = f"{error} {again}"
        newest = Scheme.objects.newest(page.series.pk)
        page.version = newest.version if newest is not None else 0
        return _page(request, page, status=409)
    except ContestError as error:
        page.problem = str(error)
        return _page(request, page, status=422)
    new = Scheme.objects.newest(page.series.pk)
    unchanged = page.old is not None and new is not None and page.old.pk == new.pk
    done = gettext("Saved. The new display applies from now on. Podium did not have to rate anything again.")
    messages.success(
        request, gettext("Nothing changed: these are already the current settings.") if unchanged else done
    )
    return redirect("organize:scheme", page.series)


def _short(change: ChooseScheme) -> ChooseScheme:
    """Return the change without tiers that equal the default; raise ContestError if it is too long for an address."""
    plain = replace(change, tiers=None)
    if plain.proposed().is_like(change.proposed()):
        change = plain
    if len(token_of(change)) > LONGEST_TOKEN:
        raise ContestError(
            gettext(
                "Your tiers have too much text to be previewed together with another rating system or "
                "parameters. Choose the standard tiers and save. Then add your own tiers and save again."
            )
        )
    return change


def _checked(request: HttpRequest, series: Series) -> SchemePage:
    page = _unchecked(request, series)
    page.is_sketch = False
    page.form = SchemeForm(request.POST, scheme=page.old, measured=page.run is not None)
    page.options = OptionsForm(request.POST, scheme=page.old)
    if request.POST.get("tier_choice") == "own":
        page.rows = written_rows(request.POST)
    return page


def _unchecked(request: HttpRequest, series: Series, *, more: int = 0) -> SchemePage:
    """Return the page with the current scheme or the unchecked input, and more empty rows for tiers."""
    old, run = Scheme.objects.newest(series.pk), Run.objects.current(series.pk)
    # Posted input; in a GET, the input from before the session expired.
    written = request.POST or (request.POST if request.method == "POST" else None)
    form = SchemeForm(scheme=old, written=written, measured=run is not None)
    rows = (as_written(written) if written is not None else []) or as_of(series, run, old).tiers.to_list()
    options = OptionsForm(scheme=old, written=written)
    version = old.version if old else 0
    page = SchemePage(series, old, form, tier_rows(rows, more=more), options, run, version=version)
    if written is not None:
        page.is_sketch = True
        page.version = number_or_zero(written.get("version", ""))
        page.reason = written.get("reason", "").replace("\0", "").strip()[:LONGEST_REASON]
    return page


def _with_other_tiers(request: HttpRequest, series: Series, show: str) -> SchemePage:
    """Return the page with the unchecked input and with standard tiers, proposed tiers, or those of a named set."""
    page, checked = _unchecked(request, series), _checked(request, series)
    if not checked.form.is_valid():
        return checked
    with consistent_read():
        snapshot = snapshot_of(series)
        tiers = proposed_tiers(snapshot) if show == "proposed-tiers" else None
        if show == "tier-set":
            form = checked.form
            system = get_system(form.cleaned_data["system"], **form.parameters())
            scheme = Scheme(system=system.name, parameters=system.parameters(), display=form.display())
            tiers = tiers_of_set(request.POST.get("tier_set", ""), scheme, snapshot)
    page.rows = tier_rows(tiers.to_list() if tiers is not None else checked.form.suited_tiers())
    page.form.initial["tier_choice"] = "own"
    return page


def _preview(page: SchemePage) -> SchemePreview | None:
    """Return the preview of a posted form, else of the current scheme."""
    if page.is_sketch:
        return None
    if page.form.is_bound:
        return preview_scheme(page.series, page.scheme()) if page.is_valid() else None
    scheme = page.old or previewed_scheme(page.series.pk, system=None, parameters=None)
    return preview_scheme(page.series, scheme)


def _fragment(request: HttpRequest, page: SchemePage) -> HttpResponse:
    with consistent_read():
        context = {"preview": _preview(page), "page": page, "series": page.series}
        return render(request, "organize/scheme/_scheme_preview.html", context)


def _page(request: HttpRequest, page: SchemePage, *, status: int = 0) -> HttpResponse:
    with consistent_read():
        preview = _preview(page)
        snapshot = as_of(page.series, page.run, page.old)
        context = {
            "series": page.series,
            "page": page,
            "proposal": proposal(snapshot),
            "uneven": uneven(snapshot),
            "tier_sets": TIER_SETS,
            "scheme_form": page.form,
            "rows": page.rows,
            "preview": preview,
            "snapshot": snapshot,
            "versions": _versions(page.series),
            "recommendation": recommendation_for(snapshot),
        }
        return render(
            request,
            "organize/scheme/scheme.html",
            context,
            status=status or (200 if preview or page.is_sketch else 422),
        )


def _versions(series: Series) -> list[Version]:
    """Return the newest versions, each with its changes and reason, in two queries."""
    newest = Scheme.objects.filter(series=series).select_related("created_by").order_by("-version")
    schemes = list(newest[: VERSIONS_SHOWN + 1])
    entries = AuditEntry.objects.filter(series=series, action="scheme.choose").order_by("-id")[:VERSIONS_SHOWN]
    reasons = {entry.after.get("version"): entry.reason for entry in entries}
    return [
        Version(scheme, differences(before, scheme) if before is not None else [], reasons.get(scheme.version, ""))
        for scheme, before in zip_longest(schemes, schemes[1:])
    ][:VERSIONS_SHOWN]
