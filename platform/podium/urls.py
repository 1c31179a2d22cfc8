"""Every address of the site."""

from django.contrib import admin
from django.contrib.auth import views as auth
from django.urls import include, path

from podium import health, views
from podium.problems import or_problem

urlpatterns = [
    path("", include("ratings.urls")),
    path("", include("contests.urls")),
    path("organize/", include("podium.urls_organize")),
    path("api/v1/", include("podium.urls_api")),
    path("accounts/login/", auth.LoginView.as_view(template_name="accounts/login.html"), name="login"),
    path("accounts/logout/", auth.LogoutView.as_view(), name="logout"),
    path("admin/", admin.site.urls),
    path("language/<str:code>/", views.language, name="language"),
    # podium.health.Health answers them before they are looked up here; so they have names.
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
]

handler400 = or_problem(views.bad_request, 400)
handler403 = or_problem(views.forbidden, 403)
handler404 = or_problem(views.not_found, 404)
handler500 = or_problem(views.server_error, 500)
