"""Series and their organizers; what was done by whom, and who was invited."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import admin
from django.urls import reverse
from django.utils.html import format_html

from contests.admin.acting import Said, service_action
from contests.admin.reading import LookUpAdmin, pretty
from contests.admin.saving import ServiceFormAdmin, user_of
from contests.models import AuditEntry, Invitation, Series
from contests.services.organizers import add_organizer, remove_organizer, withdraw_invitation
from contests.services.series import create_series, describe_series, fingerprint

if TYPE_CHECKING:
    from django.db.models import Model
    from django.http import HttpRequest


class SeriesForm(forms.ModelForm):
    """What may be said of a series; `seen` tells which state of it the form was filled in on."""

    seen = forms.CharField(required=False, widget=forms.HiddenInput)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.instance.pk is not None:
            self.fields["seen"].initial = fingerprint(self.instance)


@admin.register(Series)
class SeriesAdmin(ServiceFormAdmin):
    form = SeriesForm
    list_display = ("name", "slug", "is_public", "needs_approval", "created_at", "pages")
    list_filter = ("is_public", "needs_approval")
    search_fields = ("name", "slug")
    search_help_text = "Part of the name or of the short name."
    fields = ("name", "slug", "description", "is_public", "needs_approval", "organizers", "seen")
    autocomplete_fields = ("organizers",)

    def get_readonly_fields(self, request: HttpRequest, obj: Model | None = None) -> tuple[str, ...]:
        return ("slug",) if obj is not None else ()

    def get_prepopulated_fields(self, request: HttpRequest, obj: Model | None = None) -> dict[str, Any]:
        return {} if obj is not None else {"slug": ("name",)}

    def save_model(self, request: HttpRequest, obj: Series, form: forms.ModelForm, change: bool) -> None:
        said = form.cleaned_data
        words = {name: said[name] for name in ("name", "description", "is_public", "needs_approval")}
        if change:
            describe_series(obj.pk, **words, seen=said["seen"], actor=user_of(request))
        else:
            obj.pk = create_series(said["slug"], **words, actor=user_of(request)).pk
            obj._state.adding = False

    def save_related(self, request: HttpRequest, form: forms.ModelForm, formsets: Any, change: bool) -> None:
        series, chosen = form.instance, set(form.cleaned_data["organizers"])
        if not chosen and not change:
            return  # whoever makes a series organizes it, until others are named
        now = set(series.organizers.all())
        for user in chosen - now:
            add_organizer(series.pk, user.get_username(), actor=user_of(request))
        for user in now - chosen:
            remove_organizer(series.pk, user.pk, actor=user_of(request))

    @admin.display(description="elsewhere")
    def pages(self, series: Series) -> str:
        return format_html('<a href="{}">Organizers’ page</a>', reverse("organize:series", args=[series.slug]))


@admin.register(AuditEntry)
class AuditEntryAdmin(LookUpAdmin):
    list_display = ("at", "who", "action", "subject", "series", "reason")
    list_display_links = ("at", "subject")
    list_filter = ("action", "series")
    list_select_related = ("actor", "series")
    search_fields = ("subject", "reason", "=actor__username", "=actor_name")
    search_help_text = "Part of the subject or of the reason, or the whole name of who did it."
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
    list_display = ("series", "note", "created_by", "created_at", "expires_at", "accepted_by", "withdrawn_at")
    list_filter = (
        ("accepted_at", admin.EmptyFieldListFilter),
        ("withdrawn_at", admin.EmptyFieldListFilter),
        "series",
    )
    list_select_related = ("series", "created_by", "accepted_by")
    search_fields = ("note", "series__name", "=created_by__username", "=accepted_by__username")
    search_help_text = "Part of the note or of the series' name, or the whole name of an account."
    left_out = ("token_hash",)
    actions = ("withdraw",)

    @service_action("Withdraw the chosen invitations", button="Withdraw")
    def withdraw(self, request: HttpRequest, invitation: Invitation, said: Said) -> None:
        withdraw_invitation(invitation.pk, actor=user_of(request))
