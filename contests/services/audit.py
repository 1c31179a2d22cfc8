"""The one way to write an audit entry."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from contests.models import AuditEntry

if TYPE_CHECKING:
    from django.contrib.auth.models import User

    from contests.models import Contest, Player, Series


def record(
    action: str,
    *,
    subject: str,
    actor: User | None,
    series: Series | None = None,
    contest: Contest | None = None,
    player: Player | None = None,
    reason: str = "",
    before: dict[str, Any] | None = None,
    after: dict[str, Any] | None = None,
) -> AuditEntry:
    """Write down who did what; call it inside the transaction of the change."""
    return AuditEntry.objects.create(
        action=action,
        subject=subject[:400],
        actor=actor,
        actor_name=actor.get_username() if actor is not None else "",
        series=series or (contest.series if contest else None),
        contest=contest,
        player=player,
        reason=reason,
        before=before or {},
        after=after or {},
    )
