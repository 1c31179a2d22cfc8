"""The style sheet with the tier colours of schemes: the pages' policy allows colours from nowhere else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.http import Http404, HttpResponse
from django.views.decorators.cache import cache_control

from contests.whole_numbers import whole_number_of
from ratings.display import tiers_from_list
from ratings.models import Scheme

if TYPE_CHECKING:
    from collections.abc import Iterator

    from django.http import HttpRequest

MOST_SCHEMES = 60


@cache_control(public=True, max_age=31_536_000, immutable=True)
def styles(request: HttpRequest, schemes: str) -> HttpResponse:
    """Return the colours of the schemes with these ids; a scheme never changes, so it can be kept for ever."""
    texts = schemes.split(",")
    numbers = [number for text in texts if (number := whole_number_of(text)) is not None]
    if len(texts) > MOST_SCHEMES or len(numbers) < len(texts):
        raise Http404
    found = Scheme.objects.filter(pk__in=numbers).order_by("pk")
    text = "\n".join(rule for scheme in found for rule in _rules(scheme))
    return HttpResponse(text + "\n", content_type="text/css; charset=utf-8")


def _rules(scheme: Scheme) -> Iterator[str]:
    # Read back through the checks, so that nothing but colours can come out.
    for number, tier in enumerate(tiers_from_list(scheme.tiers)):
        yield f".tier-{scheme.pk}-{number}{{--tier-light:{tier.colour_light};--tier-dark:{tier.colour_dark}}}"
