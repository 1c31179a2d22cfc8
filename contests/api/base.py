"""What all answers to readers have in common: anyone can read them, and they are the same for everyone."""

from __future__ import annotations

from datetime import UTC
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, ClassVar

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.generics import GenericAPIView
from rest_framework.pagination import BasePagination
from rest_framework.response import Response
from rest_framework.utils.urls import replace_query_param

from contests.addresses import whole_address
from contests.formats.countries import country_code
from contests.handles import printable
from contests.queries.paging import between

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from rest_framework.request import Request
    from rest_framework.serializers import Serializer
    from rest_framework.views import APIView


DEFAULT_PAGE_SIZE = 100
MAX_PAGE_SIZE = 1000
MAX_SEARCH = 128
#: So many unknown parameters are named at once.
_MOST_NAMED = 10


def checked(
    request: Request, *shapes: type[serializers.Serializer[Any]], further: Iterable[str] | None = None
) -> dict[str, Any]:
    """
    Return the request's parameters in these shapes; ValidationError names each one that is wrong.

    further
        Names that are parameters besides those of the shapes, and no others are; None if unknown ones do not matter.
    """
    values: dict[str, Any] = {}
    errors: dict[str, Any] = {}
    for shape in shapes:
        # As a plain dictionary: in forms an empty field is one left out, but `?page=` is a mistake.
        parameters = shape(data=request.query_params.dict())
        if parameters.is_valid():
            values |= parameters.validated_data
        errors |= parameters.errors
    if further is not None:
        errors |= _unknown(request, {*further, *(str(name) for shape in shapes for name in shape().fields)})
    if errors:
        raise serializers.ValidationError(errors)
    return values


def _unknown(request: Request, known: set[str]) -> dict[str, list[str]]:
    """Say of each parameter that is not known which one is nearest."""
    unknown = [name for name in request.query_params if name not in known]
    listed = ", ".join(sorted(known))
    errors = {}
    for name in unknown[:_MOST_NAMED]:
        nearest = get_close_matches(name, sorted(known), n=1, cutoff=0.0)
        remedy = (
            f"the nearest one is “{nearest[0]}” (of {listed})" if nearest else "this address has none; leave it out"
        )
        errors[printable(name)] = [f"There is no such parameter here; {remedy}."]
    return errors


@extend_schema_field({"type": "string", "pattern": "^[A-Za-z]{2}$"})
class CountryField(serializers.CharField):
    """An ISO 3166 alpha-2 code, in capitals or not."""

    def to_internal_value(self, text: Any) -> str:
        text = super().to_internal_value(text)
        code = country_code(text) if len(text) == 2 else None
        if code is None or code != text.upper():
            raise serializers.ValidationError("This is no country; give an ISO 3166 alpha-2 code, such as DE.")
        return code


class MomentField(serializers.DateTimeField):
    """A moment in ISO 8601; without a zone it is meant in UTC."""

    def to_internal_value(self, value: datetime | str) -> datetime:
        try:
            return super().to_internal_value(value).astimezone(UTC)
        except (OverflowError, serializers.ValidationError) as error:
            raise serializers.ValidationError(
                "This is no moment in time; write it like 2025-03-01T18:00:00Z (a plus sign in an address is %2B)."
            ) from error


class SizeParameters(serializers.Serializer[Any]):
    page_size = serializers.IntegerField(
        min_value=1, max_value=MAX_PAGE_SIZE, default=DEFAULT_PAGE_SIZE, help_text="Most results in one answer."
    )


class PageParameters(SizeParameters):
    page = serializers.IntegerField(min_value=1, max_value=10**9, default=1, help_text="Page, counted from 1.")


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


class PublicView(GenericAPIView[Any]):
    """
    A resource that anyone can read.

    It ignores sessions, so its answers do not depend on who asks, and caches may keep them. Caches must ask the server
    each time whether an answer still holds: `podium.middleware.Conditional` makes the entity tag from the answer
    itself, so readers see every change (a run, a correction, a renamed player) at once.

    parameters
        The shapes of all parameters that the address has; `asked` holds what came in. Any other one is a mistake.
    further
        Names of parameters that no shape can describe; None if any parameter may come.
    """

    parameters: ClassVar[tuple[type[Serializer[Any]], ...]] = ()
    further: ClassVar[tuple[str, ...] | None] = ()
    asked: dict[str, Any]

    authentication_classes = ()
    pagination_class = Pages
    http_method_names = ["get", "head", "options"]

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        if request.method in ("GET", "HEAD"):
            self.asked = checked(request, *self.parameters, further=self.further)

    def options(self, request: Request, *args: Any, **kwargs: Any) -> Response:  # type: ignore[override]
        """Name the allowed methods; django-cors-headers answers what browsers ask in advance."""
        return Response(status=204)

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        response = super().finalize_response(request, response, *args, **kwargs)
        response["Cache-Control"] = "public, no-cache" if response.status_code < 400 else "no-store"
        return response
