"""Numbered pages: how much there is, and the addresses of the pages before and after."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.db.models import QuerySet
from rest_framework.exceptions import NotFound
from rest_framework.pagination import BasePagination
from rest_framework.response import Response
from rest_framework.utils.urls import replace_query_param

from contests.addresses import whole_address
from contests.api.parameters import DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE, PageParameters, checked
from contests.queries.paging import between

if TYPE_CHECKING:
    from rest_framework.request import Request
    from rest_framework.views import APIView

_LINK = {"type": ["string", "null"], "format": "uri"}


class Pages(BasePagination):
    """
    Slices of a QuerySet, or of anything with a length.

    A parameter of the wrong shape is a 400 that names it; a page that does not exist is a 404.
    """

    def paginate_queryset(self, queryset: Any, request: Request, view: APIView | None = None) -> Any:
        asked = checked(request, PageParameters)
        self.request, self.page, size = request, asked["page"], asked["page_size"]
        self.count = queryset.count() if isinstance(queryset, QuerySet) else len(queryset)
        self.pages = max(1, -(-self.count // size))
        if self.page > self.pages:
            raise NotFound(f"There is no page {self.page}: the last one is page {self.pages}, at {size} on a page.")
        bottom, top = (self.page - 1) * size, min(self.page * size, self.count)
        return between(queryset, bottom, top, self.count) if isinstance(queryset, QuerySet) else queryset[bottom:top]

    def get_paginated_response(self, data: Any) -> Response:
        return Response(
            {
                "count": self.count,
                "page": self.page,
                "pages": self.pages,
                "next": self._link(self.page + 1),
                "previous": self._link(self.page - 1),
                "results": data,
            }
        )

    def get_paginated_response_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        """Describe the answer to programs."""
        properties = {
            "count": {"type": "integer", "minimum": 0, "description": "Results on all pages together."},
            "page": {"type": "integer", "minimum": 1, "description": "This page, counted from 1."},
            "pages": {"type": "integer", "minimum": 1, "description": "Number of pages."},
            "next": {**_LINK, "description": "Address of the next page; null on the last one."},
            "previous": {**_LINK, "description": "Address of the page before; null on the first one."},
            "results": {**schema, "description": "What is on this page."},
        }
        return {"type": "object", "required": list(properties), "properties": properties}

    def get_schema_operation_parameters(self, view: APIView) -> list[dict[str, Any]]:
        """Describe the parameters to programs, as `PageParameters` checks them."""
        page = {"type": "integer", "minimum": 1, "maximum": 10**9, "default": 1}
        size = {"type": "integer", "minimum": 1, "maximum": MAX_PAGE_SIZE, "default": DEFAULT_PAGE_SIZE}
        return [
            {"name": "page", "in": "query", "schema": page, "description": "Page, counted from 1."},
            {"name": "page_size", "in": "query", "schema": size, "description": "Most results in one answer."},
        ]

    def _link(self, page: int) -> str | None:
        if not 1 <= page <= self.pages:
            return None
        return replace_query_param(whole_address(self.request, self.request.get_full_path()), "page", page)
