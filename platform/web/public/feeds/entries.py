"""What feeds and calendars say of contests: the same contests, moments and words in both."""

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

#: What XML 1.0 cannot hold (section 2.2), control characters that no reader shows (RFC 5545 forbids them too), and
#: those that turn the direction of the text around them: feeds have no way to keep a name apart, as pages do.
_UNREADABLE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]"
)
_BREAKS = re.compile(r"[\t\r\n\u2028\u2029]+")


@dataclass(frozen=True, slots=True)
class Entry:
    """A contest as feeds tell of it; `updated` is the moment of its last change."""

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
        """Return in a few sentences what is known of the results, as plain text."""
        contest = self.contest
        if not contest.is_finalized:
            return _("Announced; results are not in yet.")
        people = ngettext("%(count)s participant.", "%(count)s participants.", contest.standing_count)
        said = [self._winner(), people % {"count": contest.standing_count}]
        if not contest.is_rated:
            said.append(_("Unrated."))
        if contest.amended_at is not None:
            said.append(_("Results were amended on %(day)s.") % {"day": f"{contest.amended_at:%Y-%m-%d}"})
        return " ".join(part for part in said if part)

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
    """Return ids of the contests whose results were finalized last, of one series or all public ones; one query."""
    contests = _of(series).public().order_by("-finalized_at", "-ends_at", "-id")
    return list(contests.values_list("pk", flat=True)[:most])


def calendar_contests(series: Series | None, most_past: int) -> list[int]:
    """
    Return ids of what belongs into a calendar: all that is announced, and the newest of what was finalized.

    series
        One series, which must be public; None for all public ones.
    """
    announced = _of(series).filter(state=ContestState.DRAFT, is_announced=True, series__is_public=True)
    past = _of(series).public().newest_first().values_list("pk", flat=True)
    return [*announced.order_by("-ends_at", "-id").values_list("pk", flat=True)[:most_past], *past[:most_past]]


def entries_of(contest_ids: list[int]) -> list[Entry]:
    """Return what is told of these contests, in their order; two queries."""
    changes = AuditEntry.objects.filter(contest=OuterRef("pk")).order_by("-id")
    contests = Contest.objects.select_related("series").annotate(changed_at=Subquery(changes.values("at")[:1]))
    found = contests.in_bulk(contest_ids)
    listed = [found[pk] for pk in contest_ids if pk in found]
    winners = winners_of([contest for contest in listed if contest.is_finalized])
    return [Entry(contest, winners.get(contest.pk), _updated(contest)) for contest in listed]


def last_change() -> AuditEntry | None:
    """Return the newest entry of the history: whatever a feed tells of, a change of it has written one."""
    return AuditEntry.objects.order_by("-id").first()


def one_line(text: str) -> str:
    """Return a text that somebody gave as one line of what every reader can take."""
    return _BREAKS.sub(" ", _UNREADABLE.sub("", text)).strip()


def days_of(contest: Contest) -> tuple[datetime, datetime] | None:
    """
    Return first and last day, the last one included, of a contest whose moments are days: midnight is how files say
    a day without a time. None for a contest with a time of day.
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
