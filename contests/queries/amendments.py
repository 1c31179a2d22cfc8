"""Public amendments: changes of a contest after it was finalized, with time and reason but without the author."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.db.models import Q
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext, gettext_lazy, pgettext_lazy

from contests.models import Role, StandingStatus, Visibility
from contests.wording import clock

if TYPE_CHECKING:
    from datetime import datetime

    from contests.models import AuditEntry, Contest

#: The fields that all ratings depend on; see `contests.services.describing.rated_by`.
RATED_BY = ("ends_at", "weight", "perf_ceiling", "is_rated")
#: The fields of a contest whose changes visitors see.
_SHOWN = (*RATED_BY, "starts_at", "is_walkover")
#: The names of fields in sentences.
WORDS = {
    "name": gettext_lazy("the name"),
    "url": gettext_lazy("the web page"),
    "starts_at": gettext_lazy("the start"),
    "ends_at": gettext_lazy("the end"),
    "weight": gettext_lazy("the weight"),
    "perf_ceiling": gettext_lazy("the performance ceiling"),
    "is_rated": gettext_lazy("whether it is rated"),
    "rating_lower_limit": gettext_lazy("the lower rating limit"),
    "rating_upper_limit": gettext_lazy("the upper rating limit"),
    "is_announced": gettext_lazy("whether it is announced"),
    "is_walkover": gettext_lazy("whether it was played"),
}
#: The names of fields as labels.
FIELDS = {
    "name": gettext_lazy("name"),
    "url": gettext_lazy("web page"),
    "starts_at": gettext_lazy("start"),
    "ends_at": gettext_lazy("end"),
    "weight": gettext_lazy("weight"),
    "perf_ceiling": gettext_lazy("performance ceiling"),
    "is_rated": gettext_lazy("rated"),
    "rating_lower_limit": gettext_lazy("lower rating limit"),
    "rating_upper_limit": gettext_lazy("upper rating limit"),
    "is_announced": gettext_lazy("announced"),
    "is_walkover": gettext_lazy("awarded without play"),
}
#: The names of the fields of a row.
_ROW_FIELDS = {
    "place": gettext_lazy("place"),
    "rank": gettext_lazy("rank"),
    "score": gettext_lazy("score"),
    "status": gettext_lazy("status"),
    "share": gettext_lazy("share played"),
    "handicap": gettext_lazy("handicap"),
    "penalty": gettext_lazy("penalty"),
    "time": pgettext_lazy("of a race", "time"),
}
#: The names of the settings of series and communities, without their descriptions, which are long.
_SETTINGS = {
    "name": gettext_lazy("name"),
    "visibility": gettext_lazy("visibility"),
    "public": gettext_lazy("public"),
    "needs_approval": gettext_lazy("confirmation by a second organizer"),
    "takes_reports": gettext_lazy("game reports by players"),
    "website": gettext_lazy("website"),
    "accent": gettext_lazy("accent colour"),
    "licence": gettext_lazy("licence"),
    "names_first": gettext_lazy("real names shown first"),
}
MOST_SHOWN = 20
_OF_ROWS = ("standing.correct", "standing.add", "standing.remove")

#: (what, before, after)
Difference = tuple[str, object, object]


@dataclass(frozen=True, slots=True)
class Amendment:
    """
    A change of a finalized contest.

    handle
        The handle in the changed row; empty for a change of the contest itself.
    result
        For a row that was added or removed, its place or status in words; `differences` is empty then.
    """

    at: datetime
    handle: str
    differences: list[Difference]
    reason: str
    result: str = ""
    is_added: bool = False


def amendments_of(contest: Contest) -> list[Amendment]:
    """Return the newest amendments, with at most one query."""
    if contest.amended_at is None or contest.finalized_at is None:
        return []
    is_shown = Q(action__in=_OF_ROWS) | Q(action="contest.describe", after__has_any_keys=_SHOWN)
    entries = contest.audit_entries.filter(is_shown, at__gte=contest.finalized_at)
    found = [_amendment(entry) for entry in entries.order_by("-at", "-id")[:MOST_SHOWN]]
    return [amendment for amendment in found if amendment.differences or amendment.result]


def differences_of(entry: AuditEntry) -> list[Difference]:
    """Return the values that an entry changed, by their names in words; none for other kinds of entries."""
    before, after = entry.before, entry.after
    if entry.action in _OF_ROWS:
        before, after = next(iter(before.values()), {}), next(iter(after.values()), {})
        names = dict.fromkeys([*before, *after])
        return [
            (str(_ROW_FIELDS.get(name, name)), _row_value(name, before.get(name)), _row_value(name, after.get(name)))
            for name in names
            if before.get(name) != after.get(name)
        ]
    if entry.action == "contest.describe":
        return [
            (str(FIELDS[name]), _described(name, before.get(name)), _described(name, value))
            for name, value in after.items()
            if name in FIELDS
        ]
    if entry.action in ("series.describe", "community.describe"):
        return [
            (str(label), _setting(name, before.get(name)), _setting(name, after[name]))
            for name, label in _SETTINGS.items()
            if name in after and before.get(name) != after[name]
        ]
    if entry.action == "member.role":
        return [(gettext("role"), _role(before.get("role")), _role(after.get("role")))]
    return []


def _described(name: str, value: object) -> object:
    """Return a value of a description; parse moments, which JSON stores as texts."""
    return parse_datetime(value) or value if name in ("starts_at", "ends_at") and isinstance(value, str) else value


def _setting(name: str, value: object) -> object:
    """Return the value of a setting; a visibility in words."""
    return Visibility(value).label if name == "visibility" and value in Visibility.values else value


def _role(role: object) -> object:
    return Role(role).label if role in Role.values else role


def _row_value(name: str, value: object) -> object:
    """Return a value of a row; a status in words, and a time as tables show it."""
    if name == "time" and isinstance(value, (int, float)):
        return clock(value)
    return StandingStatus(value).label if value in StandingStatus.values else value


def _amendment(entry: AuditEntry) -> Amendment:
    if entry.action in _OF_ROWS:
        return _row_amendment(entry)
    shown = {str(FIELDS[name]) for name in _SHOWN}
    differences = [difference for difference in differences_of(entry) if difference[0] in shown]
    return Amendment(entry.at, "", differences, entry.reason)


def _row_amendment(entry: AuditEntry) -> Amendment:
    """Describe the change of a row as visitors see it: with the place in the standings, not the one entered."""
    handle = next(iter({**entry.before, **entry.after}), "")
    before: dict[str, object] = next(iter(entry.before.values()), {})
    after: dict[str, object] = next(iter(entry.after.values()), {})
    if not before or not after:
        return Amendment(entry.at, handle, [], entry.reason, _in_words(_result(before or after)), is_added=not before)
    values = [_change_of_result(_result(before), _result(after))]
    values += [
        (str(_ROW_FIELDS[name]), _row_value(name, before.get(name)), _row_value(name, after.get(name)))
        for name in ("score", "penalty", "time", "share", "handicap")
    ]
    return Amendment(entry.at, handle, [value for value in values if value[1] != value[2]], entry.reason)


def _change_of_result(before: object, after: object) -> Difference:
    """Return a change of the place, or from or to a status; the latter needs no name: “disqualified → place 1”."""
    if isinstance(before, str) or isinstance(after, str):
        return "", _in_words(before), _in_words(after)
    return gettext("place"), before, after


def _in_words(result: object) -> str:
    return result if isinstance(result, str) else gettext("place %(place)s") % {"place": result}


def _result(row: dict[str, object]) -> object:
    """Return the place of a row in the standings or, without one, its status in words."""
    rank = row.get("rank")
    return rank if rank is not None else str(_row_value("status", row.get("status")))
