"""The migration that stores usernames next to accounts, on rows of an earlier version."""

from __future__ import annotations

import hashlib
from datetime import timedelta

import pytest
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.core.management.base import CommandError
from django.utils import timezone

from contests.models import AuditChain, AuditEntry, Invitation
from ratings.models import Run, Scheme
from tests.earlier import earlier
from tests.factories import make_series, make_user

pytestmark = pytest.mark.django_db(transaction=True)


def test_an_update_keeps_the_names_of_accounts_and_withdraws_invitations_without_an_author():
    series, ida = make_series("cup"), make_user("ida")
    now = timezone.now()
    try:
        old = earlier("contests", "0005_search_index")
        entries = old.get_model("contests", "AuditEntry").objects
        # Accounts are given by id, because the models of this state are other classes.
        entries.create(action="contest.finalize", subject="by ida", actor_id=ida.pk, series_id=series.pk)
        entries.create(action="contest.finalize", subject="by a command", series_id=series.pk)
        invitations = old.get_model("contests", "Invitation").objects
        common = {"series_id": series.pk, "expires_at": now + timedelta(days=7)}
        withdrawn = now - timedelta(days=1)
        invitations.create(note="open, of ida", token_hash="a", created_by_id=ida.pk, **common)
        invitations.create(note="open, of a deleted account", token_hash="b", **common)
        invitations.create(note="accepted", token_hash="c", accepted_at=now, accepted_by_id=ida.pk, **common)
        invitations.create(note="withdrawn before", token_hash="d", withdrawn_at=withdrawn, **common)
    finally:
        call_command("migrate", verbosity=0)
    assert {entry.subject: (entry.actor_name, entry.who) for entry in AuditEntry.objects.all()} == {
        "by ida": ("ida", "ida"),
        "by a command": ("", "the command line"),
    }
    found = {invitation.note: invitation.withdrawn_at for invitation in Invitation.objects.all()}
    assert found.pop("open, of a deleted account") >= now
    assert found == {"open, of ida": None, "accepted": None, "withdrawn before": withdrawn}
    get_user_model().objects.get(pk=ida.pk).delete()
    assert AuditEntry.objects.get(subject="by ida").who == "ida (account deleted)"


def test_an_update_keeps_runs_and_schemes_and_their_authors():
    series, ida = make_series("cup"), make_user("ida")
    try:
        old = earlier("ratings", "0006_leases")
        schemes, runs = (old.get_model("ratings", name).objects for name in ("Scheme", "Run"))
        scheme = schemes.create(series_id=series.pk, version=1, system="elo-mmr", created_by_id=ida.pk)
        for number, actor in enumerate([ida.pk, None], start=1):
            runs.create(series_id=series.pk, number=number, scheme=scheme, state="failed", cause="x", actor_id=actor)
    finally:
        call_command("migrate", verbosity=0)
    assert [run.who for run in Run.objects.order_by("number")] == ["ida", "Podium"]
    get_user_model().objects.get(pk=ida.pk).delete()
    assert [run.who for run in Run.objects.order_by("number")] == ["ida (account deleted)", "Podium"]
    assert Scheme.objects.get().who == "ida (account deleted)"


def test_an_update_puts_all_entries_into_the_chain_of_their_series():
    cup, far, ida = make_series("cup"), make_series("far"), make_user("ida")
    try:
        old = earlier("contests", "0009_help_texts")
        entries = old.get_model("contests", "AuditEntry").objects
        entries.bulk_create(
            entries.model(
                action="x", subject=f"{i}", series_id=pk, actor_id=ida.pk, before={"a": i / 8}, after={"é": None}
            )
            for i in range(2_500)
            for pk in (cup.pk, far.pk, None)
        )
    finally:
        call_command("migrate", verbosity=0)
    assert {chain.name: chain.length for chain in AuditChain.objects.all()} == {
        f"series {cup.pk}": 2_500, f"series {far.pk}": 2_500, "site": 2_500,
    }  # fmt: skip
    first = AuditEntry.objects.get(chain="site", position=1)
    content = (
        f'{{"action":"x","after":{{"\\u00e9":null}},"at":"{first.at:%Y-%m-%dT%H:%M:%S.%f}+00:00","before":{{"a":0}},'
        f'"chain":"site","ids":{{"actor":{ida.pk}}},"subject":"0"}}'
    )
    assert first.digest == hashlib.sha256(f"\n{content}".encode()).hexdigest()
    assert not AuditEntry.objects.waiting().exists()
    call_command("verify_audit")
    AuditEntry.objects.filter(subject="2000", series=cup).update(reason="changed")
    with pytest.raises(CommandError, match=r"Series cup: entry \d+ at position 2,001"):
        call_command("verify_audit")
