"""Every page and message that django-allauth can show is in our own words and design."""

from pathlib import Path

import allauth
import allauth.core.context
import pytest
from django.conf import settings
from django.core.mail import EmailMessage
from django.template.loader import get_template

from accounts.adapter import AccountAdapter
from accounts.wording import MESSAGES

THEIRS = Path(allauth.__file__).parent / "templates"
OURS = settings.BASE_DIR / "templates"
#: Pages for what is switched off, and parts of allauth's own design.
UNUSED = (
    "allauth/", "idp/", "openid/", "account/base", "account/snippets/", "account/email.html", "account/phone",
    "account/confirm_", "account/request_login_code", "account/signup_by_passkey", "account/verified_email_required",
    "mfa/base", "mfa/trust", "mfa/recovery_codes/base", "mfa/totp/base", "mfa/webauthn/base", "mfa/webauthn/signup",
    "mfa/webauthn/snippets/", "socialaccount/base", "socialaccount/snippets/", "usersessions/base",
    # Only for sites whose session cookie is strict.
    "socialaccount/login_redirect",
)  # fmt: skip
#: Messages of features that are switched off.
UNUSED_MAIL = {"base", "login_code", "password_reset_code", "unknown_account"}


def theirs(pattern):
    return sorted(str(path.relative_to(THEIRS)) for path in THEIRS.rglob(pattern))


def test_every_page_is_ours():
    used = [name for name in theirs("*.html") if not name.startswith(UNUSED)]
    assert len(used) > 25
    assert [name for name in used if not Path(get_template(name).origin.name).is_relative_to(OURS)] == []


def test_every_notice_is_in_our_own_words():
    assert {name for name in theirs("*.txt") if "/messages/" in name} == set(MESSAGES)


def mails():
    names = {name.removesuffix("_message.txt") for name in theirs("*_message.txt") if "/email/" in name}
    return sorted(name for name in names if name.rpartition("/")[2] not in UNUSED_MAIL)


CONTEXT = {
    "username": "ida", "user_agent": "Firefox <b>", "ip": "192.0.2.1", "provider": "GitHub",
    "from_email": "a@example.org",
    "to_email": "b@example.org", "deleted_email": "c@example.org",
    "password_reset_url": "https://x.example/reset/?a=1&b=2",
    "activate_url": "https://x.example/verify/",
}  # fmt: skip


@pytest.mark.parametrize("name", mails())
def test_every_message_is_text_and_html(name, rf):
    with allauth.core.context.request_context(rf.get("/")):
        message = AccountAdapter().render_mail(name, "ida@example.org", CONTEXT)
    assert isinstance(message, EmailMessage)
    (html, kind) = message.alternatives[0]
    assert kind == "text/html"
    assert message.subject
    assert "\n" not in message.subject
    assert message.subject in html
    for text in (message.body, str(html)):
        assert "{{" not in text
        assert "{%" not in text
    assert "http" in message.body
    assert "<" not in " ".join(message.body.split()).replace("Firefox <b>", "")
    assert "Firefox <b>" not in html
    assert max(len(line) for line in message.body.splitlines()) <= 79


def test_a_link_is_not_damaged_by_the_formats(rf):
    with allauth.core.context.request_context(rf.get("/")):
        message = AccountAdapter().render_mail("account/email/password_reset_key", "ida@example.org", CONTEXT)
    assert "https://x.example/reset/?a=1&b=2\n" in message.body
    assert 'href="https://x.example/reset/?a=1&amp;b=2"' in str(message.alternatives[0][0])
