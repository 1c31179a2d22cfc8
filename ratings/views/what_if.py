"""Being built."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse


def what_if(request: HttpRequest, **_: Any) -> HttpResponse:
    raise Http404
