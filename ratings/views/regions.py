"""Being built."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse


def countries(request: HttpRequest, **_: Any) -> HttpResponse:
    raise Http404


def affiliations(request: HttpRequest, **_: Any) -> HttpResponse:
    raise Http404
