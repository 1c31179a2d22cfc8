"""Common parts of API resources with ratings. All numbers in one response belong to one run, which it names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from contests.api.base import Pages, PublicView
from ratings.database import consistent_read

if TYPE_CHECKING:
    from django.http import HttpRequest
    from django.http.response import HttpResponseBase
    from rest_framework.response import Response

    from ratings.queries.snapshot import SeriesSnapshot


class RatingsView(PublicView):
    """A resource whose queries all read the same state of the database."""

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        with consistent_read():
            return super().dispatch(request, *args, **kwargs)


class RunPages(Pages):
    """Numbered pages that name the series and the run."""

    def get_paginated_response_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        pages = super().get_paginated_response_schema(schema)
        own = {
            "community": {"type": "string", "description": "Slug of the community."},
            "series": {"type": "string", "description": "Slug of the series, unique in the community."},
            "run": {
                "type": ["integer", "null"],
                "minimum": 1,
                "description": "Run that produced these numbers; null if none has been published.",
            },
        }
        return {**pages, "required": [*own, *pages["required"]], "properties": {**own, **pages["properties"]}}


class RunListView(RatingsView):
    """A list of ratings or rating changes of one series."""

    pagination_class = RunPages

    def answer(self, snapshot: SeriesSnapshot, results: Any) -> Response:
        """Return the requested page with the series and its run."""
        response = self.get_paginated_response(results)
        response.data = {
            "community": snapshot.series.community_id,
            "series": snapshot.series.slug,
            "run": snapshot.run.number if snapshot.run else None,
            **response.data,
        }
        return response
