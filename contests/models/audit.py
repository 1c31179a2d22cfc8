"""
The audit log: entries by people and commands, what an entry's digest covers, and where each hash chain ends.

Each series has a chain of its own, and each community has one for the rest; accounts have one, and one holds everything
else. docs/decisions/0015 says why entries join their chain only after their transaction has been committed.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from datetime import UTC
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.core.serializers.json import DjangoJSONEncoder
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext

if TYPE_CHECKING:
    from collections.abc import Iterable

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
#: The chain of sign-ins, passwords and rights, and the chain of entries without a series.
ACCOUNTS, SITE = "accounts", "site"
#: The start of the names of series' chains.
CHAINS_OF_SERIES = "series "
#: Foreign keys that the first entries already had; `ids` keeps their values and the community, because objects may be
#: deleted.
REFERENCES = ("actor", "series", "contest", "player")
_SALT = "contests.audit"
#: Values that never change and that a digest covers. An empty value counts as absent, so a new column that is empty
#: in old entries leaves their digests as they are.
_COVERED = ("actor_name", "action", "chain", "subject", "reason", "before", "after", "ids")


class AuditEntryQuerySet(models.QuerySet["AuditEntry"]):
    """Entries; those that are created in bulk are prepared like single ones."""

    def bulk_create(self, objs: Iterable[Any], *args: Any, **kwargs: Any) -> list[Any]:
        entries = list(objs)
        for entry in entries:
            prepare(entry)
        return super().bulk_create(entries, *args, **kwargs)

    def about_contests(self) -> AuditEntryQuerySet:
        """Return the entries about series, contests and players, without those about accounts."""
        return self.filter(is_about_account=False)

    def waiting(self) -> AuditEntryQuerySet:
        """Return the entries that are not in their chain yet."""
        return self.filter(position=None)


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
    # From here on: the place in the hash chain.
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


class AuditChain(models.Model):
    """The end of a chain: its number of entries and the digest of the last one. Appending locks this row."""

    name = models.CharField(max_length=120, primary_key=True)
    length = models.BigIntegerField(default=0)
    digest = models.CharField(max_length=64, blank=True, default="")

    def __str__(self) -> str:
        return f"{self.name}: {self.length}"


def author_in_words(account: User | None, kept_name: str, *, otherwise: str = COMMAND_LINE) -> str:
    """Return the author of a change: the username, that of a deleted account, or `otherwise` if there was none."""
    if account is not None:
        return kept_name or account.get_username()
    return gettext("%(name)s (account deleted)") % {"name": kept_name} if kept_name else otherwise


def by_author(who: str) -> str:
    """Return an author, as `author_in_words` names them, as it follows a verb: "by ida", "from the command line"."""
    return gettext("from the command line") if who == COMMAND_LINE else gettext("by %(who)s") % {"who": who}


def chain_of_series(series_id: int) -> str:
    """Return the name of a series' chain."""
    return f"{CHAINS_OF_SERIES}{series_id}"


def chain_of_community(slug: str) -> str:
    """Return the name of the chain for entries about a community that concern no particular series."""
    return f"community {slug}"


def prepare(entry: AuditEntry) -> None:
    """Fill in what a new entry keeps for good: its chain, the ids of its objects and its signature."""
    series_id = entry.series_id
    entry.chain = SITE if entry.community_id is None else chain_of_community(entry.community_id)
    if series_id is not None:
        entry.chain = chain_of_series(series_id)
    if entry.is_about_account:
        entry.chain = ACCOUNTS
    entry.ids = {name: pk for name in (*REFERENCES, "community") if (pk := getattr(entry, f"{name}_id")) is not None}
    entry.digest = signature_of(entry)


def content_of(entry: AuditEntry) -> bytes:
    """Return everything about an entry that never changes, in the same form on every database."""
    values = {name: getattr(entry, name) for name in _COVERED if getattr(entry, name)}
    values["at"] = entry.at.astimezone(UTC).isoformat(timespec="microseconds")
    stored = json.loads(json.dumps(values, cls=DjangoJSONEncoder))
    return json.dumps(_plain(stored), sort_keys=True, separators=(",", ":")).encode()


def signature_of(entry: AuditEntry) -> str:
    """Return the keyed digest that shows, until an entry is in its chain, that this site wrote it."""
    return salted_hmac(_SALT, content_of(entry), algorithm="sha256").hexdigest()


def is_signed(entry: AuditEntry) -> bool:
    """Whether this site, with its present secret key, wrote the entry as it is."""
    return hmac.compare_digest(entry.digest, signature_of(entry))


def digest_after(previous: str, entry: AuditEntry) -> str:
    """Return the digest of an entry that follows the entry with the previous digest; the first one follows ""."""
    return hashlib.sha256(previous.encode() + b"\n" + content_of(entry)).hexdigest()


def _plain(value: Any) -> Any:
    """Return a JSON value with whole floats as integers, because PostgreSQL stores 1e22 with all its digits."""
    if isinstance(value, dict):
        return {name: _plain(part) for name, part in value.items()}
    if isinstance(value, list):
        return [_plain(part) for part in value]
    return int(Decimal(repr(value))) if isinstance(value, float) and value.is_integer() else value
