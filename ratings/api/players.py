"""API resources: players with their ratings and rating changes."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

from django.urls import reverse
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.response import Response

from contests.api.base import PageParameters, PlayerSeriesField
from contests.api.lookups import (
    find_player,
    find_player_by_id,
    may_read,
    missing,
    readable_contest,
    readable_player,
    readable_series,
)
from contests.handles import handle_key
from contests.models import Player, Series
from contests.whole_numbers import MAX_ID
from ratings.api.base import RatingsView, RunListView
from ratings.api.league_standings import league_of, season_of
from ratings.api.serializers import (
    LeaderboardEntrySerializer,
    PlayerProfileSerializer,
    RatingChangeSerializer,
    change_rows,
    rating_rows,
)
from ratings.models import Rating, RatingChange
from ratings.queries.challenges import challenges_of
from ratings.queries.rows import ratings_of
from ratings.queries.snapshot import snapshot_of, snapshots_of

if TYPE_CHECKING:
    from rest_framework.request import Request

    from contests.models.community import Visitor
    from ratings.api.serializers import ChangeRow

_MOST_CHALLENGES = 100
_MOVED = OpenApiResponse(
    description="The handle is a former one or belongs to a merged player. `Location` is the player's address."
)
_MERGED = OpenApiResponse(
    description="The player was merged into another one. `Location` is the address of that player."
)


class PlayerDetail(RatingsView):
    """A player by handle."""

    @extend_schema(operation_id="getPlayer", tags=["players"], responses={200: PlayerProfileSerializer, 308: _MOVED})
    def get(self, request: Request, community: str, handle: str) -> Response:
        """
        Retrieve a player by handle.

        Returns the player with ratings in all series that the client may read. Case does not matter. A former handle,
        or the handle of a merged player, redirects to the player's current address.
        """
        player = readable_player(self.reader, community, handle)
        return _moved(request, player, handle) or Response(_profile(self, player))


class HistoryParameters(serializers.Serializer[Any]):
    """Parameters of a player's rating changes."""

    series = PlayerSeriesField(
        required=False, max_length=80, help_text="Only return rating changes of this series of the player's community."
    )


class PlayerHistory(RatingsView):
    """The rating changes of a player by handle."""

    parameters = (HistoryParameters, PageParameters)

    @extend_schema(
        operation_id="getHistory",
        tags=["players"],
        parameters=[HistoryParameters],
        responses={200: RatingChangeSerializer(many=True), 308: _MOVED},
    )
    def get(self, request: Request, community: str, handle: str) -> Response:
        """
        List the rating changes of a player.

        Returns the rating changes in all series that the client may read, or in one of them, in the order of the
        contests.
        """
        player = find_player(self.reader, community, handle)
        if player is None and (namesake := find_player(self.reader, community, f"{handle}/history")):
            # Handles can end in "/history". If only the longer handle belongs to a player, that player is meant.
            moved = _moved(request, namesake, f"{handle}/history", view="api:player")
            return moved or Response(_profile(self, namesake))
        player = player or readable_player(self.reader, community, handle)
        return _moved(request, player, handle) or _history_page(self, player)


class PlayerById(RatingsView):
    """A player by id."""

    @extend_schema(
        operation_id="getPlayerById", tags=["players"], responses={200: PlayerProfileSerializer, 308: _MERGED}
    )
    def get(self, request: Request, pk: int) -> Response:
        """
        Retrieve a player by id.

        Returns the player with ratings in all series that the client may read. The id stays the same when the player is
        renamed. The id of a merged player redirects to the other player.
        """
        player = find_player_by_id(self.reader, pk)
        return _merged(request, player, pk) or Response(_profile(self, _existing(self.reader, player, pk)))


