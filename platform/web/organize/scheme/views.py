"""How a series is rated and how its ratings are shown: chosen here, looked at on real players, kept in versions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from django.contrib import messages
from django.shortcuts import redirect, render

from contests.changes import LONGEST_TOKEN, propose, token_of
from contests.errors import ChangedMeanwhile, ContestError
from contests.models import AuditEntry
from ratings.database import consistent_read
from ratings.descriptions import description_of
from ratings.display import mapping_from_dict
from ratings.models import Run, Scheme
from ratings.publishing.changes import ChooseScheme
from ratings.publishing.scheme_differences import differences
from ratings.publishing.schemes import previewed_scheme
from ratings.queries.snapshot import as_of
from ratings.systems import SYSTEMS, get_system
from web.organize.scheme.option_forms import OptionsForm
from web.organize.scheme.preview import preview_scheme
from web.organize.scheme.tier_forms import as_written, has_rows, tier_rows, written_rows
from web.shared.access import actor, organizer_page, own_series, primary_key
from web.shared.scheme_form import SchemeForm

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

    from contests.models import Series
    from ratings.publishing.scheme_differences import Difference
    from web.organize.scheme.preview import SchemePreview

VERSIONS_SHOWN = 20
LONGEST_REASON = 500


@dataclass(frozen=True, slots=True)
class Version:
    """One version as the history lists it."""

    scheme: Scheme
    changes: list[Difference]
    reason: str

    @property
    def system(self) -> str:
        return description_of(self.scheme.system).title


@dataclass(slots=True)
class SchemePage:
    """The forms of the page, and what they say if they are valid."""

    series: Series
    old: Scheme | None
    form: SchemeForm
    rows: Any
    options: OptionsForm
    #: The last run, which has measured the players.
    run: Run | None = None
    #: Whether it says what someone has filled in so far, unchecked.
    is_sketch: bool = False
    #: The version that the organizer looked at.
    version: int = 0
    reason: str = ""
    problem: str = ""

    @property
    def careful_systems(self) -> str:
        """The systems with a deviation that can be taken away from the mean, apart by spaces."""
        return " ".join(name for name, system in SYSTEMS.items() if system.sigma_means != "nothing")

    def is_valid(self) -> bool:
        """Check the forms, and whether the series can be rated so; what is wrong is said where it stands."""
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
        """Return what valid forms choose, as `choose_scheme` takes it."""
        form = self.form
        return {
            "system": form.cleaned_data["system"],
            "parameters": form.parameters(),
            "display": form.display(),
            "tiers": self.rows.tiers().to_list() if form.has_own_tiers() else form.suited_tiers(),
            "leagues": self.options.leagues(),
            "season": self.options.season(),
        }

    def scheme(self) -> Scheme:
        return previewed_scheme(self.series.pk, **self.choice())


@organizer_page
def page(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the scheme with its versions; `show` in a POST shows what the form would do, else it is chosen."""
    series = own_series(request, slug)
    show = request.POST.get("show", "")
    if show == "suited-tiers":
        return _page(request, _with_suited_tiers(request, series))
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
    """Lead on to what the choice would do to ratings; make it at once if it does nothing to them."""
    change = ChooseScheme(page.series.pk, page.version, **page.choice(), reason=page.reason)
    try:
        if change.moves_ratings:
            return propose(_short(change))
        change.apply(actor=actor(request))
    except ChangedMeanwhile as error:
        page.problem = f"{error} Your choice is still in the form: save it again if it should replace theirs."
        newest = Scheme.objects.newest(page.series.pk)
        page.version = newest.version if newest is not None else 0
        return _page(request, page, status=409)
    except ContestError as error:
        page.problem = str(error)
        return _page(request, page, status=422)
    new = Scheme.objects.newest(page.series.pk)
    unchanged = page.old is not None and new is not None and page.old.pk == new.pk
    done = "Saved. Ratings are shown the new way from now on; nothing had to be rated again."
    messages.success(request, "Nothing was changed: this is in force already." if unchanged else done)
    return redirect("organize:scheme", page.series.slug)


def _short(change: ChooseScheme) -> ChooseScheme:
    """Return the change without tiers that it need not name; ContestError if it fits into no address all the same."""
    plain = replace(change, tiers=None)
    if plain.foreseen().is_like(change.foreseen()):
        change = plain
    if len(token_of(change)) > LONGEST_TOKEN:
        raise ContestError(
            "Tiers with so long names cannot be changed together with the rating itself. Change the rating first, with "
            "the tiers that suit; then the tiers."
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
    """Return the page as it stands; or as someone has filled it in so far, with more rows for tiers."""
    old, run = Scheme.objects.newest(series.pk), Run.objects.current(series.pk)
    # Empty, or what was typed before: also in a GET that shows again what was not sent.
    written = request.POST or (request.POST if request.method == "POST" else None)
    form = SchemeForm(scheme=old, written=written, measured=run is not None)
    rows = (as_written(written) if written is not None else []) or as_of(series, run, old).tiers.to_list()
    options = OptionsForm(scheme=old, written=written)
    version = old.version if old else 0
    page = SchemePage(series, old, form, tier_rows(rows, more=more), options, run, version=version)
    if written is not None:
        page.is_sketch = True
        page.version = primary_key(written.get("version", ""))
        page.reason = written.get("reason", "").replace("\0", "").strip()[:LONGEST_REASON]
    return page


def _with_suited_tiers(request: HttpRequest, series: Series) -> SchemePage:
    """Return the page as filled in so far, with the tiers that suit what it says in place of those in the form."""
    page, checked = _unchecked(request, series), _checked(request, series)
    if checked.form.is_valid():
        page.rows = tier_rows(checked.form.suited_tiers())
        return page
    return checked


def _preview(page: SchemePage) -> SchemePreview | None:
    """Return what the form would show; of a form that nobody has sent, what the scheme in force shows."""
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
        context = {
            "series": page.series,
            "page": page,
            "scheme_form": page.form,
            "rows": page.rows,
            "preview": preview,
            "snapshot": as_of(page.series, page.run, page.old),
            "versions": _versions(page.series),
        }
        return render(
            request,
            "organize/scheme/scheme.html",
            context,
            status=status or (200 if preview or page.is_sketch else 422),
        )


def _versions(series: Series) -> list[Version]:
    """Return the newest versions, each with what it changed and why, in two queries."""
    newest = Scheme.objects.filter(series=series).select_related("created_by").order_by("-version")
    schemes = list(newest[: VERSIONS_SHOWN + 1])
    entries = AuditEntry.objects.filter(series=series, action="scheme.choose").order_by("-id")[:VERSIONS_SHOWN]
    reasons = {entry.after.get("version"): entry.reason for entry in entries}
    return [
        Version(scheme, differences(before, scheme) if before is not None else [], reasons.get(scheme.version, ""))
        for scheme, before in zip_longest(schemes, schemes[1:])
    ][:VERSIONS_SHOWN]
