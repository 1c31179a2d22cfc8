"""Pages of accounts that django-allauth does not have: the overview, the sessions, and the admin's login."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.adapter import get_adapter as get_social_adapter
from allauth.socialaccount.models import SocialAccount
from allauth.usersessions.internal.flows.sessions import end_sessions
from allauth.usersessions.models import UserSession
from allauth.usersessions.views import ListUserSessionsView
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import REDIRECT_FIELD_NAME
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from accounts.forms import EndSessions, ProfileForm

if TYPE_CHECKING:
    from django.contrib.auth.models import User
    from django.http import HttpRequest, HttpResponse


@never_cache
@login_required
def account(request: HttpRequest) -> HttpResponse:
    """Show the visitor's account with links to its parts, and change its name."""
    user = cast("User", request.user)
    form = ProfileForm(request.POST if request.method == "POST" else None, initial={"name": user.first_name})
    if form.is_bound and form.is_valid():
        user.first_name = form.cleaned_data["name"]
        user.save(update_fields=["first_name"])
        messages.success(request, _("Saved."))
        return redirect("account")
    kinds = list(Authenticator.objects.filter(user_id=user.pk).values_list("type", flat=True))
    context = {
        "form": form,
        "email": EmailAddress.objects.get_primary_email(user),
        "is_verified": EmailAddress.objects.filter(user_id=user.pk, verified=True).exists(),
        "has_app": "totp" in kinds,
        "passkey_count": kinds.count("webauthn"),
        "providers": get_social_adapter().list_providers(request),
        "connected": [str(one.get_provider().name) for one in SocialAccount.objects.filter(user_id=user.pk)],
        "session_count": len(UserSession.objects.purge_and_list(user)),
        "sends_mail": settings.PODIUM_SENDS_MAIL,
    }
    return render(request, "accounts/account.html", context, status=422 if form.is_bound else 200)


class Sessions(ListUserSessionsView):
    """The browsers that are logged in to the account; the visitor can sign out one, the others, or all."""

    form_class = EndSessions

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Put the current session first, and the others after it, newest first."""
        context: dict[str, Any] = super().get_context_data(**kwargs)
        newest_first = sorted(context["sessions"], key=lambda one: one.created_at, reverse=True)
        context["sessions"] = sorted(newest_first, key=lambda one: not one.is_current())
        return context

    def form_valid(self, form: EndSessions) -> HttpResponse:
        """End the chosen sessions."""
        chosen = form.chosen()
        end_sessions(self.request, chosen)
        if not self.request.user.is_authenticated:
            messages.success(self.request, _("You have been logged out everywhere."))
            return redirect("login")
        messages.success(self.request, _("Logged out."))
        return HttpResponseRedirect(self.get_success_url())


def admin_login(request: HttpRequest) -> HttpResponse:
    """Redirect from the admin's login, which has no limits and no second factor, to the site's login."""
    if request.user.is_authenticated:
        raise PermissionDenied
    after = request.GET.get(REDIRECT_FIELD_NAME) or reverse("admin:index")
    return HttpResponseRedirect(f"{reverse('login')}?{urlencode({REDIRECT_FIELD_NAME: after})}")
