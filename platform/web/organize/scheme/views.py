"""The rating scheme of a series: the form, its preview with real players, and earlier versions."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import numpy as np
from django.contrib import messages
from django.shortcuts import redirect, render
from django.utils.translation import gettext

from contests.bulk import read_arrays
from contests.changes.base import LONGEST_TOKEN, propose, token_of
from contests.errors import ChangedMeanwhile, ContestError
from contests.models import AuditEntry
from ratings.database import consistent_read
from ratings.derived.league_tables import leagues_content
from ratings.derived.leagues import read_league_changes
from ratings.descriptions import description_of
from ratings.display import mapping_from_dict, sort_score, tiers_from_list, width_of_pool
from ratings.display.leagues import PROVISIONAL, league_rules_from_dict
from ratings.display.scores import conservative_factor
from ratings.display.tier_sets import TIER_SETS
from ratings.models import Rating, Run, Scheme
from ratings.publishing.scheme_changes import ChooseScheme, differences
from ratings.publishing.schemes import previewed_scheme
from ratings.queries.rows import newcomer_belief
from ratings.queries.snapshot import SeriesSnapshot, as_of, snapshot_of
from ratings.systems import SYSTEMS, get_system
from web.organize.scheme.forms import OptionsForm
from web.organize.scheme.proposals import proposal, proposed_tiers, tiers_of_set
from web.organize.scheme.recommending import recommendation_for
from web.organize.scheme.tier_forms import as_written, has_rows, tier_rows, written_rows
from web.shared.access import actor, organizer_page, own_series, primary_key
from web.shared.scheme_form import SchemeForm
from web.shared.tiers import uneven

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse
    from numpy.typing import NDArray

    from contests.models import Player, Series
    from ratings.display import Mapping, Tier, Tiers
    from ratings.display.leagues import LeagueRules
    from ratings.publishing.scheme_changes import Difference
    from web.shared.params import SeriesPath

#: Players in the preview table, spread evenly from first to last.
SAMPLES = 15


@dataclass(frozen=True, slots=True)
class Sample:
    """
    One player before and after.

    player
        None for a newcomer.
    now
        None without a comparable rating.
    tier
        The tier or league after; None for a provisional player of a series with leagues.
    """

    player: Player | None
    rank: int | None
    now: int | None
    then: int
    tier: Tier | None

    @property
    def change(self) -> int | None:
        return None if self.now is None else self.then - self.now


@dataclass(frozen=True, slots=True)
class TierCount:
    """One tier with its numbers of players; `now` counts the current tier of that name, None without one."""

    tier: Tier
    now: int | None
    then: int | None


@dataclass(frozen=True, slots=True)
class SchemePreview:
    """
    The effect of a scheme on displayed ratings and tiers.

    samples
        Players from first to last, and a newcomer at the end.
    moved
        The number of players who would be in a tier or league of another name.
    provisional
        The players in no league, now and after; both None if neither scheme has leagues.
    rules
        The rules of the leagues; None without leagues, and if the series would be rated again.
    rates_again
        Whether the series would be rated again, so that more would change than this table shows.
    is_other_scale
        Whether the rating points would be on another scale, so that the preview has only a newcomer.
    """

    snapshot: SeriesSnapshot
    samples: list[Sample]
    tiers: list[TierCount]
    total: int
    moved: int
    rates_again: bool
    is_other_scale: bool
    provisional: tuple[int, int] | None = None
    rules: LeagueRules | None = None

    @property
    def stayed(self) -> int:
        """The number of players who would stay in their tier or league."""
        return self.total - self.moved - (self.provisional[1] if self.provisional else 0)


def preview_scheme(series: Series, scheme: Scheme) -> SchemePreview:
    """Return the effect of a scheme, which need not be stored; call this inside a snapshot."""
    snapshot = snapshot_of(series)
    tiers = tiers_from_list(scheme.tiers)
    is_other = snapshot.run is not None and not scheme.has_points_of(snapshot.run.scheme)
    rates_again = snapshot.run is not None and not scheme.rates_alike(snapshot.run.scheme)
    if snapshot.run is None or is_other or not len(snapshot.index):
        alone = mapping_from_dict(scheme.display)
        nobody: list[TierCount] = [TierCount(tier, None, None) for tier in tiers][::-1]
        samples = [_newcomer(snapshot, scheme, alone, tiers)]
        return SchemePreview(snapshot, samples, nobody, 0, 0, rates_again, is_other)
    ids, scores_now = snapshot.index.player_ids, snapshot.index.scores
    scores = _scores(series, scheme, ids) if rates_again else scores_now
    mapping = _mapping(snapshot, scheme, scores, measured_anew=rates_again)
    now, then = snapshot.mapping.show(scores_now), mapping.show(scores)
    content = leagues_content(snapshot)
    was = snapshot.tiers.positions(now) if content is None else content["league"]
    rules = None if rates_again else league_rules_from_dict(scheme.leagues)
    will_be = tiers.positions(then) if rules is None else _leagues(SeriesSnapshot(series, snapshot.run, scheme))
    samples = [*_players(snapshot, ids, now, then, tiers, will_be), _newcomer(snapshot, scheme, mapping, tiers)]
    in_none = int(np.count_nonzero(was == PROVISIONAL)), int(np.count_nonzero(will_be == PROVISIONAL))
    return SchemePreview(
        snapshot, samples, _counts(snapshot.tiers, was, tiers, will_be), len(ids),
        _moved(snapshot.tiers, was, tiers, will_be), rates_again, is_other,
        provisional=in_none if rules is not None or content is not None else None, rules=rules,
    )  # fmt: skip


def _leagues(snapshot: SeriesSnapshot) -> NDArray[np.int64]:
    """Return the league of each player by the rules of a snapshot's scheme, in the order of the rank index."""
    changes = read_league_changes(snapshot)
    assert changes.history is not None
    return changes.history.league[changes.histories.last[changes.places_in_index()]].astype(np.int64)


