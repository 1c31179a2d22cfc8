"""Secrets in URLs reach no log, checked with a real gunicorn."""

import logging
import sys

import pytest
from django.urls import reverse

from accounts.tokens import create_token
from contests.services.organizers import invite
from podium.logs import MaskedFormatter, mask
from tests.factories import make_series, make_user
from tests.processes import Process, Visitor, environment, free_port

pytestmark = pytest.mark.one_database


@pytest.mark.parametrize(
    ("line", "masked"),
    [
        ("GET /organize/invitations/abc-_9/ HTTP/1.1", "GET /organize/invitations/[secret]/ HTTP/1.1"),
        ("Gone: /organize/invitations/abc", "Gone: /organize/invitations/[secret]"),
        ("/accounts/login/?next=/organize/invitations/abc/", "/accounts/login/?next=/organize/invitations/[secret]/"),
        ("?next=%2Forganize%2Finvitations%2Fabc%2F&x=1", "?next=%2Forganize%2Finvitations%2F[secret]%2F&x=1"),
        ("/accounts/reset/MQ/abc-123/", "/accounts/reset/MQ/[secret]/"),
        ("/accounts/reset/MQ/set-password/", "/accounts/reset/MQ/set-password/"),
        ("/accounts/password/reset/key/1-abc-12/", "/accounts/password/reset/key/[secret]/"),
        ("/accounts/password/reset/key/1-set-password/", "/accounts/password/reset/key/1-set-password/"),
        ("/accounts/password/reset/key/done/", "/accounts/password/reset/key/done/"),
        ("/accounts/confirm-email/MQ:1a:b-c/", "/accounts/confirm-email/[secret]/"),
        ("/accounts/confirm-email/", "/accounts/confirm-email/"),
        ("/organize/invitations/17/withdraw/", "/organize/invitations/17/withdraw/"),
        ("/organize/invitations/ab%20c%2f", "/organize/invitations/[secret]%2f"),
        ("/c/main/players/tourist/", "/c/main/players/tourist/"),
        ("/organize/invitations/accept/", "/organize/invitations/accept/"),
        ("/organize/invitations/ HTTP/1.1", "/organize/invitations/ HTTP/1.1"),
        ("/organize/c/club-2F/invitations/abc/", "/organize/c/club-2F/invitations/[secret]/"),
        ("POST /organize/contests/12/review/Ab_9-x/save/", "POST /organize/contests/12/review/[secret]/save/"),
        (
            "?next=%2Forganize%2Fcontests%2F12%2Freview%2Fx%2F",
            "?next=%2Forganize%2Fcontests%2F12%2Freview%2F[secret]%2F",
        ),
        ("/accounts/github/login/callback/?code=a&state=b HTTP", "/accounts/github/login/callback/?[secret] HTTP"),
        ("/accounts/oidc/x/login/callback/ HTTP", "/accounts/oidc/x/login/callback/ HTTP"),
        (
            "args: ('Reset', 'https://x/accounts/password/reset/key/1-a-b/ now')",
            "args: ('Reset', 'https://x/accounts/password/reset/key/[secret]/ now')",
        ),
    ],
)
def test_the_secret_of_an_address_is_masked(line, masked):
    assert mask(line) == masked


def test_a_traceback_is_masked_too():
    formatter = MaskedFormatter("{message}", style="{")
    try:
        raise ValueError("/organize/invitations/abc/")
    except ValueError:
        record = logging.LogRecord("x", logging.ERROR, "x.py", 1, "failed", (), sys.exc_info())
    text = formatter.format(record)
    assert "ValueError: /organize/invitations/[secret]/" in text
    assert "abc" not in text


def test_djangos_own_handlers_write_nothing():
    """They print unmasked in debug mode, and would send messages with the whole request to administrators."""
    assert logging.getLogger("django").handlers == []
    assert logging.getLogger("django.request").handlers == []


def test_no_log_of_a_site_has_the_token_of_an_invitation_or_a_program(transactional_db, static_files):
    ida = make_user("ida")
    _, token = invite(make_series("cup", organizer=ida).pk, actor=ida)
    gone = token[:-4] + "gone"
    _, api_token = create_token("main", name="Website", lifetime=None)
    port = free_port()
    options = ["--bind", f"127.0.0.1:{port}", "--workers", "1", "--access-logfile", "-", "--log-level", "debug"]
    site = Process([sys.executable, "-m", "gunicorn", *options, "podium.wsgi"], environment(PODIUM_DEBUG="0"))
    try:
        site.wait_for("Booting worker")
        visitor = Visitor(f"http://127.0.0.1:{port}")
        for secret in (token, gone):
            link = reverse("organize:invitation-old", args=[secret])
            assert visitor.get(link)[0] == 410
            visitor.opener.addheaders = [("Referer", visitor.address + link)]
            assert visitor.get(f"{reverse('login')}?next={link}")[0] == 200
        visitor.opener.addheaders = [("Authorization", f"Bearer {api_token}"), ("Referer", f"/x/?token={api_token}")]
        for path, status in (("series/", 200), (f"series/?token={api_token}", 400), (f"{api_token}/", 400)):
            assert visitor.get(f"/api/v1/{path}")[0] == status
        site.wait_for("/accounts/login/?next=", times=2)
        site.wait_for("_[secret]/ HTTP")
        log = site.log.read_text()
    finally:
        site.kill()
    assert log.count("/organize/invitations/[secret]/") >= 4
    assert token not in log
    assert gone not in log
    assert f"?token={api_token[:15]}_[secret]" in log
    assert api_token[16:36] not in log


def test_the_secret_of_a_link_is_in_no_address_at_all(transactional_db, static_files):
    """A proxy in front logs addresses as they are: it sees only /organize/invitations/."""
    ida = make_user("ida")
    _, token = invite(make_series("cup", organizer=ida).pk, actor=ida)
    port = free_port()
    options = ["--bind", f"127.0.0.1:{port}", "--workers", "1", "--access-logfile", "-", "--log-level", "debug"]
    site = Process([sys.executable, "-m", "gunicorn", *options, "podium.wsgi"], environment(PODIUM_DEBUG="0"))
    try:
        site.wait_for("Booting worker")
        visitor = Visitor(f"http://127.0.0.1:{port}")
        visitor.get(reverse("organize:invitation-open"))
        whole = f"https://x/organize/invitations/#{token}"
        assert visitor.post(reverse("organize:invitation-open"), link=whole)[0] == 302
        assert visitor.location == reverse("organize:invitation-accept")
        status, page = visitor.get(visitor.location)
        assert status == 200
        assert "invites you" in page
        site.wait_for("/organize/invitations/accept/")
        log = site.log.read_text()
    finally:
        site.kill()
    assert token not in log
    assert "[secret]" not in log
