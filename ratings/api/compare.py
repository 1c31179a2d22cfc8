"""Players side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.response import Response

from contests.api.lookups import public_players, public_series
from contests.api.serializers import NumberField, PlayerSerializer
from contests.handles import printable
from contests.models import Series
from ratings.api.base import RatingsView
from ratings.api.serializers import RatingSerializer, rating_rows
from ratings.models import Rating
from ratings.queries.comparisons import MOST, best_place_of, changes_of, common_series, named_in, tied_contests, wins_of
from ratings.queries.head_to_head import Meetings, chances_now
from ratings.queries.snapshot import snapshot_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rest_framework.request import Request

    from contests.models import Player
    from ratings.queries.comparisons import Named
    from ratings.queries.snapshot import SeriesSnapshot


class ComparedPlayerSerializer(serializers.Serializer[Any]):
    """A player of the comparison."""

    player = PlayerSerializer()
    rating = RatingSerializer(help_text="Where the player stands in the series.")
    wins = serializers.IntegerField(
        min_value=0, help_text="Rated contests with rank 1, without those in which all tied."
    )
    best_place = serializers.IntegerField(min_value=1, help_text="Best rank in a rated contest.")


class PairSerializer(serializers.Serializer[Any]):
    """Two of the players: all as the first of them sees it."""

    player = serializers.CharField(help_text="Handle of the first.")
    opponent = serializers.CharField(help_text="Handle of the second.")
    contests = serializers.IntegerField(
        source="score.meetings", min_value=0, help_text="Rated contests of both, without those in one team."
    )
    wins = serializers.IntegerField(source="score.wins", min_value=0, help_text="Those in which the first was ahead.")
    losses = serializers.IntegerField(
        source="score.losses", min_value=0, help_text="Those in which the first was behind."
    )
    ties = serializers.IntegerField(source="score.ties", min_value=0, help_text="Those in which they shared a rank.")
    together = serializers.IntegerField(
        source="score.together", min_value=0, help_text="Rated contests of both in one team."
    )
    win_probability = NumberField(
        help_text="Probability, by what is believed now, that the first finishes ahead of the second next time."
    )


class ComparisonSerializer(serializers.Serializer[Any]):
    """Players side by side in one series."""

    series = serializers.SlugField(
        allow_null=True, help_text="Slug of the series; null if none was asked for and nobody is rated anywhere."
    )
    run = serializers.IntegerField(
        min_value=1, allow_null=True, help_text="Run that these numbers are of; null while none has been published."
    )
    players = ComparedPlayerSerializer(many=True, help_text="Those with a rating in the series, in the order named.")
    pairs = PairSerializer(many=True, help_text="Each two of the players once.")
    unrated = PlayerSerializer(many=True, help_text="Those without a rating in the series.")
    unknown = serializers.ListField(child=serializers.CharField(), help_text="What was named and is nobody's handle.")
    left_out = serializers.IntegerField(min_value=0, help_text="How many more than eight players were named.")


_ONE = OpenApiParameter(
    "player", OpenApiTypes.STR, many=True, description="One handle exactly as it is, commas and all; may be repeated."
)


class CompareParameters(serializers.Serializer[Any]):
    series = serializers.SlugField(
        required=False, max_length=80, help_text="The series, by its slug; without it, the one they have in common."
    )
    players = serializers.CharField(
        default="",
        allow_blank=True,
        help_text="Handles, separated by commas; those that hold commas are better given by `player`.",
    )


class Compare(RatingsView):
    parameters = (CompareParameters,)
    further = ("player",)

    @extend_schema(
        operation_id="compare", tags=["players"], parameters=[CompareParameters, _ONE], responses=ComparisonSerializer
    )
    def get(self, request: Request) -> Response:
        """
        Compare up to eight players in one series: their ratings, who finished ahead where they met, who will.

        Who is named by `players` comes first, then who is named by `player`; at least one of the two is needed. Handles
        are found whatever their case, and by old handles too. What is nobody's handle is listed as `unknown`; if nobody
        is known, the answer is 404.
        """
        asked = self.asked
        named = named_in(request.query_params, public_players())
        if named.is_empty:
            raise ValidationError({"players": ["Name up to eight players: players=a,b (or player=a&player=b)."]})
        if not named.players:
            raise NotFound(f"There is no player “{printable(named.unknown[0][:128])}”.")
        series = public_series(asked["series"]) if "series" in asked else _common(named.players)
        return Response(ComparisonSerializer(_comparison(named, series)).data)


def _common(players: Sequence[Player]) -> Series | None:
    ratings = Rating.objects.filter(player__in=players, series__in=Series.objects.public())
    return common_series(list(ratings.select_related("series", "last_contest").defer("belief")))


def _comparison(named: Named, series: Series | None) -> Any:
    rest = {"unknown": named.unknown[:MOST], "left_out": named.left_out}
    snapshot = snapshot_of(series) if series is not None else None
    ratings = _ratings(snapshot, named.players) if snapshot is not None else []
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


def _ratings(snapshot: SeriesSnapshot, players: Sequence[Player]) -> list[Rating]:
    """Return the ratings of those of the players who have one, in this order."""
    rows = Rating.objects.filter(series=snapshot.series, player__in=players)
    found = {row.player_id: row for row in rows.select_related("player", "last_contest").defer("belief")}
    return [found[player.pk] for player in players if player.pk in found]


def _pairs(snapshot: SeriesSnapshot, ratings: Sequence[Rating], meetings: Meetings) -> list[dict[str, Any]]:
    scores, chances = meetings.scores(), chances_now(snapshot, ratings)
    return [
        {
            "player": ratings[a].player.handle,
            "opponent": ratings[b].player.handle,
            "score": scores[a][b],
            "win_probability": float(chances[a, b]),
        }
        for a in range(len(ratings))
        for b in range(a + 1, len(ratings))
    ]
