"""API fields: a player's league and season points in a series, from the derived numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from rest_framework import serializers

from contests.api.serializers import NumberField
from ratings.derived import derived
from ratings.derived.divisions import division_of
from ratings.derived.leagues import DERIVATION as LEAGUES
from ratings.derived.season import DERIVATION as SEASON

if TYPE_CHECKING:
    from ratings.models import Rating
    from ratings.queries.snapshot import SeriesSnapshot


class PlayerDivisionSerializer(serializers.Serializer[Any]):
    """A player's division in a league."""

    number = serializers.IntegerField(min_value=1, help_text="Number of the division in the league, from 1.")
    rank = serializers.IntegerField(
        min_value=1, help_text="Rank in the division: by season points, or by rating in a series without them."
    )
    players = serializers.IntegerField(min_value=1, help_text="Number of players in the division.")


class PlayerLeagueSerializer(serializers.Serializer[Any]):
    """A player's league in one series."""

    name = serializers.CharField(allow_null=True, help_text="Name of the league; null for a provisional player.")
    mean = NumberField(
        allow_null=True,
        help_text="Mean of the latest displayed ratings, by which players are promoted and relegated. Null by "
        "confidence.",
    )
    ratings = serializers.IntegerField(
        allow_null=True, min_value=1, help_text="Number of ratings in the mean; null by confidence."
    )
    low = serializers.IntegerField(
        allow_null=True,
        help_text="By confidence, the displayed `mu` - k `sigma`, which must reach the minimum of a league for "
        "promotion; null for the moving average.",
    )
    high = serializers.IntegerField(
        allow_null=True,
        help_text="By confidence, the displayed `mu` + k `sigma`; below the minimum of the league, it means "
        "relegation. Null for the moving average.",
    )
    since = serializers.IntegerField(help_text="Id of the contest in which the player entered the league.")
    division = PlayerDivisionSerializer(
        allow_null=True,
        help_text="The player's division; null without divisions, for provisional players, and for players without a "
        "contest in the newest season.",
    )


class PlayerSeasonSerializer(serializers.Serializer[Any]):
    """A player's points in the newest season of one series, in displayed points."""

    number = serializers.IntegerField(min_value=1, help_text="Number of the season, from 1.")
    start = serializers.DateField(help_text="First day of the season.")
    end = serializers.DateField(allow_null=True, help_text="First day of the next season; null if it is not known.")
    points = serializers.IntegerField(allow_null=True, help_text="Season points; null without a contest in the season.")
    rank = serializers.IntegerField(allow_null=True, min_value=1, help_text="Rank by points in the league.")
    points_without_bonus = serializers.IntegerField(
        allow_null=True, help_text="Season points as they would be without any bonus."
    )
    rank_without_bonus = serializers.IntegerField(
        allow_null=True, min_value=1, help_text="Rank by points without bonus in the league."
    )
    players = serializers.IntegerField(min_value=0, help_text="Number of players with points in the league.")
    league = serializers.CharField(
        allow_null=True, help_text="League of these points; null for a provisional player or without a contest."
    )
    bonus_left = serializers.IntegerField(
        allow_null=True, help_text="Bonus points that were left after the season's last contest."
    )
    contests = serializers.IntegerField(min_value=0, help_text="Number of the player's rated contests in the season.")


def league_of(snapshot: SeriesSnapshot, rating: Rating) -> dict[str, Any] | None:
    """Return the fields of `PlayerLeagueSerializer`; None without leagues, or before they are computed."""
    content = derived(snapshot, LEAGUES) if LEAGUES.applies(snapshot) else None
    row = snapshot.index.position(rating.player_id, rating.score)
    if content is None or row is None:
        return None
    is_mean = "low" not in content
    return {
        "name": _name(snapshot, int(content["league"][row])),
        "mean": float(content["mean"][row]) if is_mean else None,
        "ratings": int(content["window"][row]) if is_mean else None,
        "low": None if is_mean else int(content["low"][row]),
        "high": None if is_mean else int(content["high"][row]),
        "since": int(content["since"][row]),
        "division": division_of(snapshot, content, row),
    }


def season_of(snapshot: SeriesSnapshot, rating: Rating) -> dict[str, Any] | None:
    """Return the fields of `PlayerSeasonSerializer`; None without season points, or before they are computed."""
    content = derived(snapshot, SEASON) if SEASON.applies(snapshot) else None
    row = snapshot.index.position(rating.player_id, rating.score)
    if content is None or row is None or not content["seasons"]:
        return None
    season = {name: content["seasons"][-1][name] for name in ("number", "start", "end")}
    begin, end = content["offsets"][-2:].tolist()
    own = begin + np.flatnonzero(content["place"][begin:end] == row)
    if not len(own):
        absent = ("points", "rank", "points_without_bonus", "rank_without_bonus", "league", "bonus_left")
        return {**season, **dict.fromkeys(absent), "players": 0, "contests": 0}
    at = int(own[0])
    group = int(content["group"][at])
    return {
        **season,
        "points": int(content["points"][at]),
        "rank": int(content["rank"][at]),
        "points_without_bonus": int(content["bare"][at]),
        "rank_without_bonus": int(content["bare_rank"][at]),
        "players": int(np.count_nonzero(content["group"][begin:end] == group)),
        "league": _name(snapshot, group),
        "bonus_left": int(content["left"][at]),
        "contests": int(content["contests"][at]),
    }


def _name(snapshot: SeriesSnapshot, league: int) -> str | None:
    """Return the name of a league by its position; None for provisional players."""
    return snapshot.tiers[league].name if 0 <= league < len(snapshot.tiers) else None
