"""Messages to people after something about their account has changed, by allauth's name of the message."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

#: Messages that only repeat what the next page shows are empty.
MESSAGES = {
    "account/messages/cannot_delete_primary_email.txt": _(
        "You cannot remove %(email)s while another address is "
        "waiting to be verified. Remove the unverified address first."
    ),
    "account/messages/email_confirmation_failed.txt": _(
        "%(email)s cannot be verified, because another account has verified it. Enter a different address, or log in "
        "to that account."
    ),
    "account/messages/email_confirmation_sent.txt": _("We sent a link to %(email)s. Open it to verify the address."),
    "account/messages/email_confirmed.txt": _("You have verified %(email)s."),
    "account/messages/email_deleted.txt": _("Your account no longer has the email address %(email)s."),
    "account/messages/logged_in.txt": "",
    "account/messages/logged_out.txt": "",
    "account/messages/login_code_sent.txt": "",
    "account/messages/password_changed.txt": _("Your password has been changed. Other browsers have been logged out."),
    "account/messages/password_set.txt": _("Your account now has a password."),
    "account/messages/phone_verification_sent.txt": "",
    "account/messages/phone_verified.txt": "",
    "account/messages/primary_email_set.txt": _("Your email address has been changed."),
    "account/messages/unverified_primary_email.txt": _("Verify the new email address first."),
    "mfa/messages/recovery_codes_generated.txt": _("You have new recovery codes. Keep them in a safe place."),
    "mfa/messages/totp_activated.txt": _("From now on, you need your authenticator app to log in."),
    "mfa/messages/totp_deactivated.txt": _("You no longer need an authenticator app to log in."),
    "mfa/messages/webauthn_added.txt": _("The passkey has been added."),
    "mfa/messages/webauthn_removed.txt": _("The passkey has been removed."),
    "socialaccount/messages/account_connected.txt": _("You can now log in with that account, too."),
    "socialaccount/messages/account_connected_other.txt": _(
        "Someone else on this site already logs in with that account."
    ),
    "socialaccount/messages/account_connected_updated.txt": "",
    "socialaccount/messages/account_disconnected.txt": _("You can no longer log in with that account."),
    "usersessions/messages/sessions_logged_out.txt": _("The other browsers have been logged out."),
}
