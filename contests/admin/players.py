"""Players, their other names, and who turned out to be whom."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin

from contests.admin.reading import LookUpAdmin, pretty
from contests.handles import handle_key
from contests.models import Player, PlayerAlias, PlayerMerge

if TYPE_CHECKING:
    from django.db.models import QuerySet
    from django.http import HttpRequest


def _by_key(queryset: QuerySet[Any], search_term: str) -> QuerySet[Any]:
    """Return those whose handle contains the text, whatever its case and accents are written like."""
    text = search_term[:200].replace("\0", "").strip()
    return queryset.filter(handle_key__contains=handle_key(text)) if text else queryset


@admin.register(Player)
class PlayerAdmin(LookUpAdmin):
    list_display = ("handle", "name", "country", "affiliation", "merged_into", "user", "created_at")
    list_filter = (("merged_into", admin.EmptyFieldListFilter), "country")
    list_select_related = ("merged_into", "user")
    search_fields = ("handle_key",)
    search_help_text = "Part of the handle."

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        return _by_key(queryset, search_term), False


@admin.register(PlayerAlias)
class PlayerAliasAdmin(LookUpAdmin):
    list_display = ("handle", "player", "created_at")
    list_select_related = ("player",)
    search_fields = ("handle_key",)
    search_help_text = "Part of the other name."

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        return _by_key(queryset, search_term), False


@admin.register(PlayerMerge)
class PlayerMergeAdmin(LookUpAdmin):
    list_display = ("merged", "kept", "at", "actor", "reason", "split_at")
    list_display_links = ("merged", "at")
    list_filter = (("split_at", admin.EmptyFieldListFilter),)
    list_select_related = ("merged", "kept", "actor")
    search_fields = ("merged__handle_key", "kept__handle_key", "reason")
    search_help_text = "Part of one of the two handles, or of the reason."
    date_hierarchy = "at"
    left_out = ("standings", "aliases", "players")
    extra_fields = ("moved",)

    @admin.display(description="what was moved")
    def moved(self, merge: PlayerMerge) -> Any:
        return pretty({"results": merge.standings, "other names": merge.aliases, "merged before": merge.players})
