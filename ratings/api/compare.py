"""API resource: players side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.response import Response

from contests.api.base import SERIES_NAME, SeriesNameField
from contests.api.lookups import may_read, missing_player, readable_players, readable_series
from contests.api.serializers import NumberField, PlayerSerializer
from contests.queries.visibility import split_name
from ratings.api.base import RatingsView
from ratings.api.serializers import RatingSerializer, rating_rows
from ratings.derived.draws import draw_rate_of
from ratings.models import Rating
from ratings.queries.comparisons import (
    MOST_NAMED,
    best_place_of,
    changes_of,
    common_series,
    requested_players,
    tied_contests,
    wins_of,
)
from ratings.queries.head_to_head import Meetings, chances_now, qualities_now
from ratings.queries.named_players import number_of_names
from ratings.queries.rows import ratings_of
from ratings.queries.snapshot import snapshot_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rest_framework.request import Request

    from contests.models import Player, Series
    from contests.models.community import Visitor
    from ratings.queries.comparisons import RequestedPlayers
    from ratings.queries.snapshot import SeriesSnapshot


class ComparedPlayerSerializer(serializers.Serializer[Any]):
    """A player in the comparison."""

    player = PlayerSerializer()
    rating = RatingSerializer(help_text="The player's rating in the series.")
    wins = serializers.IntegerField(
        min_value=0, help_text="Number of rated contests won (rank 1), except those in which all players tied."
    )
    best_place = serializers.IntegerField(min_value=1, help_text="Best rank in a rated contest.")


class PairSerializer(serializers.Serializer[Any]):
    """Two of the players. All values are from the first player's point of view."""

    player = serializers.CharField(help_text="Handle of the first player.")
    opponent = serializers.CharField(help_text="Handle of the second player.")
    contests = serializers.IntegerField(
        source="score.meetings",
        min_value=0,
        help_text="Number of rated contests that both entered, except as teammates.",
    )
    wins = serializers.IntegerField(
        source="score.wins", min_value=0, help_text="Number of contests in which the first player finished ahead."
    )
    losses = serializers.IntegerField(
        source="score.losses", min_value=0, help_text="Number of contests in which the first player finished behind."
    )
    ties = serializers.IntegerField(
        source="score.ties", min_value=0, help_text="Number of contests in which they tied."
    )
    together = serializers.IntegerField(
        source="score.together", min_value=0, help_text="Number of rated contests in which they were teammates."
    )
    win_probability = NumberField(
        help_text="Probability that the first player finishes ahead of the second in their next contest, from 0 to 1."
    )
    draw_probability = NumberField(
        help_text="Probability that they tie in that contest; 0 if no game between rated players was a draw."
    )
    loss_probability = NumberField(help_text="Probability that the first player finishes behind in that contest.")
    match_quality = NumberField(
        help_text="How close a match of the two would be, from 0 to 1. The value is 1 for equal players whose skills "
        "are known exactly."
    )


class ComparisonSerializer(serializers.Serializer[Any]):
    """Players side by side in one series."""

    community = serializers.SlugField(help_text="Slug of the community of the players and the series.")
    series = serializers.SlugField(
        allow_null=True, help_text="Slug of the series; null if the request named none and no player has a rating."
    )
    run = serializers.IntegerField(
        min_value=1, allow_null=True, help_text="Run that produced these numbers; null if none has been published."
    )
    players = ComparedPlayerSerializer(
        many=True, help_text="Players with a rating in the series, in the order of the request."
    )
    pairs = PairSerializer(many=True, help_text="All pairs of these players.")
    unrated = PlayerSerializer(many=True, help_text="Players without a rating in the series.")
    unknown = serializers.ListField(
        child=serializers.CharField(), help_text="Names that are not the handle of a player."
    )
    left_out = serializers.IntegerField(
        min_value=0, help_text="Number of players left out because the request named more than eight."
    )


_ONE = OpenApiParameter(
    "player", OpenApiTypes.STR, many=True, description="One exact handle. Repeat the parameter for more players."
)


class CompareParameters(serializers.Serializer[Any]):
    """Parameters of the comparison that a serializer can describe."""

    community = serializers.SlugField(
        required=False,
        max_length=40,
        help_text="Slug of the community whose players are compared. If it is missing, the community named in `series` "
        "is used, and otherwise the default community of the site.",
    )
    series = SeriesNameField(
        required=False,
        help_text=f"{SERIES_NAME} By default, the series in which most of the players are rated; "
        "if several tie, the one with the most recent contest.",
    )
    players = serializers.CharField(
        default="",
        allow_blank=True,
        help_text="Handles, separated by commas. Use `player` for handles that contain commas.",
    )


