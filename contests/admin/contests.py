"""Contests, their rows, and the files they came from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.urls import reverse
from django.utils.html import format_html

from contests.admin.acting import Said, service_action
from contests.admin.reading import LookUpAdmin, OfPlayersAdmin, pretty
from contests.changes import Change, CorrectStandings, DeleteContest, FinalizeContest, RestoreContest
from contests.errors import ContestError
from contests.models import Contest, Standing, StandingStatus, Upload, UploadState
from contests.services.correcting import Correction

if TYPE_CHECKING:
    from django.db.models import QuerySet
    from django.http import HttpRequest


@admin.register(Contest)
class ContestAdmin(LookUpAdmin):
    list_display = ("name", "series", "state", "ends_at", "standing_count", "weight", "is_rated")
    list_filter = ("state", "is_rated", "has_teams", "series")
    list_select_related = ("series",)
    search_fields = ("name", "slug")
    search_help_text = "Part of the name or of the id."
    date_hierarchy = "ends_at"
    ordering = ["-ends_at", "-sequence", "-pk"]
    extra_fields = ("pages",)
    actions = ("finalize", "delete", "restore")

    @service_action("Finalize the chosen drafts", button="Finalize", proposes=True)
    def finalize(self, request: HttpRequest, contest: Contest, said: Said) -> Change:
        return FinalizeContest(contest.pk, said.version or 0)

    @service_action("Delete the chosen contests from their series", button="Delete", asks_why=True, proposes=True)
    def delete(self, request: HttpRequest, contest: Contest, said: Said) -> Change:
        return DeleteContest(contest.pk, said.version or 0, reason=said.reason)

    @service_action("Restore the chosen deleted contests", button="Restore", asks_why=True, proposes=True)
    def restore(self, request: HttpRequest, contest: Contest, said: Said) -> Change:
        return RestoreContest(contest.pk, reason=said.reason)

    @admin.display(description="elsewhere")
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
    list_display = ("player", "contest", "rank", "place", "score", "penalty", "team", "status", "is_ineligible")
    list_filter = ("status", "is_ineligible", "contest__series")
    list_select_related = ("player", "contest")
    extra_fields = ("pages",)
    actions = ("compete",)

    @service_action(
        "Let the chosen, who were outside the rating limits, compete after all",
        button="Let compete",
        asks_why=True,
        proposes=True,
    )
    def compete(self, request: HttpRequest, row: Standing, said: Said) -> Change:
        if not row.is_ineligible:
            raise ContestError(f"{row.player} was not outside the rating limits of “{row.contest}”.")
        ranked = Correction(StandingStatus.RANKED, row.place, score=row.score)
        return CorrectStandings.of(row.contest, {row.pk: ranked}, version=row.contest.version, reason=said.reason)

    @admin.display(description="elsewhere")
    def pages(self, row: Standing) -> str:
        return format_html('<a href="{}">Correct this row</a>', reverse("organize:correct", args=[row.pk]))


@admin.register(Upload)
class UploadAdmin(LookUpAdmin):
    list_display = ("filename", "series", "format", "size", "created_by", "created_at", "is_used")
    list_filter = ("format", ("contests", admin.EmptyFieldListFilter), "series")
    list_select_related = ("series", "created_by")
    search_fields = ("filename", "=sha256")
    search_help_text = "Part of the file's name, or its whole SHA-256."
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
