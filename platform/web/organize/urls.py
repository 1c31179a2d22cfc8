"""URLs of the organizers' pages, feature by feature."""

from django.urls import include, path

app_name = "organize"
urlpatterns = [
    path("", include("web.organize.community.urls")),
    path("", include("web.organize.series.urls")),
    path("", include("web.organize.scheme.urls")),
    path("", include("web.organize.runs.urls")),
    path("", include("web.organize.people.urls")),
    path("", include("web.organize.changes.urls")),
    path("", include("web.organize.contests.urls")),
    path("", include("web.organize.uploads.urls")),
    path("", include("web.organize.games.urls")),
]
