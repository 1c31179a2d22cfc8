"""Looking things up: nothing here can be added, changed or deleted but by what a class says itself."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.contrib.auth import get_permission_codename
from django.core.paginator import Paginator
from django.core.serializers.json import DjangoJSONEncoder
from django.db.models import Q
from django.utils.functional import cached_property
from django.utils.html import format_html

from contests.handles import handle_key
from contests.models import Player

if TYPE_CHECKING:
    from django.db.models import Model, QuerySet
    from django.http import HttpRequest

#: Rows that are counted and paged through; whoever looks for one among more searches.
MOST_COUNTED = 10_000
#: Characters of a search that are looked at; no handle is longer.
LONGEST_SEARCH = 200


class BoundedPaginator(Paginator):
    """Counts no further than `MOST_COUNTED`, because a table of millions would take seconds to count."""

    @cached_property
    def count(self) -> int:
        rows: QuerySet[Any] = self.object_list  # type: ignore[assignment]
        return rows.order_by()[:MOST_COUNTED].count()


class LookUpAdmin(admin.ModelAdmin):
    """
    Lists and pages of rows that change only by services.

    Whoever has the model's permission to change may take its actions; nobody gets a form.
    """

    list_per_page = 50
    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER
    paginator = BoundedPaginator
    ordering = ["-pk"]
    #: Fields that are left out of the page of one row.
    left_out: tuple[str, ...] = ()
    #: What the page of one row shows besides its fields.
    extra_fields: tuple[str, ...] = ()

    def has_add_permission(self, request: HttpRequest, *args: Any) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        # Django's own asks has_change_permission, which is always False here.
        codename = get_permission_codename("view", self.opts)
        return request.user.has_perm(f"{self.opts.app_label}.{codename}") or self.has_act_permission(request)

    def has_act_permission(self, request: HttpRequest) -> bool:
        """Whether the user may take the actions of the list."""
        return request.user.has_perm(f"{self.opts.app_label}.{get_permission_codename('change', self.opts)}")

    def get_fields(self, request: HttpRequest, obj: Model | None = None) -> Any:
        return [*(field.name for field in self.opts.fields if field.name not in self.left_out), *self.extra_fields]

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        return super().get_search_results(request, queryset, search_term[:LONGEST_SEARCH])


class OfPlayersAdmin(LookUpAdmin):
    """
    Lists with a row for each player in a contest or series.

    They can have millions of rows, so that a search finds whole handles only, by index.
    """

    search_fields = ("player__handle_key",)
    search_help_text = "The whole handle of a player, or another name of theirs."

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        text = search_term[:LONGEST_SEARCH].replace("\0", "").strip()
        if not text:
            return queryset, False
        key = handle_key(text)
        players = Player.objects.filter(Q(handle_key=key) | Q(aliases__handle_key=key))
        # Both the player and who they were merged into: older rows stay with the one, newer ones are with the other.
        ids = {pk for pair in players.values_list("pk", "merged_into_id") for pk in pair if pk is not None}
        return queryset.filter(player__in=ids), False


def by_part_of_a_handle(queryset: QuerySet[Any], search_term: str) -> QuerySet[Any]:
    """Return those whose handle contains the text, whatever its case."""
    text = search_term[:LONGEST_SEARCH].replace("\0", "").strip()
    return queryset.filter(handle_key__contains=handle_key(text)) if text else queryset


def pretty(value: Any) -> str:
    """Return a JSON value as indented text for a page."""
    if not value:
        return "-"
    text = json.dumps(value, cls=DjangoJSONEncoder, ensure_ascii=False, indent=2, sort_keys=True)
    return format_html("<pre>{}</pre>", text)
