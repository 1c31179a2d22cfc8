"""
The tables of ratings in the admin site.

All of them follow from the results and the schemes, so staff can look at rows and have them computed again, but not
edit them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.db import transaction

from contests.admin import SeriesAdmin
from contests.admin.base import ActionInput, LookUpAdmin, OfPlayersAdmin, pretty, service_action, user_of
from contests.errors import ContestError
from contests.models import Contest, Series
from ratings.models import Lease, Rating, RatingChange, Run, Scheme, StaleMark, Work
from ratings.publishing.leases import cancel_run, forgive
from ratings.publishing.queue import mark_stale, notify, notify_worker
from ratings.publishing.rolling_back import ask_roll_back

if TYPE_CHECKING:
    from django.http import HttpRequest


admin.site.unregister(Series)


@admin.register(Series)
class RatedSeriesAdmin(SeriesAdmin):
    """The series of `contests`, with what can be done about their ratings."""

    actions = ("rate_again",)

    @service_action("Rate selected series again from their first contest", button="Rate again")
    def rate_again(self, request: HttpRequest, series: Series, given: ActionInput) -> None:
        first = Contest.objects.rated().filter(series=series).in_order().first()
        if first is None:
            raise ContestError(f"“{series.name}” has no rated contest.")
        with transaction.atomic():
            mark_stale(series.pk, since=first.ends_at, cause="All contests rated again", actor=user_of(request))


@admin.register(Scheme)
class SchemeAdmin(LookUpAdmin):
    list_display = ("series", "version", "system", "who", "created_at")
    list_display_links = ("series", "version")
    list_filter = ("system", "series")
    list_select_related = ("series", "created_by")
    search_fields = ("series__name", "series__slug", "system")
    search_help_text = "Enter part of the name of the series or of the system."
    left_out = ("parameters", "display", "tiers")
    extra_fields = ("parameters_shown", "display_shown", "tiers_shown")

    @admin.display(description="parameters")
    def parameters_shown(self, scheme: Scheme) -> Any:
        return pretty(scheme.parameters)

    @admin.display(description="display")
    def display_shown(self, scheme: Scheme) -> Any:
        return pretty(scheme.display)

    @admin.display(description="tiers")
    def tiers_shown(self, scheme: Scheme) -> Any:
        return pretty(scheme.tiers)


@admin.register(Run)
class RunAdmin(LookUpAdmin):
    list_display = ("series", "number", "state", "kind", "cause", "who", "created_at", "changed_count", "seconds")
    list_display_links = ("series", "number")
    list_filter = ("state", "kind", "series")
    list_select_related = ("series", "actor")
    search_fields = ("series__name", "series__slug", "cause", "error", "=actor__username", "=actor_name")
    search_help_text = "Enter part of the series’ name, the cause or the error, or the whole name of an account."
    date_hierarchy = "created_at"
    actions = ("cancel", "roll_back")

    @service_action("Cancel selected runs", button="Cancel the runs")
    def cancel(self, request: HttpRequest, run: Run, given: ActionInput) -> None:
        cancel_run(run.pk, actor=user_of(request))

    @service_action("Roll back to the selected run", button="Roll back", asks_why=True)
    def roll_back(self, request: HttpRequest, run: Run, given: ActionInput) -> None:
        ask_roll_back(run.series_id, run.number, reason=given.reason, actor=user_of(request))


@admin.register(RatingChange)
class RatingChangeAdmin(OfPlayersAdmin):
    list_display = ("player", "contest", "rank", "mu_before", "mu", "sigma", "performance", "from_run", "until_run")
    list_filter = (("until_run", admin.EmptyFieldListFilter), "series")
    list_select_related = ("player", "contest")


@admin.register(Rating)
class RatingAdmin(OfPlayersAdmin):
    list_display = ("player", "series", "mu", "sigma", "score", "contest_count", "peak", "last_contest")
    list_filter = ("series",)
    list_select_related = ("player", "series", "last_contest")
    left_out = ("belief",)


@admin.register(StaleMark)
class StaleMarkAdmin(LookUpAdmin):
    list_display = ("series", "since", "cause", "actor", "created_at")
    list_filter = ("series",)
    list_select_related = ("series", "actor")
    search_fields = ("series__name", "series__slug", "cause", "=actor__username")
    search_help_text = "Enter part of the series’ name or the cause, or the whole name of an account."
    actions = ("wake_worker",)

    @service_action("Ask a worker to rate the series of selected marks", button="Rate now")
    def wake_worker(self, request: HttpRequest, mark: StaleMark, given: ActionInput) -> None:
        forgive(mark.series_id)
        notify_worker(mark.series_id)


@admin.register(Lease)
class LeaseAdmin(LookUpAdmin):
    list_display = ("series", "work", "holder", "taken_at", "expires_at", "attempts", "failures", "not_before")
    list_display_links = ("series", "work")
    list_filter = ("work", "series")
    list_select_related = ("series",)
    search_fields = ("series__name", "series__slug", "holder")
    search_help_text = "Enter part of the name of the series or of the host that works on it."
    actions = ("try_again",)

    @service_action("Forget failed attempts and try again", button="Try again")
    def try_again(self, request: HttpRequest, lease: Lease, given: ActionInput) -> None:
        forgive(lease.series_id, lease.work)
        notify(lease.series_id, Work(lease.work))
