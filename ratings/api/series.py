"""Series, runs and distributions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from drf_spectacular.utils import extend_schema
from rest_framework.response import Response

from contests.api.lookups import public_series
from contests.api.parameters import PageParameters
from contests.models import Series
from ratings.api.reading import RatingsView
from ratings.api.serializers_series import (
    DistributionSerializer,
    RunSerializer,
    SeriesDetailSerializer,
    SeriesSerializer,
)
from ratings.models import Run
from ratings.publishing.schemes import leagues_as_shown, season_as_shown
from ratings.queries.distributions import bin_width, bins
from ratings.queries.snapshot import SeriesSnapshot, snapshot_of, snapshots_of

if TYPE_CHECKING:
    from rest_framework.request import Request


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
