"""The forms of django-allauth, with our labels and without its placeholders."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, ClassVar

from allauth.account import forms as account
from allauth.account.internal.flows.email_verification import send_verification_email_to_address
from allauth.account.models import EmailAddress
from allauth.account.utils import user_email
from allauth.mfa.base import forms as mfa
from allauth.mfa.totp import forms as totp
from allauth.mfa.webauthn import forms as webauthn
from allauth.socialaccount import forms as social
from allauth.usersessions.models import UserSession
from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.hashers import make_password
from django.contrib.auth.password_validation import password_validators_help_text_html
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _
from kombu.exceptions import OperationalError

from accounts.tasks import send_password_reset
from contests.addresses import whole_address
from contests.plain_text import plain_text

if TYPE_CHECKING:
    from django.http import HttpRequest
    from django.utils.functional import _StrPromise

logger = logging.getLogger(__name__)

_NEW = {"password1": gettext_lazy("New password"), "password2": gettext_lazy("Repeat new password")}
_EMAIL_HELP = gettext_lazy(
    "Used only to send you a link if you forget your password, and to tell you about changes to your account and about "
    "games that your opponents report. You can turn off messages about games. Only the site administrators can see it."
)


class Relabelled(forms.Form):
    """A form of allauth with other labels and help texts, by field."""

    labels: ClassVar[dict[str, _StrPromise]] = {}
    help_texts: ClassVar[dict[str, Any]] = {}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, field in self.fields.items():
            field.widget.attrs.pop("placeholder", None)
            field.label = self.labels.get(name, field.label)
            field.help_text = self.help_texts.get(name, "")


class ProfileForm(forms.Form):
    """The name of a person."""

    name = forms.CharField(
        label=gettext_lazy("Name"),
        max_length=150,
        required=False,
        validators=[plain_text],
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
    )


class Login(Relabelled, account.LoginForm):
    """The form to log in."""

    labels: ClassVar = {"login": gettext_lazy("Username or email address"), "password": gettext_lazy("Password")}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        attributes = {"autocomplete": "username", "autocapitalize": "none", "spellcheck": "false", "maxlength": "254"}
        self.fields["login"].widget.attrs |= attributes | ({} if self.is_bound else {"autofocus": True})


class SignUp(Relabelled, account.SignupForm):
    """The form to create an account."""

    labels: ClassVar = {
        "username": gettext_lazy("Username"),
        "email": gettext_lazy("Email address"),
        "password1": gettext_lazy("Password"),
        "password2": gettext_lazy("Repeat password"),
    }
    help_texts: ClassVar = {"email": _EMAIL_HELP}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["password1"].help_text = password_validators_help_text_html()

    def try_save(self, request: HttpRequest) -> Any:
        """Hash a password in any case, so that the time does not reveal whether the address has an account."""
        if self.account_already_exists:
            make_password(self.cleaned_data["password1"])
        return super().try_save(request)


class SocialSignUp(Relabelled, social.SignupForm):
    """The form to create an account for someone who logs in with another site."""

    labels: ClassVar = {"username": gettext_lazy("Username"), "email": gettext_lazy("Email address")}
    help_texts: ClassVar = {"email": _EMAIL_HELP}


class ChangeEmail(Relabelled, account.AddEmailForm):
    """The form to change the email address."""

    labels: ClassVar = {"email": gettext_lazy("New email address")}
    help_texts: ClassVar = {"email": _EMAIL_HELP}

    def save(self, request: HttpRequest) -> EmailAddress:
        """
        Send a link to the new address, which replaces the old one once it is opened; without mail, replace it at once.

        allauth would drop an old address that has not been verified, so that the account might have none.
        """
        addresses = EmailAddress.objects.filter(user=self.user)
        if settings.PODIUM_SENDS_MAIL:
            addresses.filter(verified=False).exclude(email=user_email(self.user)).delete()
        address: EmailAddress = addresses.create(user=self.user, email=self.cleaned_data["email"])
        if settings.PODIUM_SENDS_MAIL:
            send_verification_email_to_address(request, address)
            return address
        address.set_as_primary()
        addresses.exclude(pk=address.pk).delete()
        messages.success(request, _("Saved."))
        return address


class ChangePassword(Relabelled, account.ChangePasswordForm):
    """The form to change the password, with the current one."""

    labels: ClassVar = {"oldpassword": gettext_lazy("Current password"), **_NEW}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["password1"].help_text = password_validators_help_text_html()


class SetPassword(Relabelled, account.SetPasswordForm):
    """The form for the first password of an account that logs in with another site."""

    labels: ClassVar = _NEW

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["password1"].help_text = password_validators_help_text_html()


class NewPassword(Relabelled, account.ResetPasswordKeyForm):
    """The form for a new password, opened by a link that works once."""

    labels: ClassVar = _NEW

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["password1"].help_text = password_validators_help_text_html()


class ResetPassword(Relabelled, account.ResetPasswordForm):
    """
    The form to request a password-reset link by email.

    A worker looks up the account, so that neither the response nor its timing reveals whether there is one.
    """

    labels: ClassVar = {"email": gettext_lazy("Email address")}

    def clean_email(self) -> str:
        """Return the address without looking for accounts."""
        return str(self.cleaned_data["email"])

    def save(self, request: HttpRequest, **kwargs: Any) -> str:
        """Ask a worker to send the link."""
        email = str(self.cleaned_data["email"])
        if settings.PODIUM_SENDS_MAIL:
            try:
                send_password_reset.delay(email, whole_address(request, "/"), get_language() or settings.LANGUAGE_CODE)
            except (OperationalError, OSError):
                logger.exception("could not send a password-reset link: the broker is unavailable")
        return email


class Reauthenticate(Relabelled, account.ReauthenticateForm):
    """The form to confirm with the password."""

    labels: ClassVar = {"password": gettext_lazy("Your password")}


class SecondFactor(Relabelled, mfa.AuthenticateForm):
    """The form for the code of an authenticator app, or for a recovery code."""

    labels: ClassVar = {"code": gettext_lazy("Code")}


class SecondFactorAgain(Relabelled, mfa.ReauthenticateForm):
    """The form to confirm with a code."""

    labels: ClassVar = {"code": gettext_lazy("Code")}


class ActivateApp(Relabelled, totp.ActivateTOTPForm):
    """The form with the first code of an authenticator app."""

    labels: ClassVar = {"code": gettext_lazy("Code that your app shows")}


class AddPasskey(Relabelled, webauthn.AddWebAuthnForm):
    """The form to add a passkey."""

    labels: ClassVar = {
        "name": gettext_lazy("Name of the passkey"),
        "passwordless": gettext_lazy("Log in with this passkey alone"),
    }
    help_texts: ClassVar = {
        "name": gettext_lazy("Helps you tell your passkeys apart, for example “Laptop”."),
        "passwordless": gettext_lazy(
            "The passkey then replaces your password and code. It needs a PIN, a fingerprint or something similar."
        ),
    }


class RenamePasskey(Relabelled, webauthn.EditWebAuthnForm):
    """The form to rename a passkey."""

    labels: ClassVar = {"name": gettext_lazy("Name of the passkey")}


class EndSessions(forms.Form):
    """The buttons that sign out one browser, all others, or all."""

    end = forms.CharField(required=False)

    def __init__(self, *args: Any, request: HttpRequest, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.request = request

    def chosen(self) -> list[UserSession]:
        """Return the sessions of the visitor that the button is about."""
        sessions = list(UserSession.objects.filter(user_id=self.request.user.pk))
        button = self.cleaned_data["end"]
        if button == "all":
            return sessions
        return [one for one in sessions if (str(one.pk) == button if button else not one.is_current())]