class PlayerHistoryById(RatingsView):
    """The rating changes of a player by id."""

    parameters = (HistoryParameters, PageParameters)

    @extend_schema(
        operation_id="getHistoryById",
        tags=["players"],
        parameters=[HistoryParameters],
        responses={200: RatingChangeSerializer(many=True), 308: _MERGED},
    )
    def get(self, request: Request, pk: int) -> Response:
        """
        List the rating changes of a player by id.

        Returns the rating changes in all series that the client may read, or in one of them, in the order of the
        contests.
        """
        player = find_player_by_id(self.reader, pk)
        return _merged(request, player, pk) or _history_page(self, _existing(self.reader, player, pk))


class ChallengesParameters(serializers.Serializer[Any]):
    """Parameters of the challenges of a player."""

    series = PlayerSeriesField(
        max_length=80, help_text="Slug of a series of the player's community that is rated as a ladder."
    )


class ChallengesSerializer(serializers.Serializer[Any]):
    """The players whom a player of a ladder can challenge, and the rules of the ladder."""

    community = serializers.SlugField(help_text="Slug of the community.")
    series = serializers.SlugField(help_text="Slug of the series, unique in the community.")
    run = serializers.IntegerField(min_value=1, help_text="Run that produced the positions.")
    rank = serializers.IntegerField(
        min_value=1, allow_null=True, help_text="The player's rank; null if they have not entered the ladder."
    )
    reach = serializers.IntegerField(
        min_value=1, allow_null=True, help_text="How many places up players can challenge others; null for anyone."
    )
    on_win = serializers.ChoiceField(
        ["exchange", "insert"],
        help_text="If the challenger wins, the two exchange positions, or the winner is inserted above the loser.",
    )
    falls_after = serializers.DateTimeField(
        allow_null=True,
        help_text="If the player does not play again by this moment, they fall at the next contest of the ladder; "
        "null if idle players do not fall.",
    )
    falls_by = serializers.IntegerField(min_value=0, help_text="Number of places that the player then falls.")
    count = serializers.IntegerField(min_value=0, help_text="Number of players whom the player can challenge.")
    opponents = LeaderboardEntrySerializer(many=True, help_text="The nearest 100 of them, nearest first.")


class PlayerChallenges(RatingsView):
    """The players whom a player of a ladder can challenge."""

    parameters = (ChallengesParameters,)

    @extend_schema(
        operation_id="getChallenges",
        tags=["players"],
        parameters=[ChallengesParameters],
        responses={200: ChallengesSerializer, 308: _MERGED},
    )
    def get(self, request: Request, pk: int) -> Response:
        """
        List the players that a player can challenge on a ladder.

        Returns the nearest players above this player who can be challenged under the rules of the ladder. A player who
        has not entered the ladder starts below everyone.
        """
        player = find_player_by_id(self.reader, pk)
        if moved := _merged(request, player, pk):
            return moved
        player = _existing(self.reader, player, pk)
        series = readable_series(self.reader, player.community_id, self.asked["series"])
        snapshot = snapshot_of(series)
        ratings = ratings_of(snapshot, [player.pk])
        found = challenges_of(snapshot, ratings[0] if ratings else None, _MOST_CHALLENGES)
        if found is None:
            raise ValidationError({"series": [f"The series “{series.slug}” is not rated as a ladder, or not yet."]})
        assert snapshot.run is not None
        return Response(
            ChallengesSerializer(
                {
                    "community": series.community_id,
                    "series": series.slug,
                    "run": snapshot.run.number,
                    "rank": snapshot.index.rank(ratings[0].score) if ratings else None,
                    "reach": found.reach,
                    "on_win": "insert" if found.inserts else "exchange",
                    "falls_after": found.falls_after,
                    "falls_by": found.falls_by,
                    "count": found.count,
                    "opponents": rating_rows(snapshot, [leader.rating for leader in found.opponents]),
                },
                context=self.get_serializer_context(),
            ).data
        )


