"""Choosing how a series is rated and shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.db import transaction

from contests.errors import ContestError
from contests.models import Contest, Series
from contests.services.audit import record
from ratings.display import default_tiers, mapping_from_dict, tiers_from_list
from ratings.models import Scheme
from ratings.services.marks import mark_stale
from ratings.services.teams import refuse_rated_teams
from ratings.systems import get_system

if TYPE_CHECKING:
    from collections.abc import Sequence

    from django.contrib.auth.models import User

DEFAULT_SYSTEM = "elo-mmr"
DEFAULT_DISPLAY = {"mapping": "offset"}


@transaction.atomic
def choose_scheme(
    series_id: int,
    *,
    system: str | None = None,
    parameters: dict[str, Any] | None = None,
    display: dict[str, Any] | None = None,
    tiers: Sequence[dict[str, Any]] | None = None,
    actor: User | None = None,
) -> Scheme:
    """
    Make a new version of the series' scheme; what is None stays as it is (at first: Elo-MMR, offset, its eight tiers).

    A change of system or parameters makes the whole series stale; a change of display or tiers only changes what people
    see, and takes effect at once. Choosing what is in force already changes nothing. ContestError says what is not
    allowed.
    """
    series = Series.objects.select_for_update(no_key=True).get(pk=series_id)
    old = Scheme.objects.newest(series_id)
    scheme = _next_version(series, old, system, parameters, display, tiers)
    if old is not None and old.rates_alike(scheme) and (old.display, old.tiers) == (scheme.display, scheme.tiers):
        return old
    scheme.created_by = actor
    scheme.save()
    record(
        "scheme.choose", subject=f"series {series.slug}", series=series, actor=actor,
        before=_as_json(old) if old else {}, after=_as_json(scheme),
    )  # fmt: skip
    if old is not None and not old.rates_alike(scheme):
        first = Contest.objects.rated().filter(series=series).in_order().first()
        if first is not None:
            mark_stale(series_id, since=first.ends_at, cause=f"Rated by {scheme.system} from now on", actor=actor)
    return scheme


def check_choice(series_id: int, *, system: str | None, parameters: dict[str, Any] | None) -> None:
    """Raise the ContestError that `choose_scheme` would raise; choose nothing."""
    series = Series.objects.get(pk=series_id)
    _next_version(series, Scheme.objects.newest(series_id), system, parameters, None, None)


def scheme_of(series_id: int) -> Scheme:
    """Return the scheme in force; a series that nobody chose one for gets the default."""
    return Scheme.objects.newest(series_id) or choose_scheme(series_id)


def _next_version(
    series: Series,
    old: Scheme | None,
    system: str | None,
    parameters: dict[str, Any] | None,
    display: dict[str, Any] | None,
    tiers: Sequence[dict[str, Any]] | None,
) -> Scheme:
    name = system or (old.system if old else DEFAULT_SYSTEM)
    same_system = old is not None and old.system == name
    given = parameters if parameters is not None else (old.parameters if old and same_system else {})
    try:
        chosen = get_system(name, **given)
        shown = display or (old.display if old else DEFAULT_DISPLAY)
        mapping = mapping_from_dict(shown)
        if tiers is None and old is not None and mapping_from_dict(old.display) == mapping:
            tiers = old.tiers
        levels = tiers_from_list(tiers) if tiers else default_tiers(mapping)
    except ValueError as error:
        raise ContestError(str(error)) from error
    refuse_rated_teams(chosen, series.pk)
    return Scheme(
        series=series,
        version=(old.version + 1) if old else 1,
        system=chosen.name,
        parameters=chosen.parameters(),
        display={**shown},
        tiers=levels.to_list(),
    )


def _as_json(scheme: Scheme) -> dict[str, Any]:
    return {
        "version": scheme.version,
        "system": scheme.system,
        "parameters": scheme.parameters,
        "display": scheme.display,
    }
