"""Parameters in addresses: their shapes, and the errors for wrong and unknown ones."""

from __future__ import annotations

from datetime import UTC
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from contests.formats.countries import country_code
from contests.handles import printable
from contests.whole_numbers import MAX_ID

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from rest_framework.request import Request

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


class ContestParameters(serializers.Serializer[Any]):
    series = serializers.SlugField(required=False, max_length=80, help_text="Only contests of the series of that slug.")
    ended_after = MomentField(required=False, help_text="Only contests that ended after this moment (ISO 8601).")
    ended_before = MomentField(required=False, help_text="Only contests that ended before this moment (ISO 8601).")


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
