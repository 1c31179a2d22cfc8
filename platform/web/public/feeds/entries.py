"""The contests in feeds and calendars, with the titles, summaries and times that both use."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from django.db.models import OuterRef, Subquery
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from contests.models import AuditEntry, Contest, ContestState
from contests.queries.winners import winners_of

if TYPE_CHECKING:
    from datetime import datetime

    from contests.models import Series
    from contests.models.contest import ContestQuerySet
    from contests.queries.winners import Winners

#: Characters that XML 1.0 forbids (section 2.2), control characters (which RFC 5545 forbids), and bidirectional
#: controls. Feeds cannot isolate a name as pages do, so these controls would reverse the text around it.
_UNREADABLE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]"
)
_BREAKS = re.compile(r"[\t\r\n\u2028\u2029]+")


@dataclass(frozen=True, slots=True)
class Entry:
    """A contest in a feed or calendar; `updated` is the time of its last change."""

    contest: Contest
    winners: Winners | None
    updated: datetime

    @property
    def title(self) -> str:
        return one_line(self.contest.name)

    @property
    def series(self) -> str:
        return one_line(self.contest.series.name)

    def summary(self) -> str:
        """Summarize the results in a few sentences of plain text."""
        contest = self.contest
        if not contest.is_finalized:
            return _("Announced; results are not in yet.")
        people = ngettext("%(count)s participant.", "%(count)s participants.", contest.standing_count)
        sentences = [self._winner(), people % {"count": contest.standing_count}]
        if not contest.is_rated:
            sentences.append(_("Unrated."))
        if contest.amended_at is not None:
            sentences.append(_("Results were amended on %(day)s.") % {"day": f"{contest.amended_at:%Y-%m-%d}"})
        return " ".join(part for part in sentences if part)

    def _winner(self) -> str:
        if self.winners is None:
            return ""
        if self.winners.team:
            return _("Winner: %(name)s.") % {"name": one_line(self.winners.team)}
        names = ", ".join(one_line(player.handle) for player in self.winners.players)
        if self.winners.more:
            return _("Winners: %(names)s and %(more)s more.") % {"names": names, "more": self.winners.more}
        if len(self.winners.players) > 1:
            return _("Winners: %(names)s.") % {"names": names}
        return _("Winner: %(name)s.") % {"name": names}


def newest_results(series: Series | None, most: int) -> list[int]:
    """Return the ids of the latest finalized contests of one series or of all public ones, in one query."""
    contests = _of(series).public().order_by("-finalized_at", "-ends_at", "-id")
    return list(contests.values_list("pk", flat=True)[:most])


def calendar_contests(series: Series | None, most_past: int) -> list[int]:
    """
    Return the ids of the contests in a calendar: the announced ones, and the latest finalized ones.

    series
        A public series, or None for all public ones.
    """
    announced = _of(series).filter(state=ContestState.DRAFT, is_announced=True, series__is_public=True)
    past = _of(series).public().newest_first().values_list("pk", flat=True)
    return [*announced.order_by("-ends_at", "-id").values_list("pk", flat=True)[:most_past], *past[:most_past]]


def entries_of(contest_ids: list[int]) -> list[Entry]:
    """Return the entries of these contests, in the same order, in two queries."""
    changes = AuditEntry.objects.filter(contest=OuterRef("pk")).order_by("-id")
    contests = Contest.objects.select_related("series").annotate(changed_at=Subquery(changes.values("at")[:1]))
    found = contests.in_bulk(contest_ids)
    listed = [found[pk] for pk in contest_ids if pk in found]
    winners = winners_of([contest for contest in listed if contest.is_finalized])
    return [Entry(contest, winners.get(contest.pk), _updated(contest)) for contest in listed]


def last_change() -> AuditEntry | None:
    """Return the newest entry of the audit log; every change that a feed can show adds one."""
    return AuditEntry.objects.order_by("-id").first()


def one_line(text: str) -> str:
    """Return a text as one line, without characters that feed readers reject."""
    return _BREAKS.sub(" ", _UNREADABLE.sub("", text)).strip()


def days_of(contest: Contest) -> tuple[datetime, datetime] | None:
    """
    Return the first and the last day of a contest whose times are days; None for a contest with a time of day.

    Midnight stands for a day without a time, because files that give only a date are read as midnight.
    """
    moments = [moment for moment in (contest.starts_at, contest.ends_at) if moment is not None]
    if any(moment - moment.replace(hour=0, minute=0, second=0, microsecond=0) > timedelta(0) for moment in moments):
        return None
    return moments[0], moments[-1]


def _of(series: Series | None) -> ContestQuerySet:
    return Contest.objects.all() if series is None else Contest.objects.filter(series=series)


def _updated(contest: Contest) -> datetime:
    changed_at: datetime | None = contest.changed_at  # type: ignore[attr-defined]  # annotated by entries_of
    moments = (contest.created_at, contest.finalized_at, contest.amended_at, changed_at)
    return max(moment for moment in moments if moment is not None)
