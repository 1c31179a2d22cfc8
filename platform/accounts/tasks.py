"""Celery tasks for accounts: messages that workers send, and the deletion of accounts that no one verified."""

from __future__ import annotations

from io import BytesIO
from urllib.parse import urlsplit

from allauth.account.forms import default_token_generator
from allauth.account.internal.flows.password_reset import request_password_reset
from allauth.core.context import request_context
from celery import shared_task
from django.conf import settings
from django.core.handlers.wsgi import WSGIRequest
from django.core.mail import send_mail
from django.utils import translation

from accounts.backends import accounts_with
from accounts.unverified import delete_unverified_accounts


@shared_task(name="podium.send_message")
def send_message(subject: str, text: str, html: str, email: str) -> None:
    """Send a message as text and as HTML."""
    send_mail(subject, text, settings.DEFAULT_FROM_EMAIL, [email], html_message=html)


@shared_task(name="podium.send_password_reset")
def send_password_reset(email: str, origin: str, language: str) -> None:
    """Send a password-reset link to each active account with this email address, if there is any."""
    users = [user for user in accounts_with(email) if user.is_active]
    request = _request_to(origin)
    with translation.override(language), request_context(request):
        request_password_reset(request, email, users, default_token_generator)


@shared_task(name="podium.delete_unverified_accounts")
def delete_unverified_accounts_task() -> None:
    """Delete accounts whose owner never verified the email address."""
    delete_unverified_accounts()


def _request_to(origin: str) -> WSGIRequest:
    """Return a request to this site at the origin that the visitor used, from which allauth makes its links."""
    address = urlsplit(origin)
    return WSGIRequest(
        {
            "REQUEST_METHOD": "GET",
            "PATH_INFO": "/",
            "HTTP_HOST": address.netloc,
            "wsgi.url_scheme": address.scheme,
            "wsgi.input": BytesIO(),
        }
    )
