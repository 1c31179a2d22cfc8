"""Series, runs and distributions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.response import Response

from contests.api.base import MAX_SEARCH, CountryField, PageParameters
from contests.api.lookups import public_series
from contests.api.serializers import NumberField
from contests.bulk import read_arrays
from contests.matching.name_index import matching
from contests.models import Player, Series
from ratings.api.base import RatingsView, RunListView
from ratings.api.serializers import LeaderboardEntrySerializer, rating_rows
from ratings.models import Rating, Run
from ratings.publishing.schemes import leagues_as_shown, season_as_shown
from ratings.queries.boards import board_of, is_established
from ratings.queries.distributions import bin_width, bins
from ratings.queries.filters import LARGEST, Filters, matching_rows
from ratings.queries.snapshot import SeriesSnapshot, snapshot_of, snapshots_of

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from rest_framework.request import Request

    from ratings.queries.snapshot import SeriesSnapshot


KINDS = [
    ("append", "only the newest contests were rated"),
    ("replay", "older contests were rated again"),
    ("rollback", "the ratings of an earlier run are shown again"),
]


class RunSerializer(serializers.ModelSerializer[Run]):
    """A published run: one consistent set of ratings."""

    number = serializers.IntegerField(min_value=1, help_text="Counts up in each series; failed runs leave gaps.")
    kind = serializers.ChoiceField(
        choices=KINDS,
        help_text="How it was computed; the numbers do not depend on it.",
    )
    restores = serializers.IntegerField(
        allow_null=True,
        min_value=1,
        help_text="Number of the run whose ratings a roll-back shows again; null for other runs.",
    )
    seconds = NumberField(help_text="How long it took.")
    contests = serializers.IntegerField(source="contest_count", min_value=0, help_text="Rated contests as of this run.")
    players = serializers.IntegerField(source="player_count", min_value=0, help_text="Rated players as of this run.")
    changes = serializers.IntegerField(
        source="changed_count", min_value=0, help_text="Rating changes that differ from the run before."
    )

    class Meta:
        model = Run
        fields = [
            "number", "kind", "restores", "cause", "published_at", "seconds", "contests", "players", "changes",
            "engine_version", "input_hash",
        ]  # fmt: skip
        extra_kwargs = {
            "cause": {"help_text": "What had changed, in words."},
            "published_at": {"help_text": "When everybody saw it first (UTC)."},
            "engine_version": {"help_text": "Version of the rating library."},
            "input_hash": {"help_text": "Hash of all results and parameters that the numbers follow from."},
        }


class TierSerializer(serializers.Serializer[Any]):
    """A named range of shown ratings."""

    name = serializers.CharField()
    minimum = serializers.IntegerField(
        allow_null=True, help_text="Smallest shown rating of the tier; null for the lowest tier."
    )
    symbol = serializers.CharField(help_text="Tells the tier without colour.")
    colour_light = serializers.CharField(help_text="#rrggbb, for text on a light page.")
    colour_dark = serializers.CharField(help_text="#rrggbb, for text on a dark page.")


class LeaguesSerializer(serializers.Serializer[Any]):
    """How the tiers are gained and lost as leagues; all in shown points but the deviation."""

    assignment = serializers.ChoiceField(
        choices=[("moving_average", "by the mean of the last shown ratings")], help_text="What decides."
    )
    contests = serializers.IntegerField(min_value=1, help_text="Of how many ratings the mean is taken.")
    margin = serializers.IntegerField(
        min_value=0, help_text="How far the mean may fall below a threshold before the league is lost."
    )
    provisional_contests = serializers.IntegerField(
        min_value=1, help_text="Players with fewer rated contests are provisional, and in no league."
    )
    provisional_sigma = NumberField(
        allow_null=True, help_text="So are players with a greater deviation (rating points); null: no such limit."
    )


class SeasonSerializer(serializers.Serializer[Any]):
    """How season points are gained, in shown points."""

    length = serializers.ChoiceField(
        allow_null=True,
        choices=[("year", "calendar years"), ("quarter", "quarters of a year"), ("month", "months")],
        help_text="Seasons that follow the calendar (UTC); null where `starts` says when they begin.",
    )
    starts = serializers.ListField(
        child=serializers.DateField(), help_text="First days of the seasons; empty for those of the calendar."
    )
    k = NumberField(help_text="The most that one contest of weight 1 gives without the bonus.")
    scale = NumberField(
        allow_null=True,
        help_text="Distance at which odds are ten to one; null with a fixed range, whose numbers say it themselves.",
    )
    bonus_per_day = NumberField(help_text="How much everybody's bonus grows a day.")


class SchemeSerializer(serializers.Serializer[Any]):
    """How a series is rated and shown."""

    version = serializers.IntegerField(min_value=1, help_text="Counts up with each change of rules or display.")
    system = serializers.CharField(help_text="Name of the rating system, such as elo-mmr.")
    parameters = serializers.DictField(help_text="Its parameters by name.")
    display = serializers.DictField(help_text="From scores to shown ratings: the mapping and its numbers.")
    tiers = TierSerializer(many=True, help_text="Lowest first.")
    leagues = LeaguesSerializer(allow_null=True, help_text="Null where tiers are gained and lost at once.")
    season = SeasonSerializer(allow_null=True, help_text="Null where there are no season points.")


class SeriesSerializer(serializers.ModelSerializer[Series]):
    """A series of contests: one pool of ratings."""

    run = RunSerializer(allow_null=True, help_text="The current run; null while none has been published.")

    class Meta:
        model = Series
        fields = ["slug", "name", "description", "run"]
        extra_kwargs = {"description": {"help_text": "What its organizers say of it; may be empty."}}


class SeriesDetailSerializer(SeriesSerializer):
    """A series with how it is rated and shown."""

    scheme = SchemeSerializer(allow_null=True, help_text="Null while it has no contests.")

    class Meta(SeriesSerializer.Meta):
        fields = [*SeriesSerializer.Meta.fields, "scheme"]


class BinSerializer(serializers.Serializer[Any]):
    """One bar of the histogram."""

    start = serializers.IntegerField(help_text="Smallest shown rating in it.")
    end = serializers.IntegerField(help_text="Smallest shown rating above it.")
    players = serializers.IntegerField(min_value=0)


class TierCountSerializer(TierSerializer):
    """How many players are in a tier."""

    players = serializers.IntegerField(min_value=0)


class DistributionSerializer(serializers.Serializer[Any]):
    """How shown ratings are distributed."""

    series = serializers.SlugField(help_text="Slug of the series.")
    run = serializers.IntegerField(min_value=1, allow_null=True, help_text="Run that these numbers are of.")
    players = serializers.IntegerField(min_value=0, help_text="Rated players.")
    bin_width = serializers.IntegerField(min_value=1, help_text="Width of each bin, in shown points.")
    bins = BinSerializer(many=True, help_text="Without gaps, lowest first.")
    tiers = TierCountSerializer(many=True, help_text="Lowest first.")


class SeriesList(RatingsView):
    parameters = (PageParameters,)

    @extend_schema(operation_id="listSeries", tags=["series"], responses=SeriesSerializer(many=True))
    def get(self, request: Request) -> Response:
        """List the public series by name, each with its current run."""
        rows = self.paginate_queryset(Series.objects.public().order_by("name", "id"))
        snapshots = snapshots_of(rows or [])
        return self.get_paginated_response([_series(SeriesSerializer, snapshots[one.pk]) for one in rows or []])


class SeriesDetail(RatingsView):
    @extend_schema(operation_id="getSeries", tags=["series"], responses=SeriesDetailSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """Describe a series: its current run, and how it is rated and shown."""
        snapshot = snapshot_of(public_series(slug))
        return Response(_series(SeriesDetailSerializer, snapshot, scheme=_scheme(snapshot)))


class RunList(RatingsView):
    parameters = (PageParameters,)

    @extend_schema(operation_id="listRuns", tags=["series"], responses=RunSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """List the published runs of a series, newest first."""
        runs = Run.objects.published().filter(series=public_series(slug)).order_by("-number")
        return self.get_paginated_response(RunSerializer(self.paginate_queryset(runs), many=True).data)


class Distribution(RatingsView):
    @extend_schema(operation_id="getDistribution", tags=["series"], responses=DistributionSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """Say how many players of a series have which shown rating, in bins and in tiers."""
        snapshot = snapshot_of(public_series(slug))
        ratings = snapshot.mapping.show(snapshot.index.scores)
        width = bin_width(ratings)
        in_tier = np.bincount(snapshot.tiers.positions(ratings), minlength=len(snapshot.tiers)).tolist()
        tiers = [{**tier, "players": n} for tier, n in zip(snapshot.tiers.to_list(), in_tier, strict=True)]
        answer = {
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
    described: Any = {"slug": one.slug, "name": one.name, "description": one.description, "run": snapshot.run, **more}
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
    }


class LeaderboardParameters(serializers.Serializer[Any]):
    country = CountryField(required=False, help_text="Only players of this country (ISO 3166 alpha-2).")
    search = serializers.CharField(
        default="",
        allow_blank=True,
        max_length=MAX_SEARCH,
        help_text=(
            "Only players whose handle contains this text, or whose handle, other handles or name have words that "
            "begin with all of its words, in any order. Case does not matter."
        ),
    )
    established = serializers.BooleanField(
        default=False,
        help_text="Only established and active players, as pages list them by default: at least 5 rated contests (half "
        "of the recent ones where there are few), the last within a year of the newest (or of the last 3 contests).",
    )
    min_contests = serializers.IntegerField(
        required=False, min_value=1, max_value=LARGEST, help_text="Only players with at least so many rated contests."
    )
    active_days = serializers.IntegerField(
        required=False,
        min_value=1,
        max_value=LARGEST,
        help_text="Only players whose last rated contest ended within so many days of the newest one of the series.",
    )


class Leaderboard(RunListView):
    parameters = (LeaderboardParameters, PageParameters)

    @extend_schema(
        operation_id="getLeaderboard",
        tags=["series"],
        parameters=[LeaderboardParameters],
        responses=LeaderboardEntrySerializer(many=True),
    )
    def get(self, request: Request, slug: str) -> Response:
        """List the rated players of a series, best first. Ranks are among all, also in a selection."""
        asked = self.asked
        snapshot = snapshot_of(public_series(slug))
        selected: Any = _selected(snapshot, asked)
        ids: Any = self.paginate_queryset(selected)
        rows = rating_rows(snapshot, _ratings(snapshot, ids))
        return self.answer(snapshot, LeaderboardEntrySerializer(rows, many=True).data)


def _selected(snapshot: SeriesSnapshot, asked: dict[str, Any]) -> NDArray[np.int64]:
    """Return the ids of the players who are asked for, best first."""
    country, search = asked.get("country", ""), asked["search"]
    filters = Filters(active=asked.get("active_days"), least=asked.get("min_contests"))
    rows = matching_rows(snapshot, filters)
    if asked["established"] and len(rows):
        rows = rows[is_established(board_of(snapshot))[rows]]
    ids = snapshot.index.player_ids[rows]
    if not (country or search) or not len(ids):
        return ids
    players = Player.objects.filter(matching(search)) if search else Player.objects.all()
    if country:
        players = players.filter(country=country)
    query, parameters = players.order_by().values_list("id").query.sql_with_params()
    found = read_arrays(f"SELECT CAST(id AS bigint) FROM ({query}) AS chosen", parameters, {"id": "i8"})
    return ids[np.isin(ids, found["id"])]


def _ratings(snapshot: SeriesSnapshot, ids: NDArray[np.int64]) -> list[Rating]:
    """Return the ratings of these players, in this order."""
    rows = Rating.objects.filter(series=snapshot.series, player__in=ids.tolist())
    by_player = {row.player_id: row for row in rows.select_related("player", "last_contest").defer("belief")}
    return [by_player[player] for player in ids.tolist()]
