"""Common parts of the API: public resources, numbered pages, and validation of query parameters."""

from __future__ import annotations

import re
from datetime import UTC
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn
from urllib.parse import unquote, unquote_to_bytes

from django.db.models import QuerySet
from django.utils.cache import patch_vary_headers
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.generics import GenericAPIView
from rest_framework.pagination import BasePagination
from rest_framework.response import Response
from rest_framework.utils.urls import replace_query_param

from contests.addresses import whole_address
from contests.api.throttling import TooManyRequests
from contests.formats.countries import country_code
from contests.handles import MAX_WORDS, printable, words_of
from contests.queries.paging import between
from contests.queries.versions import kept_count

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from rest_framework.request import Request
    from rest_framework.serializers import Serializer
    from rest_framework.views import APIView

    from contests.models import Series
    from contests.models.community import Visitor


DEFAULT_PAGE_SIZE = 100
MAX_PAGE_SIZE = 1000
MAX_SEARCH = 128
#: How numbers are written.
_NUMBERS: dict[type[Any], re.Pattern[str]] = {
    serializers.IntegerField: re.compile("-?[0-9]+"),
    serializers.FloatField: re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"),
}
#: An error lists at most this many unknown parameters.
_MOST_NAMED = 10
_PAGE = "Page number, starting at 1."
_PAGE_SIZE = "Maximum number of results in one response."


def validated(
    request: Request,
    *forms: type[serializers.Serializer[Any]],
    other_names: Iterable[str] | None = None,
    repeatable: Iterable[str] = (),
) -> dict[str, Any]:
    """
    Validate the query parameters of a request with these serializers, and return their values.

    other_names
        Names of other parameters that the request may have; None allows any name.
    repeatable
        Names of the parameters that the request may have more than once.

    ValidationError lists every parameter that is invalid, unknown or repeated.
    """
    values: dict[str, Any] = {}
    errors: dict[str, Any] = _undecodable(request)
    for form in forms:
        # As a plain dictionary, because a QueryDict is read like a form, where `?page=` would mean no page.
        parameters = form(data=request.query_params.dict())
        if parameters.is_valid():
            values |= parameters.validated_data
        errors |= parameters.errors
        errors |= _odd_numbers(request, parameters.fields)
        errors |= _repeated(request, set(form().fields) - set(repeatable))
    if other_names is not None:
        errors |= _unknown(request, {*other_names, *(str(name) for form in forms for name in form().fields)})
    if errors:
        raise serializers.ValidationError(errors)
    return values


def _undecodable(request: Request) -> dict[str, list[str]]:
    """Return an error for each parameter that is not valid UTF-8; Django replaces the bytes that are not."""
    errors = {}
    for pair in request.META.get("QUERY_STRING", "").split("&"):
        try:
            unquote_to_bytes(pair.encode("latin-1", "replace")).decode()
        except UnicodeDecodeError:
            name = printable(unquote(pair.partition("=")[0], errors="replace"))
            errors[name] = ["This is not valid UTF-8. Encode the text as UTF-8 before you percent-encode it."]
    return errors


def _odd_numbers(request: Request, fields: Mapping[str, serializers.Field[Any, Any, Any, Any]]) -> dict[str, list[str]]:
    """Return an error for each number with characters that `int` and `float` skip, such as spaces and underscores."""
    errors = {}
    for name, field in fields.items():
        pattern = next((pattern for kind, pattern in _NUMBERS.items() if isinstance(field, kind)), None)
        text = request.query_params.get(name)
        if pattern is not None and text and not pattern.fullmatch(text):
            errors[name] = [str(field.error_messages["invalid"])]
    return errors


def _repeated(request: Request, single: set[str]) -> dict[str, list[str]]:
    """Return an error for each parameter that may occur only once but occurs several times."""
    return {
        name: [f"This parameter occurs {len(texts)} times. Give it once."]
        for name, texts in request.query_params.lists()
        if name in single and len(texts) > 1
    }


