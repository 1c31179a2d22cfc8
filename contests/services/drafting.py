"""Contests before they count: created, described, and given their standings; descriptions also later."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.text import slugify

from contests.errors import ContestError
from contests.models import Contest, Series, Upload
from contests.queries.amendments import RATED_BY, WORDS
from contests.services.audit import record
from contests.services.finalizing import announce
from contests.services.locking import lock_players_shared, locked_contest, retried, save_change
from contests.services.players import PlayerRegister
from contests.services.standings import content_hash, write_standings
from contests.table_statistics import analyze_after_commit

if TYPE_CHECKING:
    from datetime import datetime

    from django.contrib.auth.models import User

    from contests.formats import ParsedContest

#: As the database's constraint has it.
GREATEST_WEIGHT = 1000


@dataclass(frozen=True, slots=True)
class ContestDescription:
    """
    What is said of a contest apart from its standings; times are aware UTC.

    is_announced
        Of a draft, whether everybody may see its name, dates and address; of what is finalized it says nothing.
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


@transaction.atomic
def create_contest(
    series_id: int, *, description: ContestDescription, slug: str = "", actor: User | None = None
) -> Contest:
    """Create a draft without standings; without a slug it gets one from its name."""
    series = Series.objects.get(pk=series_id)
    slug = slug or _free_slug(series, description.name)
    contest = insert_contest(series, slug, description)
    record(
        "contest.create",
        subject=f"contest {slug}",
        contest=contest,
        actor=actor,
        after=description_as_json(description),
    )
    return contest


@retried
@transaction.atomic
def save_standings(
    contest_id: int,
    *,
    parsed: ParsedContest,
    upload: Upload | None = None,
    register: PlayerRegister | None = None,
    version: int | None = None,
    actor: User | None = None,
) -> Contest:
    """
    Give a draft these standings in place of any it had; the same rows a second time change nothing.

    register
        Who is meant by which handle, where an organizer has decided it.
    version
        Of the contest that the organizer looked at.
    """
    lock_players_shared()
    contest = _draft(contest_id, version)
    register = register or PlayerRegister()
    digest = content_hash(parsed.standings, register)
    if contest.content_hash == digest and contest.standing_count and _are_stored(contest, parsed, register):
        return contest
    before = {"standings": contest.standing_count}
    contest.standings.all().delete()
    write_standings(contest, parsed, register)
    analyze_after_commit(len(parsed.standings))
    contest.content_hash, contest.upload = digest, upload
    contest.standing_count, contest.has_teams = len(parsed.standings), parsed.has_teams
    save_change(contest, "content_hash", "upload", "standing_count", "has_teams")
    after = {
        "standings": contest.standing_count,
        "new_players": register.created,
        "file": upload.filename if upload else "",
    }
    record(
        "contest.standings", subject=f"contest {contest.slug}", contest=contest, actor=actor, before=before, after=after
    )
    return contest


def _are_stored(contest: Contest, parsed: ParsedContest, register: PlayerRegister) -> bool:
    """Whether these rows are the contest's, of these players: the same handle may mean somebody else by now."""
    ids = register.find(parsed.standings)
    rows = {ids.get(register.key(s.handle)): (s.place, s.score, s.team, s.status) for s in parsed.standings}
    stored = contest.standings.values_list("player_id", "place", "score", "team", "status")
    return rows == {player: tuple(said) for player, *said in stored}


def insert_contest(series: Series, slug: str, description: ContestDescription, **more: object) -> Contest:
    """Insert one row; says so in words when the slug is taken or the times are the wrong way round."""
    check_description(description)
    fields = {field: getattr(description, field) for field in ContestDescription.__slots__}
    try:
        with transaction.atomic():
            return Contest.objects.create(series=series, slug=slug, **fields, **more)
    except IntegrityError as error:
        raise ContestError(
            f"Series “{series.slug}” has a contest “{slug}” already; delete that one first or choose another id."
        ) from error


def check_description(description: ContestDescription) -> None:
    """Refuse a contest that ends before it starts, and numbers that nothing can be rated with."""
    if not 0 < description.weight <= GREATEST_WEIGHT:
        raise ContestError(
            f"The weight of “{description.name}” must be above 0 and at most {GREATEST_WEIGHT:,}, "
            f"not {description.weight:g}."
        )
    if description.perf_ceiling is not None and not math.isfinite(description.perf_ceiling):
        raise ContestError(
            f"The performance ceiling of “{description.name}” must be a number of points, "
            f"not {description.perf_ceiling:g}; leave it out if there is none."
        )
    lower, upper = description.rating_lower_limit, description.rating_upper_limit
    if lower is not None and upper is not None and lower > upper:
        raise ContestError(
            f"The lower rating limit of “{description.name}”, {lower:,}, is above the upper one, "
            f"{upper:,}; exchange them."
        )
    if description.starts_at is not None and description.starts_at > description.ends_at:
        raise ContestError(
            f"“{description.name}” ends at {description.ends_at:%Y-%m-%d %H:%M} UTC, "
            f"before it starts at {description.starts_at:%Y-%m-%d %H:%M} UTC."
        )


def _draft(contest_id: int, version: int | None) -> Contest:
    contest = locked_contest(contest_id, version=version)
    if not contest.is_draft:
        raise ContestError(
            f"“{contest.name}” is finalized; correct single rows of it, or delete it and upload the standings again."
        )
    return contest


def _free_slug(series: Series, name: str) -> str:
    base = slugify(name, allow_unicode=True)[:100] or "contest"
    taken = set(series.contests.existing().filter(slug__startswith=base).values_list("slug", flat=True))
    return next(slug for slug in (base, *(f"{base}-{n}" for n in range(2, len(taken) + 3))) if slug not in taken)


def description_as_json(description: ContestDescription | Contest) -> dict[str, object]:
    """Return what is said of a contest, field by field."""
    return {field: getattr(description, field) for field in ContestDescription.__slots__}


#: Decided once, when the contest is finalized.
LIMITS = ("rating_lower_limit", "rating_upper_limit")


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
    Apply a description to a contest; what is unchanged has no effect.

    Of a finalized contest, a change needs a reason, and one of weight, ceiling, end or whether it is rated rates the
    series again. Its rating limits stay: who was eligible was decided when it was finalized.
    """
    contest = locked_contest(contest_id, version=version)
    check_description(description)
    before, after = description_as_json(contest), description_as_json(description)
    changed = [field for field, value in after.items() if before[field] != value]
    if not changed:
        return contest
    if contest.is_finalized:
        _check_finalized(contest, changed, reason)
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
    if moves_ratings:
        what = " and ".join(WORDS[field] for field in changed if field in RATED_BY)
        announce(contest, cause=f"Changed {what} of {contest.name}: {reason}", actor=actor, since=earlier)
    return contest


def rates_again(contest: Contest, description: ContestDescription) -> bool:
    """Whether ratings follow from what the description says otherwise."""
    if not contest.is_finalized:
        return False
    if not (contest.is_rated or description.is_rated):
        # It may have been rated a moment ago, and its ratings still be published: they would be looked for in vain.
        return contest.ends_at != description.ends_at
    return any(getattr(contest, field) != getattr(description, field) for field in RATED_BY)


def _check_finalized(contest: Contest, changed: list[str], reason: str) -> None:
    if set(changed) & set(LIMITS):
        raise ContestError(
            f"Who was eligible for “{contest.name}” was decided when it was finalized, and is never decided again: its "
            "rating limits stay. Put single players in or out of competition by correcting their rows."
        )
    if not reason.strip():
        raise ContestError(f"“{contest.name}” counts already; give the reason for changing its description.")
