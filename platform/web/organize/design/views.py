"""The page that shows every component of the design with made-up data, for staff and for screenshot tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.core.paginator import Paginator
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache

from web.organize.design import samples
from web.shared.tiers import rules

if TYPE_CHECKING:
    from django.http import HttpRequest

_TEXTS = ("text-2xl", "text-xl", "text-l", "text-m", "text-s", "text-xs")
_COLOURS = (
    "page", "raised", "sunken", "rule", "rule-strong", "ink-faint", "ink-soft", "ink", "accent", "accent-strong",
    "accent-wash", "good", "good-wash", "warn", "warn-wash", "bad", "bad-wash",
)  # fmt: skip


@never_cache
def page(request: HttpRequest) -> HttpResponse:
    """Show the components with the templates and tags of the other pages."""
    _require_staff(request)
    snapshots = samples.snapshots()
    snapshot = next(iter(snapshots.values()))
    changes = (12, -7, 0, 35, -1, 4, 0, -22)
    context = {
        "snapshots": snapshots,
        "sample": snapshot,
        "texts": _TEXTS,
        "colours": _COLOURS,
        "form": samples.SampleForm(),
        "wrong_form": samples.SampleForm({"name": "", "place": "0", "system": "elo-mmr", "shown": "a"}, prefix="wrong"),
        "rows": list(zip(range(1, 9), samples.PLAYERS, samples.POINTS, changes, strict=True)),
        "career": samples.CAREER,
        "card": samples.card(snapshot),
        "moment_shown": samples.MOMENT,
        "numbered": Paginator(range(240), 8).page(3),
        **samples.chart(snapshot),
    }
    return render(request, "organize/design/design.html", context)


@never_cache
def tiers(request: HttpRequest) -> HttpResponse:
    """Return the colours of the tiers on the page."""
    _require_staff(request)
    schemes = [snapshot.scheme for snapshot in samples.snapshots().values()]
    lines = [rule for scheme in schemes if scheme is not None for rule in rules(scheme)]
    return HttpResponse("\n".join(lines) + "\n", content_type="text/css; charset=utf-8")


def _require_staff(request: HttpRequest) -> None:
    if not request.user.is_staff:
        raise Http404
