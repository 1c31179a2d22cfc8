"""Sign-ins, failures, passwords, rights and deletions of accounts are in the audit log, and only staff see them."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth import authenticate, get_user_model
from django.contrib.auth.models import AnonymousUser, Group, Permission
from django.core.cache import cache
from django.core.management import call_command
from django.test import Client, RequestFactory
from django.urls import reverse
from django.utils import timezone

from contests.models import AuditEntry
from tests.factories import make_contest, make_series, make_user
from web.shared.contest_pages import Kept

pytestmark = pytest.mark.django_db

PASSWORD, NEW = "correct-horse-battery", "quay-and-harbour-7"


def entries(*actions):
    found = AuditEntry.objects.filter(is_about_account=True).order_by("id")
    return [
        (entry.action, entry.actor_name, entry.subject, entry.network, entry.before, entry.after)
        for entry in (found.filter(action__in=actions) if actions else found)
    ]


def attempt(username="ida", password="wrong", address="192.0.2.1"):
    client = Client(REMOTE_ADDR=address)
    client.post(reverse("login"), {"username": username, "login": username, "password": password})
    return client


@pytest.fixture
def ida():
    return make_user("ida", email="ida@example.org")


@pytest.fixture
def boss(client):
    client.force_login(make_user("boss", is_staff=True, is_superuser=True))
    AuditEntry.objects.all().delete()
    return client


def test_signing_in_and_out_is_recorded_with_the_network(ida):
    client = attempt("ida", PASSWORD, "2001:db8:1:2:3::4")
    client.post(reverse("logout"))
    assert entries() == [
        ("account.sign_in", "ida", "account ida", "2001:db8:1:2::/64", {}, {}),
        ("account.sign_out", "ida", "account ida", "2001:db8:1:2::/64", {}, {}),
    ]


def test_a_failure_names_the_account_but_never_what_was_typed_for_an_unknown_one(ida):
    attempt("ida", "wrong")
    attempt(PASSWORD, "wrong")
    assert entries() == [
        ("account.sign_in_failed", "", "account ida", "192.0.2.1", {}, {"failures": 1}),
        ("account.sign_in_failed", "", "an unknown account", "192.0.2.1", {}, {"failures": 1}),
    ]
    assert {entry.who for entry in AuditEntry.objects.all()} == {"someone"}
    assert PASSWORD not in str(list(AuditEntry.objects.values()))


def fail(name, address="192.0.2.1"):
    authenticate(RequestFactory(REMOTE_ADDR=address).post("/accounts/login/"), username=name, password="wrong")


def test_a_flood_for_one_account_adds_an_entry_for_each_power_of_ten(ida):
    for _ in range(120):
        fail("ida")
    assert [after["failures"] for *_, after in entries()] == [1, 10, 100]
    # The first 20 failures from a network are counted for each account, further ones for the network.
    assert [subject.partition(":")[0] for _, _, subject, *_ in entries()] == ["account ida"] * 2 + ["accounts"]


def test_a_flood_of_names_from_one_network_adds_few_entries():
    for number in range(150):
        fail(f"name{number}")
    assert len(entries()) == 20 + 1
    assert entries()[-1][2:] == (
        "accounts: 100 failures of this network within an hour", "192.0.2.1", {}, {"failures": 100},
    )  # fmt: skip


def test_a_flood_from_everywhere_adds_few_entries(monkeypatch):
    monkeypatch.setattr("accounts.audit.MOST_OF_SITE", 30)
    for number in range(120):
        fail(f"name{number}", f"198.51.{number}.1")
    assert len(entries()) == 30 + 1
    assert entries()[-1][2:] == ("accounts: 100 failures of this site within an hour", "", {}, {"failures": 100})


def test_without_the_cache_failures_are_only_in_the_log(ida, monkeypatch, caplog):
    monkeypatch.setattr(cache, "add", lambda *_: True)  # what podium.caching returns in that case
    for _ in range(3):
        fail("ida")
    assert entries() == []
    assert "the cache cannot be reached" in caplog.text


@pytest.mark.parametrize("name", ["\0", "x" * 10_000, "", "ida\0"])
def test_a_failed_login_with_an_odd_name_causes_no_error(ida, name):
    attempt(name)
    assert len(entries()) <= 1


def test_a_new_password_is_recorded_however_it_is_set(boss, ida):
    boss.post(reverse("admin:auth_user_password_change", args=[ida.pk]),
              {"password1": NEW, "password2": NEW, "usable_password": "true"})  # fmt: skip
    ida.refresh_from_db()
    assert ida.check_password(NEW)
    ida.set_password(PASSWORD)
    ida.save()
    assert entries() == [
        ("account.password", "boss", "account ida", "127.0.0.1", {}, {}),
        ("account.password", "", "account ida", "", {}, {}),
    ]
    assert [entry.who for entry in AuditEntry.objects.order_by("id")] == ["boss", "the command line"]


def test_a_better_hash_of_the_same_password_is_not_a_new_password(ida, settings):
    settings.PASSWORD_HASHERS = [
        "django.contrib.auth.hashers.PBKDF2PasswordHasher", "django.contrib.auth.hashers.MD5PasswordHasher",
    ]  # fmt: skip
    attempt("ida", PASSWORD)
    ida.refresh_from_db()
    assert ida.password.startswith("pbkdf2")
    assert [action for action, *_ in entries()] == ["account.sign_in"]


def change(boss, user, **changes):
    page = boss.get(reverse("admin:auth_user_change", args=[user.pk]))
    form = page.context["adminform"].form
    said = {name: form[name].value() for name in form.fields if name != "password"} | changes
    said["date_joined_0"], said["date_joined_1"] = user.date_joined.strftime("%Y-%m-%d %H:%M:%S").split()
    return boss.post(
        page.request["PATH_INFO"], {name: value for name, value in said.items() if value not in (None, False)}
    )


def test_rights_given_and_taken_in_the_admin_are_recorded(boss, ida):
    assert change(boss, ida, is_staff="on").status_code == 302
    ida.refresh_from_db()
    assert ida.is_staff
    assert change(boss, ida, is_staff=False, is_active=False).status_code == 302
    assert entries() == [
        ("account.rights", "boss", "account ida", "127.0.0.1", {"is_staff": False}, {"is_staff": True}),
        ("account.rights", "boss", "account ida", "127.0.0.1",
         {"is_active": True, "is_staff": True}, {"is_active": False, "is_staff": False}),
    ]  # fmt: skip


def test_permissions_and_groups_given_in_the_admin_are_recorded(boss, ida):
    group = Group.objects.create(name="helpers")
    view = Permission.objects.get(codename="view_auditentry")
    change(boss, ida, groups=[group.pk], user_permissions=[view.pk])
    change(boss, ida, groups=[], user_permissions=[view.pk])
    group.permissions.add(view)
    ida.user_permissions.clear()
    assert [(action, who, subject, before, after) for action, who, subject, _, before, after in entries()] == [
        ("account.permissions", "boss", "account ida", {}, {"groups": ["helpers"]}),
        ("account.permissions", "boss", "account ida", {}, {"permissions": [str(view)]}),
        ("account.permissions", "boss", "account ida", {"groups": ["helpers"]}, {}),
        ("account.permissions", "", "group helpers", {}, {"permissions": [str(view)]}),
        ("account.permissions", "", "account ida", {"permissions": [str(view)]}, {}),
    ]


def test_a_superuser_made_by_a_command_is_recorded():
    call_command("createsuperuser", username="root", email="", interactive=False)
    (entry,) = entries()
    assert entry[:3] == ("account.rights", "", "account root")
    assert entry[5] == {"is_staff": True, "is_superuser": True}
    make_user("bo")
    assert len(entries()) == 1, "an account without rights adds no entry"


def test_deleting_an_account_keeps_its_name_in_every_entry(boss, ida):
    attempt("ida", PASSWORD)
    make_series("cup", organizer=ida)
    before = [(entry.pk, entry.actor_name, entry.digest) for entry in AuditEntry.objects.filter(actor=ida)]
    assert before
    boss.post(reverse("admin:auth_user_delete", args=[ida.pk]), {"post": "yes"})
    assert not get_user_model().objects.filter(username="ida").exists()
    after = AuditEntry.objects.filter(pk__in=[pk for pk, *_ in before])
    assert [(entry.pk, entry.actor_name, entry.digest) for entry in after.order_by("id")] == before
    assert {entry.who for entry in after} == {"ida (account deleted)"}
    assert entries("account.delete") == [("account.delete", "boss", "account ida", "127.0.0.1", {}, {})]
    call_command("verify_audit")


def test_a_person_who_deletes_their_own_account_is_named(boss):
    me = get_user_model().objects.get(username="boss")
    boss.post(reverse("admin:auth_user_delete", args=[me.pk]), {"post": "yes"})
    assert AuditEntry.objects.get(action="account.delete").who == "boss (account deleted)"
    call_command("verify_audit")


def test_only_staff_see_entries_about_accounts(boss, ida):
    attempt("ida", "wrong", "198.51.100.7")
    series = make_series("cup", organizer=ida)
    page = boss.get(reverse("admin:contests_auditentry_changelist"), {"q": "198.51.100.7"}).content.decode()
    assert "account.sign_in_failed" in page
    organizer = Client()
    organizer.force_login(ida)
    for address in (reverse("organize:series", args=[series]), reverse("organize:home")):
        assert "198.51.100.7" not in organizer.get(address).content.decode()
    assert organizer.get(reverse("admin:contests_auditentry_changelist")).status_code != 200


def test_sign_ins_do_not_change_feeds_and_cached_pages(client):
    series = make_series("cup")
    AuditEntry.objects.create(
        action="series.create", subject="series cup", series=series, at=timezone.now() - timedelta(days=1)
    )
    make_contest(series, players=2)  # an empty feed changes all the time
    feed = reverse("series-feed-results", args=[series])
    tag, cached = client.get(feed)["ETag"], Kept(AnonymousUser()).version
    attempt("nobody")
    assert (client.get(feed)["ETag"], Kept(AnonymousUser()).version) == (tag, cached)
    AuditEntry.objects.create(action="series.describe", subject="series cup", series=series)
    assert Kept(AnonymousUser()).version != cached


def test_second_factors_are_recorded(ida):
    from allauth.mfa.models import Authenticator
    from allauth.mfa.signals import authentication_failed, authenticator_added, authenticator_removed

    request = Client(REMOTE_ADDR="192.0.2.1").get("/").wsgi_request
    app = Authenticator(user=ida, type=Authenticator.Type.TOTP)
    for signal in (authenticator_added, authenticator_removed):
        signal.send(Authenticator, request=request, user=ida, authenticator=app)
    for _ in range(10):
        authentication_failed.send(Authenticator, request=request, user=ida, authenticator=app)
    assert [(action, who, after) for action, who, _, _, _, after in entries()] == [
        ("account.second_factor_add", "", {"kind": "totp"}),
        ("account.second_factor_remove", "", {"kind": "totp"}),
        ("account.second_factor_failed", "", {"failures": 1}),
        ("account.second_factor_failed", "", {"failures": 10}),
    ]
