"""Rating schemes: choosing how a series is rated and displayed, and refusing choices that don't fit."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext

from contests.errors import ChangedMeanwhile, ContestError
from contests.models import Contest, Series, by_author
from contests.services.audit import record
from ratings.default_display import default_display, suitable_tiers
from ratings.descriptions import description_of
from ratings.display import mapping_from_dict, tiers_from_list
from ratings.display.leagues import MOVING_AVERAGE, LeagueRules, league_rules_from_dict
from ratings.display.season import season_rules_from_dict
from ratings.models import DefaultDisplay, Scheme, Work
from ratings.publishing.queue import mark_stale, notify
from ratings.systems import DEFAULT_SYSTEM, SYSTEMS, get_system
from ratings.systems.duration import duration_weight_from_dict

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from django.contrib.auth.models import User

    from ratings.display import Tiers
    from ratings.queries.snapshot import SeriesSnapshot
    from ratings.systems import RatingSystem


def chosen_leagues(given: Mapping[str, Any] | None, old: Scheme | None, system: RatingSystem) -> dict[str, Any]:
    """
    Return the leagues of a new version as they are stored; {} for tiers without leagues.

    given
        None for the current ones. These lose the maximum deviation if the system makes it meaningless, and change to
        the moving average if the system has no uncertainty.

    Raises ValueError if the leagues are not allowed.
    """
    if given is not None:
        rules = league_rules_from_dict(given)
        check_leagues(rules, system)
        return rules.to_dict() if rules is not None else {}
    kept = league_rules_from_dict(old.leagues) if old is not None else None
    if old is None or kept is None:
        return {}
    if kept.is_by_confidence and system.sigma_means != "uncertainty":
        kept = replace(kept, assignment=MOVING_AVERAGE)
    try:
        check_leagues(kept, system)
    except ValueError:
        kept = replace(kept, provisional_sigma=None)
    return (kept if old.system == system.name else replace(kept, provisional_sigma=None)).to_dict()


def chosen_season(given: Mapping[str, Any] | None, old: Scheme | None, system: RatingSystem) -> dict[str, Any]:
    """Return the season points of a new version as they are stored, {} for none; see `chosen_leagues`."""
    if given is not None:
        rules = season_rules_from_dict(given)
        if rules is not None and not has_strengths(system):
            raise ValueError(
                "a ladder has positions but no strengths, so no Elo step follows from a result, and there are no "
                "season points; choose another rating system, or no season points"
            )
        return rules.to_dict() if rules is not None else {}
    return dict(old.season) if old is not None and has_strengths(system) else {}


def chosen_duration(given: Mapping[str, Any] | None, old: Scheme | None, system: RatingSystem) -> dict[str, Any]:
    """Return how weights follow from durations in a new version, {} for not at all; see `chosen_leagues`."""
    if given is not None:
        rules = duration_weight_from_dict(given)
        if rules is not None and not system.uses_weights:
            raise ValueError(
                f"{system.name} ignores the weights of contests, so their duration can't matter; choose another rating "
                "system, or the same weight for all durations"
            )
        return rules.to_dict() if rules is not None else {}
    return dict(old.duration_weight) if old is not None and system.uses_weights else {}


def duration_counts(series_id: int) -> bool:
    """Return whether the ratings of a series depend on how long its contests took."""
    newest = Scheme.objects.newest(series_id)
    return newest is not None and bool(newest.duration_weight)


def has_strengths(system: RatingSystem | type[RatingSystem]) -> bool:
    """Return whether differences of ratings have a meaning, which season points require."""
    return not system.has_positions


def check_leagues(rules: LeagueRules | None, system: RatingSystem) -> None:
    """Raise ValueError if a deviation has no meaning, or if the largest one would leave everyone without a league."""
    if rules is not None and rules.is_by_confidence and system.sigma_means != "uncertainty":
        raise ValueError(
            f"assignment: the deviations of {system.name} don't measure the uncertainty of a rating, so leagues can't "
            "depend on it; choose the moving average"
        )
    if rules is None or rules.provisional_sigma is None:
        return
    if system.sigma_means != "uncertainty":
        raise ValueError(
            f"provisional_sigma: the deviations of {system.name} don't measure the uncertainty of a rating, so they "
            "can't make a player provisional; leave it empty"
        )
    least = system.min_sigma
    if rules.provisional_sigma <= least:
        raise ValueError(
            f"provisional_sigma must be above {least:g}, where the deviations of this rating system settle "
            f"(sig_limit), not {rules.provisional_sigma:g}: everyone would stay provisional forever"
        )


def leagues_as_shown(snapshot: SeriesSnapshot) -> dict[str, Any] | None:
    """Return the rules of a series' leagues with all defaults filled in; None for tiers without leagues."""
    rules = league_rules_from_dict(snapshot.scheme.leagues) if snapshot.scheme is not None else None
    if rules is None:
        return None
    common = {name: getattr(rules, name) for name in ("provisional_contests", "provisional_sigma", "division_size")}
    if rules.is_by_confidence:
        own: dict[str, Any] = {"contests": None, "margin": None, "k": rules.k}
    else:
        own = {"contests": rules.contests, "margin": rules.margin_in(snapshot.tiers), "k": None}
    return {"assignment": rules.assignment, **own, **common}


