"""Accounts: logging in, the account page, password changes and resets, and limits on attempts."""

from __future__ import annotations

import hashlib
import logging
import secrets
import unicodedata
from datetime import timedelta
from functools import wraps
from typing import TYPE_CHECKING, Any, cast

from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import REDIRECT_FIELD_NAME
from django.contrib.auth import views as auth
from django.contrib.auth.decorators import login_required
from django.contrib.auth.forms import PasswordResetForm
from django.contrib.auth.password_validation import password_validators_help_texts
from django.core.exceptions import ValidationError
from django.http import HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse, reverse_lazy
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.utils.http import urlencode
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django_ratelimit.core import get_usage
from kombu.exceptions import OperationalError

from accounts.client_address import client_network
from accounts.tasks import send_password_reset
from contests.addresses import whole_address
from contests.plain_text import plain_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.contrib.auth.forms import AuthenticationForm
    from django.contrib.auth.models import User
    from django.http import HttpRequest, HttpResponse

logger = logging.getLogger(__name__)

#: Attempts that django-ratelimit allows in a fixed window, by group.
RATES = {
    "login-address": "30/15m",
    "login-account": "10/15m",
    "password-account": "10/15m",
    "new-account-address": "20/h",
    "reset-address": "10/h",
    "reset-email": "3/h",
}
#: Marks a browser from which the owner of an account has logged in before; only the login page reads it.
DEVICE_COOKIE = "podium_device"
_DEVICE_SALT = "podium.device"
_DEVICE_SECONDS = 31_536_000


def seconds_to_wait(request: HttpRequest, group: str, value: str) -> int:
    """Count an attempt, and return the seconds until the next is allowed; 0 if this one is allowed."""
    usage = get_usage(request, group=group, key=lambda *_: value, rate=RATES[group], increment=True)
    return max(1, usage["time_left"]) if usage is not None and usage["should_limit"] else 0


def login_wait(request: HttpRequest, username: str) -> int:
    """
    Count an attempt to log in, and return the seconds until the next is allowed; 0 if this one is allowed.

    Attempts from a browser that the owner has used before are counted separately, so that strangers who try passwords
    do not lock the owner out.
    """
    wait = seconds_to_wait(request, "login-address", client_network(request))
    account = account_key(username)
    return wait or seconds_to_wait(request, "login-account", f"{account} {_device(request, account)}")


def remember_device(request: HttpRequest, response: HttpResponse, username: str) -> None:
    """Set a cookie that proves that the owner of the account has used this browser."""
    account = account_key(username)
    device = _device(request, account) or secrets.token_urlsafe(16)
    response.set_signed_cookie(
        DEVICE_COOKIE, f"{account} {device}", salt=_DEVICE_SALT, max_age=_DEVICE_SECONDS, path=reverse("login"),
        secure=settings.SESSION_COOKIE_SECURE, httponly=True, samesite="Lax",
    )  # fmt: skip


def account_key(name: str) -> str:
    """Return the key for an account's limits, the same for all spellings of its name or email address."""
    plain = unicodedata.normalize("NFKC", name[:1000]).strip().casefold()
    return hashlib.sha256(plain.encode(errors="surrogatepass")).hexdigest()


