"""URLs of series."""

from django.urls import path

from web.organize.series import views

urlpatterns = [
    path("new/", views.create, name="series-create"),
    path("series/<slug:slug>/", views.page, name="series"),
    path("series/<slug:slug>/edit/", views.edit, name="series-edit"),
    path("series/<slug:slug>/history.csv", views.history_csv, name="series-history-csv"),
]