def season_as_shown(snapshot: SeriesSnapshot) -> dict[str, Any] | None:
    """Return the rules of a series' season points with all defaults filled in; None for none."""
    rules = season_rules_from_dict(snapshot.scheme.season) if snapshot.scheme is not None else None
    if rules is None:
        return None
    return {
        "length": rules.length,
        "starts": list(rules.starts),
        "k": rules.k_in(snapshot.mapping),
        "scale": None if snapshot.mapping.has_own_odds else rules.scale,
        "bonus_per_day": rules.bonus_in(snapshot.mapping),
        "bonus_in_level": rules.bonus_in_level,
    }


@transaction.atomic
def choose_scheme(
    series_id: int,
    *,
    system: str | None = None,
    parameters: dict[str, Any] | None = None,
    display: dict[str, Any] | None = None,
    tiers: Sequence[dict[str, Any]] | None = None,
    leagues: dict[str, Any] | None = None,
    season: dict[str, Any] | None = None,
    duration_weight: dict[str, Any] | None = None,
    reason: str = "",
    version: int | None = None,
    actor: User | None = None,
) -> Scheme:
    """
    Create a new version of the scheme of a series.

    Arguments that are None keep the current values; without an earlier version, they get the defaults of Elo-MMR.

    A new series starts with the default display and tiers of its community if these are for the same system.
    Otherwise, the default display of a system follows the system and its parameters. With another system, the defaults
    of that system replace any display and its tiers, unless new ones are given.

    A change of system, parameters or duration weights makes the whole series stale. A change of display, tiers, leagues
    or season points only changes what people see, and takes effect at once. Choosing the current values changes
    nothing.

    Raises ContestError if the choice is not allowed.

    leagues, season
        In the format of `ratings.display.leagues` and `ratings.display.season`; {} for no leagues and for no points.
    duration_weight
        In the format of `ratings.systems.duration`; {} if durations don't matter.
    version
        The version that the organizer saw, 0 for none. Raises ChangedMeanwhile if another one is in force now.
    """
    series = Series.objects.select_for_update(no_key=True).get(pk=series_id)
    old = Scheme.objects.newest(series_id)
    scheme = _next_version(series, old, system, parameters, display, tiers, leagues, season, duration_weight)
    if old is not None and old.is_like(scheme):
        return old
    if version is not None and version != (old.version if old else 0):
        raise ChangedMeanwhile(_changed_meanwhile(series, old))
    scheme.created_by = actor
    scheme.save()
    record(
        "scheme.choose", subject=f"series {series.slug}", series=series, actor=actor, reason=reason,
        before=_as_json(old) if old else {}, after=_as_json(scheme),
    )  # fmt: skip
    if old is not None and not old.rates_alike(scheme):
        first = Contest.objects.rated().filter(series=series).in_order().first()
        if first is not None:
            cause = f"New rating scheme: {description_of(scheme.system).title}" + (f": {reason}" if reason else "")
            mark_stale(series_id, since=first.ends_at, cause=cause, actor=actor)
    transaction.on_commit(partial(notify, series_id, Work.DERIVE), robust=True)
    return scheme


def previewed_scheme(
    series_id: int,
    *,
    system: str | None,
    parameters: dict[str, Any] | None,
    display: dict[str, Any] | None = None,
    tiers: Sequence[dict[str, Any]] | None = None,
    leagues: dict[str, Any] | None = None,
    season: dict[str, Any] | None = None,
    duration_weight: dict[str, Any] | None = None,
) -> Scheme:
    """Return the version that `choose_scheme` would create, unsaved; raise the ContestError that it would raise."""
    series = Series.objects.get(pk=series_id)
    newest = Scheme.objects.newest(series_id)
    return _next_version(series, newest, system, parameters, display, tiers, leagues, season, duration_weight)


def check_choice(series_id: int, *, system: str | None, parameters: dict[str, Any] | None) -> None:
    """Raise the ContestError that `choose_scheme` would raise; change nothing."""
    previewed_scheme(series_id, system=system, parameters=parameters)


def scheme_of(series_id: int) -> Scheme:
    """Return the scheme in force; a series without one gets the default."""
    return Scheme.objects.newest(series_id) or choose_scheme(series_id)


