"""URLs of the site."""

from django.contrib import admin
from django.contrib.auth import views as auth
from django.urls import include, path

from accounts import views as accounts
from podium import health
from podium.problems import or_problem
from web.shared import site_views as views

urlpatterns = [
    path("", include("web.public.urls")),
    path("organize/", include("web.organize.urls")),
    path("api/v1/", include("podium.urls_api")),
    path("account/", accounts.account, name="account"),
    path("account/password/", accounts.PasswordChange.as_view(), name="password-change"),
    path("accounts/login/", accounts.Login.as_view(), name="login"),
    path("accounts/reset/", accounts.PasswordReset.as_view(), name="password-reset"),
    path(
        "accounts/reset/sent/",
        auth.PasswordResetDoneView.as_view(
            template_name="accounts/password_reset_sent.html", extra_context={"title": None}
        ),
        name="password-reset-sent",
    ),
    path("accounts/reset/<uidb64>/<token>/", accounts.PasswordResetConfirm.as_view(), name="password_reset_confirm"),
    path("accounts/logout/", auth.LogoutView.as_view(), name="logout"),
    # Before the admin's own page at this URL.
    path("admin/login/", accounts.admin_login, name="admin-login"),
    path("admin/", admin.site.urls),
    path("language/<str:code>/", views.language, name="language"),
    # podium.middleware.Health answers these two before URLs are resolved; here they get their names.
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
]

handler400 = or_problem(views.bad_request, 400)
handler403 = or_problem(views.forbidden, 403)
handler404 = or_problem(views.not_found, 404)
handler500 = or_problem(views.server_error, 500)
