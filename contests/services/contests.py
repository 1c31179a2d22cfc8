"""Create, describe, fill, finalize, delete and restore contests."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.text import slugify

from contests.bulk import analyze_after_commit, update_rows
from contests.errors import ContestError
from contests.models import Contest, ContestState, Series, Standing, StandingStatus, Upload
from contests.providers import ineligible_players
from contests.queries.amendments import RATED_BY, WORDS
from contests.services.standings import PlayerRegister, content_hash, ranks_of, write_standings
from contests.services.transactions import lock_players_shared, locked_contest, record, retried, save_change
from contests.signals import results_changed

if TYPE_CHECKING:
    from datetime import datetime

    from django.contrib.auth.models import User

    from contests.formats import ParsedContest


#: As the database's constraint has it.
GREATEST_WEIGHT = 1000
ALL_OUTSIDE = "All ranked participants of “{}” are outside its rating limits. Widen or remove the limits."


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


@transaction.atomic
def finalize_contest(contest_id: int, *, version: int | None = None, actor: User | None = None) -> Contest:
    """
    Make a draft count. Finalizing what is final already changes nothing, so the request may come twice.

    Where the series needs a second person, the first one's request is kept and the contest stays a draft; ContestError
    if the same person asks again. Commands, which nobody is the actor of, need no second person.
    """
    contest = locked_contest(contest_id)
    if contest.is_finalized:
        return contest
    contest = locked_contest(contest_id, version=version)
    if not contest.standings.ranked().exists():
        raise ContestError(
            f"“{contest.name}” has no ranked participant yet; upload its standings before finalizing it."
        )
    _move_merged(contest)
    if needs_second_person(contest, actor):
        return _ask(contest, actor)
    excluded = _decide_eligibility(contest)
    contest.state, contest.finalized_at = ContestState.FINALIZED, timezone.now()
    save_change(contest, "state", "finalized_at")
    after = {"ranked": contest.standings.ranked().count()} | ({"ineligible": excluded} if excluded else {})
    record("contest.finalize", subject=f"contest {contest.slug}", contest=contest, actor=actor, after=after)
    announce(contest, cause=f"Finalized {contest.name}", actor=actor)
    return contest


def needs_second_person(contest: Contest, actor: User | None) -> bool:
    """Whether finalizing by this person would only be asking for it."""
    return contest.series.needs_approval and actor is not None and contest.asked_by_id in (None, actor.pk)


@transaction.atomic
def delete_contest(contest_id: int, *, reason: str, version: int | None = None, actor: User | None = None) -> Contest:
    """
    Take a contest out of its series; ratings are computed as if it had never been.

    The row and its standings stay, marked as deleted, because earlier runs show them and it may be restored; its slug
    is free again.
    """
    contest = locked_contest(contest_id, version=version)
    before = {"state": contest.state, "name": contest.name, "standings": contest.standing_count}
    counted = contest.is_finalized
    if counted and not reason.strip():
        raise ContestError(f"“{contest.name}” has been rated; give the reason for deleting it.")
    contest.state = ContestState.DELETED
    save_change(contest, "state")
    record(
        "contest.delete", subject=f"contest {contest.slug}", contest=contest, actor=actor, reason=reason, before=before
    )
    if counted:
        announce(contest, cause=f"Deleted {contest.name}: {reason}", actor=actor)
    return contest


@transaction.atomic
def restore_contest(contest_id: int, *, reason: str, actor: User | None = None) -> Contest:
    """
    Bring a deleted contest back as it was: what was finalized counts again, what was a draft is one.

    ContestError if its id has been taken by another contest, or if two of its players have been merged since.
    """
    lock_players_shared()
    contest = locked_contest(contest_id, among=Contest.objects.filter(state=ContestState.DELETED))
    counts = contest.finalized_at is not None
    if counts and not reason.strip():
        raise ContestError(f"“{contest.name}” would count again; give the reason for restoring it.")
    _move_merged(contest)
    contest.state = ContestState.FINALIZED if counts else ContestState.DRAFT
    try:
        with transaction.atomic():
            save_change(contest, "state")
    except IntegrityError as error:
        raise ContestError(
            f"Series “{contest.series.slug}” has another contest “{contest.slug}” by now; delete that one first."
        ) from error
    record("contest.restore", subject=f"contest {contest.slug}", contest=contest, actor=actor, reason=reason)
    if counts:
        announce(contest, cause=f"Restored {contest.name}: {reason}", actor=actor)
    return contest


def announce(contest: Contest, *, cause: str, actor: User | None, since: datetime | None = None) -> None:
    """
    Tell whoever listens that results from this contest on have changed; nobody, if it is not rated.

    since
        An earlier moment from which on they have; then it is told whether the contest is rated or not.
    """
    if since is None and not contest.is_rated:
        return
    since = since or contest.ends_at
    results_changed.send(sender=Contest, series_id=contest.series_id, since=since, cause=cause, actor=actor)


def _ask(contest: Contest, actor: User | None) -> Contest:
    if contest.asked_by_id is not None:
        raise ContestError(
            f"You have asked for finalizing “{contest.name}” already. In “{contest.series.name}” a second person "
            "has to do it: another of its organizers."
        )
    save_change(contest)
    contest.asked_by, contest.asked_at = actor, timezone.now()
    contest.save(update_fields=["asked_by", "asked_at"])
    record("contest.ask", subject=f"contest {contest.slug}", contest=contest, actor=actor)
    return contest


def _decide_eligibility(contest: Contest) -> int:
    """Put who is outside the rating limits out of competition; return how many these are."""
    if contest.rating_lower_limit is None and contest.rating_upper_limit is None:
        return 0
    excluded = ineligible_players(contest)
    rows = list(contest.standings.order_by("id"))
    for row in rows:
        row.is_ineligible = row.player_id in excluded and row.status == StandingStatus.RANKED
        if row.is_ineligible:
            row.status = StandingStatus.UNOFFICIAL
    if not any(row.status == StandingStatus.RANKED for row in rows):
        raise ContestError(ALL_OUTSIDE.format(contest.name))
    ranks = ranks_of(rows)
    update_rows(
        Standing,
        ("status", "is_ineligible", "rank"),
        [(row.pk, row.status, row.is_ineligible, rank) for row, rank in zip(rows, ranks, strict=True)],
    )
    return sum(row.is_ineligible for row in rows)


def _move_merged(contest: Contest) -> None:
    """Give the rows of players who have been merged since to whom they are now."""
    rows = list(contest.standings.exclude(player__merged_into=None).select_related("player__merged_into"))
    present = set(contest.standings.values_list("player", flat=True)) if rows else set()
    for row in rows:
        kept = row.player.merged_into
        if kept is None:
            continue
        if kept.pk in present:
            remedy = "keep only one of the two rows, or split them first" if contest.is_draft else "split them first"
            raise ContestError(
                f"“{row.player.handle}” has been merged into “{kept.handle}”, and both stand in “{contest.name}”; "
                f"{remedy}."
            )
        present.add(kept.pk)
        row.player = kept
        row.save(update_fields=["player"])
