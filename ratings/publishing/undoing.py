"""The changes that moved the ratings of a series since a run (causes), and how they are undone."""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy, ngettext

from contests.changes.base import Change, ChangeDescription
from contests.errors import ContestError
from contests.models import AuditEntry, Contest, ContestState, Standing
from contests.services.contests import delete_contest, restore_contest
from contests.services.correcting import Correction, correct_standings
from contests.services.describing import ContestDescription, describe_contest, description_as_json, rated_by
from contests.services.participants import add_standing, remove_standing
from ratings.descriptions import description_of
from ratings.models import RatingChange, Run, Scheme, StaleMark
from ratings.publishing.schemes import choose_scheme

if TYPE_CHECKING:
    from collections.abc import Sequence

    from django.contrib.auth.models import User

    from contests.services.correcting import Numbering
    from contests.services.standings import Better

#: With more causes than this, the page does not offer to undo them one by one.
MOST_CAUSES = 50
_ROWS = ("standing.correct", "standing.add", "standing.remove")
_LASTS = gettext_lazy(
    "The changes that you undo stay undone when later results are rated. If nothing else has changed since the run "
    "that you roll back to, the new ratings will be the same as in that run."
)


@dataclass(frozen=True, slots=True)
class Cause:
    """
    A change since a run that affected the ratings.

    key
        Its name in a form: the way to undo it and the id of the contest, such as "delete-12".
    words
        The change, in words.
    remedy
        The effect of undoing it, as a sentence.
    at
        The time of the change; the last one if there were several.
    who
        The name of the account; empty for a command.
    """

    key: str
    words: str
    remedy: str
    at: datetime
    who: str = ""


def causes_since(restored: Run) -> list[Cause]:
    """Return the changes that affect the ratings now and did not affect that run, newest first."""
    series_id, since = restored.series_id, restored.created_at
    entries = AuditEntry.objects.filter(series=series_id, at__gt=since).select_related("actor").order_by("-at", "-id")
    causes = [*_of_contests(restored, list(entries.exclude(contest=None))), *_of_scheme(restored, entries)]
    return sorted(causes, key=lambda cause: cause.at, reverse=True)


@transaction.atomic
def undo_causes(restored: Run, keys: Sequence[str], *, reason: str, actor: User | None = None) -> list[Cause]:
    """
    Undo changes since a run, given by their keys in `causes_since`, newest first; return them.

    Each one is a change of its own, with an audit entry. Raises ContestError if one cannot be undone.
    """
    if not reason.strip():
        raise ContestError(gettext("Give the reason for rolling back; all organizers of the series can read it."))
    causes = {cause.key: cause for cause in causes_since(restored)}
    if not keys or not causes.keys() >= set(keys):
        raise ContestError(
            gettext("There have been more changes since you opened this page. Open the roll-back page again.")
        )
    chosen = [cause for key, cause in causes.items() if key in keys]
    note = f"Rolled back to run {restored.number}: {reason.strip()}"
    marks = StaleMark.objects.filter(series=restored.series_id)
    earlier = set(marks.values_list("pk", flat=True))
    for cause in chosen:
        _take_out(restored, cause.key, note, actor)
    if len(chosen) > 1:
        # The next run gives this reason once, not with each change.
        text = f"Rolled back to run {restored.number}, undoing {len(chosen)} changes: {reason.strip()}"
        marks.filter(cause__contains=note).exclude(pk__in=earlier).update(cause=text)
    return chosen


def _take_out(restored: Run, key: str, reason: str, actor: User | None) -> None:
    way, _, pk = key.partition("-")
    if way == "delete":
        delete_contest(int(pk), reason=reason, actor=actor)
    elif way == "restore":
        restore_contest(int(pk), reason=reason, actor=actor)
    elif way == "describe":
        _describe_as_before(restored, int(pk), reason, actor)
    elif way == "rows":
        _put_rows_back(restored, int(pk), reason, actor)
    else:
        _choose_again(restored, reason, actor)


