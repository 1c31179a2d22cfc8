"""The hash chains of the audit log: every entry joins one, and a command finds what was changed afterwards."""

from __future__ import annotations

import hashlib
import json
import threading
from datetime import UTC, datetime, timedelta
from io import StringIO

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection, transaction
from django.test import override_settings
from django.utils import timezone

from contests.models import AuditChain, AuditEntry, Series
from contests.models.audit import content_of
from contests.services.audit import append_all, clear_networks, record
from contests.services.organizers import add_organizer, invite, remove_organizer
from contests.services.series import create_series, describe_series
from contests.tasks import sweep_task
from tests.factories import make_contest, make_player, make_series, make_user
from tests.processes import at_once

pytestmark = pytest.mark.django_db(transaction=True)


def verify(*options):
    """Return what the command prints; CommandError if something is wrong."""
    out = StringIO()
    call_command("verify_audit", *options, stdout=out)
    return out.getvalue()


def problem(*options):
    with pytest.raises(CommandError) as refusal:
        verify(*options)
    return str(refusal.value)


def sql(statement, *values):
    """Change the table as someone with a database shell would."""
    with connection.cursor() as cursor:
        cursor.execute(statement, values)


def insert(**values):
    now = timezone.now()
    row = {"at": now, "action": "contest.finalize", "subject": "forged", "reason": "", "before": "{}", "after": "{}"}
    row |= values
    names = ", ".join(f'"{name}"' for name in row)
    sql(f"INSERT INTO contests_auditentry ({names}) VALUES ({', '.join(['%s'] * len(row))})", *row.values())


def rename(pk, name, actor=None):
    describe_series(pk, name=name, description="", is_public=True, actor=actor)


@pytest.fixture
def cup():
    """A series with five entries in its chain; another series and the site have entries too."""
    ida = make_user("ida")
    series = create_series("cup", name="Cup", description="", is_public=True, actor=ida)
    create_series("other", name="Other", description="", is_public=True, actor=ida)
    for name in ("bo", "eve"):
        add_organizer(series.pk, make_user(name).username, actor=ida)
    rename(series.pk, "Harbour Cup", ida)
    invite(series.pk, note="a guest", actor=ida)
    record("player.rename", subject="player x", actor=ida, player=make_player("x"), before={"handle": "y"})
    return series


def of(series):
    return list(AuditEntry.objects.filter(series=series).order_by("position"))


def test_every_entry_joins_the_chain_of_its_series_after_the_commit(cup):
    assert [entry.position for entry in of(cup)] == [1, 2, 3, 4, 5]
    assert {chain.name: chain.length for chain in AuditChain.objects.all()} == {
        f"series {cup.pk}": 5, f"series {Series.objects.get(slug='other').pk}": 1, "community main": 1,
    }  # fmt: skip
    assert "7 entries in 3 chains" in verify()
    assert "5 entries in 1 chain." in verify("--series", "cup")


def test_a_digest_covers_the_entry_and_the_digest_before_it():
    """As the decision describes it, computed by hand."""
    at = datetime(2026, 11, 22, 19, 30, 0, 250000, tzinfo=UTC)
    make_user("ida")
    with transaction.atomic():
        first = record("run.cancel", subject="run 1", actor=None, after={"b": 1e22, "a": 0.5, "when": at})
        AuditEntry.objects.filter(pk=first.pk).delete()
        first = AuditEntry(action="run.cancel", subject="run 1", after={"b": 1e22, "a": 0.5, "when": at}, at=at)
        first.save()
        second = AuditEntry(action="é", subject="run 2", at=at)
        second.save()
    append_all()
    one = (
        '{"action":"run.cancel","after":{"a":0.5,"b":10000000000000000000000,"when":"2026-11-22T19:30:00.250Z"},'
        '"at":"2026-11-22T19:30:00.250000+00:00","chain":"site","subject":"run 1"}'
    )
    two = '{"action":"\\u00e9","at":"2026-11-22T19:30:00.250000+00:00","chain":"site","subject":"run 2"}'
    digest = hashlib.sha256(b"\n" + one.encode()).hexdigest()
    after = hashlib.sha256(f"{digest}\n{two}".encode()).hexdigest()
    assert list(AuditEntry.objects.order_by("position").values_list("digest", flat=True)) == [digest, after]


@pytest.mark.parametrize(
    "value",
    [
        1.0,
        1e300,
        -0.0,
        0.1,
        10**30,
        "é 🐱",
        [1, {"z": None, "a": []}],
        True,
    ],
)
def test_content_is_the_same_before_and_after_it_is_stored(value):
    entry = record("x", subject="x", actor=None, after={"value": value, "é": (1, 2)})
    assert content_of(entry) == content_of(AuditEntry.objects.get(pk=entry.pk))


def test_a_transaction_that_is_rolled_back_leaves_no_gap(cup):
    with transaction.atomic():
        add_organizer(cup.pk, make_user("zoe").username)
        transaction.set_rollback(True)
    rename(cup.pk, "Again")
    assert [entry.position for entry in of(cup)] == [1, 2, 3, 4, 5, 6]
    verify()


