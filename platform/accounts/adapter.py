"""The adapters of django-allauth on this site: who may sign up, what allauth says, and how its messages are sent."""

from __future__ import annotations

import logging
import textwrap
from typing import TYPE_CHECKING, Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.core import context as allauth_context
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.models import Authenticator
from django.conf import settings
from django.contrib.messages import add_message
from django.core.mail import EmailMultiAlternatives
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from kombu.exceptions import OperationalError

from accounts import sign_up
from accounts.client_address import counted_address
from accounts.limits import remember_device
from accounts.tasks import send_message
from accounts.wording import MESSAGES
from contests.addresses import whole_address
from contests.models import Community, Series
from contests.queries.visibility import visible_players

if TYPE_CHECKING:
    from django.contrib.auth.base_user import AbstractBaseUser
    from django.contrib.auth.models import AnonymousUser
    from django.http import HttpRequest, HttpResponse

logger = logging.getLogger(__name__)

_WAYS = {
    "reauthenticate": _("Use your password"),
    "mfa_reauthenticate": _("Use a code"),
    "mfa_reauthenticate:webauthn": _("Use a passkey"),
}
_WRONG_CODE = _("This code is wrong, or it has expired. Enter the latest one.")
_WRONG = _("The name and password do not match. Check both. Passwords are case-sensitive.")


class AccountAdapter(DefaultAccountAdapter):
    """The adapter of allauth.account, which its other applications use too."""

    error_messages = DefaultAccountAdapter.error_messages | {
        "username_password_mismatch": _WRONG,
        "email_password_mismatch": _WRONG,
        "enter_current_password": _("Enter your current password."),
        "incorrect_password": _("This is not your password."),
        "incorrect_code": _WRONG_CODE,
        "too_many_login_attempts": _("Too many attempts. Wait 15 minutes and try again."),
        "rate_limited": _("Too many attempts. Wait 15 minutes and try again."),
        "email_taken": _("Another account has this email address. Enter a different one, or log in to that account."),
        "duplicate_email": _("This is already the email address of your account."),
        "username_taken": _("This username is taken. Choose another one."),
    }

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """Return whether this visitor may create an account, by PODIUM_SIGN_UP."""
        return sign_up.is_open_to(request)

    def get_client_ip(self, request: HttpRequest) -> str:
        """Return the address of the client as this site's own proxies saw it."""
        return counted_address(request)

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """Do nothing: accounts.limits has counted the attempt, so that strangers cannot lock out the owner."""

    def get_login_stages(self) -> list[str]:
        """Return allauth's stages, with our own rule on unverified addresses."""
        ours = {"allauth.account.stages.EmailVerificationStage": "accounts.stages.VerifyNewAccounts"}
        return [ours.get(stage, stage) for stage in super().get_login_stages()]

    def get_reauthentication_methods(self, user: AbstractBaseUser | AnonymousUser) -> list[dict[str, Any]]:
        """Return the ways to confirm who you are, in our words."""
        return [way | {"description": _WAYS[way["id"]]} for way in super().get_reauthentication_methods(user)]

    def post_login(self, request: HttpRequest, user: AbstractBaseUser, **kwargs: Any) -> HttpResponse:
        """Let the browser remember that the owner has used it."""
        response = super().post_login(request, user, **kwargs)
        remember_device(request, response, user.get_username())
        return response

    def add_message(
        self,
        request: HttpRequest,
        level: int,
        message_template: str | None = None,
        message_context: dict[str, Any] | None = None,
        extra_tags: str = "",
        message: str | None = None,
    ) -> None:
        """Show a message in our own words, unless it only repeats what the page shows."""
        text = message or str(MESSAGES.get(message_template or "", "")) % (message_context or {})
        if text:
            add_message(request, level, text, extra_tags=extra_tags)

    def get_login_redirect_url(self, request: HttpRequest) -> str:
        """Return the page after logging in: the own player for accounts that organize nothing."""
        user = request.user
        if not Community.objects.organized_by(user).exists() and not Series.objects.organized_by(user).exists():
            players = list(visible_players(user).filter(claim__user=user.pk)[:2])
            if players:
                return players[0].get_absolute_url() if len(players) == 1 else reverse("my-games")
        return str(super().get_login_redirect_url(request))

    def get_reset_password_from_key_url(self, key: str) -> str:
        """Return the link to choose a new password."""
        uid, _dash, token = key.partition("-")
        return whole_address(self.request, reverse("account_reset_password_from_key", args=[uid, token]))

    def get_email_confirmation_url(self, request: HttpRequest, emailconfirmation: Any) -> str:
        """Return the link that verifies an address."""
        return whole_address(request, reverse("account_confirm_email", args=[emailconfirmation.key]))

    def send_account_already_exists_mail(self, email: str) -> None:
        """Tell the owner of an address that someone tried to sign up with it."""
        link = whole_address(self.request, reverse("account_reset_password"))
        self.send_mail("account/email/account_already_exists", email, {"password_reset_url": link})

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Let a worker send a message, so that a slow mail server delays no page and reveals no account."""
        if not settings.PODIUM_SENDS_MAIL:
            return
        message = self.render_mail(template_prefix, email, context)
        html, _type = message.alternatives[0]
        try:
            # Messages contain links that are secrets, and monitors of workers show the arguments of tasks.
            send_message.apply_async(
                (str(message.subject), str(message.body), str(html), email), argsrepr="(a message)"
            )
        except (OperationalError, OSError):
            logger.exception("could not send a message: the broker is unavailable")

    def render_mail(
        self,
        template_prefix: str,
        email: str | list[str],
        context: dict[str, Any],
        headers: dict[str, str] | None = None,
    ) -> EmailMultiAlternatives:
        """
        Return a message as text and as HTML, both from one template.

        The template's first line is the subject. Empty lines separate paragraphs, and an address alone in a paragraph
        becomes a button.
        """
        origin = whole_address(allauth_context.request, "/")
        written = render_to_string(f"{template_prefix}.txt", {"email": email, "origin": origin, **context})
        subject, _newline, body = written.strip().partition("\n")
        paragraphs = [" ".join(paragraph.split()) for paragraph in body.split("\n\n") if paragraph.strip()]
        parts = [{"text": text, "is_link": text.startswith(("http://", "https://"))} for text in paragraphs]
        html = render_to_string("account/email/message.html", {"subject": subject, "parts": parts, "origin": origin})
        lines = [textwrap.fill(text, 72, break_long_words=False, break_on_hyphens=False) for text in paragraphs]
        to = [email] if isinstance(email, str) else email
        message = EmailMultiAlternatives(
            subject.strip(), "\n\n".join(lines) + "\n", self.get_from_email(), to, headers=headers
        )
        message.attach_alternative(html, "text/html")
        return message


class SecondFactorAdapter(DefaultMFAAdapter):
    """The adapter of allauth.mfa."""

    error_messages = DefaultMFAAdapter.error_messages | {
        "incorrect_code": _WRONG_CODE,
        "unverified_email": _(
            "Verify your email address first. Otherwise, someone could register with another person’s address and lock "
            "that person out."
        ),
        "cannot_generate_recovery_codes": _("Set up an authenticator app or a passkey first."),
    }

    def generate_authenticator_name(self, user: AbstractBaseUser, type: Authenticator.Type) -> str:  # noqa: A002
        """Return the name of a passkey that its owner has not named."""
        number = Authenticator.objects.filter(user_id=user.pk, type=type).count() + 1
        return gettext("Passkey %(number)d") % {"number": number}
