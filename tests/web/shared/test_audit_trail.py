"""The subjects of changes in words."""

from __future__ import annotations

import pytest

from contests.models import AuditEntry, Community, Contest
from web.shared.audit_trail import Deed


@pytest.mark.parametrize(
    ("action", "subject", "shown"),
    [
        ("community.describe", "community main", "Main Club"),
        ("member.invite", "community main", "Main Club"),
        ("member.add", "bo", "bo"),
        ("member.add", "bo in community main", "bo"),
        ("member.add", "bo in community mainz", "bo in community mainz"),
        # Handles and names of tokens may look like a community.
        ("player.describe", "community main", "community main"),
        ("player.rename", "bo to community main", "bo to community main"),
        ("claim.accept", "bo in community main", "bo in community main"),
        ("token.create", "community main", "community main"),
    ],
)
def test_only_the_community_itself_is_shown_by_its_name(action, subject, shown):
    entry = AuditEntry(action=action, subject=subject, community=Community(slug="main", name="Main Club"))
    assert Deed(entry).subject == shown


def test_a_contest_is_changed_and_not_only_its_description():
    entry = AuditEntry(
        action="contest.describe", subject="contest round-2", contest=Contest(slug="round-2", name="Round 2"),
        before={"ends_at": "2026-10-15T12:00:00Z"}, after={"ends_at": "2026-09-01T12:00:00Z"},
    )  # fmt: skip
    deed = Deed(entry)
    assert (deed.did, deed.subject, [name for name, *_ in deed.changes]) == ("changed", "Round 2", ["end"])