def _score(scheme: Scheme, mu: NDArray[np.float64], sigma: NDArray[np.float64]) -> NDArray[np.float64]:
    limit = float(scheme.parameters.get("sig_limit", 0.0))
    return sort_score(mu, sigma, conservative_factor(scheme.display), limit)


def _scores(series: Series, scheme: Scheme, ids: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the sort scores of these players with the factor k of a scheme."""
    query = (
        f"SELECT CAST(player_id AS bigint), CAST(mu AS double precision), CAST(sigma AS double precision) "
        f"FROM {Rating._meta.db_table} WHERE series_id = %s ORDER BY player_id"
    )
    columns = read_arrays(query, [series.pk], {"player": "i8", "mu": "f8", "sigma": "f8"})
    at = np.searchsorted(columns["player"], ids)
    return _score(scheme, columns["mu"][at], columns["sigma"][at])


def _mapping(snapshot: SeriesSnapshot, scheme: Scheme, scores: NDArray[np.float64], *, measured_anew: bool) -> Mapping:
    assert snapshot.run is not None
    centre, temperature = snapshot.run.pool_mean, snapshot.run.pool_width
    if measured_anew or centre is None or temperature is None:
        centre, temperature = width_of_pool(scores)
    return mapping_from_dict(scheme.display, centre=centre, temperature=temperature)


def _players(
    snapshot: SeriesSnapshot,
    ids: NDArray[np.int64],
    now: NDArray[np.int64],
    then: NDArray[np.int64],
    tiers: Tiers,
    will_be: NDArray[np.int64],
) -> list[Sample]:
    listed = list(tiers)
    at = np.unique(np.linspace(0, len(ids) - 1, SAMPLES).round().astype(np.int64)).tolist()
    chosen = Rating.objects.filter(series=snapshot.series, player__in=[int(ids[i]) for i in at])
    players = {rating.player_id: rating.player for rating in chosen.select_related("player").defer("belief")}
    ranks = snapshot.index.ranks(snapshot.index.scores[at]).tolist()
    return [
        Sample(
            players[int(ids[i])],
            rank,
            int(now[i]),
            int(then[i]),
            listed[int(will_be[i])] if will_be[i] != PROVISIONAL else None,
        )
        for i, rank in zip(at, ranks, strict=True)
        if int(ids[i]) in players
    ]


def _newcomer(snapshot: SeriesSnapshot, scheme: Scheme, mapping: Mapping, tiers: Tiers) -> Sample:
    mu, sigma = (np.array(value) for value in newcomer_belief(scheme))
    then = mapping.show(float(_score(scheme, mu, sigma)))
    now = snapshot.rating_of(*newcomer_belief(snapshot.scheme)) if snapshot.scheme is not None else None
    has_leagues = league_rules_from_dict(scheme.leagues) is not None
    return Sample(None, None, now, then, None if has_leagues else tiers.tier_of(then))


def _counts(old: Tiers, was: NDArray[np.int64], new: Tiers, will_be: NDArray[np.int64]) -> list[TierCount]:
    before = Counter({tier.name: int(count) for tier, count in zip(old, _bins(was, old), strict=True)})
    names = {tier.name for tier in old}
    return [
        TierCount(tier, before[tier.name] if tier.name in names else None, count)
        for tier, count in zip(new, _bins(will_be, new), strict=True)
    ][::-1]


def _bins(positions: NDArray[np.int64], tiers: Tiers) -> list[int]:
    return np.bincount(positions[positions != PROVISIONAL], minlength=len(tiers)).tolist()


def _moved(old: Tiers, was: NDArray[np.int64], new: Tiers, will_be: NDArray[np.int64]) -> int:
    """Count the players who would be in a tier or league of another name, from another one or from none."""
    number = {name: i for i, name in enumerate({tier.name for tier in (*old, *new)})}
    # Provisional players have the last position.
    before = np.array([*(number[tier.name] for tier in old), PROVISIONAL])[was]
    after = np.array([*(number[tier.name] for tier in new), PROVISIONAL])[will_be]
    return int(np.count_nonzero((before != after) & (after != PROVISIONAL)))


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
        again = gettext("Your settings are still in the form. Save again to replace theirs.")
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
                "parameters. Choose the recommended tiers and save. Then add your own tiers and save again."
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
        page.version = primary_key(written.get("version", ""))
        page.reason = written.get("reason", "").replace("\0", "").strip()[:LONGEST_REASON]
    return page


def _with_other_tiers(request: HttpRequest, series: Series, show: str) -> SchemePage:
    """Return the page with the unchecked input and with recommended tiers, proposed tiers, or those of a named set."""
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