class ContestChanges(RunListView):
    """The rating changes of a contest."""

    parameters = (PageParameters,)

    @extend_schema(operation_id="listRatingChanges", tags=["contests"], responses=RatingChangeSerializer(many=True))
    def get(self, request: Request, pk: int) -> Response:
        """
        List the rating changes of a contest.

        Returns one row per rated player, best rank first. The list is empty until the contest has been rated.
        """
        contest = readable_contest(self.reader, pk)
        snapshot = snapshot_of(contest.series)
        changes = RatingChange.objects.current().filter(contest=contest).order_by("rank", "player_id")
        page = self.paginate_queryset(changes) or []
        # Only the players of this page are read. A join would read those of the whole contest before sorting, and
        # prefetch_related passes one parameter per player, which SQLite refuses above 999.
        players = Player.objects.in_bulk({change.player_id for change in page})
        for change in page:
            change.contest, change.player = contest, players[change.player_id]
        return self.answer(
            snapshot,
            RatingChangeSerializer(change_rows(snapshot, page), many=True, context=self.get_serializer_context()).data,
        )


def _moved(request: Request, player: Player, handle: str, *, view: str = "") -> Response | None:
    """Return a redirect, to the same resource or to another view, unless this is the player's current handle."""
    if handle_key(handle) == player.handle_key:
        return None
    return _redirect(request, player.community_id, player.handle, view=view)


def _merged(request: Request, player: Player | None, pk: int) -> Response | None:
    """Return a redirect if this is the id of a player who was merged into this one."""
    return _redirect(request, player.pk) if player is not None and player.pk != pk else None


def _existing(reader: Visitor, player: Player | None, pk: int) -> Player:
    if player is None:
        raise missing(reader, f"player with {f'the id {pk}' if pk <= MAX_ID else 'this id'}")
    return player


def _redirect(request: Request, *which: str | int, view: str = "") -> Response | None:
    """Return a redirect to the same resource of another player, or to another view, which has other parameters."""
    match = request.resolver_match
    if match is None:
        return None
    query = "" if view else request.META.get("QUERY_STRING", "")
    address = reverse(view or match.view_name, args=which) + (f"?{query}" if query else "")
    return Response(status=308, headers={"Location": address})


def _history_page(view: PlayerHistory | PlayerHistoryById, player: Player) -> Response:
    changes = RatingChange.objects.current().filter(may_read(view.reader), player=player)
    if "series" in view.asked:
        changes = changes.filter(series=readable_series(view.reader, player.community_id, view.asked["series"]))
    ordered = changes.select_related("contest").order_by("contest__ends_at", "contest__sequence", "contest_id")
    rows = _history(player, view.paginate_queryset(ordered) or [])
    return view.get_paginated_response(
        RatingChangeSerializer(rows, many=True, context=view.get_serializer_context()).data
    )


def _profile(view: RatingsView, player: Player) -> Any:
    ratings = Rating.objects.filter(may_read(view.reader), player=player).order_by("series__name", "series_id")
    found = list(ratings.select_related("series", "last_contest").defer("belief"))
    snapshots = snapshots_of(rating.series for rating in found)
    rows: list[dict[str, Any]] = []
    for rating in found:
        rating.player = player
        snapshot = snapshots[rating.series_id]
        for row in rating_rows(snapshot, [rating]):
            more = {"league": league_of(snapshot, rating), "season": season_of(snapshot, rating)}
            rows.append({field.name: getattr(row, field.name) for field in fields(row)} | more)
    names = ("id", "community_id", "handle", "name", "country", "affiliation", "picture_address")
    profile: Any = {**{name: getattr(player, name) for name in names}, "ratings": rows}
    return PlayerProfileSerializer(profile, context=view.get_serializer_context()).data


def _history(player: Player, changes: list[RatingChange]) -> list[ChangeRow]:
    """Return the rows of rating changes, possibly of several series, in the same order."""
    for change in changes:
        change.player = player
    series = Series.objects.in_bulk({change.series_id for change in changes})
    rows: dict[int, ChangeRow] = {}
    for pk, snapshot in snapshots_of(series.values()).items():
        own = [change for change in changes if change.series_id == pk]
        rows |= dict(zip((change.pk for change in own), change_rows(snapshot, own), strict=True))
    return [rows[change.pk] for change in changes]
