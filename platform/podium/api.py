"""The REST API as a whole: its root, its description, and problem documents (RFC 9457) for all errors."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from django.core.exceptions import BadRequest, SuspiciousOperation
from django.core.signals import got_request_exception
from django.urls import Resolver404, resolve, reverse
from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView
from rest_framework import serializers
from rest_framework.exceptions import (
    APIException,
    MethodNotAllowed,
    NotAcceptable,
    NotFound,
    ParseError,
    ValidationError,
)
from rest_framework.renderers import JSONRenderer
from rest_framework.response import Response
from rest_framework.views import exception_handler

from contests.addresses import whole_address
from contests.api.base import Pages, PublicView
from podium.problems import BROKEN, JSON, NOTHING_HERE, PROBLEM, problem_document

if TYPE_CHECKING:
    from rest_framework.request import Request

__all__ = ["Docs", "Pages", "Root", "Schema", "Unknown", "problem_response"]

logger = logging.getLogger(__name__)


def problem_response(error: Exception, context: dict[str, Any]) -> Response:
    """Respond to any error with a problem document. Server errors are logged and signalled as in Django."""
    request: Request = context["request"]
    if isinstance(error, BadRequest | SuspiciousOperation):
        error = ParseError(str(error))
    response = exception_handler(error, context)
    if response is None:
        logger.exception("%s %s", request.method, request.path)
        got_request_exception.send(sender=None, request=request._request)
        response = Response(status=500)
    status = response.status_code
    problem = problem_document(request, status, _detail(error) if status < 500 else BROKEN)
    if isinstance(error, ValidationError) and isinstance(error.detail, dict):
        problem["errors"] = [
            {"parameter": name, "detail": " ".join(map(str, details))} for name, details in error.detail.items()
        ]
    response.data = problem
    response.content_type = PROBLEM
    # Problem documents are JSON even if the resource has another media type.
    request.accepted_renderer, request.accepted_media_type = JSONRenderer(), JSON
    return response


def _detail(error: Exception) -> str:
    if isinstance(error, ValidationError) and isinstance(error.detail, dict):
        return " ".join(f"{name}: {' '.join(map(str, details))}" for name, details in error.detail.items())
    if isinstance(error, MethodNotAllowed):
        return "The API only accepts GET, HEAD and OPTIONS."
    if isinstance(error, NotAcceptable):
        return "The API responds in JSON. Accept application/json."
    if isinstance(error, APIException):
        return str(error.detail)
    return str(error) or NOTHING_HERE


class RootSerializer(serializers.Serializer[Any]):
    """Addresses of the top-level resources."""

    communities = serializers.URLField(help_text="All listed communities.")
    series = serializers.URLField(help_text="All listed series.")
    contests = serializers.URLField(help_text="All listed contests.")
    players = serializers.URLField(help_text="All listed players.")
    compare = serializers.URLField(help_text="Players side by side. Requires parameters.")
    schema = serializers.URLField(help_text="OpenAPI description of this API.")
    docs = serializers.URLField(help_text="Documentation of this API, in which you can try all operations.")


class Root(PublicView):
    @extend_schema(operation_id="getRoot", tags=["about"], responses=RootSerializer)
    def get(self, request: Request) -> Response:
        """
        List the top-level resources.

        Returns the addresses of the resources to start from.
        """
        names = {
            "communities": "communities",
            "series": "series-list",
            **{name: name for name in ("contests", "players", "compare", "schema", "docs")},
        }
        return Response({name: whole_address(request, reverse(f"api:{view}")) for name, view in names.items()})


class Unknown(PublicView):
    """Every unknown address below /api/v1/. Responds with a problem document instead of a page."""

    other_names = None
    http_method_names = ["get", "head", "post", "put", "patch", "delete", "options", "trace"]

    @property
    def allowed_methods(self) -> list[str]:
        """The methods of the API, for the header Allow."""
        return [method.upper() for method in PublicView.http_method_names]

    def perform_content_negotiation(self, request: Request, force: bool = False) -> Any:
        """Respond with 404 rather than 406, whatever the client accepts."""
        return super().perform_content_negotiation(request, force=True)

    @extend_schema(exclude=True)
    def get(self, request: Request, path: str) -> Response:
        if not request.path.endswith("/") and _exists(f"{request.path}/"):
            query = request.META.get("QUERY_STRING", "")
            address = f"{quote(request.path)}/" + (f"?{query}" if query else "")
            return Response(status=308, headers={"Location": address})
        raise NotFound(NOTHING_HERE)

    post = put = patch = delete = extend_schema(exclude=True)(get)


def _exists(path: str) -> bool:
    try:
        return getattr(resolve(path).func, "view_class", None) is not Unknown
    except Resolver404:
        return False


class Schema(SpectacularAPIView, PublicView):
    """The OpenAPI description, as YAML or JSON."""

    other_names = ()


class Docs(SpectacularSwaggerSplitView, PublicView):
    """The description as a page on which visitors can try all operations."""

    other_names = ("script",)
    url_name = "api:schema"
    template_name = "api/docs.html"

    @extend_schema(exclude=True)
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Return the page, or its script, which reads only and needs no token against forged requests."""
        response: Response = super().get(request, *args, **kwargs)
        # Django would create a token for each response, and send it as a cookie.
        response.data["csrf_token"] = ""
        return response