def _unknown(request: Request, known: set[str]) -> dict[str, list[str]]:
    """Return an error for each unknown parameter, which suggests one with a similar name, if there is any."""
    unknown = [name for name in request.query_params if name not in known]
    listed = ", ".join(sorted(known))
    errors = {}
    for name in unknown[:_MOST_NAMED]:
        nearest = get_close_matches(name, sorted(known), n=1)
        remedy = f"Valid parameters: {listed}." if known else "This address takes no parameters."
        if nearest:
            remedy = f"Did you mean “{nearest[0]}”? {remedy}"
        errors[printable(name)] = [f"Unknown parameter. {remedy}"]
    return errors


class TrueFalseField(serializers.BooleanField):
    """A parameter that is true or false."""

    default_error_messages: ClassVar[dict[str, Any]] = {"invalid": "Write true or false."}


@extend_schema_field({"type": "string", "pattern": "^[A-Za-z]{2}$"})
class CountryField(serializers.CharField):
    """An ISO 3166 alpha-2 code in upper or lower case."""

    def to_internal_value(self, text: Any) -> str:
        text = super().to_internal_value(text)
        code = country_code(text) if len(text) == 2 else None
        if code is None or code != text.upper():
            raise serializers.ValidationError(
                "This is not a valid country code. Use an ISO 3166 alpha-2 code, such as DE."
            )
        return code


#: How parameters name a series.
SERIES_NAME = "`COMMUNITY/SLUG`; the slug alone names a series of the default community."


class SeriesNameField(serializers.RegexField):
    """The name of a series, [COMMUNITY/]SLUG; case doesn't matter in the community."""

    def __init__(self, **options: Any) -> None:
        invalid = "Write the community and the slug of the series, such as harbour-club/night-cup."
        super().__init__(
            r"^([-a-zA-Z0-9]{1,40}/)?[-a-zA-Z0-9_]{1,80}\Z", error_messages={"invalid": invalid}, **options
        )

    def to_internal_value(self, data: Any) -> str:
        community, slash, slug = super().to_internal_value(data).rpartition("/")
        return f"{community.lower()}{slash}{slug}"


class PlayerSeriesField(serializers.SlugField):
    """The slug of a series of a player's community."""

    default_error_messages: ClassVar[dict[str, Any]] = {
        "invalid": "Write the slug alone, such as night-cup: the series is one of the player's community."
    }


class SearchField(serializers.CharField):
    """A text to search for in the names of players, of as many words as the search uses."""

    def __init__(self, **options: Any) -> None:
        super().__init__(default="", allow_blank=True, max_length=MAX_SEARCH, **options)

    def to_internal_value(self, text: Any) -> str:
        text = super().to_internal_value(text)
        words = len(set(words_of(text)))
        if words > MAX_WORDS:
            raise serializers.ValidationError(f"Search for at most {MAX_WORDS} words, not {words}.")
        return str(text)


class MomentField(serializers.DateTimeField):
    """A date and time in ISO 8601; UTC unless it has an offset."""

    def to_internal_value(self, value: datetime | str) -> datetime:
        try:
            return super().to_internal_value(value).astimezone(UTC)
        except (OverflowError, serializers.ValidationError) as error:
            raise serializers.ValidationError(
                "This is not a valid date and time. Write it like 2025-03-01T18:00:00Z, and encode a plus sign as %2B."
            ) from error


class SizeParameters(serializers.Serializer[Any]):
    """The size of one part of a list."""

    page_size = serializers.IntegerField(
        min_value=1, max_value=MAX_PAGE_SIZE, default=DEFAULT_PAGE_SIZE, help_text=_PAGE_SIZE
    )


class PageParameters(SizeParameters):
    """The number and size of a page."""

    page = serializers.IntegerField(min_value=1, max_value=10**9, default=1, help_text=_PAGE)


_LINK = {"type": ["string", "null"], "format": "uri"}


