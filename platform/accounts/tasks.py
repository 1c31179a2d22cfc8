"""Celery tasks for accounts."""

from __future__ import annotations

from urllib.parse import urlsplit

from celery import shared_task
from django.contrib.auth.forms import PasswordResetForm
from django.utils import translation


@shared_task(name="podium.send_password_reset")
def send_password_reset(email: str, origin: str, language: str) -> None:
    """Send a password-reset link to each account with this email address, if there is any."""
    form = PasswordResetForm({"email": email})
    address = urlsplit(origin)
    with translation.override(language):
        if form.is_valid():
            form.save(
                domain_override=address.netloc,
                use_https=address.scheme == "https",
                subject_template_name="accounts/password_reset_subject.txt",
                email_template_name="accounts/password_reset_email.txt",
            )
