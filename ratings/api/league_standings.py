"""API fields: the rules of leagues and season points, and a player's own, from the derived numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from rest_framework import serializers
from rest_framework.exceptions import ValidationError

from contests.api.serializers import NumberField
from contests.handles import printable
from ratings.derived import derived
from ratings.derived.divisions import division_of
from ratings.derived.league_tables import league_name
from ratings.derived.leagues import DERIVATION as LEAGUES
from ratings.derived.season import DERIVATION as SEASON

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ratings.models import Rating
    from ratings.queries.snapshot import SeriesSnapshot


class LeaguesSerializer(serializers.Serializer[Any]):
    """Rules of promotion and relegation between the leagues, in displayed points unless stated otherwise."""

    assignment = serializers.ChoiceField(
        choices=[
            ("moving_average", "by the mean of the latest displayed ratings"),
            (
                "confidence",
                "promotion if `mu` - k `sigma` reaches a threshold, relegation if `mu` + k `sigma` is below it",
            ),
        ],
        help_text="How the league of a player is chosen.",
    )
    contests = serializers.IntegerField(
        allow_null=True,
        min_value=1,
        help_text="Number of latest ratings from which the mean is computed; null with `confidence`.",
    )
    margin = serializers.IntegerField(
        allow_null=True,
        min_value=0,
        help_text="How far the mean may fall below the threshold of a league before relegation; null with "
        "`confidence`.",
    )
    k = NumberField(allow_null=True, help_text="With `confidence`, the number of standard deviations; otherwise null.")
    provisional_contests = serializers.IntegerField(
        min_value=1,
        help_text="Minimum number of rated contests. Players with fewer are provisional and not in a league.",
    )
    provisional_sigma = NumberField(
        allow_null=True,
        help_text="Maximum `sigma`, in rating points; players above it are provisional too. Null if there is no limit.",
    )
    division_size = serializers.IntegerField(
        allow_null=True, min_value=2, help_text="Maximum number of players in a division; null without divisions."
    )


class SeasonSerializer(serializers.Serializer[Any]):
    """Rules of season points, in displayed points."""

    length = serializers.ChoiceField(
        allow_null=True,
        choices=[("year", "calendar years"), ("quarter", "quarters of a year"), ("month", "months")],
        help_text="Length of seasons that follow the calendar (UTC); null if `starts` lists their first days.",
    )
    starts = serializers.ListField(
        child=serializers.DateField(), help_text="First day of each season; empty if seasons follow the calendar."
    )
    k = NumberField(help_text="Most points that one contest of weight 1 can give, without the bonus.")
    scale = NumberField(
        allow_null=True,
        help_text="Rating difference at which the odds are 10 to 1; null for display mappings with a fixed range.",
    )
    bonus_per_day = NumberField(help_text="Bonus points that each player accrues per day.")
    bonus_in_level = serializers.BooleanField(
        help_text="Whether bonus points count in the level that is compared with the ratings of the field."
    )


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
        help_text="Mean of the latest displayed ratings, by which players are promoted and relegated. Null with "
        "`confidence`.",
    )
    ratings = serializers.IntegerField(
        allow_null=True, min_value=1, help_text="Number of ratings in the mean; null with `confidence`."
    )
    low = serializers.IntegerField(
        allow_null=True,
        help_text="With `confidence`, the displayed `mu` - k `sigma`, which must reach the threshold of a "
        "league for promotion; otherwise null.",
    )
    high = serializers.IntegerField(
        allow_null=True,
        help_text="With `confidence`, the displayed `mu` + k `sigma`: the player is relegated if it is "
        "below the threshold of the league. Otherwise null.",
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
        allow_null=True, help_text="League of these points; null for a provisional player or one without a contest."
    )
    bonus_left = serializers.IntegerField(
        allow_null=True, help_text="Bonus points that were left after the season's last contest."
    )
    contests = serializers.IntegerField(min_value=0, help_text="Number of the player's rated contests in the season.")


def in_league(snapshot: SeriesSnapshot, name: str, division: int | None) -> NDArray[np.bool_]:
    """
    Return whether each row of the rank index is in a league, or in a division of it; none before they are computed.

    Raises ValidationError if the series has no leagues, or none with this name.
    """
    if not LEAGUES.applies(snapshot):
        raise ValidationError({"league": ["This series has no leagues."]})
    league, content = league_at(snapshot, name), derived(snapshot, LEAGUES)
    if content is None:
        return np.zeros(len(snapshot.index), dtype=bool)
    chosen: NDArray[np.bool_] = content["league"] == league
    if division is not None:
        chosen = chosen & (content["division"] == division) if "division" in content else np.zeros_like(chosen)
    return chosen


def league_at(snapshot: SeriesSnapshot, name: str) -> int:
    """Return the position of the league with this name; ValidationError if there is none."""
    names = [tier.name.casefold() for tier in snapshot.tiers]
    if name.casefold() not in names:
        listed = ", ".join(tier.name for tier in snapshot.tiers)
        raise ValidationError({"league": [f"This series has no league “{printable(name)}”. Its leagues are {listed}."]})
    return names.index(name.casefold())


def league_of(snapshot: SeriesSnapshot, rating: Rating) -> dict[str, Any] | None:
    """Return the fields of `PlayerLeagueSerializer`; None without leagues, or before they are computed."""
    content = derived(snapshot, LEAGUES) if LEAGUES.applies(snapshot) else None
    row = snapshot.index.position(rating.player_id, rating.score)
    if content is None or row is None:
        return None
    is_mean = "low" not in content
    return {
        "name": league_name(snapshot, int(content["league"][row])),
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
        "league": league_name(snapshot, group),
        "bonus_left": int(content["left"][at]),
        "contests": int(content["contests"][at]),
    }
