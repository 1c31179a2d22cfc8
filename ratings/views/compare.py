"""Being built."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse


def compare(request: HttpRequest, **_: Any) -> HttpResponse:
    raise Http404
