"""OpenAPI description of the REST API: additions to what drf-spectacular generates."""

from __future__ import annotations

import re
from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import OpenApiResponse
from rest_framework import serializers

from ratings.api.base import RunPages


class ParameterErrorSerializer(serializers.Serializer[Any]):
    """An error in one parameter."""

    parameter = serializers.CharField(help_text="Name of the parameter.")
    detail = serializers.CharField(help_text="What is wrong with it and how to correct it.")


class ProblemSerializer(serializers.Serializer[Any]):
    """An error as a problem document (RFC 9457)."""

    type = serializers.CharField(help_text="Always about:blank, which means that `title` describes the error.")
    title = serializers.CharField(help_text="HTTP status in words.")
    status = serializers.IntegerField(min_value=400, max_value=599, help_text="HTTP status code.")
    detail = serializers.CharField(help_text="What went wrong and what to do.")
    instance = serializers.CharField(help_text="Path of the request.")
    errors = ParameterErrorSerializer(many=True, required=False, help_text="Invalid and unknown parameters.")  # type: ignore[assignment]


def _header(words: str, kind: str = "string") -> dict[str, Any]:
    return {"description": words, "required": True, "schema": {"type": kind}}


HEADERS = {
    "ETag": _header("Entity tag of the response. Send it back as `If-None-Match` to check for changes."),
    "Cache-Control": _header(
        "Caches may store the response but must revalidate it before each use. They must not share responses to "
        "requests with a token. Errors are not stored."
    ),
    "Vary": _header("Request headers that the response depends on."),
    "Access-Control-Allow-Origin": {
        **_header("`*` if the request has an `Origin`, so web pages from any origin can read the response."),
        "required": False,
    },
    "Location": _header("Address of the resource."),
    "Retry-After": _header("Seconds to wait before the next request.", "integer"),
    "WWW-Authenticate": _header("What is wrong with the token (RFC 6750)."),
}
#: Path parameters by name.
PATH_PARAMETERS = {
    "community": "Slug of the community.",
    "slug": "Slug of the series.",
    "id": "Id of the {kind}.",
    "handle": "Handle of the player, percent-encoded as UTF-8. Case does not matter.",
    "number": "Number of the season, from 1.",
}
_ANSWERED = ("ETag", "Cache-Control", "Vary", "Access-Control-Allow-Origin")
_REFUSED = ("Cache-Control", "Access-Control-Allow-Origin")
#: Further headers of refusals by status.
_MORE = {"401": ("WWW-Authenticate",), "429": ("Retry-After",)}


def _headers(*names: str) -> dict[str, Any]:
    # Repeated in each response, because not every client resolves references to headers.
    return {name: HEADERS[name] for name in names}


class TokenScheme(OpenApiAuthenticationExtension):
    """The way in which clients send a token."""

    target_class = "accounts.token_authentication.TokenAuthentication"
    name = "token"

    def get_security_definition(self, auto_schema: AutoSchema) -> dict[str, Any]:
        return {
            "type": "http",
            "scheme": "bearer",
            "bearerFormat": "podium_…",
            "description": "A token of a community. It gives access to everything that viewers of this "
            "community may read. Owners "
            "create tokens on the organizers' pages of the community.",
        }


def allow_blank(result: dict[str, Any], **_options: Any) -> dict[str, Any]:
    """
    Let an empty text match both a format or pattern and the choice of an empty text; a hook of drf-spectacular.

    It generates `oneOf`, but validators ignore formats by default, and some patterns match an empty text.
    """
    parts: list[Any] = [result]
    while parts:
        part = parts.pop()
        if isinstance(part, dict):
            if {"type": "string", "maxLength": 0} in part.get("oneOf", ()):
                part["anyOf"] = part.pop("oneOf")
            parts += part.values()
        elif isinstance(part, list):
            parts += part
    return result


class PodiumSchema(AutoSchema):
    """Adds headers and errors to the responses of every operation, and names pages after their results."""

    def get_summary(self) -> str | None:
        """Return the first sentence of the description."""
        return re.split(r"\n|\. |; ", self.get_description())[0].rstrip(".") or None

    def get_paginated_name(self, serializer_name: str) -> str:
        return f"{serializer_name}{'RunPage' if isinstance(self._get_paginator(), RunPages) else 'Page'}"

    def _get_parameters(self) -> list[dict[str, Any]]:
        parameters: list[dict[str, Any]] = super()._get_parameters()
        kind = "contest" if "/contests/" in self.path else "player"
        for parameter in parameters:
            if parameter["in"] == "path":
                parameter["description"] = PATH_PARAMETERS[parameter["name"]].format(kind=kind)
        return parameters

    def _map_basic_serializer(self, serializer: Any, direction: Any) -> Any:
        schema = super()._map_basic_serializer(serializer, direction)
        if direction == "response" and isinstance(serializer, serializers.ModelSerializer):
            # Responses contain all fields, even those that are optional on input.
            schema["required"] = sorted(schema["properties"])
        return schema

    def _get_response_bodies(self, direction: Any = "response") -> Any:
        bodies = super()._get_response_bodies(direction)
        bodies["200"] |= {"description": "Success.", "headers": _headers(*_ANSWERED)}
        bodies["304"] = {
            "description": "The response has not changed since the one with this entity tag.",
            "headers": _headers(*_ANSWERED),
        }
        if "308" in bodies:
            bodies["308"]["headers"] = _headers("Location")
        for status, words in self._problems().items():
            problem = OpenApiResponse(ProblemSerializer, description=words)
            body = self._get_response_for_code(problem, status, ["application/problem+json"], direction)
            bodies[status] = {**body, "headers": _headers(*_REFUSED, *_MORE.get(status, ()))}
        return dict(sorted(bodies.items()))

    def _problems(self) -> dict[str, str]:
        found = {
            "400": "A parameter is invalid or unknown. `errors` lists each of them.",
            "401": "The token does not work: it is malformed, unknown, revoked or expired. `detail` says which.",
            "406": "The `Accept` header does not allow JSON.",
            "429": "Too many requests. `Retry-After` says how many seconds to wait.",
            "500": "Server error. It has been logged.",
        }
        asked = {parameter["name"] for parameter in self._get_parameters() if parameter["in"] == "query"}
        if "{" in self.path or self._is_list_view() or "series" in asked:
            found["404"] = "The resource does not exist, or the client may not read it."
        return found
