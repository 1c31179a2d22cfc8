"""
Base classes of the admin pages: read-only lists, forms that save through a service, and actions that call one.

An action first shows a confirmation page, which says what the action will do and asks for the reason.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any, cast

from django.contrib import admin, messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.auth import get_permission_codename
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.core.serializers.json import DjangoJSONEncoder
from django.db.models import Q
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.utils.functional import cached_property
from django.utils.html import format_html

from contests.changes.base import propose
from contests.errors import ContestError
from contests.handles import handle_key
from contests.models import Player, Series
from contests.whole_numbers import whole_number_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from django.contrib.auth.models import User
    from django.db.models import Model, QuerySet
    from django.http import HttpRequest, HttpResponse

    from contests.changes.base import Change


#: The most rows that are counted and paged; staff find a row beyond them by searching.
MOST_COUNTED = 10_000
#: Longer searches are cut to this number of characters; no handle is longer.
LONGEST_SEARCH = 200


class BoundedPaginator(Paginator):
    """A paginator that counts up to `MOST_COUNTED` rows, because counting millions would take seconds."""

    @cached_property
    def count(self) -> int:
        rows: QuerySet[Any] = self.object_list  # type: ignore[assignment]
        return rows.order_by()[:MOST_COUNTED].count()


class LookUpAdmin(admin.ModelAdmin):
    """
    Read-only lists and pages of rows that only services change.

    Users with the model's change permission may run its actions; no one gets a form.
    """

    list_per_page = 50
    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER
    paginator = BoundedPaginator
    ordering = ["-pk"]
    #: Fields that the page of one row leaves out.
    left_out: tuple[str, ...] = ()
    #: What the page of one row shows in addition to its fields.
    extra_fields: tuple[str, ...] = ()

    def has_add_permission(self, request: HttpRequest, *args: Any) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        # Django's implementation also calls has_change_permission, which is always False here.
        codename = get_permission_codename("view", self.opts)
        return request.user.has_perm(f"{self.opts.app_label}.{codename}") or self.has_act_permission(request)

    def has_act_permission(self, request: HttpRequest) -> bool:
        """Whether the user may run the actions of the list."""
        return request.user.has_perm(f"{self.opts.app_label}.{get_permission_codename('change', self.opts)}")

    def get_fields(self, request: HttpRequest, obj: Model | None = None) -> Any:
        return [*(field.name for field in self.opts.fields if field.name not in self.left_out), *self.extra_fields]

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        return super().get_search_results(request, queryset, search_term[:LONGEST_SEARCH])


class OfPlayersAdmin(LookUpAdmin):
    """
    Lists with one row for each player in a contest or series.

    They may have millions of rows, so search uses an index and finds whole handles only.
    """

    search_fields = ("player__handle_key",)
    search_help_text = "Enter the whole handle of a player, or one of the player’s other names."

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        text = search_term[:LONGEST_SEARCH].replace("\0", "").strip()
        if not text:
            return queryset, False
        key = handle_key(text)
        players = Player.objects.filter(Q(handle_key=key) | Q(aliases__handle_key=key))
        # Both a merged player and the player it was merged into: each has some of the rows.
        ids = {pk for pair in players.values_list("pk", "merged_into_id") for pk in pair if pk is not None}
        return queryset.filter(player__in=ids), False


def by_part_of_a_handle(queryset: QuerySet[Any], search_term: str) -> QuerySet[Any]:
    """Return the rows whose handle contains the text, ignoring case."""
    text = search_term[:LONGEST_SEARCH].replace("\0", "").strip()
    return queryset.filter(handle_key__contains=handle_key(text)) if text else queryset


def pretty(value: Any) -> str:
    """Return a JSON value as indented HTML."""
    if not value:
        return "-"
    text = json.dumps(value, cls=DjangoJSONEncoder, ensure_ascii=False, indent=2, sort_keys=True)
    return format_html("<pre>{}</pre>", text)


class ServiceFormAdmin(admin.ModelAdmin):
    """A form whose `save_model` and `delete_model` call services; it shows a service's refusal as an error message."""

    list_per_page = 50
    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER
    paginator = BoundedPaginator

    def is_permitted(self, request: HttpRequest, verb: str) -> bool:
        """Whether the user has this permission on the model: "view", "add", "change" or "delete"."""
        return request.user.has_perm(f"{self.opts.app_label}.{get_permission_codename(verb, self.opts)}")

    def has_act_permission(self, request: HttpRequest) -> bool:
        """Whether the user may run the actions of the list."""
        return self.is_permitted(request, "change")

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def changeform_view(
        self, request: HttpRequest, object_id: Any = None, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        try:
            # Django's changeform_view opens a transaction; services open their own, and some must be outermost.
            view = self._changeform_view  # type: ignore[attr-defined]
            return view(request, object_id, form_url, extra_context)
        except ContestError as refusal:
            messages.error(request, str(refusal))
            return redirect(request.get_full_path())

    def delete_view(self, request: HttpRequest, object_id: str, extra_context: Any = None) -> HttpResponse:
        try:
            return super().delete_view(request, object_id, extra_context)
        except ContestError as refusal:
            messages.error(request, str(refusal))
            return redirect(request.get_full_path())


def user_of(request: HttpRequest) -> User:
    """Return the user of the request; only logged-in users reach the admin site."""
    return cast("User", request.user)


#: For more rows at once, a command is the right tool.
MOST_AT_ONCE = 100
#: Refusals that are listed one by one.
MOST_REFUSALS = 10


@dataclass(frozen=True, slots=True)
class ActionInput:
    """The input of an action: the reason, and the version of the row that the user saw (None if it has no versions)."""

    reason: str = ""
    version: int | None = None


@dataclass(frozen=True, slots=True)
class PlannedAction:
    """A row on the confirmation page, with what the action would do to it or why it cannot."""

    row: Model
    lines: Sequence[str] = ()
    refusal: str = ""


def service_action(title: str, *, button: str, asks_why: bool = False, proposes: bool = False) -> Callable[[Any], Any]:
    """
    Turn a method that acts on one row into a list action; the method takes the request, the row and an `ActionInput`.

    asks_why
        Whether the confirmation page asks for a reason. The service decides whether the reason may be empty.
    proposes
        Whether the method returns a Change instead of calling a service. Then the confirmation page describes the
        change, its effect on ratings can be previewed, and users must organize every series that it affects.
    """

    def decorate(method: Callable[..., Any]) -> Any:
        @wraps(method)
        def action(self: admin.ModelAdmin, request: HttpRequest, queryset: QuerySet[Any]) -> HttpResponse | None:
            rows = list(queryset[: MOST_AT_ONCE + 1])
            if len(rows) > MOST_AT_ONCE:
                messages.error(request, f"Select at most {MOST_AT_ONCE} rows at once.")
                return None
            if "_preview" in request.POST and proposes and len(rows) == 1:
                try:
                    return propose(method(self, request, rows[0], _input(request, rows[0])))
                except ContestError as refusal:
                    messages.error(request, str(refusal))
            if "_do" in request.POST:
                _do_all(self, method, request, rows, title)
                return None
            planned = [_planned(self, method, request, row) if proposes else PlannedAction(row) for row in rows]
            words = {"title": title, "button": button, "asks_why": asks_why, "action": method.__name__}
            can_preview = proposes and len(rows) == 1 and not planned[0].refusal
            return _page(self, request, planned, {**words, "can_preview": can_preview})

        return admin.action(action, permissions=["act"], description=title)

    return decorate


def _do_all(
    self: admin.ModelAdmin,
    method: Callable[..., Any],
    request: HttpRequest,
    rows: Sequence[Model],
    title: str,
) -> None:
    """Act on each row in a transaction of its own, and show messages about the outcome."""
    refusals = []
    for row in rows:
        try:
            change = method(self, request, row, _input(request, row))
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
        messages.error(request, f"{len(refusals) - MOST_REFUSALS:,} more rows were refused.")


def _page(
    self: admin.ModelAdmin, request: HttpRequest, planned: list[PlannedAction], words: dict[str, object]
) -> HttpResponse:
    context = {
        **self.admin_site.each_context(request),
        **words,
        "opts": self.opts,
        "media": self.media,
        "planned": planned,
        "reason": request.POST.get("reason", ""),
        "checkbox": ACTION_CHECKBOX_NAME,
    }
    return TemplateResponse(request, "admin/service_action.html", context)


def _planned(self: admin.ModelAdmin, method: Callable[..., Any], request: HttpRequest, row: Model) -> PlannedAction:
    try:
        change = method(self, request, row, _input(request, row))
        _check_rights(request, change)
        description = change.describe()
        return PlannedAction(
            row, [*description.lines, *(f"{what}: {old} → {new}" for what, old, new in description.differences)]
        )
    except ContestError as error:
        return PlannedAction(row, refusal=str(error))


def _check_rights(request: HttpRequest, change: Change) -> None:
    """Require, as the organizers' pages do, that the user organizes every series that the change affects."""
    affected = {series.pk for series in change.describe().series}
    if Series.objects.organized_by(request.user).filter(pk__in=affected).count() != len(affected):
        raise PermissionDenied


def _input(request: HttpRequest, row: Model) -> ActionInput:
    seen = whole_number_of(request.POST.get(f"version-{row.pk}", ""), most=10**9 - 1)
    reason = request.POST.get("reason", "").replace("\0", "").strip()[:2000]
    return ActionInput(reason, getattr(row, "version", None) if seen is None else seen)
