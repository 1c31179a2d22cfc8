"""URLs of accounts: django-allauth's, our own, and those of earlier versions."""

from allauth.account import views as allauth
from django.apps import apps
from django.urls import include, path
from django.views.generic import RedirectView

from accounts import views

#: URLs for logging in with other sites; they answer 404 if this site has no credentials for the provider.
_PROVIDERS = [
    path("", include(f"{config.name}.urls"))
    for config in apps.get_app_configs()
    if config.name.startswith("allauth.socialaccount.providers.")
]

urlpatterns = [
    path("account/", views.account, name="account"),
    # These come before allauth's URLs of the same pages, whose names allauth uses itself.
    path("accounts/login/", allauth.login, name="login"),
    path("accounts/logout/", allauth.logout, name="logout"),
    path("accounts/sessions/", views.Sessions.as_view(), name="usersessions_list"),
    path("accounts/", include("allauth.account.urls")),
    path("accounts/2fa/", include("allauth.mfa.urls")),
    path("accounts/3rdparty/", include("allauth.socialaccount.urls")),
    path("accounts/", include(_PROVIDERS)),
    # Pages of earlier versions.
    path("account/password/", RedirectView.as_view(pattern_name="account_change_password")),
    path("accounts/reset/", RedirectView.as_view(pattern_name="account_reset_password")),
    path("accounts/reset/<path:rest>", RedirectView.as_view(url="/accounts/password/reset/")),
    # These come before the admin's own pages at these URLs, which have neither limits nor a second factor.
    path("admin/login/", views.admin_login, name="admin-login"),
    path("admin/password_change/", RedirectView.as_view(pattern_name="account_change_password")),
]
