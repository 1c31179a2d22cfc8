"""Being built."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse


def search(request: HttpRequest, **_: Any) -> HttpResponse:
    raise Http404


def suggest(request: HttpRequest, **_: Any) -> HttpResponse:
    raise Http404
