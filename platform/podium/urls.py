"""URLs of the site."""

from django.contrib import admin
from django.urls import include, path

from podium import health
from podium.problems import or_problem
from web.shared import site_views as views

urlpatterns = [
    path("", include("web.public.urls")),
    path("organize/", include("web.organize.urls")),
    path("design/", include("web.organize.design.urls")),
    path("api/v1/", include("podium.urls_api")),
    path("", include("accounts.urls")),
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
