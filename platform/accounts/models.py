"""Tables of accounts that django-allauth does not have: the API tokens of communities."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings
from django.db import models
from django.db.models import Q

from contests.models import Community

if TYPE_CHECKING:
    from datetime import datetime

#: What a token allows. A later version may add scopes; a token has a list of them.
READ = "read"


class ApiTokenQuerySet(models.QuerySet["ApiToken"]):
    def valid(self, now: datetime) -> ApiTokenQuerySet:
        """Return the tokens that work: neither revoked nor expired."""
        return self.filter(Q(expires_at=None) | Q(expires_at__gt=now), revoked_at=None)

    def ended(self, now: datetime) -> ApiTokenQuerySet:
        """Return the tokens that no longer work."""
        return self.filter(Q(expires_at__lte=now) | Q(revoked_at__isnull=False))


class ApiToken(models.Model):
    """
    A token with which a program of a community uses the REST API (docs/decisions/0018-api-tokens.md).

    It belongs to the community, not to the person who made it. The token itself is not stored, only a hash of it.
    """

    community = models.ForeignKey(Community, on_delete=models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=80, help_text="what the token is used for")
    prefix = models.CharField(max_length=8, unique=True, editable=False, help_text="the part that identifies the token")
    hashed_key = models.CharField(max_length=150, editable=False)
    scopes = models.CharField(max_length=100, default=READ, help_text="what the token allows, separated by spaces")
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="api_tokens"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(
        null=True, blank=True, help_text="the last use; Podium writes it at most once an hour"
    )

    objects = ApiTokenQuerySet.as_manager()

    class Meta:
        verbose_name = "API token"
        ordering = ["-created_at", "-id"]
        constraints = [
            models.CheckConstraint(condition=~Q(name=""), name="api_token_has_a_name"),
            models.CheckConstraint(condition=~Q(hashed_key=""), name="api_token_has_a_hash"),
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.shown})"

    @property
    def shown(self) -> str:
        """The part of the token that is not secret."""
        return f"podium_{self.prefix}_…"

    def allows(self, scope: str) -> bool:
        """Whether the token has a scope."""
        return scope in self.scopes.split()
