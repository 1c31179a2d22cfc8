"""The audit log as rows, for CSV files and commands."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from django.db.models import Q

from contests.models import AuditEntry
from contests.wording import stored_language

if TYPE_CHECKING:
    from collections.abc import Iterator

    from contests.models import Series

AUDIT_COLUMNS = (
    "id", "at", "who", "community", "action", "subject", "reason", "before", "after", "chain", "position", "digest",
)  # fmt: skip
_BATCH = 1_000


def audit_rows(series: Series | None) -> Iterator[tuple[object, ...]]:
    """Yield the entries of a series, or all entries of the site, oldest first."""
    entries = AuditEntry.objects.select_related("actor").filter(Q() if series is None else Q(series=series))
    for entry in entries.order_by("at", "id").iterator(_BATCH):
        before, after = (
            json.dumps(value, ensure_ascii=False) if value else "" for value in (entry.before, entry.after)
        )
        # Programs read the same texts whatever the language of the visitor.
        with stored_language():
            who = entry.who
        yield (
            entry.pk, entry.at.isoformat(), who, _community_of(entry), entry.action, entry.subject, entry.reason,
            before, after, entry.chain, entry.position, entry.digest if entry.position is not None else "",
        )  # fmt: skip


def _community_of(entry: AuditEntry) -> str:
    """Return the slug of the community, also of a deleted one; empty for entries about accounts and about the site."""
    return str(entry.community_id or (entry.ids or {}).get("community") or "")
