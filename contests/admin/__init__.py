"""
The admin site for contests, series and players, under /admin/.

Staff can look everything up, but change it only through services: forms contain only fields that are safe to edit and
save through a service, actions call one, and histories are read-only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import admin
from django.urls import reverse
from django.utils.html import format_html

from contests.admin.base import (
    ActionInput,
    LookUpAdmin,
    OfPlayersAdmin,
    ServiceFormAdmin,
    by_part_of_a_handle,
    pretty,
    service_action,
    user_of,
)
from contests.changes.of_contests import DeleteContest, FinalizeContest, RestoreContest
from contests.changes.of_players import SplitPlayers
from contests.changes.of_standings import CorrectStandings
from contests.errors import ContestError
from contests.models import (
    AuditEntry,
    Contest,
    GameReport,
    Invitation,
    Player,
    PlayerAlias,
    PlayerClaim,
    PlayerMerge,
    Series,
    Standing,
    StandingStatus,
    Upload,
    UploadState,
)
from contests.services.correcting import Correction
from contests.services.organizers import add_organizer, remove_organizer, withdraw_invitation
from contests.services.renaming import (
    PlayerDescription,
    add_alias,
    describe_player,
    remove_alias,
    state_of,
)
from contests.services.series import create_series, describe_series, fingerprint

if TYPE_CHECKING:
    from django.db.models import Model, QuerySet
    from django.http import HttpRequest

    from contests.changes.base import Change


@admin.register(Contest)
class ContestAdmin(LookUpAdmin):
    list_display = ("name", "series", "state", "ends_at", "standing_count", "weight", "is_rated")
    list_filter = ("state", "is_rated", "has_teams", "series")
    list_select_related = ("series",)
    search_fields = ("name", "slug")
    search_help_text = "Enter part of the name or of the ID."
    date_hierarchy = "ends_at"
    ordering = ["-ends_at", "-sequence", "-pk"]
    extra_fields = ("pages",)
    actions = ("finalize", "delete", "restore")

    @service_action("Finalize selected drafts", button="Finalize", proposes=True)
    def finalize(self, request: HttpRequest, contest: Contest, given: ActionInput) -> Change:
        return FinalizeContest(contest.pk, given.version or 0)

    @service_action("Delete selected contests from their series", button="Delete", asks_why=True, proposes=True)
    def delete(self, request: HttpRequest, contest: Contest, given: ActionInput) -> Change:
        return DeleteContest(contest.pk, given.version or 0, reason=given.reason)

    @service_action("Restore selected deleted contests", button="Restore", asks_why=True, proposes=True)
    def restore(self, request: HttpRequest, contest: Contest, given: ActionInput) -> Change:
        return RestoreContest(contest.pk, reason=given.reason)

    @admin.display(description="links")
    def pages(self, contest: Contest) -> str:
        its = {"contest__id__exact": contest.pk}
        return format_html(
            '<a href="{}">Organizers’ page</a> · <a href="{}">Standings</a> · <a href="{}">History</a>',
            reverse("organize:contest", args=[contest.pk]),
            reverse("admin:contests_standing_changelist", query=its),
            reverse("admin:contests_auditentry_changelist", query=its),
        )


@admin.register(Standing)
class StandingAdmin(OfPlayersAdmin):
    list_display = (
        "player",
        "contest",
        "rank",
        "place",
        "score",
        "penalty",
        "team",
        "share",
        "handicap",
        "status",
        "is_ineligible",
    )
    list_filter = ("status", "is_ineligible", "contest__series")
    list_select_related = ("player", "contest")
    extra_fields = ("pages",)
    actions = ("compete",)

    @service_action(
        "Rank selected players who were outside the rating limits",
        button="Rank",
        asks_why=True,
        proposes=True,
    )
    def compete(self, request: HttpRequest, row: Standing, given: ActionInput) -> Change:
        if not row.is_ineligible:
            raise ContestError(f"{row.player} was not outside the rating limits of “{row.contest}”.")
        ranked = Correction.of(row, status=StandingStatus.RANKED)
        return CorrectStandings.of(row.contest, {row.pk: ranked}, version=row.contest.version, reason=given.reason)

    @admin.display(description="links")
    def pages(self, row: Standing) -> str:
        return format_html('<a href="{}">Correct this row</a>', reverse("organize:correct", args=[row.pk]))


@admin.register(Upload)
class UploadAdmin(LookUpAdmin):
    list_display = ("filename", "series", "format", "size", "created_by", "created_at", "is_used")
    list_filter = ("format", ("contests", admin.EmptyFieldListFilter), "series")
    list_select_related = ("series", "created_by")
    search_fields = ("filename", "=sha256")
    search_help_text = "Enter part of the file’s name, or its whole SHA-256."
    date_hierarchy = "created_at"
    left_out = (
        "file", "reading", "decisions", "report", "state", "token", "draft", "lines", "is_packed", "choices", "stamp",
        "review", "progress", "touched_at",
    )  # fmt: skip
    extra_fields = ("reading_shown", "decisions_shown", "report_shown", "used_by")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Upload]:
        saved = super().get_queryset(request).filter(state=UploadState.SAVED)
        return saved.defer("choices", "review", "progress").prefetch_related("contests")

    @admin.display(description="used", boolean=True)
    def is_used(self, upload: Upload) -> bool:
        return bool(upload.contests.all())

    @admin.display(description="contests made from it")
    def used_by(self, upload: Upload) -> str:
        return ", ".join(str(contest) for contest in upload.contests.all()) or "-"

    @admin.display(description="reading")
    def reading_shown(self, upload: Upload) -> Any:
        return pretty(upload.reading)

    @admin.display(description="decisions")
    def decisions_shown(self, upload: Upload) -> Any:
        return pretty(upload.decisions)

    @admin.display(description="report")
    def report_shown(self, upload: Upload) -> Any:
        return pretty(upload.report)


class SeriesForm(forms.ModelForm):
    """The editable fields of a series; `seen` identifies the state of the series that the user saw."""

    seen = forms.CharField(required=False, widget=forms.HiddenInput)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.instance.pk is not None:
            self.fields["seen"].initial = fingerprint(self.instance)


@admin.register(Series)
class SeriesAdmin(ServiceFormAdmin):
    form = SeriesForm
    list_display = ("name", "community", "slug", "is_public", "needs_approval", "created_at", "pages")
    list_filter = ("is_public", "needs_approval")
    list_select_related = ("community",)
    search_fields = ("name", "slug")
    search_help_text = "Enter part of the name or of the short name."
    fields = ("community", "name", "slug", "description", "is_private", "needs_approval", "organizers", "seen")
    autocomplete_fields = ("organizers",)

    def get_readonly_fields(self, request: HttpRequest, obj: Model | None = None) -> tuple[str, ...]:
        return ("community", "slug") if obj is not None else ()

    def get_prepopulated_fields(self, request: HttpRequest, obj: Model | None = None) -> dict[str, Any]:
        return {} if obj is not None else {"slug": ("name",)}

    def save_model(self, request: HttpRequest, obj: Series, form: forms.ModelForm, change: bool) -> None:
        cleaned = form.cleaned_data
        fields = {name: cleaned[name] for name in ("name", "description", "needs_approval")}
        fields["is_public"] = not cleaned["is_private"]
        if change:
            describe_series(obj.pk, **fields, seen=cleaned["seen"], actor=user_of(request))
        else:
            obj.pk = create_series(
                cleaned["slug"], community=cleaned["community"].pk, **fields, actor=user_of(request)
            ).pk
            obj._state.adding = False

    def save_related(self, request: HttpRequest, form: forms.ModelForm, formsets: Any, change: bool) -> None:
        series, chosen = form.instance, set(form.cleaned_data["organizers"])
        if not chosen and not change:
            return  # the creator of a series organizes it unless others are named
        now = set(series.organizers.all())
        for user in chosen - now:
            add_organizer(series.pk, user.get_username(), actor=user_of(request))
        for user in now - chosen:
            remove_organizer(series.pk, user.pk, actor=user_of(request))

    @admin.display(description="links")
    def pages(self, series: Series) -> str:
        return format_html('<a href="{}">Organizers’ page</a>', reverse("organize:series", args=[series]))


@admin.register(AuditEntry)
class AuditEntryAdmin(LookUpAdmin):
    list_display = ("at", "who", "action", "subject", "series", "reason")
    list_display_links = ("at", "subject")
    list_filter = ("is_about_account", "action", "series")
    list_select_related = ("actor", "series")
    search_fields = ("subject", "reason", "=actor__username", "=actor_name", "=network")
    search_help_text = "Enter part of the subject or of the reason, or a whole username or network."
    date_hierarchy = "at"
    ordering = ["-at", "-pk"]
    left_out = ("before", "after")
    extra_fields = ("before_shown", "after_shown")

    @admin.display(description="before")
    def before_shown(self, entry: AuditEntry) -> Any:
        return pretty(entry.before)

    @admin.display(description="after")
    def after_shown(self, entry: AuditEntry) -> Any:
        return pretty(entry.after)


@admin.register(Invitation)
class InvitationAdmin(LookUpAdmin):
    list_display = (
        "community",
        "series",
        "role",
        "note",
        "created_by",
        "created_at",
        "expires_at",
        "accepted_by",
        "withdrawn_at",
    )
    list_filter = (
        ("accepted_at", admin.EmptyFieldListFilter),
        ("withdrawn_at", admin.EmptyFieldListFilter),
        "series",
    )
    list_select_related = ("community", "series", "created_by", "accepted_by")
    search_fields = ("note", "series__name", "=created_by__username", "=accepted_by__username")
    search_help_text = "Enter part of the note or of the series’ name, or the whole name of an account."
    left_out = ("token_hash",)
    actions = ("withdraw",)

    @service_action("Withdraw selected invitations", button="Withdraw")
    def withdraw(self, request: HttpRequest, invitation: Invitation, given: ActionInput) -> None:
        withdraw_invitation(invitation.pk, actor=user_of(request))


class PlayerForm(forms.ModelForm):
    """The editable fields of a player; `seen` identifies the state of the player that the user saw."""

    seen = forms.CharField(required=False, widget=forms.HiddenInput)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["seen"].initial = state_of(self.instance)


@admin.register(PlayerClaim)
class PlayerClaimAdmin(LookUpAdmin):
    list_display = ("player", "community", "user", "created_at")
    list_select_related = ("player", "community", "user")
    search_fields = ("player__handle_key", "user__username")
    search_help_text = "Enter part of a handle or username."


@admin.register(GameReport)
class GameReportAdmin(LookUpAdmin):
    list_display = ("day", "series", "player", "opponent", "result", "state", "reported_by", "created_at")
    list_filter = ("state", "series")
    list_select_related = ("series", "player", "opponent", "reported_by")
    search_fields = ("player__handle_key", "opponent__handle_key", "=reported_by__username")
    search_help_text = "Enter part of a handle, or a whole username."


@admin.register(Player)
class PlayerAdmin(ServiceFormAdmin):
    form = PlayerForm
    list_display = ("handle", "community", "name", "country", "affiliation", "merged_into", "created_at")
    list_filter = (("merged_into", admin.EmptyFieldListFilter), "country")
    list_select_related = ("community", "merged_into")
    search_fields = ("handle_key",)
    search_help_text = "Enter part of the handle."
    readonly_fields = ("community", "handle", "merged_into", "created_at", "pages")
    fields = (
        "community", "handle", "name", "country", "affiliation", "merged_into", "created_at", "pages", "seen",
    )  # fmt: skip

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        return by_part_of_a_handle(queryset, search_term), False

    def save_model(self, request: HttpRequest, obj: Player, form: forms.ModelForm, change: bool) -> None:
        cleaned = form.cleaned_data
        description = PlayerDescription(cleaned["name"], cleaned["country"], cleaned["affiliation"])
        describe_player(obj.pk, description=description, state=cleaned["seen"] or None, actor=user_of(request))

    @admin.display(description="links")
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
    search_help_text = "Enter part of the other name."
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
    search_help_text = "Enter part of one of the two handles, or of the reason."
    date_hierarchy = "at"
    left_out = ("standings", "aliases", "players")
    extra_fields = ("moved",)
    actions = ("split",)

    @service_action("Split selected players again", button="Split", asks_why=True, proposes=True)
    def split(self, request: HttpRequest, merge: PlayerMerge, given: ActionInput) -> Change:
        return SplitPlayers(merge.pk, reason=given.reason)

    @admin.display(description="moved rows")
    def moved(self, merge: PlayerMerge) -> Any:
        return pretty({"results": merge.standings, "other names": merge.aliases, "merged before": merge.players})
