"""The admin of accounts: staff see verified addresses and second factors, and can remove them, but not read secrets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount, SocialApp, SocialToken
from allauth.usersessions.models import UserSession
from django.contrib import admin

if TYPE_CHECKING:
    from django.http import HttpRequest

# The providers come from the environment; their tokens are not stored.
for model in (Authenticator, SocialAccount, SocialApp, SocialToken, UserSession):
    if admin.site.is_registered(model):
        admin.site.unregister(model)


class _RemoveOnly(admin.ModelAdmin):
    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(Authenticator)
class AuthenticatorAdmin(_RemoveOnly):
    """Second factors. Remove those of someone who has lost them; the secrets in `data` are not shown."""

    list_display = ("user", "type", "created_at", "last_used_at")
    list_filter = ("type",)
    search_fields = ("user__username", "user__email")
    fields = ("user", "type", "created_at", "last_used_at")


@admin.register(SocialAccount)
class SocialAccountAdmin(_RemoveOnly):
    """Accounts at other sites with which people log in here."""

    list_display = ("user", "provider", "uid", "last_login")
    list_filter = ("provider",)
    search_fields = ("user__username", "user__email", "uid")
    fields = ("user", "provider", "uid", "date_joined", "last_login")
