"""Players, their other names, and who turned out to be whom."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import admin
from django.urls import reverse
from django.utils.html import format_html

from contests.admin.acting import Said, service_action
from contests.admin.reading import LookUpAdmin, by_part_of_a_handle, pretty
from contests.admin.saving import ServiceFormAdmin, user_of
from contests.changes import Change, SplitPlayers
from contests.models import Player, PlayerAlias, PlayerMerge
from contests.services.renaming import (
    PlayerDescription,
    add_alias,
    describe_player,
    remove_alias,
    state_of,
)

if TYPE_CHECKING:
    from django.db.models import Model, QuerySet
    from django.http import HttpRequest


class PlayerForm(forms.ModelForm):
    """What may be said of a player; `seen` tells which state of the player the form was filled in on."""

    seen = forms.CharField(required=False, widget=forms.HiddenInput)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["seen"].initial = state_of(self.instance)


@admin.register(Player)
class PlayerAdmin(ServiceFormAdmin):
    form = PlayerForm
    list_display = ("handle", "name", "country", "affiliation", "merged_into", "user", "created_at")
    list_filter = (("merged_into", admin.EmptyFieldListFilter), "country")
    list_select_related = ("merged_into", "user")
    search_fields = ("handle_key",)
    search_help_text = "Part of the handle."
    readonly_fields = ("handle", "merged_into", "user", "created_at", "pages")
    fields = ("handle", "name", "country", "affiliation", "merged_into", "user", "created_at", "pages", "seen")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        return by_part_of_a_handle(queryset, search_term), False

    def save_model(self, request: HttpRequest, obj: Player, form: forms.ModelForm, change: bool) -> None:
        said = form.cleaned_data
        description = PlayerDescription(said["name"], said["country"], said["affiliation"])
        describe_player(obj.pk, description=description, state=said["seen"] or None, actor=user_of(request))

    @admin.display(description="elsewhere")
    def pages(self, player: Player) -> str:
        found = {"q": player.handle}
        return format_html(
            '<a href="{}">Rename, merge</a> · <a href="{}">Results</a> · <a href="{}">Ratings</a>',
            reverse("organize:person", args=[player.pk]),
            reverse("admin:contests_standing_changelist", query=found),
            reverse("admin:ratings_rating_changelist", query=found),
        )


@admin.register(PlayerAlias)
class PlayerAliasAdmin(ServiceFormAdmin):
    list_display = ("handle", "player", "created_at")
    list_select_related = ("player",)
    search_fields = ("handle_key",)
    search_help_text = "Part of the other name."
    autocomplete_fields = ("player",)
    fields = ("player", "handle")

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return self.is_permitted(request, "delete")

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        return by_part_of_a_handle(queryset, search_term), False

    def save_model(self, request: HttpRequest, obj: PlayerAlias, form: forms.ModelForm, change: bool) -> None:
        obj.pk = add_alias(obj.player_id, handle=obj.handle, actor=user_of(request)).pk

    def delete_model(self, request: HttpRequest, obj: PlayerAlias) -> None:
        remove_alias(obj.player_id, handle=obj.handle, actor=user_of(request))

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[PlayerAlias]) -> None:
        for alias in queryset:
            self.delete_model(request, alias)


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
    actions = ("split",)

    @service_action("Split the chosen players again", button="Split", asks_why=True, proposes=True)
    def split(self, request: HttpRequest, merge: PlayerMerge, said: Said) -> Change:
        return SplitPlayers(merge.pk, reason=said.reason)

    @admin.display(description="what was moved")
    def moved(self, merge: PlayerMerge) -> Any:
        return pretty({"results": merge.standings, "other names": merge.aliases, "merged before": merge.players})