def _of_contests(restored: Run, entries: list[AuditEntry]) -> list[Cause]:
    """Return the causes in contests: new contests, deleted ones, and those that were changed."""
    by_contest: dict[int, list[AuditEntry]] = {}
    for entry in entries:
        by_contest.setdefault(entry.contest_id or 0, []).append(entry)
    contests = Contest.objects.filter(series=restored.series_id)
    # Games of a new event are undone with it.
    new_events = contests.finalized().filter(is_event=True, finalized_at__gt=restored.created_at)
    alone = contests.exclude(event__in=new_events)
    new = alone.rated().filter(finalized_at__gt=restored.created_at)
    found = {contest.pk: contest for contest in [*alone.filter(pk__in=list(by_contest)), *new]}
    changes = RatingChange.objects.as_of(restored.number).filter(series=restored.series_id, contest__in=list(found))
    rated_then = set(changes.values_list("contest_id", flat=True).distinct())
    causes: list[Cause] = []
    for pk, contest in found.items():
        was_final = contest.finalized_at is not None and contest.finalized_at <= restored.created_at
        # A contest finalized while the run was computed may have come just in time for it.
        if pk in rated_then or was_final:
            causes += _since_then(contest, by_contest.get(pk, []))
        else:
            causes += _new_since(contest, by_contest.get(pk, []))
    return causes


def _new_since(contest: Contest, entries: list[AuditEntry]) -> list[Cause]:
    """Return the cause for a contest that was finalized after the run, if it is rated."""
    if not (contest.is_finalized and (contest.is_rated or contest.is_event)):
        return []
    entry = _newest(entries, "contest.finalize", "contest.restore")
    remedy = gettext("Undoing this deletes the contest, which you can restore later.")
    return [_cause("delete", contest, gettext("Finalized %(name)s"), remedy, entry)]


def _since_then(contest: Contest, entries: list[AuditEntry]) -> list[Cause]:
    """Return the changes since the run to a contest that was final at the time."""
    is_deleted = contest.state == ContestState.DELETED
    deleted = _newest(entries, "contest.delete", "contest.restore")
    found = []
    if deleted is not None and is_deleted:
        remedy = gettext("Undoing this restores the contest.")
        found.append(_cause("restore", contest, gettext("Deleted %(name)s"), remedy, deleted))
    elif deleted is not None and deleted.action == "contest.restore" and _was_deleted_before(entries):
        remedy = gettext("Undoing this deletes the contest again.")
        found.append(_cause("delete", contest, gettext("Restored %(name)s"), remedy, deleted))
    counted = set(rated_by(contest.series_id))
    described = [one for one in entries if one.action == "contest.describe" and set(one.before) & counted]
    if described and not is_deleted:
        remedy = gettext("Undoing this restores the contest’s dates, weight, ceiling and rated status.")
        found.append(_cause("describe", contest, gettext("Changed how %(name)s counts"), remedy, described[0]))
    rows = _rows_since(entries)
    if rows and not is_deleted:
        handles = list(dict.fromkeys(one.subject.rpartition(" in ")[0] for one in rows))
        what = ", ".join(handles[:3])
        if len(handles) > 3:
            what = gettext("%(first)s and %(number)s more") % {"first": what, "number": len(handles) - 3}
        remedy = gettext("Undoing this restores these rows as they were.")
        text = gettext("Corrected the results of %(players)s in %(name)s")
        found.append(_cause("rows", contest, text, remedy, rows[0], players=what))
    return found


def _of_scheme(restored: Run, entries: Any) -> list[Cause]:
    newest = Scheme.objects.newest(restored.series_id)
    if newest is None or newest.rates_alike(restored.scheme):
        return []
    entry = entries.filter(action="scheme.choose").first()
    last = _last_alike(restored)
    since = Scheme.objects.filter(series=restored.series_id, version__gt=last.version).order_by("version")
    # Later versions can add leagues, for example, and rate alike.
    chosen = next(version for version in since if version.rates_alike(newest))
    words = gettext("Chose %(system)s (version %(version)s)")
    words %= {"system": description_of(newest.system).title, "version": chosen.version}
    remedy = gettext(
        "Undoing this restores the rating system, display and tiers of version %(version)s of the rating scheme. "
        "Leagues and season points chosen since then stay."
    )
    remedy %= {"version": last.version}
    return [Cause("scheme-", words, remedy, entry.at if entry else newest.created_at, _who(entry))]


def _cause(way: str, contest: Contest, text: str, remedy: str, entry: AuditEntry | None, *, players: str = "") -> Cause:
    at = entry.at if entry is not None else contest.finalized_at or contest.ends_at
    words = text % {"name": contest.name, "players": players}
    return Cause(f"{way}-{contest.pk}", words, remedy, at, _who(entry))


