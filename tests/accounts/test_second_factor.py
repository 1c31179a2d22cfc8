"""Authenticator apps and recovery codes; passkeys need a browser (tests/browser/test_accounts.py)."""

import pytest
from allauth.mfa.models import Authenticator
from django.test import Client
from django.urls import reverse

from tests.accounts.codes import code_of
from tests.factories import make_series, make_user
from tests.pages import Page

pytestmark = pytest.mark.django_db

PASSWORD = "correct-horse-battery"
CODE = "/accounts/2fa/authenticate/"


def test_the_codes_are_those_of_the_standard():
    """Test vector of RFC 6238, appendix B, for 59 seconds after the epoch."""
    assert code_of("GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ", 59) == "287082"


@pytest.fixture
def ida(without_mail):
    return make_user("ida")


@pytest.fixture
def own(ida):
    client = Client()
    client.force_login(ida)
    client.post(reverse("account_reauthenticate"), {"password": PASSWORD})
    return client


@pytest.fixture
def secret(own):
    """The secret of the app that the account has."""
    secret = own.get(reverse("mfa_activate_totp")).context["form"].secret
    answer = own.post(reverse("mfa_activate_totp"), {"code": code_of(secret)})
    assert answer["Location"] == reverse("mfa_view_recovery_codes")
    return secret


@pytest.fixture
def codes(own, secret):
    return own.get(reverse("mfa_view_recovery_codes")).context["unused_codes"]


def log_in(address="192.0.2.1", **more):
    client = Client(REMOTE_ADDR=address)
    answer = client.post(reverse("login"), {"login": "ida", "password": PASSWORD, **more})
    return client, answer


def is_in(client):
    return "_auth_user_id" in client.session


def test_setting_up_an_app_needs_the_password_and_a_correct_code(ida):
    client = Client()
    client.force_login(ida)
    assert client.get(reverse("mfa_activate_totp"))["Location"].startswith(reverse("account_reauthenticate"))
    client.post(reverse("account_reauthenticate"), {"password": PASSWORD})
    wrong = client.post(reverse("mfa_activate_totp"), {"code": "000000"})
    assert "This code is wrong" in Page(wrong).text
    assert not Authenticator.objects.exists()


def test_the_password_alone_is_not_enough(secret):
    client, answer = log_in(next="/account/")
    assert answer["Location"] == CODE
    assert not is_in(client)
    assert client.get("/account/").status_code == 302
    assert "This code is wrong" in Page(client.post(CODE, {"code": "000000"})).text
    assert not is_in(client)
    assert client.post(CODE, {"code": code_of(secret)})["Location"] == "/account/"
    assert is_in(client)


def test_a_code_is_worth_nothing_without_the_password(secret):
    client = Client()
    assert client.post(CODE, {"code": code_of(secret)})["Location"] == reverse("login")
    client.post(reverse("login"), {"login": "ida", "password": "wrong"})
    assert client.post(CODE, {"code": code_of(secret)})["Location"] == reverse("login")


def test_the_admin_asks_for_the_second_step_too(ida, secret):
    ida.is_staff = True
    ida.save()
    client, _ = log_in(next=reverse("admin:index"))
    assert client.get(reverse("admin:index")).status_code == 302
    assert client.post(CODE, {"code": code_of(secret)})["Location"] == reverse("admin:index")
    assert client.get(reverse("admin:index")).status_code == 200


def test_a_recovery_code_works_once(codes):
    for code, works in ((codes[0], True), (codes[0], False), (codes[1], True)):
        client, _ = log_in()
        client.post(CODE, {"code": code})
        assert is_in(client) == works


def test_new_recovery_codes_replace_the_old_ones(own, codes):
    own.post(reverse("mfa_generate_recovery_codes"))
    client, _ = log_in()
    client.post(CODE, {"code": codes[0]})
    assert not is_in(client)
    newer = own.get(reverse("mfa_download_recovery_codes")).content.decode().split()
    assert len(newer) == 10
    assert not set(newer) & set(codes)


