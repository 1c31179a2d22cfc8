"""Describe a contest: its name, times, weight and limits, but not its standings."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import UTC, time, timedelta
from typing import TYPE_CHECKING

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from contests.errors import ContestError
from contests.providers import duration_counts
from contests.queries.amendments import RATED_BY, WORDS
from contests.services.audit import record
from contests.services.games import refresh_event
from contests.services.transactions import announce, locked_contest, retried, save_change
from contests.wording import day_in_words, grouped, in_a_row, moment_in_words, stored_language

if TYPE_CHECKING:
    from datetime import date, datetime

    from django.contrib.auth.models import User

    from contests.models import Contest

#: The limit of the database constraint.
GREATEST_WEIGHT = 1000
#: The fields of an event that do not follow from its games.
_OF_EVENTS = {"name", "url", "is_announced"}
#: The fields that take effect once, when the contest is finalized.
LIMITS = ("rating_lower_limit", "rating_upper_limit")
#: A day begins this much earlier in the easternmost time zone than in UTC.
_EASTERNMOST = timedelta(hours=14)


@dataclass(frozen=True, slots=True)
class ContestDescription:
    """
    The description of a contest, without its standings; times are aware UTC.

    is_announced
        Whether anyone can see the name, dates and address of a draft; it has no meaning for a finalized contest.
    is_walkover
        Whether this is a game whose result was awarded without play.
    """

    name: str
    ends_at: datetime
    starts_at: datetime | None = None
    url: str = ""
    weight: float = 1.0
    perf_ceiling: float | None = None
    is_rated: bool = True
    rating_lower_limit: int | None = None
    rating_upper_limit: int | None = None
    is_announced: bool = False
    is_walkover: bool = False

    @classmethod
    def of(cls, contest: Contest) -> ContestDescription:
        """Return the description that a contest has."""
        return cls(**description_as_json(contest))  # type: ignore[arg-type]


def check_description(description: ContestDescription) -> None:
    """Reject a contest that ends before it starts, and numbers that are out of range."""
    if not 0 < description.weight <= GREATEST_WEIGHT:
        raise ContestError(
            gettext("The weight of “%(name)s” must be above 0 and at most %(most)s, not %(weight)s.")
            % {
                "name": description.name,
                "most": grouped(GREATEST_WEIGHT),
                "weight": f"{description.weight:g}",
            }
        )
    if description.perf_ceiling is not None and not math.isfinite(description.perf_ceiling):
        raise ContestError(
            gettext(
                "The performance ceiling of “%(name)s” must be a number of points, not %(perf_ceiling)s. "
                "Leave it empty if there is none."
            )
            % {"name": description.name, "perf_ceiling": f"{description.perf_ceiling:g}"}
        )
    lower, upper = description.rating_lower_limit, description.rating_upper_limit
    if lower is not None and upper is not None and lower > upper:
        raise ContestError(
            gettext("The lower rating limit of “%(name)s” (%(lower)s) is above the upper limit (%(upper)s). Swap them.")
            % {"name": description.name, "lower": grouped(lower), "upper": grouped(upper)}
        )
    if description.starts_at is not None and description.starts_at > description.ends_at:
        raise ContestError(
            gettext("“%(name)s” ends at %(ends_at)s, before it starts at %(starts_at)s. Correct one of the two times.")
            % {
                "name": description.name,
                "ends_at": moment_in_words(description.ends_at.astimezone(UTC)),
                "starts_at": moment_in_words(description.starts_at.astimezone(UTC)),
            }
        )


def is_in_future(end: datetime) -> bool:
    """
    Whether this end of a contest is in the future, which is usually a mistyped date.

    Midnight UTC stands for a day without a time; it is in the future until the day begins somewhere on Earth.
    """
    is_day = end.astimezone(UTC).time() == time.min
    return end > timezone.now() + (_EASTERNMOST if is_day else timedelta())


def future_day_warning(day: date) -> str:
    """Return the warning about a game on a day in the future."""
    text = gettext("This day is in the future: %(day)s. Check the date, because Podium rates games in date order.")
    return text % {"day": day_in_words(day)}


def description_as_json(description: ContestDescription | Contest) -> dict[str, object]:
    """Return the description of a contest by field."""
    return {field: getattr(description, field) for field in ContestDescription.__slots__}


@retried
@transaction.atomic
def describe_contest(
    contest_id: int,
    *,
    description: ContestDescription,
    reason: str = "",
    version: int | None = None,
    actor: User | None = None,
) -> Contest:
    """
    Change the description of a contest; unchanged fields have no effect.

    Changes of a finalized contest need a reason. If they change the weight, ceiling, end or whether it is rated, the
    series is rated again. The rating limits cannot change, because they were applied when the contest was finalized.
    """
    contest = locked_contest(contest_id, version=version)
    check_description(description)
    before, after = description_as_json(contest), description_as_json(description)
    changed = [field for field, value in after.items() if before[field] != value]
    if not changed:
        return contest
    if contest.is_finalized:
        _check_finalized(contest, changed, reason)
    if contest.is_event and set(changed) - _OF_EVENTS:
        what = in_a_row([str(WORDS[field]) for field in changed if field not in _OF_EVENTS])
        raise ContestError(
            gettext("“%(name)s” is an event, so change %(what)s in its games instead.")
            % {"name": contest.name, "what": what}
        )
    moves_ratings, earlier = rates_again(contest, description), min(contest.ends_at, description.ends_at)
    for field in changed:
        setattr(contest, field, after[field])
    if moves_ratings:
        contest.amended_at = timezone.now()
    save_change(contest, *changed, "amended_at")
    record(
        "contest.describe", subject=f"contest {contest.slug}", contest=contest, actor=actor, reason=reason,
        before={field: before[field] for field in changed}, after={field: after[field] for field in changed},
    )  # fmt: skip
    if contest.event_id is not None and "ends_at" in changed:
        refresh_event(contest.event_id)
    if moves_ratings:
        with stored_language():
            what = in_a_row([str(WORDS[field]) for field in changed if field in rated_by(contest.series_id)])
        announce(contest, cause=f"Changed {contest.name} ({what}): {reason}", actor=actor, since=earlier)
    return contest


def rates_again(contest: Contest, description: ContestDescription) -> bool:
    """Whether the description changes ratings."""
    if not contest.is_finalized:
        return False
    if not (contest.is_rated or description.is_rated):
        # A published run may still include the contest, and would look for its ratings at the earlier end.
        return contest.ends_at != description.ends_at
    if any(getattr(contest, field) != getattr(description, field) for field in RATED_BY):
        return True
    return contest.starts_at != description.starts_at and "starts_at" in rated_by(contest.series_id)


def rated_by(series_id: int) -> tuple[str, ...]:
    """Return the fields of contests on which the ratings of a series depend: the start only if durations count."""
    return (*RATED_BY, "starts_at") if duration_counts(series_id) else RATED_BY


def _check_finalized(contest: Contest, changed: list[str], reason: str) -> None:
    if set(changed) & set(LIMITS):
        raise ContestError(
            gettext(
                "The rating limits of “%(name)s” were applied when it was finalized and can no longer "
                "change. To change who is ranked, correct individual players’ rows."
            )
            % {"name": contest.name}
        )
    if not reason.strip():
        raise ContestError(
            gettext("“%(name)s” is finalized; give the reason for changing its description.") % {"name": contest.name}
        )
