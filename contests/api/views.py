"""API resources: contests, standings and players."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.response import Response
from rest_framework.utils.urls import replace_query_param

from contests.addresses import whole_address
from contests.api.base import (
    MAX_SEARCH,
    SERIES_NAME,
    MomentField,
    PageParameters,
    PublicView,
    SearchField,
    SeriesNameField,
    SizeParameters,
)
from contests.api.lookups import (
    listed_communities,
    listed_contests,
    listed_players,
    readable_community,
    readable_contest,
    readable_contests,
    readable_event,
    readable_players,
    readable_series,
    readable_series_named,
)
from contests.api.serializers import (
    CommunitySerializer,
    ContestSerializer,
    PlayerPageSerializer,
    PlayerSerializer,
    ScoreSerializer,
    StandingSerializer,
)
from contests.matching.name_index import first_with_words
from contests.models import Series
from contests.queries.games import players_by_id, score_table
from contests.queries.visibility import listed_series
from contests.whole_numbers import MAX_ID

if TYPE_CHECKING:
    from django.db.models import QuerySet
    from rest_framework.request import Request

    from contests.models import Player
    from contests.queries.games import ScoreRow


class CommunityList(PublicView):
    """All listed communities."""

    parameters = (PageParameters,)

    @extend_schema(operation_id="listCommunities", tags=["communities"], responses=CommunitySerializer(many=True))
    def get(self, request: Request) -> Response:
        """
        List communities.

        Returns all listed communities, sorted by name. Unlisted ones can only be retrieved by their slug.
        """
        rows = self.paginate_queryset(listed_communities(self.reader).order_by("name", "slug"))
        return self.get_paginated_response(CommunitySerializer(rows, many=True).data)


class CommunityDetail(PublicView):
    """One community."""

    @extend_schema(operation_id="getCommunity", tags=["communities"], responses=CommunitySerializer)
    def get(self, request: Request, community: str) -> Response:
        """
        Retrieve a community.

        Returns a community that the client may read. `series/` and `players/` below its address list its series and
        players.
        """
        return Response(CommunitySerializer(readable_community(self.reader, community)).data)


class ContestParameters(serializers.Serializer[Any]):
    """Parameters of the list of contests."""

    series = SeriesNameField(required=False, help_text=f"Only return contests of this series. {SERIES_NAME}")
    search = serializers.CharField(
        default="",
        allow_blank=True,
        max_length=MAX_SEARCH,
        help_text="Only return contests whose name contains this text. Case does not matter.",
    )
    ended_after = MomentField(
        required=False,
        help_text="Only return contests that ended after this time (ISO 8601; UTC unless it has an offset).",
    )
    event = serializers.IntegerField(
        required=False, min_value=1, max_value=MAX_ID, help_text="Only return the games of the event with this id."
    )
    ended_before = MomentField(
        required=False,
        help_text="Only return contests that ended before this time (ISO 8601; UTC unless it has an offset).",
    )


class ContestList(PublicView):
    """All listed contests."""

    parameters = (ContestParameters, PageParameters)

    @extend_schema(
        operation_id="listContests",
        tags=["contests"],
        parameters=[ContestParameters],
        responses=ContestSerializer(many=True),
    )
    def get(self, request: Request) -> Response:
        """
        List contests.

        Returns the contests with final results in all listed series, or those of one series or period, newest first.
        Events are listed without their games; `event` lists the games of one.
        """
        asked = self.asked
        contests = listed_contests(self.reader).listed_alone()
        self.counted_series = listed_series(self.reader)
        if "series" in asked:
            series = readable_series_named(self.reader, asked["series"])
            contests = readable_contests(self.reader).listed_alone().filter(series=series)
            self.counted_series = Series.objects.filter(pk=series.pk)
        if "event" in asked:
            event = readable_event(self.reader, asked["event"])
            if "series" in asked and series.pk != event.series_id:
                raise ValidationError({"event": [f"The event {event.pk} is not part of the series “{series.slug}”."]})
            contests = readable_contests(self.reader).filter(series=event.series_id, event=event)
            self.counted_series = Series.objects.filter(pk=event.series_id)
        contests = contests.select_related("series").newest_first()
        if asked["search"] or "ended_after" in asked or "ended_before" in asked:
            self.counted_series = None  # too many possible values to cache a count for each
        if asked["search"]:
            contests = contests.filter(name__icontains=asked["search"])
        if "ended_after" in asked:
            contests = contests.filter(ends_at__gt=asked["ended_after"])
        if "ended_before" in asked:
            contests = contests.filter(ends_at__lt=asked["ended_before"])
        rows = self.paginate_queryset(contests)
        return self.get_paginated_response(ContestSerializer(rows, many=True).data)


class ContestDetail(PublicView):
    """One contest."""

    @extend_schema(operation_id="getContest", tags=["contests"], responses=ContestSerializer)
    def get(self, request: Request, pk: int) -> Response:
        """
        Retrieve a contest.

        Returns a contest with final results.
        """
        return Response(ContestSerializer(readable_contest(self.reader, pk)).data)


class SeriesEvents(PublicView):
    """The events of a series."""

    parameters = (PageParameters,)

    @extend_schema(operation_id="listEvents", tags=["series"], responses=ContestSerializer(many=True))
    def get(self, request: Request, community: str, slug: str) -> Response:
        """
        List the events of a series.

        Returns the events with final results, newest first. `contests/?event=` lists the games of one.
        """
        series = readable_series(self.reader, community, slug)
        events = readable_contests(self.reader).filter(series=series, is_event=True)
        rows = self.paginate_queryset(events.select_related("series").newest_first())
        return self.get_paginated_response(ContestSerializer(rows, many=True).data)


class ScoreList(PublicView):
    """The score table of an event."""

    parameters = (PageParameters,)

    @extend_schema(operation_id="listScores", tags=["contests"], responses=ScoreSerializer(many=True))
    def get(self, request: Request, pk: int) -> Response:
        """
        List the scores of an event.

        Returns one row per player, best first.
        """
        rows = self.paginate_queryset(score_table(readable_event(self.reader, pk))) or []
        players = players_by_id(row.player_id for row in rows)
        listed = [{**_score(row), "player": players[row.player_id]} for row in rows]
        return self.get_paginated_response(
            ScoreSerializer(listed, many=True, context=self.get_serializer_context()).data
        )


def _score(row: ScoreRow) -> dict[str, object]:
    return {name: getattr(row, name) for name in ("place", "points", "wins", "draws", "losses", "walkovers")}


class StandingList(PublicView):
    """The standings of a contest."""

    parameters = (PageParameters,)

    @extend_schema(operation_id="listStandings", tags=["contests"], responses=StandingSerializer(many=True))
    def get(self, request: Request, pk: int) -> Response:
        """
        List the standings of a contest.

        Returns one row per player, best place first. Players who are not ranked come last.
        """
        rows = self.paginate_queryset(readable_contest(self.reader, pk).standings.for_table())
        return self.get_paginated_response(
            StandingSerializer(rows, many=True, context=self.get_serializer_context()).data
        )


class PlayerParameters(SizeParameters):
    """Parameters of the list of players."""

    search = SearchField(
        help_text=(
            "Only return players who match all words of this text, up to 8, in any order. Each word must match the "
            "beginning of a word in the player's handle, other handles or name. A handle also counts as one word "
            "without its punctuation (`lewishamilton`), and Podium also tries the words joined together, so `lew is` "
            "finds it too. Case, accents and punctuation do not matter."
        ),
    )
    after = serializers.IntegerField(
        default=0,
        min_value=0,
        max_value=MAX_ID,
        help_text="Only return players with a greater id. `next` sets it for you.",
    )


class PlayerList(PublicView):
    """All listed players."""

    parameters = (PlayerParameters,)

    @extend_schema(
        operation_id="listPlayers", tags=["players"], parameters=[PlayerParameters], responses=PlayerPageSerializer
    )
    def get(self, request: Request) -> Response:
        """
        List players.

        Returns the players of all listed series, sorted by id. Follow `next` until it is null. Ids never change, so
        if a player is renamed while you follow the list, no one is skipped or repeated.
        """
        return self.answer(request, listed_players(self.reader, after=self.asked["after"]))

    def answer(self, request: Request, players: QuerySet[Player]) -> Response:
        """Return the requested part of these players."""
        size = self.asked["page_size"]
        if self.asked["search"]:
            rows = first_with_words(players, self.asked["search"], most=size + 1)
        else:
            rows = list(players.order_by("pk")[: size + 1])
        following: Any = None
        if len(rows) > size:
            here = whole_address(request, request.get_full_path())
            following = replace_query_param(here, "after", str(rows[size - 1].pk))
        listed = PlayerSerializer(rows[:size], many=True, context=self.get_serializer_context())
        return Response({"next": following, "results": listed.data})


class CommunityPlayers(PlayerList):
    """The players of a community."""

    @extend_schema(
        operation_id="listCommunityPlayers",
        tags=["communities"],
        parameters=[PlayerParameters],
        responses=PlayerPageSerializer,
    )
    def get(self, request: Request, community: str) -> Response:  # type: ignore[override]
        """
        List the players of a community.

        Returns the players of its public series, or all of its players to a client with its token, sorted by id. Follow
        `next` until it is null.
        """
        found = readable_community(self.reader, community)
        players = readable_players(self.reader, after=self.asked["after"])
        return self.answer(request, players.filter(community=found))
