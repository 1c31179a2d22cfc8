"""API resources: series with their runs, distributions and leaderboards."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.response import Response

from contests.api.base import CountryField, PageParameters, SearchField, TrueFalseField
from contests.api.lookups import readable_community, readable_series
from contests.api.serializers import NumberField
from contests.bulk import read_arrays
from contests.models import Player, Series
from contests.queries.visibility import listed_series, visible_series
from ratings.api.base import RatingsView, RunListView
from ratings.api.league_standings import LeaguesSerializer, SeasonSerializer, in_league
from ratings.api.serializers import LeaderboardEntrySerializer, rating_rows
from ratings.models import Run
from ratings.publishing.schemes import leagues_as_shown, season_as_shown
from ratings.queries.boards import board_of, is_established
from ratings.queries.distributions import bin_width, bins
from ratings.queries.filters import LARGEST, Filters, matching_rows
from ratings.queries.rows import ratings_of
from ratings.queries.snapshot import SeriesSnapshot, snapshot_of, snapshots_of

if TYPE_CHECKING:
    from django.db.models import QuerySet
    from numpy.typing import NDArray
    from rest_framework.request import Request

    from ratings.queries.snapshot import SeriesSnapshot


KINDS = [
    ("append", "only the newest contests were rated"),
    ("replay", "older contests were rated again"),
    ("rollback", "the ratings of an earlier run were restored"),
]


#: What triggers runs, by the beginning of the cause that organizers see.
_CAUSES = {
    "Finalized ": "A contest was finalized.",
    "Deleted ": "A contest was deleted.",
    "Restored ": "A contest was restored.",
    "Corrected ": "Results were corrected.",
    "Added ": "Results were added.",
    "Removed ": "Results were removed.",
    "Moved ": "A result was moved to another player.",
    "Changed ": "The date or weight of a contest changed.",
    "New rating scheme": "The series got a new rating scheme.",
    "New version of the rating engine": "A new version of the rating library rated all contests again.",
    "Rolled back ": "Organizers went back to an earlier run.",
    "Ended the roll-back ": "Organizers ended a roll-back.",
    "Imported ": "Contests were imported.",
    "Merged ": "Players were merged.",
    "Split ": "A merged player was split again.",
    "All contests rated again": "All contests were rated again.",
    "Demo data": "Demo data was added.",
}


class RunSerializer(serializers.ModelSerializer[Run]):
    """A published run: one consistent set of ratings."""

    number = serializers.IntegerField(
        min_value=1, help_text="Number of the run; each series has its own numbering. Failed runs leave gaps."
    )
    kind = serializers.ChoiceField(
        choices=KINDS,
        help_text="How the run was produced. Append and replay give the same numbers.",
    )
    restores = serializers.IntegerField(
        allow_null=True,
        min_value=1,
        help_text="Number of the run that a roll-back restored; null for other runs.",
    )
    cause = serializers.SerializerMethodField(
        help_text="The change that triggered the run, or the first of several. Names and reasons are left out, because "
        "they can concern contests and players that are no longer public. Organizers see them on the site."
    )
    seconds = NumberField(help_text="Duration of the computation in seconds.")
    contests = serializers.IntegerField(
        source="contest_count", min_value=0, help_text="Number of rated contests as of this run."
    )
    players = serializers.IntegerField(
        source="player_count", min_value=0, help_text="Number of rated players as of this run."
    )
    changes = serializers.IntegerField(
        source="changed_count",
        min_value=0,
        help_text="Number of results whose rating change is new, different or gone.",
    )

    class Meta:
        model = Run
        fields = [
            "number", "kind", "restores", "cause", "published_at", "seconds", "contests", "players", "changes",
            "engine_version", "input_hash",
        ]  # fmt: skip
        extra_kwargs = {
            "published_at": {"help_text": "When the run was published (UTC)."},
            "engine_version": {"help_text": "Version of the rating library."},
            "input_hash": {"help_text": "Hash of all results and parameters from which the numbers were computed."},
        }

    def get_cause(self, run: Run) -> str:
        words = (words for start, words in _CAUSES.items() if run.cause.startswith(start))
        return next(words, "Results changed.")


class TierSerializer(serializers.Serializer[Any]):
    """A named range of displayed ratings."""

    name = serializers.CharField(help_text="Name of the tier.")
    minimum = serializers.IntegerField(
        allow_null=True, help_text="Lowest displayed rating in the tier; null for the lowest tier."
    )
    symbol = serializers.CharField(help_text="Symbol that identifies the tier without colour.")
    colour_light = serializers.CharField(help_text="Colour of text on a light page (#rrggbb).")
    colour_dark = serializers.CharField(help_text="Colour of text on a dark page (#rrggbb).")


class DurationWeightSerializer(serializers.Serializer[Any]):
    """A factor that multiplies the weight of each contest: (duration / hours) ^ exponent, within limits."""

    hours = NumberField(help_text="Duration in hours of a contest whose weight stays as it is.")
    exponent = NumberField(help_text="How much the duration matters: 0 not at all, 1 in proportion.")
    minimum = NumberField(help_text="Smallest factor.")
    maximum = NumberField(help_text="Largest factor.")


class SchemeSerializer(serializers.Serializer[Any]):
    """The rules by which a series is rated and displayed."""

    version = serializers.IntegerField(
        min_value=1, help_text="Version number, which increases with each change of rules or display."
    )
    system = serializers.CharField(help_text="Name of the rating system, such as elo-mmr.")
    parameters = serializers.DictField(help_text="Parameters of the rating system by name.")
    display = serializers.DictField(help_text="Display mapping, from scores to displayed ratings, with its parameters.")
    tiers = TierSerializer(many=True, help_text="Tiers, lowest first.")
    leagues = LeaguesSerializer(allow_null=True, help_text="League rules; null if the series has no leagues.")
    season = SeasonSerializer(allow_null=True, help_text="Season rules; null if the series has no season points.")
    duration_weight = DurationWeightSerializer(
        allow_null=True, help_text="How contest weights depend on duration; null if they don't."
    )


class SeriesSerializer(serializers.ModelSerializer[Series]):
    """A series of contests with one pool of ratings."""

    community = serializers.SlugField(help_text="Slug of the community that runs the series.")
    run = RunSerializer(allow_null=True, help_text="Current run; null if none has been published.")

    class Meta:
        model = Series
        fields = ["community", "slug", "name", "description", "run"]
        extra_kwargs = {
            "slug": {"help_text": "Identifier of the series in addresses, unique in the community."},
            "name": {"help_text": "Name of the series."},
            "description": {"help_text": "Description by the organizers; may be empty."},
        }


class SeriesDetailSerializer(SeriesSerializer):
    """A series with its rating system and display."""

    scheme = SchemeSerializer(
        allow_null=True, help_text="How the series is rated and displayed; null before its rules are chosen."
    )

    class Meta(SeriesSerializer.Meta):
        fields = [*SeriesSerializer.Meta.fields, "scheme"]


class BinSerializer(serializers.Serializer[Any]):
    """One bin of the histogram."""

    start = serializers.IntegerField(help_text="Lowest displayed rating in the bin.")
    end = serializers.IntegerField(help_text="Lowest displayed rating above the bin.")
    players = serializers.IntegerField(min_value=0, help_text="Number of players in the bin.")


class TierCountSerializer(TierSerializer):
    """A tier with its number of players."""

    players = serializers.IntegerField(min_value=0, help_text="Number of players in the tier.")


class DistributionSerializer(serializers.Serializer[Any]):
    """Distribution of the displayed ratings in a series."""

    community = serializers.SlugField(help_text="Slug of the community.")
    series = serializers.SlugField(help_text="Slug of the series, unique in the community.")
    run = serializers.IntegerField(
        min_value=1, allow_null=True, help_text="Run that produced these numbers; null if none has been published."
    )
    players = serializers.IntegerField(min_value=0, help_text="Number of rated players.")
    bin_width = serializers.IntegerField(min_value=1, help_text="Width of each bin in displayed points.")
    bins = BinSerializer(many=True, help_text="Bins without gaps, lowest first.")
    tiers = TierCountSerializer(many=True, help_text="Tiers, lowest first.")


class SeriesList(RatingsView):
    """All listed series."""

    parameters = (PageParameters,)

    @extend_schema(operation_id="listSeries", tags=["series"], responses=SeriesSerializer(many=True))
    def get(self, request: Request) -> Response:
        """
        List series.

        Returns all listed series, sorted by name, each with its community and its current run.
        """
        return self.answer(listed_series(self.reader))

    def answer(self, series: QuerySet[Series]) -> Response:
        """Return the requested page of these series."""
        rows = self.paginate_queryset(series.order_by("name", "id"))
        snapshots = snapshots_of(rows or [])
        return self.get_paginated_response([_series(SeriesSerializer, snapshots[one.pk]) for one in rows or []])


class CommunitySeries(SeriesList):
    """The series of a community."""

    @extend_schema(operation_id="listCommunitySeries", tags=["communities"], responses=SeriesSerializer(many=True))
    def get(self, request: Request, community: str) -> Response:  # type: ignore[override]
        """
        List the series of a community.

        Returns its public series, and the private ones to a client with its token, sorted by name. Each has its current
        run.
        """
        found = readable_community(self.reader, community)
        return self.answer(visible_series(self.reader).filter(community=found))


class SeriesDetail(RatingsView):
    """One series."""

    @extend_schema(operation_id="getSeries", tags=["series"], responses=SeriesDetailSerializer)
    def get(self, request: Request, community: str, slug: str) -> Response:
        """
        Retrieve a series.

        Returns the series with its current run, rating system, display mapping and tiers.
        """
        snapshot = snapshot_of(readable_series(self.reader, community, slug))
        return Response(_series(SeriesDetailSerializer, snapshot, scheme=_scheme(snapshot)))


class RunList(RatingsView):
    """The published runs of a series."""

    parameters = (PageParameters,)

    @extend_schema(operation_id="listRuns", tags=["series"], responses=RunSerializer(many=True))
    def get(self, request: Request, community: str, slug: str) -> Response:
        """
        List the runs of a series.

        Returns all published runs, newest first.
        """
        runs = Run.objects.published().filter(series=readable_series(self.reader, community, slug)).order_by("-number")
        return self.get_paginated_response(RunSerializer(self.paginate_queryset(runs), many=True).data)


class Distribution(RatingsView):
    """The rating distribution of a series."""

    @extend_schema(operation_id="getDistribution", tags=["series"], responses=DistributionSerializer)
    def get(self, request: Request, community: str, slug: str) -> Response:
        """
        Retrieve the rating distribution of a series.

        Returns the number of players in each bin of displayed ratings, and in each tier.
        """
        snapshot = snapshot_of(readable_series(self.reader, community, slug))
        ratings = snapshot.mapping.show(snapshot.index.scores)
        width = bin_width(ratings)
        in_tier = np.bincount(snapshot.tiers.positions(ratings), minlength=len(snapshot.tiers)).tolist()
        tiers = [{**tier, "players": n} for tier, n in zip(snapshot.tiers.to_list(), in_tier, strict=True)]
        answer = {
            "community": community,
            "series": slug,
            "run": snapshot.run.number if snapshot.run else None,
            "players": len(ratings),
            "bin_width": width,
            "bins": bins(ratings, width),
            "tiers": tiers,
        }
        return Response(DistributionSerializer(answer).data)


def _series(form: type[SeriesSerializer], snapshot: SeriesSnapshot, **more: Any) -> dict[str, Any]:
    one = snapshot.series
    described: Any = {
        "community": one.community_id,
        "slug": one.slug,
        "name": one.name,
        "description": one.description,
        "run": snapshot.run,
        **more,
    }
    return form(described).data


def _scheme(snapshot: SeriesSnapshot) -> dict[str, Any] | None:
    if snapshot.scheme is None:
        return None
    scheme = snapshot.scheme
    return {
        "version": scheme.version,
        "system": scheme.system,
        "parameters": scheme.parameters,
        "display": {**snapshot.mapping.to_dict(), "k": float(scheme.display.get("k", 0.0))},
        "tiers": snapshot.tiers.to_list(),
        "leagues": leagues_as_shown(snapshot),
        "season": season_as_shown(snapshot),
        "duration_weight": scheme.duration_weight or None,
    }


class LeaderboardParameters(serializers.Serializer[Any]):
    """Filters of a leaderboard."""

    country = CountryField(required=False, help_text="Only return players from this country (ISO 3166 alpha-2 code).")
    search = SearchField(
        help_text=(
            "Only return players whose handle or name contains this text, or who match all its words, up to 8, in any "
            "order. Each word must match the beginning of a word in the player's handle, other handles or name. Case "
            "does not matter."
        ),
    )
    established = TrueFalseField(
        default=False,
        help_text="Only return established and active players, as pages do by default if there are ten or more of "
        "them. Active players took part in the year up to the newest contest, or in one of the last 3 contests. "
        "Established players have at least 5 rated contests, or half of the contests in that period if there were "
        "fewer than 9.",
    )
    min_contests = serializers.IntegerField(
        required=False,
        min_value=1,
        max_value=LARGEST,
        help_text="Only return players with at least this many rated contests.",
    )
    active_days = serializers.IntegerField(
        required=False,
        min_value=1,
        max_value=LARGEST,
        help_text="Only return players whose last rated contest ended at most this many days before the "
        "newest rated contest.",
    )
    league = serializers.CharField(
        required=False,
        max_length=40,
        help_text="Only return players of the league with this name. Case does not matter.",
    )
    division = serializers.IntegerField(
        required=False,
        min_value=1,
        max_value=LARGEST,
        help_text="Only return players of this division of `league`, in the newest season.",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if "division" in attrs and "league" not in attrs:
            raise ValidationError({"division": ["Name the league of the division in `league`."]})
        return attrs


class Leaderboard(RunListView):
    """The leaderboard of a series."""

    parameters = (LeaderboardParameters, PageParameters)

    @extend_schema(
        operation_id="getLeaderboard",
        tags=["series"],
        parameters=[LeaderboardParameters],
        responses=LeaderboardEntrySerializer(many=True),
    )
    def get(self, request: Request, community: str, slug: str) -> Response:
        """
        Retrieve the leaderboard of a series.

        Returns the rated players, best first. Filters do not change `rank`, which always counts all rated players.
        """
        asked = self.asked
        snapshot = snapshot_of(readable_series(self.reader, community, slug))
        selected: Any = _selected(snapshot, asked)
        ids: Any = self.paginate_queryset(selected)
        rows = rating_rows(snapshot, ratings_of(snapshot, ids.tolist()))
        return self.answer(
            snapshot, LeaderboardEntrySerializer(rows, many=True, context=self.get_serializer_context()).data
        )


def _selected(snapshot: SeriesSnapshot, asked: dict[str, Any]) -> NDArray[np.int64]:
    """Return the ids of the players who match the filters, best first."""
    country, search = asked.get("country", ""), asked["search"]
    filters = Filters(text=search, active_days=asked.get("active_days"), min_contests=asked.get("min_contests"))
    rows = matching_rows(snapshot, filters)
    if "league" in asked:
        rows = rows[in_league(snapshot, asked["league"], asked.get("division"))[rows]]
    if asked["established"] and len(rows):
        rows = rows[is_established(board_of(snapshot))[rows]]
    ids = snapshot.index.player_ids[rows]
    if not country or not len(ids):
        return ids
    players = Player.objects.filter(community=snapshot.series.community_id, country=country)
    query, parameters = players.order_by().values_list("id").query.sql_with_params()
    found = read_arrays(f"SELECT CAST(id AS bigint) FROM ({query}) AS chosen", parameters, {"id": "i8"})
    return ids[np.isin(ids, found["id"])]
