"""Actions that call services: a page in between says what will be done and takes the reason; refusals are told."""

from __future__ import annotations

from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any

from django.contrib import admin, messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.core.exceptions import PermissionDenied
from django.template.response import TemplateResponse

from contests.admin.saving import user_of
from contests.changes import propose
from contests.errors import ContestError
from contests.models import Series
from contests.whole_numbers import whole_number_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from django.db.models import Model, QuerySet
    from django.http import HttpRequest, HttpResponse

    from contests.changes import Change

#: More at once would be a matter for a command.
MOST_AT_ONCE = 100
#: Refusals that are told one by one.
MOST_REFUSALS = 10


@dataclass(frozen=True, slots=True)
class Said:
    """What somebody says with an action: why, and which version of the object they looked at (None: it has none)."""

    reason: str = ""
    version: int | None = None


@dataclass(frozen=True, slots=True)
class Chosen:
    """One row on the page in between, with what an action would do to it or why it cannot."""

    row: Model
    lines: Sequence[str] = ()
    refusal: str = ""


def service_action(title: str, *, button: str, asks_why: bool = False, proposes: bool = False) -> Callable[[Any], Any]:
    """
    Make an action of the list from a method that acts on one row; it takes the request, the row and a `Said`.

    asks_why
        Whether the page in between asks for a reason. Whether it may be empty is for the service to say.
    proposes
        The method calls no service but returns a Change: its words are shown first, its effect on ratings can be
        looked at, and whoever makes it must organize all series that it touches.
    """

    def decorate(deed: Callable[..., Any]) -> Any:
        @wraps(deed)
        def action(self: admin.ModelAdmin, request: HttpRequest, queryset: QuerySet[Any]) -> HttpResponse | None:
            rows = list(queryset[: MOST_AT_ONCE + 1])
            if len(rows) > MOST_AT_ONCE:
                messages.error(request, f"Choose at most {MOST_AT_ONCE} at once.")
                return None
            if "_preview" in request.POST and proposes and len(rows) == 1:
                try:
                    return propose(deed(self, request, rows[0], _said(request, rows[0])))
                except ContestError as refusal:
                    messages.error(request, str(refusal))
            if "_do" in request.POST:
                _do_all(self, deed, request, rows, title)
                return None
            chosen = [_chosen(self, deed, request, row) if proposes else Chosen(row) for row in rows]
            words = {"title": title, "button": button, "asks_why": asks_why, "action": deed.__name__}
            can_look = proposes and len(rows) == 1 and not chosen[0].refusal
            return _page(self, request, chosen, {**words, "can_look_first": can_look})

        return admin.action(action, permissions=["act"], description=title)

    return decorate


def _do_all(
    self: admin.ModelAdmin,
    deed: Callable[..., Any],
    request: HttpRequest,
    rows: Sequence[Model],
    title: str,
) -> None:
    """Act on the rows one after the other, each in a transaction of its own, and say what came of it."""
    refusals = []
    for row in rows:
        try:
            change = deed(self, request, row, _said(request, row))
            if change is not None:
                _check_rights(request, change)
                change.apply(actor=user_of(request))
        except ContestError as error:
            refusals.append(str(error))
    done = len(rows) - len(refusals)
    if done:
        messages.success(request, f"{title}: done for {done:,}.")
    for refusal in refusals[:MOST_REFUSALS]:
        messages.error(request, refusal)
    if len(refusals) > MOST_REFUSALS:
        messages.error(request, f"{len(refusals) - MOST_REFUSALS:,} more were refused.")


def _page(self: admin.ModelAdmin, request: HttpRequest, chosen: list[Chosen], words: dict[str, object]) -> HttpResponse:
    context = {
        **self.admin_site.each_context(request),
        **words,
        "opts": self.opts,
        "media": self.media,
        "chosen": chosen,
        "reason": request.POST.get("reason", ""),
        "checkbox": ACTION_CHECKBOX_NAME,
    }
    return TemplateResponse(request, "admin/service_action.html", context)


def _chosen(self: admin.ModelAdmin, deed: Callable[..., Any], request: HttpRequest, row: Model) -> Chosen:
    try:
        change = deed(self, request, row, _said(request, row))
        _check_rights(request, change)
        words = change.words()
        return Chosen(row, [*words.lines, *(f"{what}: {old} → {new}" for what, old, new in words.differences)])
    except ContestError as error:
        return Chosen(row, refusal=str(error))


def _check_rights(request: HttpRequest, change: Change) -> None:
    """The same check as on the organizers' pages: who makes a change organizes every series that it touches."""
    touched = {series.pk for series in change.words().series}
    if Series.objects.organized_by(request.user).filter(pk__in=touched).count() != len(touched):
        raise PermissionDenied


def _said(request: HttpRequest, row: Model) -> Said:
    seen = whole_number_of(request.POST.get(f"version-{row.pk}", ""), most=10**9 - 1)
    reason = request.POST.get("reason", "").replace("\0", "").strip()[:2000]
    return Said(reason, getattr(row, "version", None) if seen is None else seen)
