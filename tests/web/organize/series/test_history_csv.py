"""The history of a series as CSV, for its organizers and by a command."""

from __future__ import annotations

import csv
import io
import json

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.test import Client
from django.urls import reverse

from contests.models import AuditEntry, Series
from contests.services.audit import record
from contests.services.communities import create_community, delete_community
from contests.services.organizers import add_organizer
from tests.factories import make_contest, make_player, make_series, make_user

pytestmark = pytest.mark.django_db

COLUMNS = [
    "id", "at", "who", "community", "action", "subject", "reason", "before", "after", "chain", "position", "digest",
]  # fmt: skip


@pytest.fixture
def ida():
    return make_user("ida")


@pytest.fixture
def cup(ida):
    series = make_series("cup", organizer=ida)
    add_organizer(series.pk, make_user("bo").username, actor=ida)
    return series


def address(series):
    return reverse("organize:series-history-csv", args=[series])


def downloaded(client, series):
    answer = client.get(address(series))
    assert answer.status_code == 200
    assert answer["Content-Type"] == "text/csv; charset=utf-8"
    assert "cup-history.csv" in answer["Content-Disposition"]
    return list(csv.DictReader(io.StringIO(b"".join(answer.streaming_content).decode(), newline="")))


def test_an_organizer_downloads_all_entries_of_the_series_and_no_others(client, cup, ida):
    other = make_series("other")
    record("series.describe", subject="foreign", actor=ida, series=other)
    record("account.sign_in", subject="an account", actor=ida, network="192.0.2.1")
    record("contest.delete", subject="contest x", actor=None, contest=make_contest(cup), reason="twice")
    client.force_login(ida)
    rows = downloaded(client, cup)
    assert list(rows[0]) == COLUMNS
    assert [(row["who"], row["action"], row["reason"]) for row in rows if row["action"] != "scheme.choose"] == [
        ("ida", "organizer.add", ""), ("the command line", "contest.delete", "twice"),
    ]  # fmt: skip
    assert json.loads(rows[0]["after"]) == {"user": "bo"}
    assert address(cup) in client.get(reverse("organize:series", args=[cup])).content.decode()


def test_each_entry_of_the_whole_site_names_its_community_even_a_deleted_one(cup, ida, capsys):
    make_series("relay", community="hill")
    create_community("gone", name="Gone", actor=ida)
    record("series.describe", subject="relay", actor=ida, series=Series.objects.get(slug="relay"))
    record("player.describe", subject="dot", actor=ida, player=make_player("dot", community="hill"))
    record("account.sign_in", subject="an account", actor=ida, network="192.0.2.1")
    delete_community("gone", actor=ida)
    call_command("export_audit")
    rows = csv.DictReader(io.StringIO(capsys.readouterr().out, newline=""))
    said = {(row["action"], row["community"]) for row in rows}
    assert said >= {
        ("series.describe", "hill"), ("player.describe", "hill"), ("organizer.add", "main"), ("account.sign_in", ""),
        ("community.create", "gone"), ("community.delete", "gone"),
    }  # fmt: skip


def test_only_organizers_and_staff_get_it(client, cup):
    assert client.get(address(cup)).status_code == 302
    client.force_login(make_user("eve"))
    assert client.get(address(cup)).status_code == 403
    cup.is_private = True
    cup.save()
    assert client.get(address(cup)).status_code == 404
    staff = Client()
    staff.force_login(make_user("boss", is_staff=True))
    assert len(downloaded(staff, cup)) == 1


@pytest.mark.parametrize("before", ["", " ", "\t", "\r", "\n", "'"])
@pytest.mark.parametrize("start", ["=", "+", "-", "@", "＝", "＋", "－", "＠"])
def test_no_cell_runs_as_a_formula(client, cup, ida, before, start):
    text = f'{before}{start}HYPERLINK("http://192.0.2.1")'
    record("standing.correct", subject=text, reason=text, actor=make_user("=x"), series=cup)
    client.force_login(ida)
    row = downloaded(client, cup)[-1]
    assert (row["subject"], row["reason"], row["who"]) == (f"'{text}", f"'{text}", "'=x")


def test_a_long_history_is_sent_in_parts_with_few_queries(client, cup, ida, django_assert_max_num_queries):
    AuditEntry.objects.bulk_create(
        AuditEntry(action="x", subject=f"entry {i}", actor=ida, series=cup, reason="why " * 20) for i in range(3_000)
    )
    client.force_login(ida)
    with django_assert_max_num_queries(8):
        answer = client.get(address(cup))
        parts = list(answer.streaming_content)
    assert len(parts) > 5
    assert max(map(len, parts)) < 40_000
    assert b"".join(parts).count(b"entry ") == 3_000


def test_the_command_exports_a_series_or_everything(cup, ida, tmp_path, capsys):
    record("account.sign_in", subject="=account", actor=ida, network="192.0.2.1")
    file = tmp_path / "audit.csv"
    call_command("export_audit", "--series", "cup", "--output", str(file))
    assert len(file.read_text().splitlines()) == 2
    call_command("export_audit", "--output", str(file))
    assert "'=account" in file.read_text()
    assert len(file.read_text().splitlines()) == 1 + AuditEntry.objects.count()
    call_command("export_audit", "--series", "cup", "--json")
    (line,) = capsys.readouterr().out.splitlines()
    assert json.loads(line)["action"] == "organizer.add"
    with pytest.raises(CommandError, match="There is no series"):
        call_command("export_audit", "--series", "nothing")