def _who(entry: AuditEntry | None) -> str:
    return entry.who if entry is not None and entry.actor_name else ""


def _newest(entries: Sequence[AuditEntry], *actions: str) -> AuditEntry | None:
    return next((entry for entry in entries if entry.action in actions), None)


def _was_deleted_before(entries: Sequence[AuditEntry]) -> bool:
    """Return whether the contest was already deleted at the run: the first change since then restored it."""
    oldest = [entry for entry in entries if entry.action in ("contest.delete", "contest.restore")][-1]
    return oldest.action == "contest.restore"


def _rows_since(entries: Sequence[AuditEntry]) -> list[AuditEntry]:
    return [entry for entry in entries if entry.action in _ROWS]


def _describe_as_before(restored: Run, pk: int, reason: str, actor: User | None) -> None:
    """Restore the fields of a contest that ratings depend on; its name, address and the like stay."""
    contest = Contest.objects.get(pk=pk)
    # A game that was not played is not rated, so these two change together.
    fields, counted = description_as_json(contest), {*rated_by(contest.series_id), "is_walkover"}
    changed = AuditEntry.objects.filter(contest=pk, action="contest.describe", at__gt=restored.created_at)
    for entry in changed.order_by("-at", "-id"):
        fields |= {name: _value(name, value) for name, value in entry.before.items() if name in counted}
    describe_contest(pk, description=ContestDescription(**fields), reason=reason, actor=actor)  # type: ignore[arg-type]


def _value(name: str, value: Any) -> Any:
    return datetime.fromisoformat(value) if name in ("starts_at", "ends_at") and value else value


class _OtherRanksError(Exception):
    """The rows have been restored, but the ranks of the contest differ from those of the run."""


def _put_rows_back(restored: Run, pk: int, reason: str, actor: User | None) -> None:
    """Undo the corrections of a contest's rows, newest first; ContestError if ranks still differ from the run's."""
    entries = AuditEntry.objects.filter(contest=pk, action__in=_ROWS, at__gt=restored.created_at)
    undone = _net(list(entries.select_related("player").order_by("-at", "-id")))
    then = RatingChange.objects.as_of(restored.number).filter(series=restored.series_id, contest=pk)
    ranks = dict(then.values_list("player_id", "rank"))
    # When a row takes back its place, the rows that moved when it left may have to move again. Only the ranks of the
    # run tell which places were shared; teammates always share theirs.
    counts = Counter(ranks.values())
    alone = {player for player, rank in ranks.items() if counts[rank] == 1}
    # A row that is back at its former place need not move others: it may share that place with a row that is not
    # ranked. If the stored places were renumbered between two of these changes, former places are final positions.
    numberings: tuple[Numbering, ...] = ("stored", "final")
    attempts = itertools.product(numberings, ((set(), True), (alone, True), (alone, False)))
    for numbering, (pushing, stays) in attempts:
        try:
            with transaction.atomic():
                for entry in undone:
                    _put_row_back(
                        pk, entry, reason, actor, shares_place=entry.player_id not in pushing, stays_in_place=stays,
                        numbering=numbering,
                    )  # fmt: skip
                now = dict(Standing.objects.filter(contest=pk).ranked().values_list("player_id", "rank"))
                if ranks and now != ranks:
                    raise _OtherRanksError
        except _OtherRanksError:
            continue
        return
    name = Contest.objects.get(pk=pk).name
    raise ContestError(
        gettext(
            "The rows of “%(name)s” cannot be restored on their own, because the places of other players "
            "have changed. Deselect them here, and correct them on the page of the contest."
        )
        % {"name": name}
    )


def _net(entries: list[AuditEntry]) -> list[AuditEntry]:
    """Return the entries to undo, newest first; only the oldest for a row that was never added or removed."""
    moved = {entry.player_id for entry in entries if entry.action != "standing.correct"}
    oldest = {entry.player_id: entry for entry in entries}
    return [entry for entry in entries if entry.player_id in moved or oldest[entry.player_id] is entry]


