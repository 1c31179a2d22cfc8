"""URLs of series."""

from django.urls import path

from web.organize.series import views

urlpatterns = [
    path("new/", views.create, name="series-create"),
    path("c/<series:at>/", views.page, name="series"),
    path("c/<series:at>/edit/", views.edit, name="series-edit"),
    path("c/<series:at>/delete/", views.delete, name="series-delete"),
    path("c/<series:at>/history.csv", views.history_csv, name="series-history-csv"),
]
