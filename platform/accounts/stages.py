"""The steps of a login that differ from allauth's own."""

from __future__ import annotations

from typing import Any

from allauth.account.app_settings import EmailVerificationMethod
from allauth.account.models import EmailAddress
from allauth.account.stages import EmailVerificationStage


class VerifyNewAccounts(EmailVerificationStage):
    """
    Asks only new accounts to verify their email address first.

    Accounts that the staff created, that an invitation created, or that are older than verification have an unverified
    address or none. They can log in, and verify their address when they like.
    """

    def handle(self) -> Any:
        """Skip the step for accounts that have logged in before, or that have no address."""
        user = self.login.user
        if (
            user is not None
            and not self.login.signup
            and self.login.email_verification == EmailVerificationMethod.MANDATORY
            and (user.last_login is not None or not EmailAddress.objects.filter(user_id=user.pk).exists())
        ):
            return None, True
        return super().handle()
