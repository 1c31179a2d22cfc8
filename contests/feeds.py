"""Being built."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse


def results(request: HttpRequest, **_: Any) -> HttpResponse:
    raise Http404


def calendar(request: HttpRequest, **_: Any) -> HttpResponse:
    raise Http404
