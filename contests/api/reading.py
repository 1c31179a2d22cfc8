"""What all answers to readers have in common: open to every origin, the same for everybody, and conditional."""

from __future__ import annotations

import hashlib
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from django.http import HttpResponse, HttpResponseNotModified
from django.utils.http import parse_etags
from rest_framework.generics import GenericAPIView
from rest_framework.response import Response

from contests.api.parameters import checked

if TYPE_CHECKING:
    from django.http import HttpRequest
    from rest_framework.request import Request
    from rest_framework.serializers import Serializer

#: Reading takes no credentials, so a page of any origin may do it.
OPEN = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Expose-Headers": "ETag, Retry-After",
}
_PREFLIGHT = {
    "Access-Control-Allow-Methods": "GET, HEAD, OPTIONS",
    "Access-Control-Allow-Headers": "Accept, Content-Type, If-None-Match",
    "Access-Control-Max-Age": "86400",
}


class PublicView(GenericAPIView[Any]):
    """
    A resource that anybody may read.

    No session is looked at, so that answers do not depend on who asks and may be kept by caches. They are kept on the
    condition that the server is asked each time: the entity tag is made from the answer itself, so whatever changes it
    (a run, a correction, a renamed player) is seen at once, and an answer that did not change costs a 304.

    parameters
        The shapes of all parameters that the address has; `asked` holds what came in. Any other one is a mistake.
    further
        Names of parameters that no shape can describe; None if any parameter may come.
    """

    parameters: ClassVar[tuple[type[Serializer[Any]], ...]] = ()
    further: ClassVar[tuple[str, ...] | None] = ()
    asked: dict[str, Any]

    authentication_classes = ()
    http_method_names = ["get", "head", "options"]

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        if request.method in ("GET", "HEAD"):
            self.asked = checked(request, *self.parameters, further=self.further)

    def options(self, request: Request, *args: Any, **kwargs: Any) -> Response:  # type: ignore[override]
        """Answer a browser that asks before it sends `If-None-Match`."""
        return Response(status=204, headers=_PREFLIGHT)

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        response = super().finalize_response(request, response, *args, **kwargs)
        for name, value in OPEN.items():
            response[name] = value
        response["Cache-Control"] = "public, no-cache" if response.status_code < 400 else "no-store"
        if response.status_code == 200 and request.method in ("GET", "HEAD"):
            response.add_post_render_callback(partial(_conditional, request))
        return response


def _conditional(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """Give the answer its entity tag; return a 304 in its place if the client has the same one already."""
    response["ETag"] = f'W/"{hashlib.blake2b(response.content, digest_size=12).hexdigest()}"'
    if not _has_already(request.headers.get("If-None-Match", ""), response["ETag"]):
        return response
    unchanged = HttpResponseNotModified()
    for name in ("ETag", "Cache-Control", "Vary", *OPEN):
        if name in response:
            unchanged[name] = response[name]
    return unchanged


def _has_already(if_none_match: str, etag: str) -> bool:
    known = parse_etags(if_none_match) if if_none_match else []
    return "*" in known or etag.removeprefix("W/") in (tag.removeprefix("W/") for tag in known)
