"""Save a staged file as the standings of a draft, with the organizer's choices: all of it, or nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from contests.errors import ChangedMeanwhile, ContestError
from contests.formats.base import Report
from contests.models import Contest, Player, Series, Upload, UploadState
from contests.services.contests import save_standings
from contests.services.describing import ContestDescription, describe_contest
from contests.services.events import save_games
from contests.services.games import known_games
from contests.services.renaming import add_alias
from contests.services.standings import PlayerRegister
from contests.services.transactions import lock_players_shared, locked_contest, retried
from contests.uploads.correcting import corrections_in_words
from contests.uploads.reading import read_valid
from contests.uploads.review import OTHER_SERIES, players_in_other_series
from contests.uploads.staging import discard_staged, open_content

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from collections.abc import Set as AbstractSet
    from typing import Any

    from django.contrib.auth.models import User

    from contests.formats import ParsedContest, ReadingOptions
    from contests.uploads.staging import Choices, Staged


#: Warnings kept with an upload; all are counted.
KEPT_WARNINGS = 200
#: Corrections of rows listed in the audit entry; the upload keeps all of them.
KEPT_CORRECTIONS = 50


def save_staged(
    staged: Staged, *, choices: Choices, version: int, actor: User, tell: Callable[[str, int], None] | None = None
) -> Contest:
    """
    Save the standings of a staged file in its draft, keep the file, and add the aliases: all of it, or nothing.

    version
        The version of the contest that the organizer saw; ChangedMeanwhile if there is a newer one.
    tell
        Called with a stage ("reading", "saving") and the number of rows read.

    Raises ParseError with the problems of a file that has errors. Afterwards, the file is no longer staged.
    """
    report = Report()
    progress = None if tell is None else lambda rows: tell("reading", rows)
    parsed, options = read_valid(staged, choices, report, progress)
    if tell is not None:
        tell("saving", len(parsed.standings))
    names: list[str] = []
    try:
        contest = _save(staged, choices, parsed, options, report, version=version, actor=actor, stored=names)
    finally:
        # A rollback does not delete files, so delete the files of failed attempts.
        used = set(Upload.objects.filter(file__in=names).values_list("file", flat=True)) if names else set()
        for name in set(names) - used:
            Upload._meta.get_field("file").storage.delete(name)
    discard_staged(staged.token)
    return contest


@retried
@transaction.atomic(durable=True)
def _save(
    staged: Staged, choices: Choices, parsed: ParsedContest, options: ReadingOptions | None, report: Report, *,
    version: int, actor: User, stored: list[str],
) -> Contest:  # fmt: skip
    # Lock the contest before its players, as everyone does, to avoid deadlocks.
    lock_players_shared()
    series = locked_contest(staged.contest_id, version=version).series
    decided = _resolved(choices, series.community_id)
    corrections = corrections_in_words(staged, choices)[:KEPT_CORRECTIONS]
    upload = _keep_upload(staged, choices, options, report, actor, stored)
    register = PlayerRegister(series.community_id, decided)
    present = {register.key(standing.handle) for standing in parsed.standings} if decided else set()
    _add_aliases(choices, decided, present, None if series.is_public else series.pk, actor)
    if parsed.games:
        games = new_games(staged, parsed, register)
        return save_games(
            staged.contest_id, games=games, upload=upload, register=register, version=version, actor=actor,
            corrections=corrections,
        )  # fmt: skip
    return save_standings(
        staged.contest_id, parsed=parsed, upload=upload, register=register, version=version, actor=actor,
        corrections=corrections,
    )  # fmt: skip


def new_games(staged: Staged, parsed: ParsedContest, register: PlayerRegister) -> list[ParsedContest]:
    """Return the games of a file that the series does not have yet; ContestError if it has all of them."""
    ids = register.find(parsed.standings)
    known = known_games(staged.series_id, parsed.games, ids, register.key, besides=staged.contest_id)
    if len(known) == len(parsed.games):
        raise ContestError(gettext("The series already has all games of this file. There is nothing to save."))
    return [game for i, game in enumerate(parsed.games) if i not in known]


def _keep_upload(
    staged: Staged, choices: Choices, options: ReadingOptions | None, report: Report, actor: User | None,
    stored: list[str],
) -> Upload:  # fmt: skip
    """
    Turn a staged file into a saved upload, in the caller's transaction.

    The same file, read in the same way, is the same upload. The name of a newly stored file is added to `stored`.
    """
    series = Series.objects.select_for_update(no_key=True).get(pk=staged.series_id)
    upload = series.uploads.staged().select_for_update(no_key=True).filter(token=staged.token).first()
    if upload is None:
        raise ContestError(
            gettext("The file “%(filename)s” is no longer stored. Upload it again.") % {"filename": staged.filename}
        )
    if upload.stamp != choices.stamp:
        raise ChangedMeanwhile(
            gettext("Someone else changed the review of “%(filename)s” at the same time. Nothing was saved.")
            % {"filename": staged.filename}
        )
    reading = {} if options is None else options.to_json()
    decisions = {each.handle: each.player_id for each in choices.decisions.values()}
    for known in series.uploads.saved().filter(sha256=staged.sha256).order_by("id"):
        if (known.reading, known.decisions) == (reading, decisions) and known.file.storage.exists(
            known.file.name or ""
        ):
            upload.delete()
            known.token = staged.token
            known.save(update_fields=["token"])
            return known
    upload.state, upload.draft, upload.stamp = UploadState.SAVED, None, ""
    upload.choices = upload.review = upload.progress = upload.saving = None
    upload.reading, upload.decisions, upload.created_by, upload.created_at = reading, decisions, actor, timezone.now()
    upload.report = {
        "warnings": [str(problem) for problem in report.warnings[:KEPT_WARNINGS]],
        "warning_count": report.warning_count,
    }
    with open_content(staged) as content:
        upload.file.save(staged.sha256, content, save=False)
    stored.append(upload.file.name or "")
    upload.save()
    return upload


def apply_file_description(contest: Contest, changes: Mapping[str, Any], *, version: int, actor: User) -> Contest:
    """Change the description of a draft to that of a file; `changes` has the new values by field."""
    description = replace(ContestDescription.of(contest), **changes)
    return describe_contest(contest.pk, description=description, version=version, actor=actor)


def _resolved(choices: Choices, community: str) -> dict[str, int]:
    """Return the players that the organizer chose, following merges: key of a handle -> id."""
    chosen = choices.known_players
    locked = Player.objects.select_for_update(no_key=True, of=("self",))
    players = locked.filter(pk__in=set(chosen.values()), community=community)
    now = {player.pk: player.merged_into_id or player.pk for player in players.order_by("pk")} if chosen else {}
    for key, player_id in chosen.items():
        if player_id not in now:
            raise ContestError(
                gettext("The player chosen for “%(handle)s” no longer exists. Choose again.")
                % {"handle": choices.decisions[key].handle}
            )
    return {key: now[player_id] for key, player_id in chosen.items()}


def _add_aliases(
    choices: Choices, decided: Mapping[str, int], present: AbstractSet[str], series_id: int | None, actor: User
) -> None:
    """Add handles of the file as aliases of known players; ContestError if one belongs to another player."""
    aliases = {key: player_id for key, player_id in decided.items() if choices.decisions[key].is_alias}
    own = dict(Player.objects.filter(pk__in=set(aliases.values())).values_list("pk", "handle_key")) if aliases else {}
    foreign = players_in_other_series(aliases.values(), actor)
    for key, player_id in aliases.items():
        handle = choices.decisions[key].handle
        if key not in present or own[player_id] == key:
            continue
        if player_id in foreign:
            raise ContestError(
                gettext("“%(handle)s” cannot be saved as another name: %(other_series)s")
                % {"handle": handle, "other_series": OTHER_SERIES}
            )
        try:
            add_alias(player_id, handle=handle, series_id=series_id, actor=actor)
        except ContestError as error:
            raise ContestError(
                gettext(
                    "“%(handle)s” cannot be saved as another name. %(error)s Or untick “remember as another name of "
                    "that player”, so that your choice applies to this file only."
                )
                % {"handle": handle, "error": error}
            ) from error