# What someone with access to the database might do

VALUES = {
    "actor_name": "bo", "action": "contest.delete", "subject": "another", "reason": "why not", "before": '{"a": 1}',
    "after": '{"user": "mallory"}', "at": datetime(2020, 1, 1, tzinfo=UTC), "chain": "site", "ids": '{"actor": 2}',
    "digest": "0" * 64, "is_about_account": True,
}  # fmt: skip


@pytest.mark.parametrize("name", VALUES)
def test_a_changed_entry_is_named(cup, name):
    entry = of(cup)[2]
    sql(f"UPDATE contests_auditentry SET {name} = %s, position = %s WHERE id = %s", VALUES[name],
        17 if name == "chain" else entry.position, entry.pk)  # fmt: skip
    said = problem()
    assert "Series cup: " in said
    if name == "chain":  # the next one follows a gap
        assert f"before entry {entry.pk + 1} at position 4" in said
        assert "1 entry is missing" in said
    else:
        assert f"entry {entry.pk} at position 3" in said
    assert "Series other" not in said


@pytest.mark.parametrize("name", ["actor_id", "series_id", "contest_id", "player_id"])
@pytest.mark.parametrize("is_emptied", [False, True])
def test_an_entry_that_refers_to_something_else_is_named(cup, name, is_emptied):
    contest, player = make_contest(cup), make_player("x")
    entry = record("x", subject="x", actor=make_user("zoe"), contest=contest, player=player)
    others = {
        "actor_id": make_user("mallory").pk, "series_id": make_series("far").pk, "contest_id": make_contest(cup).pk,
        "player_id": make_player("y").pk,
    }  # fmt: skip
    verify()
    sql(f"UPDATE contests_auditentry SET {name} = %s WHERE id = %s", None if is_emptied else others[name], entry.pk)
    assert f"entry {entry.pk} at position" in problem()
    assert f"does not refer to the {name.removesuffix('_id')}" in problem()


@pytest.mark.parametrize(("first", "last", "words"), [
    (1, 1, "before entry {2} at position 2 .*, 1 entry is missing"),
    (2, 3, "before entry {4} at position 4 .*, 2 entries are missing"),
    (5, 5, "after entry {4} at position 4 .*, the last 1 entry is missing"),
    (1, 5, "at the start, the last 5 entries are missing"),
])  # fmt: skip
def test_deleted_entries_are_noticed(cup, first, last, words):
    ids = ["", *(entry.pk for entry in of(cup))]
    sql("DELETE FROM contests_auditentry WHERE series_id = %s AND position BETWEEN %s AND %s", cup.pk, first, last)
    with pytest.raises(CommandError, match=words.format(*ids).replace("(", r"\(")):
        verify()


def test_entries_that_change_places_are_noticed(cup):
    one, two = of(cup)[1:3]
    sql("UPDATE contests_auditentry SET position = 99 WHERE id = %s", one.pk)
    sql("UPDATE contests_auditentry SET position = 2 WHERE id = %s", two.pk)
    sql("UPDATE contests_auditentry SET position = 3 WHERE id = %s", one.pk)
    assert f"entry {two.pk} at position 2" in problem()


def test_an_inserted_entry_does_not_slip_into_the_chain(cup):
    insert(chain=f"series {cup.pk}", series_id=cup.pk)
    insert()
    rename(cup.pk, "Next")
    sweep_task()
    forged = AuditEntry.objects.get(subject="forged", chain=f"series {cup.pk}")
    assert forged.position is None
    said = problem()
    assert f"Series cup: entry {forged.pk} (contest.finalize, forged" in said
    assert "Entries of an older version: entry" in said


def test_an_entry_inserted_with_a_position_is_noticed(cup):
    insert(chain=f"series {cup.pk}", series_id=cup.pk, position=6, digest="0" * 64)
    assert "entry" in problem("--series", "cup")


def test_an_entry_that_was_changed_while_it_waited_is_not_appended(cup):
    with transaction.atomic():
        entry = record("x", subject="x", actor=None, series=cup)
        sql("UPDATE contests_auditentry SET reason = 'changed' WHERE id = %s", entry.pk)
    assert f"entry {entry.pk} (x, x" in problem()


def test_a_checked_entry_without_a_signature_is_accepted_and_that_is_recorded(cup):
    insert(series_id=cup.pk)  # as a process of the version before these chains does
    problem()
    assert "9 entries in 4 chains" in verify("--accept")
    assert AuditEntry.objects.get(subject="forged").chain == f"series {cup.pk}"
    accepted = AuditEntry.objects.get(action="audit.accept")
    assert accepted.after == {"ids": [AuditEntry.objects.get(subject="forged").pk]}
    verify()


def test_a_new_secret_key_breaks_no_chain(cup):
    with override_settings(SECRET_KEY="another" * 10):
        verify()
        rename(cup.pk, "Next")
    verify()


