"""Choosing how a series is rated and shown."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.utils import timezone

from contests.errors import ChangedMeanwhile, ContestError
from contests.models import Contest, Series
from contests.services.transactions import record
from ratings.default_display import default_display, suitable_tiers
from ratings.display import mapping_from_dict, tiers_from_list
from ratings.display.leagues import LeagueRules, league_rules_from_dict
from ratings.display.season import season_rules_from_dict
from ratings.models import Scheme, Work
from ratings.publishing.queue import mark_stale, notify
from ratings.systems import DEFAULT_SYSTEM, get_system

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from django.contrib.auth.models import User

    from ratings.display import Tiers
    from ratings.queries.snapshot import SeriesSnapshot
    from ratings.systems import RatingSystem


def chosen_leagues(given: Mapping[str, Any] | None, old: Scheme | None, system: RatingSystem) -> dict[str, Any]:
    """
    Return the leagues of a new version as they are stored; {} for tiers at once.

    given
        None for those in force: they stay, without their limit of the deviation where that means nothing any more.

    ValueError says what is not allowed.
    """
    if given is not None:
        rules = league_rules_from_dict(given)
        check_leagues(rules, system)
        return rules.to_dict() if rules is not None else {}
    kept = league_rules_from_dict(old.leagues) if old is not None else None
    if old is None or kept is None:
        return {}
    try:
        check_leagues(kept, system)
    except ValueError:
        kept = replace(kept, provisional_sigma=None)
    return (kept if old.system == system.name else replace(kept, provisional_sigma=None)).to_dict()


def chosen_season(given: Mapping[str, Any] | None, old: Scheme | None, system: RatingSystem) -> dict[str, Any]:
    """Return the season points of a new version as they are stored, {} for none; as `chosen_leagues`."""
    if given is not None:
        rules = season_rules_from_dict(given)
        if rules is not None and not has_strengths(system):
            raise ValueError(
                "a ladder has positions and no strengths, so no Elo step can be made of a result: it has no season "
                "points; choose another rating system, or none"
            )
        return rules.to_dict() if rules is not None else {}
    return dict(old.season) if old is not None and has_strengths(system) else {}


def has_strengths(system: RatingSystem | type[RatingSystem]) -> bool:
    """Whether distances of ratings mean anything, so that there can be season points."""
    return not system.has_positions


def check_leagues(rules: LeagueRules | None, system: RatingSystem) -> None:
    """ValueError where the limit of the deviation means nothing, or would leave everyone without a league."""
    if rules is None or rules.provisional_sigma is None:
        return
    if system.sigma_means != "uncertainty":
        raise ValueError(
            f"provisional_sigma: the deviations of {system.name} do not say how uncertain a rating is, so nobody can "
            "be provisional by them; leave it empty"
        )
    least = system.min_sigma
    if rules.provisional_sigma <= least:
        raise ValueError(
            f"provisional_sigma must be above {least:g}, where the deviations of this rating system settle "
            f"(sig_limit), not {rules.provisional_sigma:g}: everybody would stay provisional for ever"
        )


def leagues_as_shown(snapshot: SeriesSnapshot) -> dict[str, Any] | None:
    """Return the rules of a series' leagues with nothing left to find out; None for tiers at once."""
    rules = league_rules_from_dict(snapshot.scheme.leagues) if snapshot.scheme is not None else None
    return {**rules.to_dict(), "margin": rules.margin_in(snapshot.tiers)} if rules is not None else None


