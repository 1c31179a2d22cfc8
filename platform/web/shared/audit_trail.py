"""The audit trail in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.utils.translation import pgettext, pgettext_lazy

from contests.models import Role
from contests.queries.amendments import differences_of
from web.shared.stored_texts import subject_in_words

if TYPE_CHECKING:
    from django.db.models import Manager, QuerySet

    from contests.models import AuditEntry
    from contests.queries.amendments import Difference

ENTRIES_SHOWN = 20

_DEEDS = {
    "series.create": pgettext_lazy("deed", "created"),
    "series.describe": pgettext_lazy("deed", "changed the description of"),
    "series.delete": pgettext_lazy("deed", "deleted"),
    "series.try_again": pgettext_lazy("deed", "asked Podium to retry rating"),
    "series.import": pgettext_lazy("deed", "imported"),
    "organizer.add": pgettext_lazy("deed", "added an organizer to"),
    "organizer.remove": pgettext_lazy("deed", "removed an organizer from"),
    "organizer.invite": pgettext_lazy("deed", "invited someone to organize"),
    "organizer.withdraw": pgettext_lazy("deed", "withdrew an invitation to"),
    "organizer.void": pgettext_lazy("deed", "withdrew a former organizer’s invitation to"),
    "organizer.expose": pgettext_lazy("deed", "withdrew an outdated invitation link to"),
    "organizer.accept": pgettext_lazy("deed", "accepted an invitation to organize"),
    "community.create": pgettext_lazy("deed", "created"),
    "community.describe": pgettext_lazy("deed", "changed the description of"),
    "community.tiers": pgettext_lazy("deed", "changed the default tiers of"),
    "community.logo": pgettext_lazy("deed", "changed the logo of"),
    "member.add": pgettext_lazy("deed", "gave the role “{role}” to"),
    "member.role": pgettext_lazy("deed", "changed the role of"),
    "member.remove": pgettext_lazy("deed", "removed the role “{role}” from"),
    "member.invite": pgettext_lazy("deed", "invited someone as “{role}” to"),
    "member.withdraw": pgettext_lazy("deed", "withdrew an invitation to"),
    "member.void": pgettext_lazy("deed", "withdrew a former owner’s invitation to"),
    "member.expose": pgettext_lazy("deed", "withdrew an outdated invitation link to"),
    "member.accept": pgettext_lazy("deed", "accepted an invitation as “{role}” to"),
    "claim.invite": pgettext_lazy("deed", "created an account link for"),
    "claim.accept": pgettext_lazy("deed", "linked their account to"),
    "claim.withdraw": pgettext_lazy("deed", "withdrew an account link for"),
    "claim.void": pgettext_lazy("deed", "withdrew a former organizer’s account link for"),
    "claim.expose": pgettext_lazy("deed", "withdrew an outdated account link for"),
    "claim.unlink": pgettext_lazy("deed", "unlinked the account of"),
    "claim.move": pgettext_lazy("deed", "moved the account of"),
    "report.report": pgettext_lazy("deed", "reported the game"),
    "report.confirm": pgettext_lazy("deed", "confirmed the reported game"),
    "report.dispute": pgettext_lazy("deed", "disputed the reported game"),
    "report.accept": pgettext_lazy("deed", "accepted the reported game"),
    "report.reject": pgettext_lazy("deed", "rejected the reported game"),
    "report.withdraw": pgettext_lazy("deed", "withdrew the reported game"),
    "report.expire": pgettext_lazy("deed", "closed the expired report of the game"),
    "token.create": pgettext_lazy("deed", "created the API token"),
    "token.revoke": pgettext_lazy("deed", "revoked the API token"),
    "scheme.choose": pgettext_lazy("deed", "set the rating scheme of"),
    "contest.create": pgettext_lazy("deed", "created"),
    "contest.describe": pgettext_lazy("deed", "changed"),
    "contest.standings": pgettext_lazy("deed", "saved the standings of"),
    "contest.finalize": pgettext_lazy("deed", "finalized"),
    "contest.delete": pgettext_lazy("deed", "deleted"),
    "contest.restore": pgettext_lazy("deed", "restored"),
    "contest.ask": pgettext_lazy("deed", "requested finalization of"),
    "event.games": pgettext_lazy("deed", "added games to"),
    "game.add": pgettext_lazy("deed", "added the game"),
    "standing.correct": pgettext_lazy("deed", "corrected the row of"),
    "standing.add": pgettext_lazy("deed", "added the row of"),
    "standing.remove": pgettext_lazy("deed", "removed the row of"),
    "run.cancel": pgettext_lazy("deed", "cancelled"),
    "run.resume": pgettext_lazy("deed", "resumed rating the results that had been waiting since"),
    "run.roll_back": pgettext_lazy("deed", "rolled back to"),
    "run.end_roll_back": pgettext_lazy("deed", "ended the roll-back made by"),
    "player.rename": pgettext_lazy("deed", "renamed"),
    "player.describe": pgettext_lazy("deed", "changed the description of"),
    "player.picture": pgettext_lazy("deed", "changed the picture of"),
    "player.alias": pgettext_lazy("deed", "added the name"),
    "player.unalias": pgettext_lazy("deed", "removed the name"),
    "player.merge": pgettext_lazy("deed", "merged"),
    "player.split": pgettext_lazy("deed", "split"),
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
        """The object of the change; a series, a contest or a community by its name."""
        return subject_in_words(self.entry)

    @property
    def did(self) -> str:
        if self.entry.action in ("series.describe", "community.describe") and self.changes:
            return pgettext("deed", "changed the settings of")
        role = self.entry.after.get("role") or self.entry.before.get("role") or ""
        return str(_DEEDS.get(self.entry.action, self.entry.action)).format(
            role=Role(role).label if role in Role.values else role
        )

    @property
    def changes(self) -> list[Difference]:
        """The differences that the action made: (field, before, after)."""
        return differences_of(self.entry)


def history_of(entries: Manager[AuditEntry] | QuerySet[AuditEntry], most: int = ENTRIES_SHOWN) -> list[Deed]:
    """Return the newest entries in one query."""
    return [
        Deed(entry)
        for entry in entries.select_related("actor", "series", "contest", "community").order_by("-at", "-id")[:most]
    ]
