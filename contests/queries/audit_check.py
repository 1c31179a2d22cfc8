"""Verification of the hash chains of the audit log, up to the first entry that was changed after it was written."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from typing import TYPE_CHECKING, Any

from django.apps import apps
from django.conf import settings

from contests.models import AuditChain, AuditEntry
from contests.models.audit import ACCOUNTS, REFERENCES, digest_after, is_signed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from collections.abc import Set as AbstractSet

_MODELS = {
    "actor": settings.AUTH_USER_MODEL, "series": "contests.Series", "contest": "contests.Contest",
    "player": "contests.Player", "community": "contests.Community",
}  # fmt: skip
_BATCH = 900


@dataclass(frozen=True, slots=True)
class ChainEnd:
    """The number of entries up to some point of a chain, and the digest of the last of them."""

    length: int
    digest: str


@dataclass(frozen=True, slots=True)
class ChainReport:
    """
    The outcome for one chain.

    problem
        The first thing that is wrong, in words; empty if nothing is.
    unsigned
        Ids of entries outside the chain that this site did not write, or that were changed before they joined it.
    """

    name: str
    end: ChainEnd
    problem: str
    unsigned: Sequence[int] = ()


def chain_names() -> list[str]:
    """Return the names of all chains that have an end or an entry."""
    of_entries = AuditEntry.objects.order_by().values_list("chain", flat=True).distinct()
    return sorted({*of_entries, *AuditChain.objects.values_list("name", flat=True)})


def check_chain(name: str, known: Iterable[ChainEnd] = ()) -> ChainReport:
    """
    Verify a chain from its first entry to its end.

    known
        Earlier ends that were kept outside the database; the chain must still contain them.
    """
    # Read before the entries, so entries that others append in the meantime come after it.
    end = _end_of(name)
    entries = AuditEntry.objects.filter(chain=name)
    unsigned = [entry.pk for entry in entries.waiting().order_by("id").iterator(_BATCH) if not is_signed(entry)]
    problem = _first_problem(name, end, known)
    if not problem and unsigned:
        first = AuditEntry.objects.get(pk=unsigned[0])
        problem = (
            f"{_named(first)} is not in the chain and has no valid signature: Podium did not write it, it was changed, "
            "or the secret key has been replaced"
        )
    return ChainReport(name, end, problem, unsigned)


def _first_problem(name: str, end: ChainEnd, known: Iterable[ChainEnd]) -> str:
    kept: dict[int, set[str]] = defaultdict(set)
    for one in known:
        if one.length:
            kept[one.length].add(one.digest)
    length, digest, last = 0, "", None
    entries = AuditEntry.objects.filter(chain=name).exclude(position=None).order_by("position")
    for batch in _batches(entries.iterator(_BATCH)):
        detached = _detached(batch)
        for entry in batch:
            length, digest = length + 1, digest_after(digest, entry)
            problem = _problem_of(entry, length, digest, detached.get(entry.pk, ""))
            if problem:
                return problem
            if kept.pop(length, {digest}) != {digest}:
                return f"{_named(entry)} differs from the entry that an earlier check saw there"
            last = entry
    return _wrong_end(name, ChainEnd(length, digest), end, max(kept, default=0), last)


def _problem_of(entry: AuditEntry, position: int, digest: str, reference: str) -> str:
    """Return what is wrong with the entry at a position, which should have this digest."""
    if entry.position != position:
        missing = (entry.position or 0) - position
        return f"before {_named(entry)}, {_entries(missing)} missing: deleted, or moved to another chain"
    if entry.digest != digest:
        return f"{_named(entry)} was changed, or another entry was put in its place"
    if entry.is_about_account != (entry.chain == ACCOUNTS):
        return f"{_named(entry)} was moved between the entries about accounts and the others"
    if reference:
        return f"{_named(entry)} was changed: it does not refer to the {reference} that it was written about"
    return ""


def _wrong_end(name: str, reached: ChainEnd, end: ChainEnd, seen: int, last: AuditEntry | None) -> str:
    after = f"after {_named(last)}" if last is not None else "at the start"
    if reached.length < end.length:
        return f"{after}, the last {_entries(end.length - reached.length)} missing"
    if seen > reached.length:
        return f"{after}, the last {_entries(seen - reached.length)} missing, which an earlier check saw"
    if reached.length == end.length and reached.digest != end.digest:
        return f"the stored end of the chain does not match {_named(last)}" if last else "the stored end was changed"
    if reached.length > end.length and (newer := _end_of(name)).length < reached.length:
        return f"{_entries(reached.length - newer.length)} beyond the stored end; the last is {_named(last)}"
    return ""


def _end_of(name: str) -> ChainEnd:
    end = AuditChain.objects.filter(name=name).first()
    return ChainEnd(end.length, end.digest) if end is not None else ChainEnd(0, "")


def _detached(entries: Sequence[AuditEntry]) -> dict[int, str]:
    """Return entries whose reference has changed, or is empty although its object exists: id -> name of the
    reference."""
    wrong: dict[int, str] = {}
    for name in (*REFERENCES, "community"):
        kept = {entry.pk: (entry.ids or {}).get(name) for entry in entries}
        now = {entry.pk: getattr(entry, f"{name}_id") for entry in entries}
        emptied = {kept[pk] for pk in kept if now[pk] is None and kept[pk] is not None}
        existing = _existing(name, emptied)
        for entry in entries:
            pk, was, is_now = entry.pk, kept[entry.pk], now[entry.pk]
            if name == "community" and was is None:
                continue  # an entry from before communities: the update that introduced them set its community
            if is_now != was if is_now is not None else was in existing and existing[was] <= entry.at:
                wrong.setdefault(pk, name)
    return wrong


def _existing(name: str, ids: AbstractSet[Any]) -> dict[Any, datetime]:
    """Return the objects among these that exist, each with the time of its creation or an earlier time."""
    found = apps.get_model(_MODELS[name])._base_manager.filter(pk__in=ids)
    if name == "community":
        # A new community can have the slug of a deleted one.
        return dict(found.values_list("pk", "created_at"))
    # Other ids are never reused, so an object with the id is the one that the entry refers to.
    return dict.fromkeys(found.values_list("pk", flat=True), datetime.min.replace(tzinfo=UTC))


def _batches(entries: Iterator[AuditEntry]) -> Iterator[list[AuditEntry]]:
    while batch := list(islice(entries, _BATCH)):
        yield batch


def _entries(count: int) -> str:
    return f"{count:,} entries are" if count != 1 else "1 entry is"


def _named(entry: AuditEntry | None) -> str:
    if entry is None:
        return "no entry"
    place = f" at position {entry.position:,}" if entry.position is not None else ""
    return f"entry {entry.pk}{place} ({entry.action}, {entry.subject}, {entry.at:%Y-%m-%d %H:%M} UTC)"
