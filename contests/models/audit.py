"""The audit log."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.core.serializers.json import DjangoJSONEncoder
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext

from contests.models.audit_chain import AuditEntryQuerySet, prepare

if TYPE_CHECKING:
    from django.contrib.auth.models import User


#: The author of a change that was made without an account.
COMMAND_LINE = "the command line"


#: The authors of entries that have no account and are not from the command line.
_UNKNOWN = {
    "account.sign_in_failed": "someone",
    "account.second_factor_failed": "someone",
    "account.unverified": "Podium",
    "organizer.void": "Podium",
    "member.void": "Podium",
    "organizer.expose": "Podium",
    "member.expose": "Podium",
}


class AuditEntry(models.Model):
    """A change by a person or a command, written in the transaction of the change and immutable afterwards."""

    at = models.DateTimeField(default=timezone.now, editable=False)
    actor = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL)
    actor_name = models.CharField(
        max_length=150,
        blank=True,
        default="",
        db_default="",
        help_text="username at that time; kept when the account is deleted",
    )
    action = models.CharField(max_length=40, help_text="for example contest.finalize")
    community = models.ForeignKey(
        "contests.Community",
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="audit_entries",
        db_index=False,
    )
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
    is_about_account = models.BooleanField(
        default=False, db_default=False, help_text="about signing in, passwords or rights; only staff see it"
    )
    network = models.CharField(
        max_length=50, blank=True, default="", db_default="", help_text="where it came from; cleared after some time"
    )
    # From here on: the place in the hash chain (contests/models/audit_chain.py).
    ids = models.JSONField(null=True, editable=False, help_text="ids of the objects, kept when they are deleted")
    chain = models.CharField(max_length=120, blank=True, default="", db_default="", editable=False)
    position = models.BigIntegerField(null=True, editable=False, help_text="in the chain, counted from 1")
    digest = models.CharField(
        max_length=64,
        blank=True,
        default="",
        db_default="",
        editable=False,
        help_text="covers this entry and the digest before it; a signature until the entry has a position",
    )

    objects = AuditEntryQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "audit entries"
        ordering = ["-at", "-id"]
        indexes = [
            models.Index(fields=["series", "at", "id"], name="audit_of_series"),
            models.Index(fields=["community", "at", "id"], name="audit_of_community"),
            models.Index(fields=["chain", "id"], condition=Q(position=None), name="audit_waiting"),
            # Caches of pages look up the newest entry about contests, which any number of sign-ins may follow.
            models.Index(fields=["-id"], condition=Q(is_about_account=False), name="audit_about_contests"),
            models.Index(fields=["at"], condition=~Q(network=""), name="audit_with_network"),
        ]
        constraints = [models.UniqueConstraint(fields=["chain", "position"], name="audit_position")]

    def __str__(self) -> str:
        return f"{self.action} {self.subject}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        if self._state.adding:
            prepare(self)
        super().save(*args, **kwargs)

    @property
    def who(self) -> str:
        """The author of the change in words, even if the account has been deleted."""
        return _UNKNOWN.get(self.action) or author_in_words(self.actor, self.actor_name)

    @property
    def is_by_command(self) -> bool:
        """Whether the change was made from the command line, without an account."""
        return self.actor is None and not self.actor_name and self.action not in _UNKNOWN


def author_in_words(account: User | None, kept_name: str, *, otherwise: str = COMMAND_LINE) -> str:
    """Return the author of a change: the username, that of a deleted account, or `otherwise` if there was none."""
    if account is not None:
        return kept_name or account.get_username()
    return gettext("%(name)s (account deleted)") % {"name": kept_name} if kept_name else otherwise


def by_author(who: str) -> str:
    """Return an author, as `author_in_words` names them, as it follows a verb: "by ida", "from the command line"."""
    return gettext("from the command line") if who == COMMAND_LINE else gettext("by %(who)s") % {"who": who}
