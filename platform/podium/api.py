"""The REST interface as a whole: one shape for errors (RFC 9457), also where no resource is; its description."""

from __future__ import annotations

import logging
from http import HTTPStatus
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from django.core.exceptions import BadRequest, SuspiciousOperation
from django.core.signals import got_request_exception
from django.urls import Resolver404, resolve
from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView
from rest_framework.exceptions import APIException, NotFound, ParseError, ValidationError
from rest_framework.renderers import JSONRenderer
from rest_framework.response import Response
from rest_framework.views import exception_handler

from contests.api.paging import Pages
from contests.api.reading import PublicView

if TYPE_CHECKING:
    from rest_framework.request import Request

__all__ = ["Docs", "Pages", "Schema", "Unknown", "problem_response"]

logger = logging.getLogger(__name__)

_BROKEN = "The error has been written down. Please try again in a minute."


def problem_response(error: Exception, context: dict[str, Any]) -> Response:
    """Answer any error with a problem document; those of the server are logged and announced as Django does."""
    request: Request = context["request"]
    if isinstance(error, BadRequest | SuspiciousOperation):
        error = ParseError(str(error))
    response = exception_handler(error, context)
    if response is None:
        logger.exception("%s %s", request.method, request.path)
        got_request_exception.send(sender=None, request=request._request)
        response = Response(status=500)
    status = response.status_code
    problem: dict[str, Any] = {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": _detail(error) if status < 500 else _BROKEN,
        "instance": quote(request.path),
    }
    if isinstance(error, ValidationError) and isinstance(error.detail, dict):
        problem["errors"] = [
            {"parameter": name, "detail": " ".join(map(str, details))} for name, details in error.detail.items()
        ]
    response.data = problem
    response.content_type = "application/problem+json"
    # Whatever the resource itself is written in.
    request.accepted_renderer, request.accepted_media_type = JSONRenderer(), "application/json"
    return response


def _detail(error: Exception) -> str:
    if isinstance(error, ValidationError) and isinstance(error.detail, dict):
        return " ".join(f"{name}: {' '.join(map(str, details))}" for name, details in error.detail.items())
    if isinstance(error, APIException):
        return str(error.detail)
    return str(error) or "There is nothing here."


class Unknown(PublicView):
    """Every address below /api/v1/ that is none: a problem document, not a page."""

    http_method_names = ["get", "head", "post", "put", "patch", "delete", "options", "trace"]

    @extend_schema(exclude=True)
    def get(self, request: Request, path: str) -> Response:
        if not request.path.endswith("/") and _exists(f"{request.path}/"):
            query = request.META.get("QUERY_STRING", "")
            address = f"{quote(request.path)}/" + (f"?{query}" if query else "")
            return Response(status=308, headers={"Location": address})
        raise NotFound("There is nothing at this address; /api/v1/docs/ lists all there is.")

    post = put = patch = delete = extend_schema(exclude=True)(get)


def _exists(path: str) -> bool:
    try:
        return getattr(resolve(path).func, "view_class", None) is not Unknown
    except Resolver404:
        return False


class Schema(SpectacularAPIView, PublicView):
    """The description of the REST interface: YAML, or JSON if it is asked for."""

    authentication_classes = ()


class Docs(SpectacularSwaggerSplitView, PublicView):
    """The description as a page, where operations can be tried."""

    authentication_classes = ()
    url_name = "api:schema"
    template_name = "api/docs.html"
