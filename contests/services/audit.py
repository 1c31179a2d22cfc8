"""
Writes audit entries, and appends them to their hash chains.

A service writes its entry in its own transaction, and the entry joins its chain right after the commit, in a short
transaction that locks only the end of that chain. So writers never wait for each other's long transactions, and
previews that are undone leave no gap. If a process dies in between, the next writer, the hourly sweep or `verify_audit`
appends the entry.
"""

from __future__ import annotations

from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING

from django.db import connection, transaction
from django.utils import timezone

from contests.bulk import update_rows
from contests.models import AuditChain, AuditEntry
from contests.models.audit import digest_after, is_signed, prepare

if TYPE_CHECKING:
    from collections.abc import Collection
    from datetime import datetime
    from typing import Any

    from django.contrib.auth.models import User

    from contests.models import Contest, Player, Series

#: Entries that one transaction appends.
BATCH = 1_000
#: For this many entries or more, a temporary table is cheaper than one statement for each.
MANY = 20
#: Networks of clients are personal data. They are not part of the chain, and are cleared after this time.
NETWORKS_KEPT = timedelta(days=90)


def record(
    action: str,
    *,
    subject: str,
    actor: User | None,
    community: str | None = None,
    series: Series | None = None,
    contest: Contest | None = None,
    player: Player | None = None,
    reason: str = "",
    before: dict[str, Any] | None = None,
    after: dict[str, Any] | None = None,
    network: str | None = None,
) -> AuditEntry:
    """
    Write an audit entry; call this in the transaction of the change. It joins its hash chain after the commit.

    network
        For entries about accounts, which only staff see: the network of the client; empty if it is unknown.
    """
    entry = AuditEntry.objects.create(
        action=action,
        subject=subject[:400],
        actor=actor,
        actor_name=actor.get_username() if actor is not None else "",
        community_id=_community_of(community, series or (contest.series if contest else None), player),
        series=series or (contest.series if contest else None),
        contest=contest,
        player=player,
        reason=reason,
        before=before or {},
        after=after or {},
        is_about_account=network is not None,
        network=network or "",
    )
    append_after_commit(entry)
    return entry


def _community_of(community: str | None, series: Series | None, player: Player | None) -> str | None:
    if community is None and series is not None:
        return series.community_id
    if community is None and player is not None:
        return player.community_id
    return community


def append_after_commit(entry: AuditEntry) -> None:
    """Append a new entry, and others of its chain, to the chain when the current transaction has been committed."""
    calls = [registered[1] for registered in connection.run_on_commit]
    if any(isinstance(call, _Append) and call.args == (entry.chain,) for call in calls):
        return
    # robust: the change itself is stored by then, and the sweep appends what failed here.
    transaction.on_commit(_Append(append_waiting, entry.chain), robust=True)


class _Append(partial[int]):
    """A call that waits for the commit, and that later entries of the same chain recognize."""


def append_waiting(chain: str) -> int:
    """
    Append all entries of a chain that wait, in the order of their ids; return their number.

    Entries whose signature is wrong were not written by this site. They stay outside the chain, and `verify_audit`
    names them.
    """
    count, last = 0, 0
    while entries := _append_batch(chain, last):
        count += sum(entry.position is not None for entry in entries)
        last = entries[-1].pk
    return count


def append_all() -> int:
    """Append the waiting entries of all chains; return their number."""
    names = AuditEntry.objects.waiting().exclude(chain="").order_by().values_list("chain", flat=True).distinct()
    return sum(append_waiting(name) for name in list(names))


def clear_networks(now: datetime | None = None) -> int:
    """Clear the networks in entries older than 90 days; return the number of entries."""
    before = (now or timezone.now()) - NETWORKS_KEPT
    return AuditEntry.objects.exclude(network="").filter(at__lt=before).update(network="")


@transaction.atomic
def accept_unsigned(ids: Collection[int]) -> int:
    """Append waiting entries that this site did not sign, once someone has checked them; return their number."""
    count = 0
    for entry in AuditEntry.objects.waiting().filter(pk__in=ids).order_by("id"):
        prepare(entry)
        entry.save(update_fields=["chain", "ids", "digest"])
        append_after_commit(entry)
        count += 1
    return count


@transaction.atomic
def _append_batch(chain: str, after: int) -> list[AuditEntry]:
    """Append the next entries after this id; return them, of which refused ones have no position."""
    waiting = AuditEntry.objects.waiting().filter(chain=chain, id__gt=after).order_by("id")
    if not waiting.exists():
        return []
    end, _ = AuditChain.objects.select_for_update().get_or_create(name=chain)
    entries = list(waiting[:BATCH])
    for entry in entries:
        if is_signed(entry):
            end.length += 1
            end.digest = digest_after(end.digest, entry)
            entry.position, entry.digest = end.length, end.digest
    appended = [entry for entry in entries if entry.position is not None]
    if len(appended) > MANY:
        update_rows(AuditEntry, ["position", "digest"], ((one.pk, one.position, one.digest) for one in appended))
    else:
        for entry in appended:
            entry.save(update_fields=["position", "digest"])
    end.save(update_fields=["length", "digest"])
    return entries
