"""Create, fill, finalize, delete and restore contests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.text import slugify
from django.utils.translation import gettext, gettext_lazy

from contests.bulk import analyze_after_commit, update_rows
from contests.errors import ContestError
from contests.models import Contest, ContestState, Series, Standing, StandingStatus, Upload
from contests.providers import ineligible_players
from contests.services.audit import record
from contests.services.describing import ContestDescription, check_description, description_as_json
from contests.services.games import (
    delete_games,
    discard_games,
    finalize_games,
    move_merged_in_games,
    refresh_event,
    restore_games,
)
from contests.services.quotas import check_contests, check_players
from contests.services.standings import PlayerRegister, ranks_of, write_standings
from contests.services.transactions import (
    announce,
    check_version,
    lock_players_shared,
    locked_contest,
    retried,
    save_change,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from django.contrib.auth.models import User

    from contests.formats import ParsedContest


ALL_OUTSIDE = gettext_lazy("All ranked participants of “{}” are outside its rating limits. Widen or remove the limits.")


@transaction.atomic
def create_contest(
    series_id: int, *, description: ContestDescription, slug: str = "", actor: User | None = None
) -> Contest:
    """Create a draft without standings; derive the slug from the name if it is empty."""
    series = Series.objects.get(pk=series_id)
    check_contests(series.community_id, actor)
    slug = slug or free_slug(series, description.name)
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
    corrections: Sequence[str] = (),
) -> Contest:
    """
    Replace the standings of a draft; saving the same rows again changes nothing.

    register
        A register with the organizer's decisions about players, if any.
    version
        The version of the contest that the organizer saw.
    corrections
        The organizer's corrections of rows of the file, in words for the audit entry.
    """
    lock_players_shared()
    contest = locked_draft(contest_id, version)
    register = register or PlayerRegister(contest.series.community_id)
    digest = register.digest(parsed.standings)
    is_same = contest.content_hash == digest and contest.has_times == parsed.has_times
    if is_same and contest.standing_count and _are_stored(contest, parsed, register):
        if upload is not None and contest.upload_id != upload.pk:
            # The review of the other file looks for the contest that was saved from it.
            contest.upload = upload
            contest.save(update_fields=["upload"])
        return contest
    before = {"standings": contest.standing_count}
    contest.standings.all().delete()
    if contest.is_event:
        discard_games(contest)
        contest.is_event, contest.game_count, contest.is_rated = False, 0, True
    write_standings(contest, parsed, register)
    if register.created:
        check_players(contest.series.community_id, actor)
    analyze_after_commit(len(parsed.standings))
    contest.content_hash, contest.upload = digest, upload
    contest.standing_count, contest.has_teams = len(parsed.standings), parsed.has_teams
    contest.has_shares, contest.has_handicaps = parsed.has_shares, parsed.has_handicaps
    contest.has_times = parsed.has_times
    save_change(
        contest, "content_hash", "upload", "standing_count", "has_teams", "has_shares", "has_handicaps", "has_times",
        "is_event", "game_count", "is_rated",
    )  # fmt: skip
    after = {
        "standings": contest.standing_count,
        "new_players": register.created,
        "file": upload.filename if upload else "",
        **({"corrections": list(corrections)} if corrections else {}),
    }
    record(
        "contest.standings", subject=f"contest {contest.slug}", contest=contest, actor=actor, before=before, after=after
    )
    return contest


def _are_stored(contest: Contest, parsed: ParsedContest, register: PlayerRegister) -> bool:
    """Whether the contest has these rows for these players; a handle may mean another player by now."""
    ids = register.find(parsed.standings)
    rows = {
        ids.get(register.key(s.handle)): (s.place, s.score, s.team, s.status, s.share, s.handicap)
        for s in parsed.standings
    }
    stored = contest.standings.values_list("player_id", "place", "score", "team", "status", "share", "handicap")
    return rows == {player: tuple(values) for player, *values in stored}


def insert_contest(series: Series, slug: str, description: ContestDescription, **more: object) -> Contest:
    """Insert a contest; ContestError if its slug is taken or its description is invalid."""
    check_description(description)
    fields = {field: getattr(description, field) for field in ContestDescription.__slots__}
    try:
        with transaction.atomic():
            return Contest.objects.create(series=series, slug=slug, **fields, **more)
    except IntegrityError as error:
        raise ContestError(
            gettext(
                "Series “%(slug)s” already has a contest “%(contest)s”. Delete that contest first, or choose another "
                "ID."
            )
            % {"slug": series.slug, "contest": slug}
        ) from error


def locked_draft(contest_id: int, version: int | None) -> Contest:
    """Return a draft, locked; ContestError if it is finalized, ChangedMeanwhile if it has another version."""
    contest = locked_contest(contest_id, version=version)
    if not contest.is_draft:
        raise ContestError(
            gettext(
                "“%(name)s” is finalized. Correct individual rows, or delete the contest and upload the standings "
                "again."
            )
            % {"name": contest.name}
        )
    return contest


def free_slug(series: Series, name: str) -> str:
    """Return an ID made from the name that no contest of the series has."""
    base = slugify(name, allow_unicode=True)[:100] or "contest"
    taken = set(series.contests.existing().filter(slug__startswith=base).values_list("slug", flat=True))
    return next(slug for slug in (base, *(f"{base}-{n}" for n in range(2, len(taken) + 3))) if slug not in taken)


@retried
@transaction.atomic
def finalize_contest(contest_id: int, *, version: int | None = None, actor: User | None = None) -> Contest:
    """
    Finalize a draft. Finalizing a finalized contest changes nothing, so the request can be repeated.

    If the series needs a second person, the first request is recorded and the contest stays a draft; ContestError if
    the same person asks again. Commands have no actor and need no second person.
    """
    lock_players_shared()
    contest = locked_contest(contest_id)
    if contest.is_finalized:
        return contest
    check_version(contest, version)
    _check_complete(contest)
    _move_merged(contest)
    if needs_second_person(contest, actor):
        return _ask(contest, actor)
    excluded = _decide_eligibility(contest)
    contest.state, contest.finalized_at = ContestState.FINALIZED, timezone.now()
    save_change(contest, "state", "finalized_at")
    after, since = {}, None
    if contest.is_event:
        after["games"], since = finalize_games(contest, contest.finalized_at)
    else:
        after = {"ranked": contest.standings.ranked().count()} | ({"ineligible": excluded} if excluded else {})
    record("contest.finalize", subject=f"contest {contest.slug}", contest=contest, actor=actor, after=after)
    announce(contest, cause=f"Finalized {contest.name}", actor=actor, since=since)
    return contest


def _check_complete(contest: Contest) -> None:
    """Raise ContestError if a draft has nothing to rate, or is part of an event that is still a draft."""
    if contest.is_event and not contest.games.existing().exists():
        raise ContestError(
            gettext("“%(name)s” has no games yet. Upload them before you finalize it.") % {"name": contest.name}
        )
    if contest.event is not None and contest.event.is_draft:
        raise ContestError(
            gettext("“%(name)s” belongs to “%(other)s”. Finalize that event with its games.")
            % {"name": contest.name, "other": contest.event.name}
        )
    if not contest.is_event and not contest.standings.ranked().exists():
        raise ContestError(
            gettext("“%(name)s” has no ranked participants yet. Upload its standings before you finalize it.")
            % {"name": contest.name}
        )


def needs_second_person(contest: Contest, actor: User | None) -> bool:
    """Whether this person can only ask for finalizing, because the series needs a second person."""
    return contest.series.needs_approval and actor is not None and contest.asked_by_id in (None, actor.pk)


@transaction.atomic
def delete_contest(contest_id: int, *, reason: str, version: int | None = None, actor: User | None = None) -> Contest:
    """
    Delete a contest from its series; ratings are computed as if it had never taken place.

    The row and its standings stay, marked as deleted, because earlier runs show them and the contest can be restored.
    Another contest may take its slug.
    """
    contest = locked_contest(contest_id, version=version)
    before = {"state": contest.state, "name": contest.name, "standings": contest.standing_count}
    counted = contest.is_finalized
    if counted and not reason.strip():
        raise ContestError(
            gettext("“%(name)s” has been rated; give the reason for deleting it.") % {"name": contest.name}
        )
    contest.state = ContestState.DELETED
    save_change(contest, "state")
    since = None
    if contest.is_event:
        before["games"], since = delete_games(contest)
    record(
        "contest.delete", subject=f"contest {contest.slug}", contest=contest, actor=actor, reason=reason, before=before
    )
    if contest.event_id is not None:
        refresh_event(contest.event_id)
    if counted:
        announce(contest, cause=f"Deleted {contest.name}: {reason}", actor=actor, since=since)
    return contest


@transaction.atomic
def restore_contest(contest_id: int, *, reason: str, actor: User | None = None) -> Contest:
    """
    Restore a deleted contest to its earlier state, finalized or draft.

    ContestError if another contest has taken its slug, or if two of its players have been merged since.
    """
    lock_players_shared()
    contest = locked_contest(contest_id, among=Contest.objects.filter(state=ContestState.DELETED))
    counts = contest.finalized_at is not None
    if counts and not reason.strip():
        raise ContestError(
            gettext("“%(name)s” would be rated again; give the reason for restoring it.") % {"name": contest.name}
        )
    if contest.event is not None and contest.event.state == ContestState.DELETED:
        raise ContestError(
            gettext("“%(name)s” belongs to “%(other)s”, which is deleted. Restore that event.")
            % {"name": contest.name, "other": contest.event.name}
        )
    _move_merged(contest)
    contest.state = ContestState.FINALIZED if counts else ContestState.DRAFT
    try:
        with transaction.atomic():
            save_change(contest, "state")
    except IntegrityError as error:
        raise ContestError(
            gettext("Series “%(slug)s” now has another contest “%(contest)s”. Delete that contest first.")
            % {"slug": contest.series.slug, "contest": contest.slug}
        ) from error
    since = restore_games(contest)[1] if contest.is_event else None
    record("contest.restore", subject=f"contest {contest.slug}", contest=contest, actor=actor, reason=reason)
    if contest.event_id is not None:
        refresh_event(contest.event_id)
    if counts:
        announce(contest, cause=f"Restored {contest.name}: {reason}", actor=actor, since=since)
    return contest


def already_asked(contest: Contest) -> str:
    """Return the answer to someone who asks a second time for a contest to be finalized."""
    text = gettext(
        "You have already asked for “%(name)s” to be finalized. In “%(other)s”, another organizer has to finalize it."
    )
    return text % {"name": contest.name, "other": contest.series.name}


def _ask(contest: Contest, actor: User | None) -> Contest:
    if contest.asked_by_id is not None:
        raise ContestError(already_asked(contest))
    save_change(contest)
    contest.asked_by, contest.asked_at = actor, timezone.now()
    contest.save(update_fields=["asked_by", "asked_at"])
    record("contest.ask", subject=f"contest {contest.slug}", contest=contest, actor=actor)
    return contest


def _decide_eligibility(contest: Contest) -> int:
    """Mark ranked players outside the rating limits as not ranked; return their number."""
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
    """Move the rows of merged players to the players they were merged into."""
    if contest.is_event:
        move_merged_in_games(contest)
        return
    rows = list(contest.standings.exclude(player__merged_into=None).select_related("player__merged_into"))
    present = set(contest.standings.values_list("player", flat=True)) if rows else set()
    for row in rows:
        kept = row.player.merged_into
        if kept is None:
            continue
        if kept.pk in present:
            problem = (
                gettext(
                    "“%(handle)s” has been merged into “%(other)s”, but “%(name)s” contains both. Keep only one of the "
                    "two rows, or split the two players first."
                )
                if contest.is_draft
                else gettext(
                    "“%(handle)s” has been merged into “%(other)s”, but “%(name)s” contains both. Split the two "
                    "players first."
                )
            )
            raise ContestError(problem % {"handle": row.player.handle, "other": kept.handle, "name": contest.name})
        present.add(kept.pk)
        row.player = kept
        row.save(update_fields=["player"])
