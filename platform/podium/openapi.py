"""The description of the REST interface: what the generator cannot see by itself."""

from __future__ import annotations

import re
from typing import Any

from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import OpenApiResponse
from rest_framework import serializers

from ratings.api.base import RunPages


class ParameterErrorSerializer(serializers.Serializer[Any]):
    """What is wrong with one parameter."""

    parameter = serializers.CharField(help_text="Its name.")
    detail = serializers.CharField(help_text="What is wrong, and what would be right.")


class ProblemSerializer(serializers.Serializer[Any]):
    """An error, as RFC 9457 says."""

    type = serializers.CharField(help_text="about:blank: `title` says it all.")
    title = serializers.CharField(help_text="The status in words.")
    status = serializers.IntegerField(min_value=400, max_value=599, help_text="The HTTP status.")
    detail = serializers.CharField(help_text="What went wrong, and what to do.")
    instance = serializers.CharField(help_text="The path that was asked for.")
    errors = ParameterErrorSerializer(many=True, required=False, help_text="Each parameter that is wrong.")  # type: ignore[assignment]


def _header(words: str, kind: str = "string") -> dict[str, Any]:
    return {"description": words, "required": True, "schema": {"type": kind}}


HEADERS = {
    "ETag": _header("Tag of the answer: send it back as `If-None-Match`."),
    "Cache-Control": _header("Caches may keep an answer, and ask each time whether it has changed; not an error."),
    "Vary": _header("The headers of the request that the answer depends on."),
    "Access-Control-Allow-Origin": {
        **_header("`*` in answers to requests that name their `Origin`: pages of any origin may read them."),
        "required": False,
    },
    "Location": _header("Where to ask instead."),
    "Retry-After": _header("Seconds to wait.", "integer"),
}
_ANSWERED = ("ETag", "Cache-Control", "Vary", "Access-Control-Allow-Origin")
_REFUSED = ("Cache-Control", "Access-Control-Allow-Origin")


def _headers(*names: str) -> dict[str, Any]:
    # Written out at each answer, because not every client resolves references there.
    return {name: HEADERS[name] for name in names}


class PodiumSchema(AutoSchema):
    """Adds what every operation can answer, with headers; names pages after what they hold."""

    def get_summary(self) -> str | None:
        """Return the first sentence of the description, for lists of operations."""
        return re.split(r"\n|\. |; ", self.get_description())[0].rstrip(".") or None

    def get_paginated_name(self, serializer_name: str) -> str:
        return f"{serializer_name}{'RunPage' if isinstance(self._get_paginator(), RunPages) else 'Page'}"

    def _map_basic_serializer(self, serializer: Any, direction: Any) -> Any:
        schema = super()._map_basic_serializer(serializer, direction)
        if direction == "response" and isinstance(serializer, serializers.ModelSerializer):
            # A field that may be left out when it is written is sent nevertheless.
            schema["required"] = sorted(schema["properties"])
        return schema

    def _get_response_bodies(self, direction: Any = "response") -> Any:
        bodies = super()._get_response_bodies(direction)
        bodies["200"]["headers"] = _headers(*_ANSWERED)
        bodies["304"] = {
            "description": "The answer is the one that you have already.",
            "headers": _headers(*_ANSWERED),
        }
        if "308" in bodies:
            bodies["308"]["headers"] = _headers("Location")
        for status, words in self._problems().items():
            problem = OpenApiResponse(ProblemSerializer, description=words)
            body = self._get_response_for_code(problem, status, ["application/problem+json"], direction)
            headers = (*_REFUSED, "Retry-After") if status == "429" else _REFUSED
            bodies[status] = {**body, "headers": _headers(*headers)}
        return dict(sorted(bodies.items()))

    def _problems(self) -> dict[str, str]:
        found = {
            "400": "A parameter is wrong or unknown; `errors` names it.",
            "406": "Something else than JSON is asked for.",
            "429": "Too many requests; `Retry-After` says how many seconds to wait.",
            "500": "Our mistake; it has been written down.",
        }
        asked = {parameter["name"] for parameter in self._get_parameters() if parameter["in"] == "query"}
        if "{" in self.path or self._is_list_view() or "series" in asked:
            found["404"] = "There is no such thing, or it is not public."
        return found