def _next_version(
    series: Series,
    old: Scheme | None,
    system: str | None,
    parameters: dict[str, Any] | None,
    display: dict[str, Any] | None,
    tiers: Sequence[dict[str, Any]] | None,
    leagues: dict[str, Any] | None,
    season: dict[str, Any] | None,
    duration_weight: dict[str, Any] | None,
) -> Scheme:
    name = system or (old.system if old else DEFAULT_SYSTEM)
    same_system = old is not None and old.system == name
    given = parameters if parameters is not None else (old.parameters if old and same_system else {})
    try:
        chosen = get_system(name, **given)
        default = _default_of_community(series, chosen) if old is None else None
        shown = display or (default.display if default else _display(chosen, old))
        mapping_from_dict(shown)
        if not tiers and default is not None and mapping_from_dict(default.display) == mapping_from_dict(shown):
            tiers = default.tiers
        levels = tiers_from_list(tiers) if tiers else _tiers(chosen, shown, old)
        options = {
            "leagues": chosen_leagues(leagues, old, chosen),
            "season": chosen_season(season, old, chosen),
            "duration_weight": chosen_duration(duration_weight, old, chosen),
        }
    except ValueError as error:
        raise ContestError(str(error)) from error
    refuse_unratable_results(chosen, series.pk)
    return Scheme(
        series=series,
        version=(old.version + 1) if old else 1,
        system=chosen.name,
        parameters=chosen.parameters(),
        display={**shown},
        tiers=levels.to_list(),
        **options,
    )


def _default_of_community(series: Series, chosen: RatingSystem) -> DefaultDisplay | None:
    """Return the default of the community if it is for this system: thresholds mean nothing on another scale."""
    return DefaultDisplay.objects.filter(community=series.community_id, system=chosen.name).first()


def _display(chosen: RatingSystem, old: Scheme | None) -> dict[str, Any]:
    """Return the display of a new version if none is given."""
    if old is None or old.system != chosen.name or old.display == default_display(old.system, old.parameters):
        return default_display(chosen.name, chosen.parameters())
    return old.display


def _tiers(chosen: RatingSystem, display: dict[str, Any], old: Scheme | None) -> Tiers:
    """Return the tiers if none are given: the current ones if someone chose them and they keep their meaning."""
    default = suitable_tiers(chosen.name, chosen.parameters(), display)
    if old is None or old.system != chosen.name or not old.tiers:
        return default
    if mapping_from_dict(old.display) != mapping_from_dict(display):
        return default
    own = tiers_from_list(old.tiers)
    return default if own == suitable_tiers(old.system, old.parameters, old.display) else own


def _as_json(scheme: Scheme) -> dict[str, Any]:
    return {
        "version": scheme.version,
        "system": scheme.system,
        "parameters": scheme.parameters,
        "display": scheme.display,
        "tiers": [[tier["name"], tier["minimum"]] for tier in scheme.tiers],
        "leagues": scheme.leagues,
        "season": scheme.season,
        "duration_weight": scheme.duration_weight,
    }


def _changed_meanwhile(series: Series, newest: Scheme | None) -> str:
    if newest is None:
        text = gettext("The rating scheme of “%(name)s” has changed since you opened the form. Open it again.")
        return text % {"name": series.name}
    return gettext(
        "The rating scheme of “%(name)s” was changed %(how)s at %(time)s UTC, after you opened the form: version "
        "%(version)s is in force now. Your changes were not saved."
    ) % {
        "name": series.name,
        "how": by_author(newest.who),
        "time": f"{timezone.localtime(newest.created_at):%H:%M}",
        "version": newest.version,
    }


def refuse_unratable(system: RatingSystem, contest: Contest, *, has_teams: bool, has_handicaps: bool) -> None:
    """Raise ContestError if the contest has teams or handicaps that the system cannot rate."""
    if has_handicaps and not system.rates_handicaps:
        *others, last = [str(each.description.title) for each in SYSTEMS.values() if each.rates_handicaps]
        raise ContestError(
            gettext(
                "“%(name)s” has handicaps in rating points, but %(other)s has positions instead of points. "
                "Remove the handicaps, mark the contest as unrated, or choose a system that supports handicaps "
                "(%(others)s or %(last)s)."
            )
            % {"name": contest.name, "other": system.description.title, "others": ", ".join(others), "last": last}
        )
    if has_teams and not system.rates_teams:
        *others, last = [str(each.description.title) for each in SYSTEMS.values() if each.rates_teams]
        raise ContestError(
            gettext(
                "“%(name)s” is a team contest, but %(other)s rates individual players only. Enter one row per player "
                "and no teams, mark the contest as unrated, or choose a system that rates teams (%(others)s or "
                "%(last)s)."
            )
            % {"name": contest.name, "other": system.description.title, "others": ", ".join(others), "last": last}
        )


def refuse_unratable_results(system: RatingSystem, series_id: int) -> None:
    """Raise ContestError if a rated contest of the series has teams or handicaps that the system cannot rate."""
    unratable = Q()
    if not system.rates_teams:
        unratable |= Q(has_teams=True)
    if not system.rates_handicaps:
        unratable |= Q(has_handicaps=True)
    if unratable:
        contest = Contest.objects.rated().filter(unratable, series_id=series_id).in_order().first()
        if contest is not None:
            refuse_unratable(system, contest, has_teams=contest.has_teams, has_handicaps=contest.has_handicaps)
