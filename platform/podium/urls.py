"""Every address of the site."""

from django.contrib import admin
from django.contrib.auth import views as auth
from django.urls import include, path

from podium import health, views

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

handler400 = views.bad_request
handler403 = views.forbidden
handler404 = views.not_found
handler500 = views.server_error
