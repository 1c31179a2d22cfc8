"""The audit log: changes, their authors, and the values before and after."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings
from django.core.serializers.json import DjangoJSONEncoder
from django.db import models

if TYPE_CHECKING:
    from django.contrib.auth.models import User


class AuditEntry(models.Model):
    """A change by a person or a command, written in the transaction of the change and immutable afterwards."""

    at = models.DateTimeField(auto_now_add=True)
    actor = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL)
    actor_name = models.CharField(
        max_length=150,
        blank=True,
        default="",
        db_default="",
        help_text="username at that time; kept when the account is deleted",
    )
    action = models.CharField(max_length=40, help_text="for example contest.finalize")
    series = models.ForeignKey(
        "contests.Series",
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="audit_entries",
        db_index=False,
    )
    contest = models.ForeignKey(
        "contests.Contest", null=True, blank=True, on_delete=models.SET_NULL, related_name="audit_entries"
    )
    player = models.ForeignKey(
        "contests.Player", null=True, blank=True, on_delete=models.SET_NULL, related_name="audit_entries"
    )
    subject = models.CharField(max_length=400, help_text="the object in words, readable after it is deleted")
    reason = models.TextField(blank=True, default="")
    before = models.JSONField(default=dict, encoder=DjangoJSONEncoder)
    after = models.JSONField(default=dict, encoder=DjangoJSONEncoder)

    class Meta:
        verbose_name_plural = "audit entries"
        ordering = ["-at", "-id"]
        indexes = [models.Index(fields=["series", "at", "id"], name="audit_of_series")]

    def __str__(self) -> str:
        return f"{self.action} {self.subject}"

    @property
    def who(self) -> str:
        """The author of the change in words, even if the account has been deleted."""
        return author_in_words(self.actor, self.actor_name)


def author_in_words(account: User | None, kept_name: str) -> str:
    """Return the author of a change: the username, that of a deleted account, or "a command"."""
    if account is not None:
        return kept_name or account.get_username()
    return f"{kept_name} (account deleted)" if kept_name else "a command"