def test_a_replaced_chain_is_noticed_by_an_end_that_was_kept_elsewhere(cup, tmp_path):
    kept = tmp_path / "ends.jsonl"
    kept.write_text(verify("--json"))
    rename(cup.pk, "Next")
    with kept.open("a") as file:
        file.write(verify("--json"))
    assert json.loads(kept.read_text().splitlines()[0])["chains"][f"series {cup.pk}"]["length"] == 5
    verify("--against", str(kept))
    # Someone who knows the code writes the whole chain again, with its end.
    last = AuditEntry.objects.get(series=cup, position=6)
    last.delete()
    AuditChain.objects.filter(name=last.chain).update(length=5, digest=of(cup)[4].digest)
    verify()
    assert "the last 1 entry is missing, which an earlier check saw" in problem("--against", str(kept))
    rename(cup.pk, "Something else")
    verify()
    assert "at position 6" in problem("--against", str(kept))
    AuditEntry.objects.all().delete()
    AuditChain.objects.all().delete()
    verify()
    assert "at the start, the last 6 entries are missing" in problem("--against", str(kept))


@pytest.mark.parametrize("content", ["", "[]\n", "{}", '{"chains": {"site": {"length": "x", "digest": ""}}}', "\udcff"])
def test_a_file_without_ends_is_refused(cup, tmp_path, content):
    kept = tmp_path / "ends.jsonl"
    kept.write_text(content, errors="surrogateescape")
    if content:
        assert "line 1: this is not an output of verify_audit --json" in problem("--against", str(kept))
    assert "cannot be read" in problem("--against", str(tmp_path / "none"))


def test_a_changed_or_deleted_end_is_noticed(cup):
    AuditChain.objects.filter(name=f"series {cup.pk}").update(digest="0" * 64)
    assert "the stored end of the chain does not match entry" in problem()
    AuditChain.objects.filter(name=f"series {cup.pk}").delete()
    assert "5 entries are beyond the stored end" in problem()


def test_deleting_what_entries_are_about_breaks_no_chain(cup):
    contest, ida = make_contest(cup), make_user("gone")
    record("contest.finalize", subject="contest x", actor=ida, contest=contest)
    remove_organizer(cup.pk, add_organizer(cup.pk, "gone").pk)
    ida.delete()
    contest.delete()
    verify()
    pk = cup.pk
    cup.delete()
    entries = AuditEntry.objects.filter(chain=f"series {pk}", series=None)
    assert entries.filter(action="organizer.add").count() == 3
    verify()
    sql("UPDATE contests_auditentry SET reason = 'x' WHERE chain = %s AND position = 2", f"series {pk}")
    assert f"Deleted series {pk}: " in problem()


def test_networks_are_cleared_after_some_time_and_break_no_chain():
    entry = AuditEntry.objects.create(action="account.sign_in", subject="ida", is_about_account=True, network="1.2.3.4")
    verify()
    assert clear_networks(timezone.now() + timedelta(days=89)) == 0
    assert clear_networks(timezone.now() + timedelta(days=91)) == 1
    entry.refresh_from_db()
    assert (entry.network, entry.chain, entry.position) == ("", "accounts", 1)
    verify()


# Concurrent writers


def test_concurrent_writers_leave_unbroken_chains():
    one, two = make_series("one"), make_series("two")

    def write():
        for number in range(6):
            with transaction.atomic():
                for series in (one, two)[:: 1 if number % 2 else -1]:
                    record("x", subject=f"entry {number}", actor=None, series=series)

    assert not [one for one in at_once(*[write] * 4) if isinstance(one, Exception)]
    assert AuditEntry.objects.waiting().count() == 0
    assert [chain.length for chain in AuditChain.objects.all()] == [24, 24]
    verify()


@pytest.mark.one_database
def test_a_long_transaction_makes_no_one_wait(cup):
    """Only on PostgreSQL: SQLite has one writer at a time."""
    written, go_on = threading.Event(), threading.Event()

    def long():
        with transaction.atomic():
            record("x", subject="early, but committed late", actor=None, series=cup)
            written.set()
            assert go_on.wait(20)

    def short():
        assert written.wait(20)
        record("x", subject="late, but committed early", actor=None, series=cup)
        go_on.set()

    assert not [one for one in at_once(long, short) if isinstance(one, Exception)]
    assert [entry.subject for entry in of(cup)][-2:] == ["late, but committed early", "early, but committed late"]
    verify()


def test_the_sweep_appends_what_a_killed_process_left(cup):
    AuditEntry.objects.create(action="x", subject="x", series=cup)  # committed, and killed before the call after it
    assert AuditEntry.objects.waiting().count() == 1
    sweep_task()
    assert AuditEntry.objects.waiting().count() == 0
    verify()


def test_entries_written_in_bulk_join_the_chain(cup):
    AuditEntry.objects.bulk_create(AuditEntry(action="x", subject=f"x {i}", series=cup) for i in range(2_100))
    assert append_all() == 2_100
    assert "2,105 entries" in verify("--series", "cup")
