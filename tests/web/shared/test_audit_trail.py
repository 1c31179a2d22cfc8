"""The subjects of changes in words."""

from __future__ import annotations

import pytest

from contests.models import AuditEntry, Community
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
