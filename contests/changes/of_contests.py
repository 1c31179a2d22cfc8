"""Finalizing, correcting, describing, deleting and restoring contests."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.urls import reverse

from contests.changes.base import Change, Words
from contests.errors import ContestError
from contests.models import Contest, ContestState, Standing, StandingStatus
from contests.queries.amendments import WORDS
from contests.services.contests import (
    ContestDescription,
    delete_contest,
    describe_contest,
    description_as_json,
    finalize_contest,
    needs_second_person,
    restore_contest,
)
from contests.services.correcting import Correction, add_standing, correct_standings, listed, remove_standing

if TYPE_CHECKING:
    from typing import Self

    from django.contrib.auth.models import User


_MOMENTS = ("starts_at", "ends_at")


@dataclass(frozen=True)
class FinalizeContest(Change):
    """Make a draft count."""

    kind = "contest.finalize"

    contest_id: int
    version: int

    def words(self) -> Words:
        contest = contest_of(self.contest_id)
        counts = _counts(contest)
        lines = [f"{counts['ranked']:,} ranked {_people(counts['ranked'])} will be rated."]
        if counts["unofficial"]:
            lines.append(f"{counts['unofficial']:,} not ranked will be listed, and not rated.")
        if counts["disqualified"]:
            lines.append(f"{counts['disqualified']:,} disqualified will be listed, and not rated.")
        if contest.asked_by is not None:
            lines.append(f"{contest.asked_by.get_username()} has asked for it.")
        return Words(
            f"Finalize {contest.name}",
            "Finalize",
            f"“{contest.name}” is final.",
            page_of(contest),
            [contest.series],
            contest,
            lines,
        )

    def apply(self, *, actor: User | None) -> None:
        finalize_contest(self.contest_id, version=self.version, actor=actor)

    def only_asks(self, actor: User) -> bool:
        """Whether the series wants a second person, so that this one would only ask for it."""
        return needs_second_person(contest_of(self.contest_id), actor)


@dataclass(frozen=True)
class CorrectStandings(Change):
    """
    Amend rows of a contest.

    corrections
        One for each row: its id under "standing", and the fields of a Correction.
    """

    kind = "standing.correct"

    contest_id: int
    version: int
    corrections: list[dict[str, Any]]

    @classmethod
    def of(cls, contest: Contest, corrections: dict[int, Correction], *, version: int, reason: str) -> Self:
        """Return the change that makes these corrections, by the ids of the rows."""
        rows = [
            {"standing": pk, "status": c.status, "place": c.place, "shares_place": c.shares_place, "score": c.score}
            for pk, c in corrections.items()
        ]
        return cls(contest.pk, version, rows, reason=reason)

    def words(self) -> Words:
        contest = contest_of(self.contest_id)
        rows = {row.pk: row for row in contest.standings.filter(pk__in=self._by_row()).select_related("player")}
        differences: list[tuple[str, object, object]] = []
        for pk, correction in self._by_row().items():
            if pk in rows:
                differences += _differences(rows[pk], correction)
        handles = [row.player.handle for row in rows.values()]
        if not handles:
            raise ContestError(f"The rows are not there any more: the standings of “{contest.name}” were replaced.")
        deed, done = self._deed()
        return Words(
            f"{deed} {listed(handles)} in {contest.name}",
            deed,
            f"{done} {listed(handles)} in “{contest.name}”.",
            page_of(contest),
            [contest.series],
            contest,
            differences=differences,
        )

    def apply(self, *, actor: User | None) -> None:
        correct_standings(
            self.contest_id, corrections=self._by_row(), reason=self.reason, version=self.version, actor=actor
        )

    def _by_row(self) -> dict[int, Correction]:
        return {
            row["standing"]: Correction(row["status"], row["place"], row["shares_place"], row["score"])
            for row in self.corrections
        }

    def _deed(self) -> tuple[str, str]:
        statuses = {row["status"] for row in self.corrections}
        if statuses == {StandingStatus.DISQUALIFIED}:
            return "Disqualify", "Disqualified"
        if statuses == {StandingStatus.UNOFFICIAL}:
            return "Take out of competition", "Took out of competition"
        return "Correct", "Corrected"


@dataclass(frozen=True)
class DescribeContest(Change):
    """
    Change the description of a contest that counts.

    description
        The fields of a ContestDescription; moments in ISO 8601.
    """

    kind = "contest.describe"

    contest_id: int
    version: int
    description: dict[str, Any]

    @classmethod
    def of(cls, contest: Contest, description: ContestDescription, *, version: int, reason: str) -> Self:
        fields = description_as_json(description)
        plain = {name: value.isoformat() if isinstance(value, datetime) else value for name, value in fields.items()}
        return cls(contest.pk, version, plain, reason=reason)

    def words(self) -> Words:
        contest = contest_of(self.contest_id)
        before, after = description_as_json(contest), description_as_json(self._described())
        changed = [(WORDS[name], before[name], value) for name, value in after.items() if before[name] != value]
        what = " and ".join(name for name, _, _ in changed) or "nothing"
        return Words(
            f"Change {what} of {contest.name}",
            "Change",
            f"Changed {what} of “{contest.name}”.",
            page_of(contest),
            [contest.series],
            contest,
            differences=[(name.removeprefix("the "), old, new) for name, old, new in changed],
        )

    def apply(self, *, actor: User | None) -> None:
        describe_contest(
            self.contest_id, description=self._described(), reason=self.reason, version=self.version, actor=actor
        )

    def _described(self) -> ContestDescription:
        moments = {
            name: datetime.fromisoformat(self.description[name]) for name in _MOMENTS if self.description.get(name)
        }
        return ContestDescription(**{**self.description, **moments})


@dataclass(frozen=True)
class DeleteContest(Change):
    """Take a contest out of its series."""

    kind = "contest.delete"

    contest_id: int
    version: int

    def words(self) -> Words:
        contest = contest_of(self.contest_id)
        lines = [f"Its {contest.standing_count:,} results are no longer shown. It can be restored."]
        return Words(
            f"Delete {contest.name}",
            "Delete",
            f"“{contest.name}” is deleted.",
            page_of(contest),
            [contest.series],
            None,
            lines,
            is_dangerous=True,
            after=reverse("organize:series", args=[contest.series.slug]),
        )

    def apply(self, *, actor: User | None) -> None:
        delete_contest(self.contest_id, reason=self.reason, version=self.version, actor=actor)


@dataclass(frozen=True)
class RestoreContest(Change):
    """Bring a deleted contest back."""

    kind = "contest.restore"

    contest_id: int

    def words(self) -> Words:
        deleted = Contest.objects.select_related("series").filter(state=ContestState.DELETED)
        contest = deleted.filter(pk=self.contest_id).first()
        if contest is None:
            raise ContestError("This contest is not deleted, or not any more.")
        return Words(
            f"Restore {contest.name}",
            "Restore",
            f"“{contest.name}” is back.",
            reverse("organize:series", args=[contest.series.slug]),
            [contest.series],
            contest,
            [f"Its {contest.standing_count:,} results are shown again, and count if they did before."],
        )

    def apply(self, *, actor: User | None) -> None:
        restore_contest(self.contest_id, reason=self.reason, actor=actor)


def contest_of(pk: int) -> Contest:
    contest = Contest.objects.existing().select_related("series", "asked_by").filter(pk=pk).first()
    if contest is None:
        raise ContestError("This contest is not there any more: somebody has deleted it meanwhile.")
    return contest


def page_of(contest: Contest) -> str:
    return reverse("organize:contest", args=[contest.pk])


def _counts(contest: Contest) -> dict[str, int]:
    statuses = list(contest.standings.values_list("status", flat=True))
    return {status: statuses.count(status) for status in StandingStatus.values}


def _people(count: int) -> str:
    return "participant" if count == 1 else "participants"


def _differences(row: Standing, correction: Correction) -> list[tuple[str, object, object]]:
    """Return what a correction says otherwise than the row, as (whose what, before, after)."""
    handle = row.player.handle
    # Where scores decide the places, none is given.
    place = row.place if correction.place is None and correction.score is not None else correction.place
    said = [
        ("status", row.get_status_display(), StandingStatus(correction.status).label),
        ("place", row.place, place),
        ("score", row.score, correction.score),
    ]
    return [(f"{handle}: {what}", before, after) for what, before, after in said if before != after]


@dataclass(frozen=True)
class AddStanding(Change):
    """
    Add a row to a contest.

    row
        The fields of a Correction.
    """

    kind = "standing.add"

    contest_id: int
    version: int
    handle: str
    team: str
    row: dict[str, Any]

    @classmethod
    def of(cls, contest: Contest, handle: str, correction: Correction, *, team: str, version: int, reason: str) -> Self:
        """Return the change that adds this row."""
        return cls(contest.pk, version, handle, team, asdict(correction), reason=reason)

    def words(self) -> Words:
        contest = contest_of(self.contest_id)
        status = StandingStatus(self.row["status"]).label
        said = [("status", None, status), ("place", None, self.row["place"]), ("score", None, self.row["score"])]
        return Words(
            f"Add {self.handle} to {contest.name}",
            "Add",
            f"Added {self.handle} to “{contest.name}”.",
            page_of(contest),
            [contest.series],
            contest,
            differences=[(f"{self.handle}: {what}", *each) for what, *each in said if each[1] is not None],
        )

    def apply(self, *, actor: User | None) -> None:
        add_standing(
            self.contest_id, handle=self.handle, team=self.team, correction=Correction(**self.row),
            reason=self.reason, version=self.version, actor=actor,
        )  # fmt: skip


@dataclass(frozen=True)
class RemoveStanding(Change):
    """Take a row out of a contest."""

    kind = "standing.remove"

    contest_id: int
    version: int
    standing_id: int

    def words(self) -> Words:
        contest = contest_of(self.contest_id)
        row = Standing.objects.select_related("player").filter(pk=self.standing_id, contest=contest).first()
        if row is None:
            raise ContestError("Someone has removed or replaced this row in the meantime. Load the page again.")
        handle = row.player.handle
        return Words(
            f"Remove {handle} from {contest.name}",
            "Remove",
            f"Removed {handle} from “{contest.name}”.",
            page_of(contest),
            [contest.series],
            contest,
            [f"The row of {handle} is no longer shown, as if {handle} had not taken part."],
            is_dangerous=True,
        )

    def apply(self, *, actor: User | None) -> None:
        remove_standing(self.standing_id, reason=self.reason, version=self.version, actor=actor)
