"""Leagues and season points as parts of a scheme: what suits a rating system, what is refused, what stays."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ratings.display.leagues import LeagueRules, league_rules_from_dict
from ratings.display.season import season_rules_from_dict

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ratings.models import Scheme
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
    least = system.least_sigma
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