def season_as_shown(snapshot: SeriesSnapshot) -> dict[str, Any] | None:
    """Return the rules of a series' season points, likewise; None for none."""
    rules = season_rules_from_dict(snapshot.scheme.season) if snapshot.scheme is not None else None
    if rules is None:
        return None
    return {
        "length": rules.length,
        "starts": list(rules.starts),
        "k": rules.k_in(snapshot.mapping),
        "scale": None if snapshot.mapping.has_own_odds else rules.scale,
        "bonus_per_day": rules.bonus_in(snapshot.mapping),
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
    reason: str = "",
    version: int | None = None,
    actor: User | None = None,
) -> Scheme:
    """
    Make a new version of the series' scheme; what is None stays as it is (at first: Elo-MMR with what suits it).

    A display that was the system's own follows the system and its parameters; with another system, any display and its
    tiers give way to what suits that one, unless they are given.

    A change of system or parameters makes the whole series stale; a change of display, tiers, leagues or season points
    only changes what people see, and takes effect at once. Choosing what is in force already changes nothing.
    ContestError says what is not allowed.

    leagues, season
        As `ratings.display.leagues` and `ratings.display.season` read them; {} for tiers at once and for no points.
    version
        The one that its organizer looked at, 0 for none; ChangedMeanwhile if another is in force by now.
    """
    series = Series.objects.select_for_update(no_key=True).get(pk=series_id)
    old = Scheme.objects.newest(series_id)
    scheme = _next_version(series, old, system, parameters, display, tiers, leagues, season)
    if old is not None and old.is_like(scheme):
        return old
    if version is not None and version != (old.version if old else 0):
        raise ChangedMeanwhile(_who_was_quicker(series, old))
    scheme.created_by = actor
    scheme.save()
    record(
        "scheme.choose", subject=f"series {series.slug}", series=series, actor=actor, reason=reason,
        before=_as_json(old) if old else {}, after=_as_json(scheme),
    )  # fmt: skip
    if old is not None and not old.rates_alike(scheme):
        first = Contest.objects.rated().filter(series=series).in_order().first()
        if first is not None:
            cause = f"Rated by {scheme.system} from now on" + (f": {reason}" if reason else "")
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
) -> Scheme:
    """Return, unsaved, the version that `choose_scheme` would make; raise the ContestError that it would raise."""
    series = Series.objects.get(pk=series_id)
    newest = Scheme.objects.newest(series_id)
    return _next_version(series, newest, system, parameters, display, tiers, leagues, season)


def check_choice(series_id: int, *, system: str | None, parameters: dict[str, Any] | None) -> None:
    """Raise the ContestError that `choose_scheme` would raise; choose nothing."""
    previewed_scheme(series_id, system=system, parameters=parameters)


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
    leagues: dict[str, Any] | None,
    season: dict[str, Any] | None,
) -> Scheme:
    name = system or (old.system if old else DEFAULT_SYSTEM)
    same_system = old is not None and old.system == name
    given = parameters if parameters is not None else (old.parameters if old and same_system else {})
    try:
        chosen = get_system(name, **given)
        shown = display or _display(chosen, old)
        levels = tiers_from_list(tiers) if tiers else _tiers(chosen, shown, old)
        options = {"leagues": chosen_leagues(leagues, old, chosen), "season": chosen_season(season, old, chosen)}
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
        **options,
    )


def _display(chosen: RatingSystem, old: Scheme | None) -> dict[str, Any]:
    """Return the display where none is given."""
    if old is None or old.system != chosen.name or old.display == default_display(old.system, old.parameters):
        return default_display(chosen.name, chosen.parameters())
    return old.display


def _tiers(chosen: RatingSystem, display: dict[str, Any], old: Scheme | None) -> Tiers:
    """Return the tiers where none are given: those in force if someone chose them and their numbers mean the same."""
    suited = suitable_tiers(chosen.name, chosen.parameters(), display)
    if old is None or old.system != chosen.name or not old.tiers:
        return suited
    if mapping_from_dict(old.display) != mapping_from_dict(display):
        return suited
    own = tiers_from_list(old.tiers)
    return suited if own == suitable_tiers(old.system, old.parameters, old.display) else own


def _as_json(scheme: Scheme) -> dict[str, Any]:
    return {
        "version": scheme.version,
        "system": scheme.system,
        "parameters": scheme.parameters,
        "display": scheme.display,
        "tiers": [[tier["name"], tier["minimum"]] for tier in scheme.tiers],
        "leagues": scheme.leagues,
        "season": scheme.season,
    }


def _who_was_quicker(series: Series, newest: Scheme | None) -> str:
    if newest is None:
        return f"The rating scheme of “{series.name}” is not the one that you looked at; look at it as it is now."
    return (
        f"The rating scheme of “{series.name}” was changed by {newest.who} at "
        f"{timezone.localtime(newest.created_at):%H:%M} UTC, while you were at it: version {newest.version} is in "
        "force now. Nothing of yours has been saved, and nothing of theirs is lost."
    )


def refuse_teams(system: RatingSystem, contest: Contest) -> None:
    """Raise ContestError if the contest, which has teams, is nothing that the system can rate."""
    if not system.rates_teams:
        raise ContestError(
            f"“{contest.name}” is a contest of teams, and {system.name} rates single players. "
            "Give one row per player without a team, mark the contest as unrated, or choose a system that rates teams "
            "(trueskill, elo or kreimeier)."
        )


def refuse_rated_teams(system: RatingSystem, series_id: int) -> None:
    """Raise ContestError if a rated contest of the series has teams that the system cannot rate."""
    if not system.rates_teams:
        contest = Contest.objects.rated().filter(series_id=series_id, has_teams=True).in_order().first()
        if contest is not None:
            refuse_teams(system, contest)
