"""API resources: the leagues of a series with their players, and the tables of its seasons."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.response import Response

from contests.api.base import PageParameters, TrueFalseField
from contests.api.lookups import readable_series
from contests.api.serializers import ContestReferenceSerializer, NumberField, PlayerSerializer
from contests.handles import printable
from ratings.api.base import RatingsView, RunListView
from ratings.api.league_standings import in_league, league_at
from ratings.derived.league_tables import (
    divisions_in,
    league_counts,
    league_moves,
    league_name,
    league_rows,
    leagues_content,
    rows_in_leagues,
)
from ratings.derived.leagues import MOVES_KEPT, rules_of
from ratings.derived.season_tables import rows_of_season, season_content, season_rows, season_rules, seasons_of
from ratings.queries.filters import LARGEST
from ratings.queries.snapshot import snapshot_of

if TYPE_CHECKING:
    from rest_framework.request import Request

    from ratings.derived import Content
    from ratings.derived.league_tables import LeagueMove, LeagueRow
    from ratings.derived.season_tables import Season, SeasonRow
    from ratings.queries.snapshot import SeriesSnapshot

_LEAGUE = "Name of the league; null for a provisional player."
_DIVISION = "Number of the division in the league, from 1; null without one."


class LeagueMoveSerializer(serializers.Serializer[Any]):
    """A promotion or relegation."""

    player = PlayerSerializer()
    contest = ContestReferenceSerializer()
    before = serializers.CharField(help_text="Name of the league before the contest.")
    after = serializers.CharField(help_text="Name of the league after the contest.")


class LeagueCountSerializer(serializers.Serializer[Any]):
    """A league with its number of players."""

    name = serializers.CharField(help_text="Name of the league, which is that of its tier.")
    minimum = serializers.IntegerField(
        allow_null=True, help_text="Lowest displayed rating of the tier; null for the lowest."
    )
    players = serializers.IntegerField(min_value=0, help_text="Number of players in the league.")
    divisions = serializers.IntegerField(
        min_value=0, help_text="Number of the last division in the newest season; 0 without divisions."
    )


class LeagueOverviewSerializer(serializers.Serializer[Any]):
    """The leagues of a series."""

    community = serializers.SlugField(help_text="Slug of the community.")
    series = serializers.SlugField(help_text="Slug of the series, unique in the community.")
    run = serializers.IntegerField(
        min_value=1, allow_null=True, help_text="Run that produced these numbers; null if none has been published."
    )
    is_computed = serializers.BooleanField(
        help_text="Whether the leagues of this run have been computed, which takes a few seconds. Until then, the "
        "lists are empty."
    )
    leagues = LeagueCountSerializer(many=True, help_text="Leagues, the highest first.")
    provisional = serializers.IntegerField(min_value=0, help_text="Number of provisional players, who have no league.")
    promotions = LeagueMoveSerializer(many=True, help_text="Latest promotions, newest first.")
    relegations = LeagueMoveSerializer(many=True, help_text="Latest relegations, newest first.")


class LeaguePlayerSerializer(serializers.Serializer[Any]):
    """A player of a league."""

    league = serializers.CharField(allow_null=True, help_text=_LEAGUE)
    division = serializers.IntegerField(allow_null=True, min_value=1, help_text=_DIVISION)
    player = PlayerSerializer()
    rank = serializers.IntegerField(min_value=1, help_text="Competition rank among all rated players of the series.")
    rating = serializers.IntegerField(help_text="Rating as shown on pages, in displayed points.")
    mean = NumberField(
        allow_null=True,
        help_text="Mean of the latest displayed ratings, which decides promotion and relegation; null with "
        "`confidence`.",
    )
    low = serializers.IntegerField(
        allow_null=True, help_text="With `confidence`, the displayed `mu` - k `sigma`; null with `moving_average`."
    )
    high = serializers.IntegerField(
        allow_null=True, help_text="With `confidence`, the displayed `mu` + k `sigma`; null with `moving_average`."
    )
    to_promotion = NumberField(
        allow_null=True,
        help_text="Points by which `mean`, or `low`, falls short of the next league; null in the highest league and "
        "for provisional players.",
    )


class SeasonEntrySerializer(serializers.Serializer[Any]):
    """A season of a series."""

    number = serializers.IntegerField(min_value=1, help_text="Number of the season, from 1.")
    start = serializers.DateField(help_text="First day of the season.")
    end = serializers.DateField(allow_null=True, help_text="First day of the next season; null if it is not known.")
    contests = serializers.IntegerField(min_value=1, help_text="Number of rated contests in the season.")
    players = serializers.IntegerField(min_value=0, help_text="Number of players with a rated contest in the season.")


class SeasonStandingSerializer(serializers.Serializer[Any]):
    """A player in the table of a season, in displayed points."""

    league = serializers.CharField(
        allow_null=True,
        help_text="League after the player's last contest in the season; null for a provisional player.",
    )
    division = serializers.IntegerField(allow_null=True, min_value=1, help_text=_DIVISION)
    rank = serializers.IntegerField(min_value=1, help_text="Competition rank by `points` in the league.")
    player = PlayerSerializer()
    points = serializers.IntegerField(help_text="Season points.")
    points_without_bonus = serializers.IntegerField(help_text="Season points as they would be without any bonus.")
    rank_without_bonus = serializers.IntegerField(
        min_value=1, help_text="Competition rank by `points_without_bonus` in the league."
    )
    bonus_left = serializers.IntegerField(help_text="Bonus points left after the season's last contest.")
    contests = serializers.IntegerField(min_value=1, help_text="Number of the player's rated contests in the season.")
    change = serializers.IntegerField(help_text="Points gained or lost in the player's last contest of the season.")
    last_contest = ContestReferenceSerializer(allow_null=True)


class LeagueParameters(serializers.Serializer[Any]):
    """A league and a division of it."""

    league = serializers.CharField(
        required=False,
        max_length=40,
        help_text="Only return players of the league with this name. Case does not matter.",
    )
    division = serializers.IntegerField(
        required=False, min_value=1, max_value=LARGEST, help_text="Only return players of this division of `league`."
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if "division" in attrs and "league" not in attrs:
            raise ValidationError({"division": ["Name the league of the division in `league`."]})
        return attrs


class SeasonParameters(LeagueParameters):
    """The part of a table of a season, and its order."""

    without_bonus = TrueFalseField(default=False, help_text="Sort by `points_without_bonus`.")


_PLAYER = {"id": 7, "community": "main", "handle": "souyang", "name": "", "country": "CN", "picture": None}
_FINAL = {"id": 45, "slug": "s3-final", "name": "Grand Final", "ends_at": "2026-11-21T20:00:00Z"}
_EXAMPLE = {
    "community": "main",
    "series": "harbour-cup",
    "run": 3,
    "is_computed": True,
    "leagues": [
        {"name": "Star", "minimum": 2300, "players": 41, "divisions": 3},
        {"name": "Torch", "minimum": None, "players": 180, "divisions": 12},
    ],
    "provisional": 25,
    "promotions": [{"player": _PLAYER, "contest": _FINAL, "before": "Torch", "after": "Star"}],
    "relegations": [],
}


class LeagueOverview(RatingsView):
    """The leagues of a series."""

    @extend_schema(
        operation_id="getLeagues",
        tags=["series"],
        responses=LeagueOverviewSerializer,
        examples=[OpenApiExample("Two leagues with divisions", value=_EXAMPLE, response_only=True)],
    )
    def get(self, request: Request, community: str, slug: str) -> Response:
        """
        Retrieve the leagues of a series.

        Returns the number of players and divisions of each league, and the latest promotions and relegations. The
        series resource contains the rules. A series without leagues returns 404.
        """
        snapshot = _with_leagues(snapshot_of(readable_series(self.reader, community, slug)))
        content = leagues_content(snapshot)
        *leagues, provisional = league_counts(snapshot, content) if content is not None else [None]
        answer = {
            "community": snapshot.series.community_id,
            "series": snapshot.series.slug,
            "run": snapshot.run.number if snapshot.run else None,
            "is_computed": content is not None,
            "leagues": [
                {"name": one.name, "minimum": one.minimum, "players": one.players,
                 "divisions": divisions_in(content, one.number)}
                for one in leagues if one is not None and content is not None
            ],
            "provisional": provisional.players if provisional is not None else 0,
            "promotions": _moves(snapshot, content, "up"),
            "relegations": _moves(snapshot, content, "down"),
        }  # fmt: skip
        return Response(LeagueOverviewSerializer(answer, context=self.get_serializer_context()).data)


class LeaguePlayers(RunListView):
    """The players of the leagues of a series."""

    parameters = (LeagueParameters, PageParameters)

    @extend_schema(
        operation_id="listLeaguePlayers",
        tags=["series"],
        parameters=[LeagueParameters],
        responses=LeaguePlayerSerializer(many=True),
    )
    def get(self, request: Request, community: str, slug: str) -> Response:
        """
        List the players of the leagues of a series.

        Returns all rated players, or those of one league or division. Leagues are sorted from highest to lowest, with
        provisional players last; within each league, the best player comes first. A series without leagues returns 404.
        The list is empty until the leagues of the run are computed, which takes a few seconds.
        """
        snapshot = _with_leagues(snapshot_of(readable_series(self.reader, community, slug)))
        content = leagues_content(snapshot)
        found: Any = np.empty(0, dtype=np.int64)
        if "league" in self.asked:
            found = np.flatnonzero(in_league(snapshot, self.asked["league"], self.asked.get("division")))
        elif content is not None:
            found = rows_in_leagues(content, None)
        rows: Any = self.paginate_queryset(found)
        listed = league_rows(snapshot, content, rows) if content is not None else []
        results = [_league_player(snapshot, row) for row in listed]
        return self.answer(
            snapshot, LeaguePlayerSerializer(results, many=True, context=self.get_serializer_context()).data
        )


class SeasonList(RunListView):
    """The seasons of a series."""

    parameters = (PageParameters,)

    @extend_schema(operation_id="listSeasons", tags=["series"], responses=SeasonEntrySerializer(many=True))
    def get(self, request: Request, community: str, slug: str) -> Response:
        """
        List the seasons of a series.

        Returns the newest seasons with a rated contest, at most twelve, newest first. A series without season points
        returns 404.
        """
        snapshot = snapshot_of(readable_series(self.reader, community, slug))
        listed: Any = self.paginate_queryset(_seasons(snapshot)[0])
        return self.answer(snapshot, SeasonEntrySerializer([_season(one) for one in listed], many=True).data)


class SeasonStandings(RunListView):
    """The table of a season."""

    parameters = (SeasonParameters, PageParameters)

    @extend_schema(
        operation_id="getSeasonStandings",
        tags=["series"],
        parameters=[SeasonParameters],
        responses=SeasonStandingSerializer(many=True),
    )
    def get(self, request: Request, community: str, slug: str, number: int) -> Response:
        """
        Retrieve the table of a season.

        Returns the players with a rated contest in the season, or those of one league or division, sorted by league
        (highest first), then by points. A season that is not in the list of seasons returns 404.
        """
        snapshot = snapshot_of(readable_series(self.reader, community, slug))
        seasons, content = _seasons(snapshot)
        season = next((one for one in seasons if one.number == number), None)
        if season is None or content is None:
            raise NotFound(f"There is no season {number} in the list of seasons of this series.")
        league = league_at(snapshot, self.asked["league"]) if "league" in self.asked else None
        found: Any = rows_of_season(
            content, season, league, self.asked.get("division"), without_bonus=self.asked["without_bonus"]
        )
        rows: Any = self.paginate_queryset(found)
        results = [_season_standing(snapshot, row) for row in season_rows(snapshot, content, rows)]
        return self.answer(
            snapshot, SeasonStandingSerializer(results, many=True, context=self.get_serializer_context()).data
        )


def _with_leagues(snapshot: SeriesSnapshot) -> SeriesSnapshot:
    if rules_of(snapshot) is None:
        raise NotFound(f"Series “{printable(snapshot.series.slug)}” has no leagues.")
    return snapshot


def _moves(snapshot: SeriesSnapshot, content: Content | None, way: str) -> list[dict[str, Any]]:
    moves: list[LeagueMove] = league_moves(content, way, MOVES_KEPT) if content is not None else []
    return [
        {
            "player": move.player,
            "contest": move.contest,
            "before": league_name(snapshot, move.before),
            "after": league_name(snapshot, move.after),
        }
        for move in moves
    ]


def _league_player(snapshot: SeriesSnapshot, row: LeagueRow) -> dict[str, Any]:
    is_mean = row.high is None
    return {
        "league": league_name(snapshot, row.league),
        "division": row.division or None,
        "player": row.leader.rating.player,
        "rank": row.leader.rank,
        "rating": row.leader.points,
        "mean": float(row.mean) if is_mean else None,
        "low": None if is_mean else int(row.mean),
        "high": row.high,
        "to_promotion": row.missing,
    }


def _seasons(snapshot: SeriesSnapshot) -> tuple[list[Season], Content | None]:
    """Return the stored seasons, newest first; none before they are computed. NotFound without season points."""
    rules, content = season_rules(snapshot), season_content(snapshot)
    if rules is None:
        raise NotFound(f"Series “{printable(snapshot.series.slug)}” has no season points.")
    return (seasons_of(rules, content) if content is not None else []), content


def _season(season: Season) -> dict[str, Any]:
    return {
        "number": season.number, "start": season.start.date(), "end": season.end, "contests": season.contests,
        "players": season.players,
    }  # fmt: skip


def _season_standing(snapshot: SeriesSnapshot, row: SeasonRow) -> dict[str, Any]:
    return {
        "league": league_name(snapshot, row.group),
        "division": row.division or None,
        "rank": row.rank,
        "player": row.leader.rating.player,
        "points": row.points,
        "points_without_bonus": row.bare,
        "rank_without_bonus": row.bare_rank,
        "bonus_left": row.left,
        "contests": row.contests,
        "change": row.gain,
        "last_contest": row.last,
    }
