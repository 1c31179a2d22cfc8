"""What answers with ratings have in common: all numbers of one answer are of one run, and it says of which."""

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
    """A resource whose queries all see the database as of one moment."""

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        with consistent_read():
            return super().dispatch(request, *args, **kwargs)


class RunPages(Pages):
    """Pages of one series that say which run they are as of."""

    def get_paginated_response_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        pages = super().get_paginated_response_schema(schema)
        own = {
            "series": {"type": "string", "description": "Slug of the series."},
            "run": {
                "type": ["integer", "null"],
                "minimum": 1,
                "description": "Run that all these numbers are of; null while none has been published.",
            },
        }
        return {**pages, "required": [*own, *pages["required"]], "properties": {**own, **pages["properties"]}}


class RunListView(RatingsView):
    """A list of ratings or changes of one series."""

    pagination_class = RunPages

    def answer(self, snapshot: SeriesSnapshot, results: Any) -> Response:
        """Return the page asked for, with the series and its run."""
        response = self.get_paginated_response(results)
        response.data = {
            "series": snapshot.series.slug,
            "run": snapshot.run.number if snapshot.run else None,
            **response.data,
        }
        return response