def _put_row_back(
    pk: int,
    entry: AuditEntry,
    reason: str,
    actor: User | None,
    *,
    shares_place: bool,
    stays_in_place: bool,
    numbering: Numbering,
) -> None:
    """
    Undo a change of one row.

    shares_place
        Whether the row shares its former place with rows that are there now, instead of moving them.
    stays_in_place
        Whether a row that is at its former place already shares it in any case.
    numbering
        What the former place counts (`contests.services.correcting.Numbering`).
    """
    row = Standing.objects.filter(contest=pk, player=entry.player).first()
    if entry.action == "standing.add":
        if row is not None:
            remove_standing(row.pk, reason=reason, actor=actor)
        return
    before: dict[str, Any] = next(iter(entry.before.values()))
    after: dict[str, Any] = next(iter(entry.after.values()), {})
    # Podium did not always note penalties and times; rows keep those that an entry does not have.
    noted = {"penalty", "time"} & {*before, *after}
    correction = Correction(
        before["status"],
        before["place"],
        shares_place=shares_place or (stays_in_place and row is not None and row.place == before["place"]),
        score=before["score"],
        share=before.get("share"),
        handicap=before.get("handicap"),
        penalty=before.get("penalty", before.get("time")),
        sets_penalty=bool(noted),
    )
    if entry.action == "standing.remove" and entry.player is not None:
        add_standing(
            pk, handle=entry.player.handle, correction=correction, reason=reason, actor=actor, numbering=numbering
        )
    elif row is not None:
        # A row with a place but no score did not get its place from scores, even if all rows have scores now.
        by_scores: Better | None = "" if correction.place is not None and correction.score is None else None
        correct_standings(
            pk, corrections={row.pk: correction}, reason=reason, actor=actor, by_scores=by_scores, numbering=numbering
        )


def _last_alike(restored: Run) -> Scheme:
    """Return the newest version of the scheme that rates as the run did; versions can differ in their display alone."""
    versions = Scheme.objects.filter(series=restored.series_id).order_by("-version")
    return next(version for version in versions if version.rates_alike(restored.scheme))


def _choose_again(restored: Run, reason: str, actor: User | None) -> None:
    scheme, newest = _last_alike(restored), Scheme.objects.newest(restored.series_id)
    assert newest is not None
    choose_scheme(
        scheme.series_id, system=scheme.system, parameters=scheme.parameters, display=scheme.display,
        tiers=scheme.tiers or None, leagues=newest.leagues or scheme.leagues, season=newest.season or scheme.season,
        duration_weight=scheme.duration_weight, reason=reason, actor=actor,
    )  # fmt: skip


@dataclass(frozen=True)
class UndoCauses(Change):
    """
    Go back to the ratings of a run by undoing changes since then.

    run
        The number of the run.
    keys
        The keys of the causes to undo, as `causes_since` returns them.
    """

    kind = "run.take_out"

    series_id: int
    run: int
    keys: list[str]

    def describe(self) -> ChangeDescription:
        restored = self._restored()
        causes = [cause for cause in causes_since(restored) if cause.key in self.keys]
        if len(causes) < len(self.keys):
            raise ContestError(
                gettext("There have been more changes since you opened this page. Open the roll-back page again.")
            )
        names = {"run": self.run, "number": len(causes)}
        title = ngettext(
            "Roll back to run %(run)s and undo %(number)s change",
            "Roll back to run %(run)s and undo %(number)s changes",
            len(causes),
        )
        done = ngettext(
            "Undid %(number)s change. Podium is rating the series without it.",
            "Undid %(number)s changes. Podium is rating the series without them.",
            len(causes),
        )
        return ChangeDescription(
            title=title % names,
            button=gettext("Undo and rate again"),
            done=done % names,
            back=reverse("organize:run-roll-back", args=[restored.series, self.run]),
            after=reverse("organize:runs", args=[restored.series]),
            series=[restored.series],
            lines=[*(f"{cause.words}. {cause.remedy}" for cause in causes), str(_LASTS)],
            is_dangerous=any(cause.key.startswith("delete") for cause in causes),
        )

    def apply(self, *, actor: User | None) -> None:
        undo_causes(self._restored(), self.keys, reason=self.reason, actor=actor)

    def _restored(self) -> Run:
        runs = Run.objects.published().select_related("scheme", "series")
        restored = runs.filter(series=self.series_id, number=self.run).first()
        if restored is None:
            raise ContestError(gettext("There is no published run %(run)s to roll back to.") % {"run": self.run})
        return restored
