"""Secrets in URLs reach no log, checked with a real gunicorn."""

import sys

import pytest
from django.urls import reverse

from contests.services.organizers import invite
from podium.logs import mask
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
    ],
)
def test_the_secret_of_an_address_is_masked(line, masked):
    assert mask(line) == masked


def test_no_log_of_a_site_has_the_token_of_an_invitation(transactional_db, static_files):
    ida = make_user("ida")
    _, token = invite(make_series("cup", organizer=ida).pk, actor=ida)
    gone = token[:-4] + "gone"
    port = free_port()
    options = ["--bind", f"127.0.0.1:{port}", "--workers", "1", "--access-logfile", "-", "--log-level", "debug"]
    site = Process([sys.executable, "-m", "gunicorn", *options, "podium.wsgi"], environment(PODIUM_DEBUG="0"))
    try:
        site.wait_for("Booting worker")
        visitor = Visitor(f"http://127.0.0.1:{port}")
        for secret, status in ((token, 200), (gone, 404)):
            link = reverse("organize:invitation", args=[secret])
            assert visitor.get(link)[0] == status
            visitor.opener.addheaders = [("Referer", visitor.address + link)]
            assert visitor.get(f"{reverse('login')}?next={link}")[0] == 200
        site.wait_for("/accounts/login/?next=", times=2)
        log = site.log.read_text()
    finally:
        site.kill()
    assert log.count("/organize/invitations/[secret]/") >= 4
    assert token not in log
    assert gone not in log
