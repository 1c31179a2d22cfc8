"""The description of the REST interface: what the generator cannot see by itself."""

from __future__ import annotations

import re
from typing import Any

from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import OpenApiResponse
from rest_framework import serializers

from ratings.api.reading import RunPages


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


class PodiumSchema(AutoSchema):
    """Adds the problems that an operation can answer with, and names pages after what they hold."""

    def get_summary(self) -> str | None:
        """Return the first sentence of the description, for lists of operations."""
        return re.split(r"\n|\. |; ", self.get_description())[0].rstrip(".") or None

    def get_paginated_name(self, serializer_name: str) -> str:
        return f"{serializer_name}{'RunPage' if isinstance(self._get_paginator(), RunPages) else 'Page'}"

    def _get_response_bodies(self, direction: Any = "response") -> Any:
        bodies = super()._get_response_bodies(direction)
        for status, words in self._problems().items():
            problem = OpenApiResponse(ProblemSerializer, description=words)
            bodies[status] = self._get_response_for_code(problem, status, ["application/problem+json"], direction)
        return bodies

    def _problems(self) -> dict[str, str]:
        found = {"429": "Too many requests; `Retry-After` says how many seconds to wait."}
        asked = {parameter["name"] for parameter in self._get_parameters() if parameter["in"] == "query"}
        if asked:
            found["400"] = "A parameter is wrong; `errors` names it."
        if "{" in self.path or self._is_list_view() or "series" in asked:
            found["404"] = "There is no such thing, or it is not public."
        return dict(sorted(found.items()))
