"""Players with their ratings, and how these came about."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.urls import reverse
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.response import Response

from contests.api.base import PageParameters
from contests.api.lookups import find_player, find_player_by_id, public_contest, public_player, public_series
from contests.handles import handle_key
from contests.models import Player, Series
from ratings.api.base import RatingsView, RunListView
from ratings.api.serializers import PlayerProfileSerializer, RatingChangeSerializer, change_rows, rating_rows
from ratings.models import Rating, RatingChange
from ratings.queries.snapshot import snapshot_of, snapshots_of

if TYPE_CHECKING:
    from rest_framework.request import Request

    from ratings.api.serializers import ChangeRow

_MOVED = OpenApiResponse(description="The handle is an old one; `Location` has the address of the player.")
_MERGED = OpenApiResponse(description="The player was merged into another; `Location` has the address of that one.")


class PlayerDetail(RatingsView):
    @extend_schema(operation_id="getPlayer", tags=["players"], responses={200: PlayerProfileSerializer, 308: _MOVED})
    def get(self, request: Request, handle: str) -> Response:
        """
        Describe a player, with the ratings in all public series.

        The handle is found whatever its case. An old handle, or that of a player who was merged into another, is
        answered by a redirect to the player.
        """
        player = public_player(handle)
        return _moved(request, player, handle) or Response(_profile(player))


class HistoryParameters(serializers.Serializer[Any]):
    series = serializers.SlugField(required=False, max_length=80, help_text="Only this series, by its slug.")


class PlayerHistory(RatingsView):
    parameters = (HistoryParameters, PageParameters)

    @extend_schema(
        operation_id="getHistory",
        tags=["players"],
        parameters=[HistoryParameters],
        responses={200: RatingChangeSerializer(many=True), 308: _MOVED},
    )
    def get(self, request: Request, handle: str) -> Response:
        """List the rating changes of a player in the order of the contests."""
        player = find_player(handle)
        if player is None and (namesake := find_player(f"{handle}/history")):
            # A handle may end like this address does; where only the longer one is a player, that one is meant.
            return Response(_profile(namesake))
        player = player or public_player(handle)
        return _moved(request, player, handle) or _history_page(self, player)


class PlayerById(RatingsView):
    @extend_schema(
        operation_id="getPlayerById", tags=["players"], responses={200: PlayerProfileSerializer, 308: _MERGED}
    )
    def get(self, request: Request, pk: int) -> Response:
        """
        Describe a player by the id, which stays the same when the player is renamed.

        The id of a player who was merged into another is answered by a redirect to that one.
        """
        player = find_player_by_id(pk)
        if player is None and (namesake := find_player(f"by-id/{pk}")):
            return Response(_profile(namesake))
        return _merged(request, player, pk) or Response(_profile(_existing(player, pk)))


class PlayerHistoryById(RatingsView):
    parameters = (HistoryParameters, PageParameters)

    @extend_schema(
        operation_id="getHistoryById",
        tags=["players"],
        parameters=[HistoryParameters],
        responses={200: RatingChangeSerializer(many=True), 308: _MERGED},
    )
    def get(self, request: Request, pk: int) -> Response:
        """List the rating changes of a player, known by the id, in the order of the contests."""
        player = find_player_by_id(pk)
        if player is None and (namesake := find_player(f"by-id/{pk}")):
            return _history_page(self, namesake)
        return _merged(request, player, pk) or _history_page(self, _existing(player, pk))


class ContestChanges(RunListView):
    parameters = (PageParameters,)

    @extend_schema(operation_id="listRatingChanges", tags=["contests"], responses=RatingChangeSerializer(many=True))
    def get(self, request: Request, pk: int) -> Response:
        """List what a contest did to the ratings of its players, best rank first; nothing while it is not rated."""
        contest = public_contest(pk)
        snapshot = snapshot_of(contest.series)
        changes = RatingChange.objects.current().filter(contest=contest).order_by("rank", "player_id")
        page = self.paginate_queryset(changes) or []
        # The players of one page are looked up; a join would read those of the whole contest to sort them, and
        # prefetch_related compares with one player after the other, which SQLite refuses from 999 players on.
        players = Player.objects.in_bulk({change.player_id for change in page})
        for change in page:
            change.contest, change.player = contest, players[change.player_id]
        return self.answer(snapshot, RatingChangeSerializer(change_rows(snapshot, page), many=True).data)


def _moved(request: Request, player: Player, handle: str) -> Response | None:
    """Return a redirect if that is not the player's own handle."""
    return _redirect(request, player.handle) if handle_key(handle) != player.handle_key else None


def _merged(request: Request, player: Player | None, pk: int) -> Response | None:
    """Return a redirect if that is the id of a player who was merged into this one."""
    return _redirect(request, player.pk) if player is not None and player.pk != pk else None


def _existing(player: Player | None, pk: int) -> Player:
    if player is None:
        raise NotFound(f"There is no player with the id {str(pk)[:20]}, or no public result of that player.")
    return player


def _redirect(request: Request, which: str | int) -> Response | None:
    """Return a redirect to the same address of another player."""
    match = request.resolver_match
    if match is None:
        return None
    query = request.META.get("QUERY_STRING", "")
    address = reverse(match.view_name, args=[which]) + (f"?{query}" if query else "")
    return Response(status=308, headers={"Location": address})


def _history_page(view: PlayerHistory | PlayerHistoryById, player: Player) -> Response:
    changes = RatingChange.objects.current().filter(player=player, series__is_public=True)
    if "series" in view.asked:
        changes = changes.filter(series=public_series(view.asked["series"]))
    ordered = changes.select_related("contest").order_by("contest__ends_at", "contest__sequence", "contest_id")
    rows = _history(player, view.paginate_queryset(ordered) or [])
    return view.get_paginated_response(RatingChangeSerializer(rows, many=True).data)


def _profile(player: Player) -> Any:
    ratings = Rating.objects.filter(player=player, series__is_public=True).order_by("series__name", "series_id")
    found = list(ratings.select_related("series", "last_contest").defer("belief"))
    snapshots = snapshots_of(rating.series for rating in found)
    rows = []
    for rating in found:
        rating.player = player
        rows += rating_rows(snapshots[rating.series_id], [rating])
    fields = ("id", "handle", "name", "country", "affiliation")
    profile: Any = {**{name: getattr(player, name) for name in fields}, "ratings": rows}
    return PlayerProfileSerializer(profile).data


def _history(player: Player, changes: list[RatingChange]) -> list[ChangeRow]:
    """Return the changes, of any number of series, in their order."""
    for change in changes:
        change.player = player
    series = Series.objects.in_bulk({change.series_id for change in changes})
    rows: dict[int, ChangeRow] = {}
    for pk, snapshot in snapshots_of(series.values()).items():
        own = [change for change in changes if change.series_id == pk]
        rows |= dict(zip((change.pk for change in own), change_rows(snapshot, own), strict=True))
    return [rows[change.pk] for change in changes]