def too_many_attempts(request: HttpRequest, wait: int) -> HttpResponse:
    """Return the 429 page for an attempt over the limit, with the time of the next attempt."""
    context = {"minutes": -(-wait // 60), "again_at": timezone.now() + timedelta(seconds=wait)}
    answer = render(request, "429.html", context, status=429)
    answer["Retry-After"] = str(wait)
    answer["Cache-Control"] = "no-store"
    return answer


def _device(request: HttpRequest, account: str) -> str:
    """Return the device in the browser's cookie if it belongs to the account, else an empty string."""
    kept = request.get_signed_cookie(DEVICE_COOKIE, "", salt=_DEVICE_SALT, max_age=_DEVICE_SECONDS) or ""
    owner, _, device = kept.partition(" ")
    return device if secrets.compare_digest(owner, account) else ""


class ProfileForm(forms.Form):
    """Name and email address; a new address needs the password, because it can reset the password."""

    name = forms.CharField(
        label=gettext_lazy("Name"),
        max_length=150,
        required=False,
        validators=[plain_text],
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
    )
    email = forms.EmailField(
        label=gettext_lazy("Email address"),
        max_length=254,
        required=False,
        widget=forms.EmailInput(attrs={"autocomplete": "email"}),
        help_text=gettext_lazy(
            "Used only to send you a link if you forget your password. Only the staff of this site can see it."
        ),
    )
    password = forms.CharField(
        label=gettext_lazy("Current password"),
        required=False,
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
        help_text=gettext_lazy("Required only if you change your email address."),
    )

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        kwargs["initial"] = {"name": user.first_name, "email": user.email}
        super().__init__(*args, **kwargs)
        self.user = user

    @property
    def changes_email(self) -> bool:
        """Whether the form has another address, so that it checks the password."""
        return self.data.get("email", "").strip() != self.user.email

    def clean(self) -> dict[str, Any]:
        said = self.cleaned_data
        if "email" in said and said["email"] != self.user.email and not self.user.check_password(said["password"]):
            raise ValidationError({"password": _("Enter your current password to change your email address.")})
        return said

    def save(self) -> None:
        """Save the name and address of a valid form."""
        self.user.first_name, self.user.email = self.cleaned_data["name"], self.cleaned_data["email"]
        self.user.save(update_fields=["first_name", "email"])


class Login(auth.LoginView):
    """The only login page; the admin redirects to it."""

    template_name = "accounts/login.html"

    def post(self, request: HttpRequest, *args: str, **kwargs: Any) -> HttpResponse:
        wait = login_wait(request, request.POST.get("username", ""))
        return too_many_attempts(request, wait) if wait else super().post(request, *args, **kwargs)

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        response = super().form_valid(form)
        remember_device(self.request, response, form.get_user().get_username())
        return response


def admin_login(request: HttpRequest) -> HttpResponse:
    """Redirect from the admin's login, which has no limits, to the site's login."""
    after = request.GET.get(REDIRECT_FIELD_NAME) or reverse("admin:index")
    return HttpResponseRedirect(f"{reverse('login')}?{urlencode({REDIRECT_FIELD_NAME: after})}")


@never_cache
@login_required
@sensitive_post_parameters("password")
def account(request: HttpRequest) -> HttpResponse:
    """Show the visitor's account, and change its name and email address."""
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
    """The form to change the password, with the current one."""

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
    The form to request a password-reset link by email.

    A worker looks up the account, so that neither the response nor its timing reveals whether there is one.
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
            logger.exception("could not send a password-reset link: the broker is unavailable")
        return HttpResponseRedirect(str(self.success_url))

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return super().get_context_data(**kwargs) | {"sends_mail": settings.PODIUM_SENDS_MAIL}


class PasswordResetConfirm(auth.PasswordResetConfirmView):
    """The form to choose a new password, opened by a link that works once."""

    template_name = "accounts/password_reset_confirm.html"
    success_url = reverse_lazy("login")
    extra_context = {"title": None}

    def form_valid(self, form: Any) -> HttpResponse:
        messages.success(self.request, _("Your password has been changed. Log in with the new one."))
        return super().form_valid(form)

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return super().get_context_data(**kwargs) | {"rules": password_validators_help_texts()}


def limited_accounts(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Limit the accounts that a view creates per client, before a password is hashed."""

    @wraps(view)
    def counted(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        if request.method == "POST" and not request.user.is_authenticated:
            wait = seconds_to_wait(request, "new-account-address", client_network(request))
            if wait:
                return too_many_attempts(request, wait)
        return view(request, *args, **kwargs)

    return counted


def _password_wait(request: HttpRequest) -> int:
    """Count a check of the visitor's password, because someone at an open browser could try many."""
    return seconds_to_wait(request, "password-account", str(request.user.pk))
