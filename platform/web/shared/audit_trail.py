"""The audit trail in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from contests.queries.amendments import differences_of

if TYPE_CHECKING:
    from django.db.models import Manager, QuerySet

    from contests.models import AuditEntry
    from contests.queries.amendments import Difference

ENTRIES_SHOWN = 20

_DEEDS = {
    "series.create": "created",
    "series.describe": "changed the description of",
    "series.import": "imported",
    "organizer.add": "added an organizer to",
    "organizer.remove": "removed an organizer from",
    "organizer.invite": "invited someone to organize",
    "organizer.withdraw": "withdrew an invitation to",
    "organizer.void": "withdrew a former organizer’s invitation to",
    "organizer.expose": "withdrew an outdated invitation link to",
    "organizer.accept": "accepted an invitation to organize",
    "community.create": "created",
    "community.describe": "changed the description of",
    "community.tiers": "changed the default tiers of",
    "community.logo": "changed the logo of",
    "member.add": "gave the role “{role}” to",
    "member.role": "changed the role of",
    "member.remove": "removed the role “{role}” of",
    "member.invite": "invited someone with the role “{role}” to",
    "member.withdraw": "withdrew an invitation to",
    "member.void": "withdrew a former owner’s invitation to",
    "member.expose": "withdrew an outdated invitation link to",
    "member.accept": "accepted an invitation with the role “{role}” to",
    "claim.invite": "created a link to the account of",
    "claim.accept": "became the account of",
    "claim.withdraw": "withdrew a link to the account of",
    "claim.void": "withdrew a former organizer’s link to the account of",
    "claim.expose": "withdrew an outdated link to the account of",
    "claim.unlink": "unlinked the account of",
    "claim.move": "moved the account of",
    "report.report": "reported the game",
    "report.confirm": "confirmed the reported game",
    "report.dispute": "disputed the reported game",
    "report.accept": "accepted the reported game",
    "report.reject": "rejected the reported game",
    "report.withdraw": "withdrew the reported game",
    "report.expire": "let expire the reported game",
    "token.create": "created",
    "token.revoke": "revoked",
    "scheme.choose": "set the rating scheme of",
    "contest.create": "created",
    "contest.describe": "changed the description of",
    "contest.standings": "saved the standings of",
    "contest.finalize": "finalized",
    "contest.delete": "deleted",
    "contest.restore": "restored",
    "contest.ask": "requested finalization of",
    "event.games": "added games to",
    "game.add": "added the game",
    "standing.correct": "corrected",
    "standing.add": "added",
    "standing.remove": "removed",
    "run.cancel": "cancelled",
    "run.resume": "resumed rating the results that had been waiting since",
    "run.roll_back": "rolled back to",
    "run.end_roll_back": "ended the roll-back of",
    "player.rename": "renamed",
    "player.describe": "changed the description of",
    "player.alias": "added the name",
    "player.unalias": "removed the name",
    "player.merge": "merged",
    "player.split": "split",
}


@dataclass(frozen=True, slots=True)
class Deed:
    """One entry as a sentence: a user, a verb, an object, and the changes."""

    entry: AuditEntry

    @property
    def who(self) -> str:
        return self.entry.who

    @property
    def is_by_command(self) -> bool:
        """Whether the change was made from the command line, without an account."""
        return self.entry.is_by_command

    @property
    def subject(self) -> str:
        """The object of the change; a series by its name."""
        series = self.entry.series
        if series is not None and self.entry.subject == f"series {series.slug}":
            return series.name
        return self.entry.subject

    @property
    def did(self) -> str:
        role = self.entry.after.get("role") or self.entry.before.get("role") or ""
        return _DEEDS.get(self.entry.action, self.entry.action).format(role=role)

    @property
    def changes(self) -> list[Difference]:
        """The differences that the action made: (field, before, after)."""
        return differences_of(self.entry)


def history_of(entries: Manager[AuditEntry] | QuerySet[AuditEntry]) -> list[Deed]:
    """Return the newest entries in one query."""
    return [Deed(entry) for entry in entries.select_related("actor", "series").order_by("-at", "-id")[:ENTRIES_SHOWN]]
