"""What was done by whom, and who was invited."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin

from contests.admin.acting import Said, service_action
from contests.admin.reading import LookUpAdmin, pretty
from contests.admin.saving import user_of
from contests.models import AuditEntry, Invitation
from contests.services.organizers import withdraw_invitation

if TYPE_CHECKING:
    from django.http import HttpRequest


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