def test_recovery_codes_are_shown_only_after_the_password(ida, codes):
    client = Client()
    client.force_login(ida)
    for name in ("mfa_view_recovery_codes", "mfa_download_recovery_codes", "mfa_generate_recovery_codes"):
        answer = client.get(reverse(name))
        assert answer.status_code == 302
        assert codes[0] not in answer.content.decode()


def test_codes_of_an_account_are_limited_across_all_addresses(secret):
    statuses = []
    for number in range(11):
        client, answer = log_in(f"198.51.100.{number}")
        if answer.status_code == 302:
            statuses.append(client.post(CODE, {"code": "000000"}).status_code)
    assert statuses == [200] * 10, "the limit on logins refuses the eleventh before its code"


def test_wrong_codes_of_one_login_are_limited_and_then_even_the_right_one_is_refused(secret):
    client, _ = log_in()
    answers = [client.post(CODE, {"code": "000000"}) for _ in range(11)]
    assert answers[-1].status_code == 429
    assert client.post(CODE, {"code": code_of(secret)}).status_code == 429
    assert not is_in(client)


def test_removing_the_app_needs_a_confirmation(ida, secret):
    client, _ = log_in()
    client.post(CODE, {"code": code_of(secret)})
    assert client.post(reverse("mfa_deactivate_totp"))["Location"].startswith(reverse("account_reauthenticate"))
    assert Authenticator.objects.filter(type="totp").exists()
    client.post(reverse("account_reauthenticate"), {"password": PASSWORD})
    client.post(reverse("mfa_deactivate_totp"))
    assert not Authenticator.objects.exists(), "recovery codes go with it"


def test_what_was_typed_is_kept_through_both_steps_after_a_session_expired(ida, codes):
    page = reverse("organize:contest-create", args=[make_series("cup", organizer=ida)])
    client, _ = log_in()
    client.post(CODE, {"code": codes[0]})
    assert client.get(page).status_code == 200
    client.session.flush()
    client.cookies.pop("sessionid", None)
    headers = {"origin": "http://testserver", "referer": f"http://testserver{page}"}
    answer = client.post(page, {"name": "Fog Round", "ends_at": "x"}, headers=headers)
    client.post(answer["Location"], {"login": "ida", "password": PASSWORD, "next": page})
    back = client.post(CODE, {"code": codes[1]}, follow=True)
    assert back.request["PATH_INFO"] == page
    assert 'value="Fog Round"' in back.content.decode()


def test_an_address_that_is_not_verified_cannot_lock_its_owner_out(mailbox):
    ida = make_user("ida", email="ida@example.org")
    ida.emailaddress_set.create(email="ida@example.org")
    client = Client()
    client.force_login(ida)
    client.post(reverse("account_reauthenticate"), {"password": PASSWORD})
    answer = client.get(reverse("mfa_activate_totp"), follow=True)
    assert "Verify your email address first" in Page(answer).text


def test_staff_remove_a_lost_second_step_but_do_not_see_its_secret(secret):
    boss = make_user("boss", is_staff=True, is_superuser=True)
    client = Client()
    client.force_login(boss)
    row = Authenticator.objects.get(type="totp")
    page = client.get(reverse("admin:mfa_authenticator_change", args=[row.pk]))
    assert page.status_code == 200
    assert secret not in page.content.decode()
    client.post(reverse("admin:mfa_authenticator_delete", args=[row.pk]), {"post": "yes"})
    client, answer = log_in()
    assert answer["Location"] == reverse("organize:home")


@pytest.mark.usefixtures("unreachable_cache")
def test_people_log_in_with_both_steps_while_the_cache_is_unavailable(codes):
    client, answer = log_in()
    assert answer["Location"] == CODE
    client.post(CODE, {"code": codes[0]})
    assert is_in(client)
