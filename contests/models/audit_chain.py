"""
The chains of the audit log: what an entry's digest covers, and where each chain ends.

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

from django.core.serializers.json import DjangoJSONEncoder
from django.db import models
from django.utils.crypto import salted_hmac

if TYPE_CHECKING:
    from collections.abc import Iterable

    from contests.models.audit import AuditEntry

#: The chain of sign-ins, passwords and rights, and the chain of entries without a series.
ACCOUNTS, SITE = "accounts", "site"
#: Foreign keys that the first entries already had; `ids` keeps their values and the community, because objects may be
#: deleted.
REFERENCES = ("actor", "series", "contest", "player")
_SALT = "contests.audit"
#: Values that never change and that a digest covers. An empty value counts as absent, so a new column that is empty
#: in old entries leaves their digests as they are.
_COVERED = ("actor_name", "action", "chain", "subject", "reason", "before", "after", "ids")


def chain_of_series(series_id: int) -> str:
    """Return the name of a series' chain."""
    return f"series {series_id}"


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


class AuditChain(models.Model):
    """The end of a chain: its number of entries and the digest of the last one. Appending locks this row."""

    name = models.CharField(max_length=120, primary_key=True)
    length = models.BigIntegerField(default=0)
    digest = models.CharField(max_length=64, blank=True, default="")

    def __str__(self) -> str:
        return f"{self.name}: {self.length}"
