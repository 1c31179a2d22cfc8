"""Signing in, the own account, and a new password: Django's views with the site's look and limits."""

from __future__ import annotations

import logging
from functools import wraps
from typing import TYPE_CHECKING, Any, cast

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import REDIRECT_FIELD_NAME
from django.contrib.auth import views as auth
from django.contrib.auth.decorators import login_required
from django.contrib.auth.forms import PasswordResetForm
from django.contrib.auth.password_validation import password_validators_help_texts
from django.http import HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse, reverse_lazy
from django.utils.decorators import method_decorator
from django.utils.http import urlencode
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from kombu.exceptions import OperationalError

from accounts.client_address import client_network
from accounts.forms import ProfileForm
from accounts.limits import account_key, login_wait, remember_device, seconds_to_wait, too_many_attempts
from accounts.tasks import send_password_reset
from contests.addresses import whole_address

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.contrib.auth.forms import AuthenticationForm
    from django.contrib.auth.models import User
    from django.http import HttpRequest, HttpResponse

logger = logging.getLogger(__name__)


class Login(auth.LoginView):
    """The one page that takes passwords; the admin's leads here."""

    template_name = "accounts/login.html"

    def post(self, request: HttpRequest, *args: str, **kwargs: Any) -> HttpResponse:
        wait = login_wait(request, request.POST.get("username", ""))
        return too_many_attempts(request, wait) if wait else super().post(request, *args, **kwargs)

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        response = super().form_valid(form)
        remember_device(self.request, response, form.get_user().get_username())
        return response


def admin_login(request: HttpRequest) -> HttpResponse:
    """Lead from the admin's own login, which knows no limits, to the site's."""
    after = request.GET.get(REDIRECT_FIELD_NAME) or reverse("admin:index")
    return HttpResponseRedirect(f"{reverse('login')}?{urlencode({REDIRECT_FIELD_NAME: after})}")


@never_cache
@login_required
@sensitive_post_parameters("password")
def account(request: HttpRequest) -> HttpResponse:
    """Show the visitor's own account, and change its name and e-mail address."""
    user = cast("User", request.user)
    form = ProfileForm(request.POST if request.method == "POST" else None, user=user)
    if form.is_bound and form.changes_email and (wait := _password_wait(request)):
        return too_many_attempts(request, wait)
    if form.is_bound and form.is_valid():
        form.save()
        messages.success(request, _("Saved."))
        return redirect("account")
    status = 422 if form.is_bound else 200
    context = {"form": form, "sends_mail": settings.PODIUM_SENDS_MAIL}
    return render(request, "accounts/account.html", context, status=status)


@method_decorator(never_cache, name="dispatch")
class PasswordChange(auth.PasswordChangeView):
    """Another password, by the one so far."""

    template_name = "accounts/password_change.html"
    success_url = reverse_lazy("account")
    extra_context = {"title": None}

    def post(self, request: HttpRequest, *args: str, **kwargs: Any) -> HttpResponse:
        wait = _password_wait(request)
        return too_many_attempts(request, wait) if wait else super().post(request, *args, **kwargs)

    def form_valid(self, form: Any) -> HttpResponse:
        messages.success(self.request, _("Your password has been changed. Other browsers have been signed out."))
        return super().form_valid(form)

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return super().get_context_data(**kwargs) | {"rules": password_validators_help_texts()}


class PasswordReset(auth.PasswordResetView):
    """
    A link for another password, by e-mail.

    The answer is the same and takes as long whether there is such an account: a worker looks for it.
    """

    template_name = "accounts/password_reset.html"
    success_url = reverse_lazy("password-reset-sent")
    form_class = PasswordResetForm
    extra_context = {"title": None}

    def post(self, request: HttpRequest, *args: str, **kwargs: Any) -> HttpResponse:
        if not settings.PODIUM_SENDS_MAIL:
            return self.get(request)
        wait = seconds_to_wait(request, "reset-address", client_network(request))
        wait = wait or seconds_to_wait(request, "reset-email", account_key(request.POST.get("email", "")))
        return too_many_attempts(request, wait) if wait else super().post(request, *args, **kwargs)

    def form_valid(self, form: PasswordResetForm) -> HttpResponse:
        try:
            send_password_reset.delay(
                form.cleaned_data["email"], whole_address(self.request, "/"), get_language() or settings.LANGUAGE_CODE
            )
        except (OperationalError, OSError):
            logger.exception("a link for a new password could not be sent: the broker is away")
        return HttpResponseRedirect(str(self.success_url))

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return super().get_context_data(**kwargs) | {"sends_mail": settings.PODIUM_SENDS_MAIL}


class PasswordResetConfirm(auth.PasswordResetConfirmView):
    """Another password, by a link that works once."""

    template_name = "accounts/password_reset_confirm.html"
    success_url = reverse_lazy("login")
    extra_context = {"title": None}

    def form_valid(self, form: Any) -> HttpResponse:
        messages.success(self.request, _("Your password has been changed. Log in with the new one."))
        return super().form_valid(form)

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return super().get_context_data(**kwargs) | {"rules": password_validators_help_texts()}


def limited_accounts(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Count by address how many accounts are made on a page, before a password is hashed."""

    @wraps(view)
    def counted(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        if request.method == "POST" and not request.user.is_authenticated:
            wait = seconds_to_wait(request, "new-account-address", client_network(request))
            if wait:
                return too_many_attempts(request, wait)
        return view(request, *args, **kwargs)

    return counted


def _password_wait(request: HttpRequest) -> int:
    """Count a check of the visitor's own password, because someone at an open browser could try many."""
    return seconds_to_wait(request, "password-account", str(request.user.pk))
