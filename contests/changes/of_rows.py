"""Adding rows that were forgotten, and removing rows that should not be there."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from contests.changes.base import Change, Words
from contests.changes.of_contests import contest_of, page_of
from contests.errors import ContestError
from contests.models import Standing, StandingStatus
from contests.services.correcting import Correction
from contests.services.entering import add_standing, remove_standing

if TYPE_CHECKING:
    from typing import Self

    from django.contrib.auth.models import User

    from contests.models import Contest


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
            raise ContestError("This row is not there any more: somebody has removed or replaced it meanwhile.")
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
