"""Forms that save through a service."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from django.contrib import admin, messages
from django.contrib.auth import get_permission_codename
from django.shortcuts import redirect

from contests.admin.reading import BoundedPaginator
from contests.errors import ContestError

if TYPE_CHECKING:
    from django.contrib.auth.models import User
    from django.db.models import Model
    from django.http import HttpRequest, HttpResponse


class ServiceFormAdmin(admin.ModelAdmin):
    """A form whose `save_model` and `delete_model` call services; what these refuse is told, and not saved."""

    list_per_page = 50
    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER
    paginator = BoundedPaginator

    def is_permitted(self, request: HttpRequest, deed: str) -> bool:
        """Whether the user has the model's permission to do that: view, add, change or delete."""
        return request.user.has_perm(f"{self.opts.app_label}.{get_permission_codename(deed, self.opts)}")

    def has_act_permission(self, request: HttpRequest) -> bool:
        """Whether the user may take the actions of the list."""
        return self.is_permitted(request, "change")

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def changeform_view(
        self, request: HttpRequest, object_id: Any = None, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        try:
            # Not Django's own, which wraps it in a transaction: services bring theirs, and some want to be outermost.
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
    """Return who is at work: nobody else than a logged-in account comes to the admin's pages."""
    return cast("User", request.user)
