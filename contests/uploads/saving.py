"""From a staged file to a draft's standings, in one transaction; and files that nothing was made from, away again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import transaction
from django.utils import timezone

from contests.errors import ContestError
from contests.formats import Report
from contests.models import Contest, Player, Series, Upload, UploadState
from contests.services.contests import ContestDescription, describe_contest, save_standings
from contests.services.renaming import add_alias
from contests.services.standings import PlayerRegister
from contests.services.transactions import lock_players_shared, locked_contest, retried
from contests.uploads.decisions import NAMED_BY_OTHERS, named_by_others
from contests.uploads.reading import options_in_use, read_sound
from contests.uploads.staging import KEPT, discard_staged, open_content

if TYPE_CHECKING:
    from collections.abc import Mapping
    from collections.abc import Set as AbstractSet
    from datetime import datetime
    from typing import Any

    from django.contrib.auth.models import User

    from contests.formats import ParsedContest
    from contests.uploads.staging import Choices, Staged

#: Warnings kept with an upload; all are counted.
KEPT_WARNINGS = 200


def save_staged(staged: Staged, *, choices: Choices, version: int, actor: User) -> Contest:
    """
    Give a draft the standings of a staged file, keep the file and learn the aliases: all of it, or nothing.

    version
        Of the contest that the organizer has looked at; ChangedMeanwhile if there is a newer one.

    ParseError has the problems of a file that should not be saved. The staged file is gone afterwards.
    """
    report = Report()
    parsed = read_sound(staged, choices, report)
    names: list[str] = []
    try:
        contest = _save(staged, choices, parsed, report, version=version, actor=actor, stored=names)
    finally:
        # No transaction takes back a file: those of attempts that came to nothing are deleted here.
        used = set(Upload.objects.filter(file__in=names).values_list("file", flat=True)) if names else set()
        for name in set(names) - used:
            Upload._meta.get_field("file").storage.delete(name)
    discard_staged(staged.token)
    return contest


@retried
@transaction.atomic(durable=True)
def _save(
    staged: Staged, choices: Choices, parsed: ParsedContest, report: Report, *, version: int, actor: User,
    stored: list[str],
) -> Contest:  # fmt: skip
    # The contest before its players, as all others do: then no two wait for each other.
    lock_players_shared()
    locked_contest(staged.contest_id, version=version)
    decided = _resolved(choices)
    upload = _keep_upload(staged, choices, report, actor, stored)
    register = PlayerRegister(decided)
    present = {register.key(standing.handle) for standing in parsed.standings} if decided else set()
    _learn_aliases(choices, decided, present, actor)
    return save_standings(
        staged.contest_id, parsed=parsed, upload=upload, register=register, version=version, actor=actor
    )


def _keep_upload(staged: Staged, choices: Choices, report: Report, actor: User | None, stored: list[str]) -> Upload:
    """
    Keep a staged file for good, within the caller's transaction; the same file read in the same way is the same upload.

    `stored` gets the name of the file if it was stored now.
    """
    series = Series.objects.select_for_update(no_key=True).get(pk=staged.series_id)
    upload = series.uploads.staged().select_for_update(no_key=True).filter(token=staged.token).first()
    if upload is None:
        raise ContestError(f"The file “{staged.filename}” is no longer kept; upload it again.")
    options = options_in_use(staged, choices)
    reading = {} if options is None else options.to_json()
    decisions = {each.handle: each.player_id for each in choices.decisions.values()}
    for known in series.uploads.saved().filter(sha256=staged.sha256).order_by("id"):
        if (known.reading, known.decisions) == (reading, decisions) and known.file.storage.exists(
            known.file.name or ""
        ):
            upload.delete()
            return known
    upload.state, upload.token, upload.draft, upload.stamp = UploadState.SAVED, None, None, ""
    upload.choices = upload.review = upload.progress = None
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


def apply_file_description(contest: Contest, said: Mapping[str, Any], *, version: int, actor: User) -> Contest:
    """Describe a draft as a file does: `said` has the fields that change, with their values."""
    values = {name: getattr(contest, name) for name in ContestDescription.__slots__}
    description = ContestDescription(**{**values, **said})
    return describe_contest(contest.pk, description=description, version=version, actor=actor)


def sweep_uploads(now: datetime | None = None) -> int:
    """Delete files that no contest was made from, or none any longer, after two days; return how many."""
    before: datetime = (now or timezone.now()) - KEPT
    unused = Upload.objects.saved().filter(contests=None, created_at__lt=before).values_list("pk", "series_id")
    return sum(_discard_unused(pk, series_id) for pk, series_id in list(unused))


@transaction.atomic(durable=True)
def _discard_unused(upload_id: int, series_id: int) -> bool:
    # Saving a file locks the series: no one can be about to use this one.
    Series.objects.select_for_update(no_key=True).get(pk=series_id)
    upload = Upload.objects.saved().filter(pk=upload_id, contests=None).first()
    if upload is None:
        return False
    storage, name = upload.file.storage, upload.file.name or ""
    upload.delete()
    if name and not Upload.objects.filter(file=name).exists():
        transaction.on_commit(lambda: storage.delete(name), robust=True)
    return True


def _resolved(choices: Choices) -> dict[str, int]:
    """Return key -> player as decided; who was merged meanwhile is whom they are now."""
    chosen = choices.known_players
    players = Player.objects.select_for_update(no_key=True, of=("self",)).filter(pk__in=set(chosen.values()))
    now = {player.pk: player.merged_into_id or player.pk for player in players.order_by("pk")} if chosen else {}
    for key, player_id in chosen.items():
        if player_id not in now:
            raise ContestError(
                f"The player who was chosen for “{choices.decisions[key].handle}” no longer exists; choose again."
            )
    return {key: now[player_id] for key, player_id in chosen.items()}


def _learn_aliases(choices: Choices, decided: Mapping[str, int], present: AbstractSet[str], actor: User) -> None:
    """Remember handles of the file as other names of known players; ContestError if one belongs to another player."""
    learned = {key: player_id for key, player_id in decided.items() if choices.decisions[key].is_alias}
    own = dict(Player.objects.filter(pk__in=set(learned.values())).values_list("pk", "handle_key")) if learned else {}
    foreign = named_by_others(learned.values(), actor)
    for key, player_id in learned.items():
        handle = choices.decisions[key].handle
        if key not in present or own[player_id] == key:
            continue
        if player_id in foreign:
            raise ContestError(f"“{handle}” cannot be remembered: {NAMED_BY_OTHERS}")
        try:
            add_alias(player_id, handle=handle, actor=actor)
        except ContestError as error:
            raise ContestError(
                f"“{handle}” cannot be remembered as another name. {error} Or choose the player for this file only."
            ) from error