class Pages(BasePagination):
    """
    Numbered pages of a QuerySet, or of any sequence.

    An invalid parameter is a 400 that names it. A page beyond the last one is a 404.
    """

    def paginate_queryset(self, queryset: Any, request: Request, view: APIView | None = None) -> Any:
        asked = validated(request, PageParameters)
        self.request, self.page, size = request, asked["page"], asked["page_size"]
        self.count = _count_of(queryset, getattr(view, "counted_series", None))
        self.pages = max(1, -(-self.count // size))
        if self.page > self.pages:
            raise NotFound(f"Page {self.page} does not exist. With page_size={size}, the last page is {self.pages}.")
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
        """Return the schema of a page whose results have this schema."""
        properties = {
            "count": {"type": "integer", "minimum": 0, "description": "Total number of results on all pages."},
            "page": {"type": "integer", "minimum": 1, "description": "Number of this page, starting at 1."},
            "pages": {"type": "integer", "minimum": 1, "description": "Total number of pages."},
            "next": {**_LINK, "description": "URL of the next page; null on the last page."},
            "previous": {**_LINK, "description": "URL of the previous page; null on the first page."},
            "results": {**schema, "description": "Results on this page."},
        }
        return {"type": "object", "required": list(properties), "properties": properties}

    def get_schema_operation_parameters(self, view: APIView) -> list[dict[str, Any]]:
        """Return the schemas of the parameters, with the limits of `PageParameters`."""
        page = {"type": "integer", "minimum": 1, "maximum": 10**9, "default": 1}
        size = {"type": "integer", "minimum": 1, "maximum": MAX_PAGE_SIZE, "default": DEFAULT_PAGE_SIZE}
        return [
            {"name": "page", "in": "query", "schema": page, "description": _PAGE},
            {"name": "page_size", "in": "query", "schema": size, "description": _PAGE_SIZE},
        ]

    def _link(self, page: int) -> str | None:
        if not 1 <= page <= self.pages:
            return None
        return replace_query_param(whole_address(self.request, self.request.get_full_path()), "page", page)


def _count_of(rows: Any, series: QuerySet[Series] | None) -> int:
    if not isinstance(rows, QuerySet):
        return len(rows)
    return rows.count() if series is None else kept_count(rows, series)


class PublicView(GenericAPIView[Any]):
    """
    A resource: anyone can read its public part, and programs with a token can read what is open to their community.

    It ignores sessions, so all clients without a token get the same response, and shared caches may store it. Caches
    must revalidate it before each use, and must not give a response for one token to anyone else.
    `podium.middleware.Conditional` computes the entity tag from the response itself, so clients see every change (a
    run, a correction, a renamed player) at once.

    parameters
        Serializers of the query parameters. `asked` holds their values. Other parameters are refused.
    other_names
        Names of parameters that no serializer describes; None allows any name.
    repeatable
        Names of parameters that a request may have more than once; those of other serializers have one value.
    counted_series
        The series on which the number of listed rows depends, if it is cached until one of them changes.
    """

    parameters: ClassVar[tuple[type[Serializer[Any]], ...]] = ()
    other_names: ClassVar[tuple[str, ...] | None] = ()
    repeatable: ClassVar[tuple[str, ...]] = ()
    asked: dict[str, Any]
    counted_series: QuerySet[Series] | None = None

    pagination_class = Pages
    http_method_names = ["get", "head", "options"]

    @property
    def reader(self) -> Visitor:
        """The client, whose rights decide what the response contains."""
        return self.request.user

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        if request.method in ("GET", "HEAD"):
            self.asked = validated(request, *self.parameters, other_names=self.other_names, repeatable=self.repeatable)

    def options(self, request: Request, *args: Any, **kwargs: Any) -> Response:  # type: ignore[override]
        """Respond with the allowed methods. django-cors-headers handles preflight requests."""
        return Response(status=204)

    def throttled(self, request: Request, wait: float | None) -> NoReturn:
        """Refuse the request, with the seconds to wait."""
        raise TooManyRequests(wait)

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        response = super().finalize_response(request, response, *args, **kwargs)
        # Private even if the token was refused, so that no shared cache ever stores a response to a token.
        audience = "private" if "Authorization" in request.headers else "public"
        response["Cache-Control"] = f"{audience}, no-cache" if response.status_code < 400 else "no-store"
        patch_vary_headers(response, ["Authorization"])
        return response