class Compare(RatingsView):
    """The comparison of players."""

    parameters = (CompareParameters,)
    other_names = ("player",)
    repeatable = ("players",)

    @extend_schema(
        operation_id="compare", tags=["players"], parameters=[CompareParameters, _ONE], responses=ComparisonSerializer
    )
    def get(self, request: Request) -> Response:
        """
        Compare players.

        Returns up to eight players side by side in one series: their ratings, who finished ahead in the contests they
        share, and who is likely to finish ahead next time. Name 1 to 40 players in `players` or `player`.
        Case does not matter, and former handles work too. `unknown` lists names that are not a player's handle. If no
        name is a player's handle, the response is 404.
        """
        asked = self.asked
        community, slug = _community_and_slug(asked)
        query = request.query_params
        if sum(map(number_of_names, query.getlist("players"))) + len(query.getlist("player")) > MOST_NAMED:
            raise ValidationError({"players": [f"Name at most {MOST_NAMED} players; up to eight are compared."]})
        named = requested_players(query, readable_players(self.reader), community, self.reader)
        if named.is_empty:
            raise ValidationError({"players": ["Name up to eight players, as players=a,b or player=a&player=b."]})
        if not named.players:
            raise missing_player(self.reader, community, named.unknown[0][:128])
        series = readable_series(self.reader, community, slug) if slug else _common(self.reader, named.players)
        comparison = {"community": community, **_comparison(named, series)}
        return Response(ComparisonSerializer(comparison, context=self.get_serializer_context()).data)


def _community_and_slug(asked: dict[str, Any]) -> tuple[str, str]:
    """Return the community whose players are compared, and the slug of the series, "" if none is named."""
    name = asked.get("series", "")
    community, slug = split_name(name)
    chosen = asked.get("community", community)
    if "/" in name and chosen != community:
        raise ValidationError({"series": [f"This series does not belong to the community “{chosen}”. Leave out one."]})
    return chosen, slug


def _common(reader: Visitor, players: Sequence[Player]) -> Series | None:
    ratings = Rating.objects.filter(may_read(reader), player__in=players)
    return common_series(list(ratings.select_related("series", "last_contest").defer("belief")))


def _comparison(named: RequestedPlayers, series: Series | None) -> Any:
    rest = {"unknown": named.unknown, "left_out": named.left_out}
    snapshot = snapshot_of(series) if series is not None else None
    ratings = ratings_of(snapshot, [player.pk for player in named.players]) if snapshot is not None else []
    if snapshot is None or not ratings:
        slug = series.slug if series is not None else None
        run = snapshot.run.number if snapshot is not None and snapshot.run is not None else None
        return {"series": slug, "run": run, "players": [], "pairs": [], "unrated": named.players, **rest}
    players = [rating.player for rating in ratings]
    changes, tied = changes_of(snapshot, players), tied_contests(snapshot, players)
    return {
        "series": snapshot.series.slug,
        "run": snapshot.run.number if snapshot.run else None,
        "players": [
            {"rating": row, "player": player, "wins": wins_of(own, tied), "best_place": best_place_of(own)}
            for row, player, own in zip(rating_rows(snapshot, ratings), players, changes, strict=True)
        ],
        "pairs": _pairs(snapshot, ratings, Meetings(players, [change for own in changes for change in own])),
        "unrated": [player for player in named.players if player not in players],
        **rest,
    }


def _pairs(snapshot: SeriesSnapshot, ratings: Sequence[Rating], meetings: Meetings) -> list[dict[str, Any]]:
    scores, chances = meetings.scores(), chances_now(snapshot, ratings, draw_rate_of(snapshot))
    qualities = qualities_now(snapshot, ratings)
    return [
        {
            "player": ratings[a].player.handle,
            "opponent": ratings[b].player.handle,
            "score": scores[a][b],
            "win_probability": float(chances.win[a, b]),
            "draw_probability": float(chances.draw[a, b]),
            "loss_probability": float(chances.loss[a, b]),
            "match_quality": float(qualities[a, b]),
        }
        for a in range(len(ratings))
        for b in range(a + 1, len(ratings))
    ]
