"""Contests, standings and players."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.response import Response
from rest_framework.utils.urls import replace_query_param

from contests.addresses import whole_address
from contests.api.base import MAX_SEARCH, MomentField, PageParameters, PublicView, SizeParameters
from contests.api.lookups import public_contest, public_players, public_series
from contests.api.serializers import ContestSerializer, PlayerPageSerializer, PlayerSerializer, StandingSerializer
from contests.matching.name_index import first_with_words
from contests.models import Contest
from contests.whole_numbers import MAX_ID

if TYPE_CHECKING:
    from rest_framework.request import Request


class ContestParameters(serializers.Serializer[Any]):
    series = serializers.SlugField(required=False, max_length=80, help_text="Only contests of the series of that slug.")
    ended_after = MomentField(required=False, help_text="Only contests that ended after this moment (ISO 8601).")
    ended_before = MomentField(required=False, help_text="Only contests that ended before this moment (ISO 8601).")


class ContestList(PublicView):
    parameters = (ContestParameters, PageParameters)

    @extend_schema(
        operation_id="listContests",
        tags=["contests"],
        parameters=[ContestParameters],
        responses=ContestSerializer(many=True),
    )
    def get(self, request: Request) -> Response:
        """List contests, newest first."""
        asked = self.asked
        contests = Contest.objects.public().select_related("series").newest_first()
        if "series" in asked:
            contests = contests.filter(series=public_series(asked["series"]))
        if "ended_after" in asked:
            contests = contests.filter(ends_at__gt=asked["ended_after"])
        if "ended_before" in asked:
            contests = contests.filter(ends_at__lt=asked["ended_before"])
        rows = self.paginate_queryset(contests)
        return self.get_paginated_response(ContestSerializer(rows, many=True).data)


class ContestDetail(PublicView):
    @extend_schema(operation_id="getContest", tags=["contests"], responses=ContestSerializer)
    def get(self, request: Request, pk: int) -> Response:
        """Describe a contest."""
        return Response(ContestSerializer(public_contest(pk)).data)


class StandingList(PublicView):
    parameters = (PageParameters,)

    @extend_schema(operation_id="listStandings", tags=["contests"], responses=StandingSerializer(many=True))
    def get(self, request: Request, pk: int) -> Response:
        """List the standings of a contest, best place first; who is not ranked comes last."""
        rows = self.paginate_queryset(public_contest(pk).standings.for_table())
        return self.get_paginated_response(StandingSerializer(rows, many=True).data)


class PlayerParameters(SizeParameters):
    search = serializers.CharField(
        default="",
        allow_blank=True,
        max_length=MAX_SEARCH,
        help_text=(
            "Only players whose handle, other handles or name have words that begin with all of these, in any order. "
            "Case, accents and punctuation do not matter."
        ),
    )
    after = serializers.IntegerField(
        default=0, min_value=0, max_value=MAX_ID, help_text="Only players with a greater id; `next` holds it."
    )


class PlayerList(PublicView):
    parameters = (PlayerParameters,)

    @extend_schema(
        operation_id="listPlayers", tags=["players"], parameters=[PlayerParameters], responses=PlayerPageSerializer
    )
    def get(self, request: Request) -> Response:
        """
        List players; follow `next` until it is null.

        The order is that of their ids, which never change: whoever is renamed meanwhile is neither left out nor twice.
        """
        size = self.asked["page_size"]
        players = public_players().filter(pk__gt=self.asked["after"])
        if self.asked["search"]:
            rows = first_with_words(players, self.asked["search"], most=size + 1)
        else:
            rows = list(players.order_by("pk")[: size + 1])
        following: Any = None
        if len(rows) > size:
            here = whole_address(request, request.get_full_path())
            following = replace_query_param(here, "after", str(rows[size - 1].pk))
        return Response({"next": following, "results": PlayerSerializer(rows[:size], many=True).data})
