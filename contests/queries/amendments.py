"""What was changed in a contest after it counted: for everybody to read, when, what and why, but not by whom."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

    from contests.models import AuditEntry, Contest

#: What the ratings depend on.
RATED_BY = ("ends_at", "weight", "perf_ceiling", "is_rated")
#: How the fields are called in sentences.
WORDS = {
    "name": "the name",
    "url": "the web page",
    "starts_at": "the start",
    "ends_at": "the end",
    "weight": "the weight",
    "perf_ceiling": "the performance ceiling",
    "is_rated": "whether it is rated",
    "rating_lower_limit": "the lower rating limit",
    "rating_upper_limit": "the upper rating limit",
    "is_announced": "whether it is announced",
}
MOST_SHOWN = 20
_OF_ROWS = ("standing.correct", "standing.add", "standing.remove")

#: (what, before, after)
Difference = tuple[str, object, object]


@dataclass(frozen=True, slots=True)
class Amendment:
    """
    One change of a contest that counted.

    handle
        Whose row it was, empty if it was about the contest.
    """

    at: datetime
    handle: str
    differences: list[Difference]
    reason: str


def amendments_of(contest: Contest) -> list[Amendment]:
    """Return the newest amendments, in one query; in none if there is none."""
    if contest.amended_at is None or contest.finalized_at is None:
        return []
    entries = contest.audit_entries.filter(action__in=[*_OF_ROWS, "contest.describe"], at__gte=contest.finalized_at)
    told = [_told(entry) for entry in entries.order_by("-at", "-id")[:MOST_SHOWN]]
    return [amendment for amendment in told if amendment.differences]


def differences_of(entry: AuditEntry) -> list[Difference]:
    """Return what an entry's change made different, in words; nothing for changes of other kinds."""
    before, after = entry.before, entry.after
    if entry.action in _OF_ROWS:
        before, after = next(iter(before.values()), {}), next(iter(after.values()), {})
        names = dict.fromkeys([*before, *after])
        return [(name, before.get(name), after.get(name)) for name in names if before.get(name) != after.get(name)]
    if entry.action == "contest.describe":
        return [
            (WORDS[name].removeprefix("the "), before.get(name), value)
            for name, value in after.items()
            if name in WORDS
        ]
    return []


def _told(entry: AuditEntry) -> Amendment:
    if entry.action in _OF_ROWS:
        handle = next(iter({**entry.before, **entry.after}), "")
        return Amendment(entry.at, handle, differences_of(entry), entry.reason)
    rated = {WORDS[name].removeprefix("the ") for name in RATED_BY}
    differences = [difference for difference in differences_of(entry) if difference[0] in rated]
    return Amendment(entry.at, "", differences, entry.reason)
