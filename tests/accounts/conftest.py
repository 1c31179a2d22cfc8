"""Two sites: one that sends mail, through a worker that does so at once, and one that sends none."""

import re

import pytest
from django.core import mail

from accounts.tasks import send_message, send_password_reset


class Mailbox:
    """The messages that have been sent."""

    @property
    def messages(self):
        return mail.outbox

    @property
    def subjects(self):
        return [message.subject for message in mail.outbox]

    def link(self, number=-1):
        """Return the path of the first link in a message that leads to an account page."""
        return re.search(r"http://testserver(/accounts/\S+)", mail.outbox[number].body)[1]


@pytest.fixture
def without_mail(settings):
    settings.PODIUM_SENDS_MAIL = False
    settings.ACCOUNT_EMAIL_VERIFICATION = "optional"
    settings.ACCOUNT_EMAIL_NOTIFICATIONS = False
    settings.ACCOUNT_SIGNUP_FIELDS = ["username*", "email", "password1*", "password2*"]
    settings.MFA_ALLOW_UNVERIFIED_EMAIL = True


@pytest.fixture
def mailbox(settings, monkeypatch):
    settings.PODIUM_SENDS_MAIL = True
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
    settings.ACCOUNT_EMAIL_NOTIFICATIONS = True
    settings.ACCOUNT_SIGNUP_FIELDS = ["username*", "email*", "password1*", "password2*"]
    settings.MFA_ALLOW_UNVERIFIED_EMAIL = False
    for task in (send_message, send_password_reset):
        monkeypatch.setattr(task, "apply_async", lambda args, *_, task=task, **_options: task(*args))
    return Mailbox()
