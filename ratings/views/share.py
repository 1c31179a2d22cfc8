"""Being built."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse


def card(request: HttpRequest, **_: Any) -> HttpResponse:
    raise Http404


def badge(request: HttpRequest, **_: Any) -> HttpResponse:
    raise Http404


def widget(request: HttpRequest, **_: Any) -> HttpResponse:
    raise Http404
