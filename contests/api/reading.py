"""What all answers to readers have in common: anyone can read them, and they are the same for everyone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from rest_framework.generics import GenericAPIView
from rest_framework.response import Response

from contests.api.parameters import checked

if TYPE_CHECKING:
    from rest_framework.request import Request
    from rest_framework.serializers import Serializer


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
