"""The audit trail in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.db.models import Q
from django.utils.translation import pgettext, pgettext_lazy

from contests.models import Role
from contests.models.audit import CHAINS_OF_SERIES
from contests.queries.amendments import differences_of
from web.shared.stored_texts import subject_in_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from django.db.models import Manager, QuerySet

    from contests.models import AuditEntry, Community
    from contests.queries.amendments import Difference

ENTRIES_SHOWN = 20
#: Actions with an entry for each of the two players, and one for each series with results that move.
_OF_TWO_PLAYERS = ("player.merge", "player.split")

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


def history_of_community(community: Community, most: int = ENTRIES_SHOWN) -> list[Deed]:
    """Return the newest entries of a community and its series in one query; each merge and each split only once."""
    entries = community.audit_entries.filter(is_about_account=False).exclude(
        # The chain still tells what an entry was about when the series has been deleted.
        Q(action__in=_OF_TWO_PLAYERS, chain__startswith=CHAINS_OF_SERIES)
    )
    # Of the others, at most every second one is left out.
    return list(_once(history_of(entries, 2 * most)))[:most]


def _once(deeds: Iterable[Deed]) -> Iterator[Deed]:
    """Yield the deeds without the second of the two entries, one for each player, of a merge or split."""
    open_pairs: dict[tuple[str, str, str], int | None] = {}
    for deed in deeds:
        entry = deed.entry
        if entry.action in _OF_TWO_PLAYERS:
            key, player = (entry.action, entry.subject, entry.actor_name), (entry.ids or {}).get("player")
            if open_pairs.get(key, player) != player:
                del open_pairs[key]
                continue
            open_pairs[key] = player
        yield deed
